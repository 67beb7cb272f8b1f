// Printing and assertions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Agent.h"
#include "Handlers.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

static raw_ostream &getOutput(Agent &agent) {
  raw_ostream *output = agent.getLaunch().options.output;
  return output ? *output : llvm::nulls();
}

//===----------------------------------------------------------------------===//
// printf
//===----------------------------------------------------------------------===//

/// Prints an argument in the conversion `%`, `spec` (flags, width and precision), `letter`, whose kind of
/// letter the verifier has checked against the type.
static void printArgument(raw_ostream &os, std::string spec, char letter, Agent &agent,
                          const Instruction &inst, unsigned operand) {
  if (const auto *pointer = std::get_if<Pointer>(&agent.get(inst, operand))) {
    os << llvm::format_hex(uint64_t(pointer->buffer + 1) << 40, 0);
    return;
  }
  Element element = *getElement(inst.op->getOperand(operand).getType());
  uint64_t code = agent.getCode(inst, operand);
  if (element.isFloat()) {
    spec += letter;
    os << llvm::format(spec.c_str(), element.format.decode(code));
    return;
  }
  if (letter == 'c') {
    os << char(code);
    return;
  }
  bool isSigned = (letter == 'd' || letter == 'i') && !element.isBool();
  spec += "ll";
  spec += letter;
  os << llvm::format(spec.c_str(), static_cast<long long>(isSigned ? element.toSigned(code) : int64_t(code)));
}

/// Flags, width and precision of a conversion: without lengths, and not so wide that output explodes.
static std::string cleanSpec(StringRef spec) {
  std::string clean;
  for (char c : spec.take_front(8))
    if (!StringRef("lhz").contains(c))
      clean += c;
  return clean;
}

static Step runPrintf(Agent &agent, const Instruction &inst) {
  StringRef format = cast<PrintfOp>(inst.op).getFormat();
  raw_ostream &os = getOutput(agent);
  for (unsigned operand = 0; !format.empty();) {
    size_t percent = std::min(format.find('%'), format.size());
    os << format.take_front(percent);
    format = format.drop_front(percent);
    if (format.consume_front("%%")) {
      os << '%';
      continue;
    }
    size_t end = format.find_first_not_of("-+ #0123456789.lhz", 1);
    if (end == StringRef::npos || operand == inst.operands.size())
      break;
    printArgument(os, cleanSpec(format.take_front(end)), format[end], agent, inst, operand++);
    format = format.drop_front(end + 1);
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// print and assert
//===----------------------------------------------------------------------===//

static void printElement(raw_ostream &os, const Element &element, uint64_t code) {
  if (element.isFloat())
    os << llvm::format("%.9g", element.format.decode(code));
  else if (element.isBool())
    os << (code ? "true" : "false");
  else
    os << element.toSigned(code);
}

static Step runPrint(Agent &agent, const Instruction &inst) {
  StringRef message = cast<PrintOp>(inst.op).getMessage();
  const Tile &tile = agent.getTile(inst, 0);
  raw_ostream &os = getOutput(agent);
  os << message << ": [";
  llvm::interleaveComma(tile.shape, os);
  os << "]\n";
  for (int64_t i = 0; i < tile.count; ++i) {
    os << message;
    if (!tile.shape.empty())
      os << formatIndex(tile.shape, i);
    os << " = ";
    printElement(os, tile.element, tile.getCode(i));
    os << "\n";
  }
  return Step::Next;
}

static Step runAssert(Agent &agent, const Instruction &inst) {
  StringRef message = cast<AssertOp>(inst.op).getMessage();
  if (const auto *condition = std::get_if<uint64_t>(&agent.get(inst, 0))) {
    if (*condition)
      return Step::Next;
    inst.op->emitOpError("expected the assertion to hold, but got false: ") << message;
    return Step::Failed;
  }
  const Tile &tile = agent.getTile(inst, 0);
  for (int64_t i = 0; i < tile.count; ++i) {
    if (tile.getCode(i))
      continue;
    inst.op->emitOpError("expected the assertion to hold, but got false in element ")
        << formatIndex(tile.shape, i) << ": " << message;
    return Step::Failed;
  }
  return Step::Next;
}

void tilus::reference::registerDebugHandlers(HandlerTable &table) {
  table.add<PrintfOp>(runPrintf, Needs::AllThreads);
  table.add<PrintOp>(runPrint, Needs::AllThreads);
  table.add<AssertOp>(runAssert, Needs::AllThreads);
}
