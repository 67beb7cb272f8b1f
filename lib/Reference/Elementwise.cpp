// Operations that act on elements one by one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Elementwise.h"

#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

ElementwiseRun::ElementwiseRun(Agent &agent, const Instruction &inst, unsigned result)
    : agent(agent), inst(inst), result(result) {
  Type type = inst.op->getResult(result).getType();
  element = *getElement(type);
  for (unsigned operand = 0; operand < std::min<size_t>(maxOperands, inst.operands.size()); ++operand)
    operandElements[operand] = *getElement(inst.op->getOperand(operand).getType());
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    tile.emplace(element, tensor.getShape());
    count = tile->count;
  }
}

bool ElementwiseRun::next() {
  begin += chunk;
  chunk = std::min<int64_t>(maxChunk, count - begin);
  return chunk > 0;
}

const Element &ElementwiseRun::getElementOf(unsigned operand) { return operandElements[operand]; }

const uint8_t *ElementwiseRun::getCodes(unsigned operand) {
  const RuntimeValue &value = agent.get(inst, operand);
  if (const auto *source = std::get_if<std::shared_ptr<const Tile>>(&value))
    return (*source)->at(begin);
  return reinterpret_cast<const uint8_t *>(&std::get<uint64_t>(value));
}

const int64_t *ElementwiseRun::getInts(unsigned operand, bool isSigned) {
  decodeInts(operandElements[operand], getCodes(operand), ints[operand].data(), chunk, isSigned);
  return ints[operand].data();
}

const double *ElementwiseRun::getReals(unsigned operand) {
  decodeReals(operandElements[operand], getCodes(operand), reals[operand].data(), chunk);
  return reals[operand].data();
}

Step ElementwiseRun::finish() {
  if (tile)
    agent.setTile(inst, std::move(*tile), result);
  else
    agent.set(inst, scalar, result);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

Handler reference::handleInts(unsigned operands, bool isSigned, IntLoop loop) {
  return [=](Agent &agent, const Instruction &inst) {
    ElementwiseRun run(agent, inst);
    while (run.next()) {
      const int64_t *in[3] = {};
      for (unsigned operand = 0; operand < operands; ++operand)
        in[operand] = run.getInts(operand, isSigned);
      loop(in, run.intOut(), run.size(), run.getResultElement().width);
      run.putInts();
    }
    return run.finish();
  };
}

Handler reference::handleDivision(bool isSigned, IntLoop loop) {
  return [=](Agent &agent, const Instruction &inst) {
    ElementwiseRun run(agent, inst);
    while (run.next()) {
      const int64_t *in[] = {run.getInts(0, isSigned), run.getInts(1, isSigned)};
      const int64_t *zero = std::find(in[1], in[1] + run.size(), 0);
      if (zero != in[1] + run.size()) {
        InFlightDiagnostic error = inst.op->emitOpError("expected a divisor that is not zero, but got 0");
        if (auto type = dyn_cast<RankedTensorType>(inst.op->getResult(0).getType()))
          error << " in element " << formatIndex(type.getShape(), run.first() + (zero - in[1]));
        return Step::Failed;
      }
      loop(in, run.intOut(), run.size(), run.getResultElement().width);
      run.putInts();
    }
    return run.finish();
  };
}

Handler reference::handleReals(unsigned operands, RealLoop loop) {
  return [=](Agent &agent, const Instruction &inst) {
    ElementwiseRun run(agent, inst);
    while (run.next()) {
      const double *in[3] = {};
      for (unsigned operand = 0; operand < operands; ++operand)
        in[operand] = run.getReals(operand);
      loop(in, run.realOut(), run.size());
      run.putReals();
    }
    return run.finish();
  };
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

double reference::fusedMultiplyAdd(double a, double b, double c) {
  double product = a * b, sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  // What the sum lost (Knuth's two-sum). An inexact sum is moved to the neighbour with an odd last bit, in
  // the direction of what was lost.
  double back = sum - product, lost = (product - (sum - back)) + (c - back);
  uint64_t bits = llvm::bit_cast<uint64_t>(sum);
  if (lost == 0 || (bits & 1))
    return sum;
  return std::nextafter(sum, lost > 0 ? HUGE_VAL : -HUGE_VAL);
}

double reference::maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double reference::minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double reference::maximumNumber(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : maximum(a, b);
}

double reference::minimumNumber(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : minimum(a, b);
}
