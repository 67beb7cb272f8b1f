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

/// A double in C's notation with the flags, width and precision of `spec` (`%` up to the conversion letter).
static void printReal(raw_ostream &os, std::string spec, char letter, double value) {
  spec += letter;
  os << llvm::format(spec.c_str(), value);
}

static void printInteger(raw_ostream &os, std::string spec, char letter, int64_t value) {
  spec += "ll";
  spec += letter;
  os << llvm::format(spec.c_str(), static_cast<long long>(value));
}

/// Prints one argument in the conversion that it is given; the argument's type decides how its bits are read.
static void printArgument(raw_ostream &os, StringRef spec, char letter, Agent &agent, const Instruction &inst,
                          unsigned operand) {
  std::string flags = spec.str();
  bool isRealLetter = StringRef("fFeEgGaA").contains(letter);
  if (const auto *pointer = std::get_if<Pointer>(&agent.get(inst, operand)))
    return printInteger(os << "0x", flags, 'x', int64_t(pointer->buffer + 1) << 40);
  Element element = *getElement(inst.op->getOperand(operand).getType());
  uint64_t code = agent.getCode(inst, operand);
  double real = element.isFloat() ? element.format.decode(code) : double(element.toSigned(code));
  if (isRealLetter || (element.isFloat() && letter != 'x' && letter != 'X'))
    return printReal(os, flags, isRealLetter ? letter : 'g', real);
  bool isSigned = (letter == 'd' || letter == 'i') && !element.isBool();
  int64_t value = isSigned ? element.toSigned(code) : int64_t(code);
  if (letter == 'c') {
    os << char(value);
    return;
  }
  printInteger(os, flags, StringRef("diuxXo").contains(letter) ? letter : 'd', value);
}

static Step runPrintf(Agent &agent, const Instruction &inst) {
  StringRef format = cast<PrintfOp>(inst.op).getFormat();
  raw_ostream &os = getOutput(agent);
  for (unsigned operand = 0; !format.empty();) {
    size_t percent = std::min(format.find('%'), format.size());
    os << format.take_front(percent);
    format = format.drop_front(percent);
    if (format.empty())
      break;
    if (format.consume_front("%%")) {
      os << '%';
      continue;
    }
    // Flags, width and precision are kept; a width of many digits or taken from an argument is not.
    size_t end = std::min(format.find_first_not_of("-+ #0123456789.", 1), format.size());
    StringRef spec = format.take_front(std::min<size_t>(end, 8));
    format = format.drop_front(end);
    format = format.drop_while([](char c) { return StringRef("hlLjzt").contains(c); });
    char letter = format.empty() ? 'd' : format.front();
    format = format.drop_front(!format.empty());
    printArgument(os, spec, letter, agent, inst, operand++);
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
    inst.op->emitOpError("expected ")
        << message << ", but got false in element " << formatIndex(tile.shape, i);
    return Step::Failed;
  }
  return Step::Next;
}

void tilus::reference::registerDebugHandlers(HandlerTable &table) {
  table.add("tilus.printf", runPrintf, Needs::Threads);
  table.add("tilus.print", runPrint, Needs::Threads);
  table.add("tilus.assert", runAssert, Needs::Threads);
}
