// Reductions and scans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Combine.h"
#include "Elementwise.h"
#include "Handlers.h"

#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

//===----------------------------------------------------------------------===//
// Two elements
//===----------------------------------------------------------------------===//

// The accumulator of floats holds the bits of a double, rounded to f32 after each step unless they are f64.

uint64_t Combiner::widen(uint64_t code) const {
  return element.isFloat() ? llvm::bit_cast<uint64_t>(element.format.decode(code)) : code;
}

uint64_t Combiner::narrow(uint64_t accumulator) const {
  if (!element.isFloat())
    return accumulator & lowBitMask(element.width);
  return element.format.encode(llvm::bit_cast<double>(accumulator), Overflow::Special);
}

double Combiner::combineReals(double a, double b) const {
  switch (kind) {
  case CombineKind::Add:
    return a + b;
  case CombineKind::Mul:
    return a * b;
  case CombineKind::Max:
    return maximum(a, b);
  case CombineKind::Min:
    return minimum(a, b);
  case CombineKind::MaxNum:
    return maximumNumber(a, b);
  case CombineKind::MinNum:
    return minimumNumber(a, b);
  default:
    llvm_unreachable("the verifier allows no other kinds on floats");
  }
}

uint64_t Combiner::combineInts(uint64_t a, uint64_t b) const {
  bool isBelow = element.toSigned(a) < element.toSigned(b);
  switch (kind) {
  case CombineKind::Add:
    return a + b;
  case CombineKind::Mul:
    return a * b;
  case CombineKind::Max:
    return isBelow ? b : a;
  case CombineKind::Min:
    return isBelow ? a : b;
  case CombineKind::UMax:
    return std::max(a, b);
  case CombineKind::UMin:
    return std::min(a, b);
  case CombineKind::And:
    return a & b;
  case CombineKind::Or:
    return a | b;
  case CombineKind::Xor:
    return a ^ b;
  default:
    llvm_unreachable("the verifier allows no other kinds on integers");
  }
}

uint64_t Combiner::combine(uint64_t a, uint64_t b) const {
  if (!element.isFloat())
    return combineInts(a, b) & lowBitMask(element.width);
  double result = combineReals(llvm::bit_cast<double>(a), llvm::bit_cast<double>(b));
  return llvm::bit_cast<uint64_t>(element.width == 64 ? result : double(float(result)));
}

double Combiner::getRealIdentity() const {
  switch (kind) {
  case CombineKind::Mul:
    return 1;
  case CombineKind::Max:
  case CombineKind::MaxNum:
    return -HUGE_VAL;
  case CombineKind::Min:
  case CombineKind::MinNum:
    return HUGE_VAL;
  default:
    return -0.0;
  }
}

uint64_t Combiner::getIdentity() const {
  if (element.isFloat())
    return llvm::bit_cast<uint64_t>(getRealIdentity());
  uint64_t top = uint64_t(1) << (element.width - 1), ones = lowBitMask(element.width);
  switch (kind) {
  case CombineKind::Mul:
    return 1;
  case CombineKind::Max:
    return top;
  case CombineKind::Min:
    return ones & ~top;
  case CombineKind::UMin:
  case CombineKind::And:
    return ones;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

namespace {
/// The lines of a tile along a dimension.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
  Lines(ArrayRef<int64_t> shape, int64_t dim)
      : outer(countElements(shape.take_front(dim))), length(shape[dim]),
        inner(countElements(shape.drop_front(dim + 1))) {}
  /// The element number of the first element of line `[o, i]`; its others follow `inner` apart.
  int64_t getStart(int64_t o, int64_t i) const { return o * length * inner + i; }
};
} // namespace

static Step runReduce(Agent &agent, const Instruction &inst) {
  auto op = cast<ReduceOp>(inst.op);
  const Tile &source = agent.getTile(inst, 0);
  Tile tile(source.element, cast<RankedTensorType>(op.getResult().getType()).getShape());
  Combiner combiner(op.getKind(), source.element);
  Lines lines(source.shape, op.getDim());
  // In the order of the index: the first element, then each next one to the sum of those before.
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (int64_t i = 0; i < lines.inner; ++i) {
      int64_t place = lines.getStart(o, i);
      uint64_t accumulator = combiner.widen(source.getCode(place));
      for (int64_t k = 1; k < lines.length; ++k)
        accumulator = combiner.combine(accumulator, combiner.widen(source.getCode(place += lines.inner)));
      tile.setCode(o * lines.inner + i, combiner.narrow(accumulator));
    }
  }
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

static Step runScan(Agent &agent, const Instruction &inst) {
  auto op = cast<ScanOp>(inst.op);
  const Tile &source = agent.getTile(inst, 0);
  Tile tile(source.element, source.shape);
  Combiner combiner(op.getKind(), source.element);
  Lines lines(source.shape, op.getDim());
  int64_t step = op.getReverse() ? -lines.inner : lines.inner;
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (int64_t i = 0; i < lines.inner; ++i) {
      int64_t place = lines.getStart(o, i) + (op.getReverse() ? (lines.length - 1) * lines.inner : 0);
      uint64_t accumulator = combiner.getIdentity();
      for (int64_t k = 0; k < lines.length; ++k, place += step) {
        uint64_t before = accumulator, value = combiner.widen(source.getCode(place));
        accumulator = k == 0 ? value : combiner.combine(before, value);
        tile.setCode(place, combiner.narrow(op.getExclusive() ? before : accumulator));
      }
    }
  }
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

void tilus::reference::registerCombineHandlers(HandlerTable &table) {
  table.add<ReduceOp>(runReduce);
  table.add<ScanOp>(runScan);
}
