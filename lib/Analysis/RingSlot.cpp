// Slots of a ring of stages in shared memory, told apart by their indices modulo the number of stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Analysis/RingSlot.h"
#include "Tilus/Analysis/SharedAccess.h"
#include "Tilus/Support/IntMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilus;

bool RingSlot::isApartFrom(const RingSlot &other) const {
  return tile == other.tile && dim == other.dim && base == other.base && modulus == other.modulus &&
         offset != other.offset;
}

RingSlot RingSlot::enter(LoopLikeOpInterface loop) const {
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  APInt first;
  if (base || !counted || !matchPattern(counted.getLowerBound(), m_ConstantInt(&first)))
    return *this;
  RingSlot slot = *this;
  slot.base = counted.getInductionVar();
  slot.offset = floorMod(offset - floorMod(first.getSExtValue(), modulus), modulus);
  return slot;
}

std::optional<RingSlot> RingSlot::advance(LoopLikeOpInterface loop) const {
  if (std::optional<RingSlot> outer = leave(loop))
    return outer;
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  APInt step;
  if (!counted || base != counted.getInductionVar() || !matchPattern(counted.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  RingSlot next = *this;
  next.offset = floorMod(offset - floorMod(step.getSExtValue(), modulus), modulus);
  return next;
}

std::optional<RingSlot> RingSlot::leave(LoopLikeOpInterface loop) const {
  return !base || loop.isDefinedOutsideOfLoop(base) ? std::optional(*this) : std::nullopt;
}

/// Whether parts of the tile with different indices along `dim` share no byte: the dimension is one mode,
/// with a stride beyond all that the others reach. A swizzle moves bytes, but no two to one place.
static bool hasApartSlots(SharedType type, int64_t dim) {
  if (!type.getLayout())
    return false;
  const SharedLayout &layout = type.getLayout().getLayout();
  auto own = layout.getDimModes(dim);
  if (own.size() != 1)
    return false;
  int64_t reach = 1;
  for (auto [size, stride] : llvm::zip_equal(layout.getModeShape(), layout.getModeStrides()))
    reach += (size - 1) * stride;
  auto [size, stride] = *own.begin();
  return stride >= reach - (size - 1) * stride && stride * getElementBits(type.getElementType()) % 8 == 0;
}

/// Base and offset of an index below `extent`: a constant, or a remainder; nullopt if it is neither, or if
/// the sum may wrap around.
static std::optional<RingSlot> matchIndex(Value index, int64_t extent, const ScalarAnalysis &scalars) {
  RingSlot slot;
  slot.modulus = extent;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant))) {
    slot.offset = constant.getSExtValue();
    return slot.offset >= 0 && slot.offset < extent ? std::optional(slot) : std::nullopt;
  }
  Operation *remainder = peelExtensions(index).getDefiningOp();
  APInt modulus;
  if (!isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(remainder) ||
      !matchPattern(remainder->getOperand(1), m_ConstantInt(&modulus)) || modulus.getSExtValue() != extent)
    return std::nullopt;
  slot.base = peelExtensions(remainder->getOperand(0));
  APInt addend(64, 0);
  if (auto sum = slot.base.getDefiningOp<arith::AddIOp>();
      sum && matchPattern(sum.getRhs(), m_ConstantInt(&addend)))
    slot.base = sum.getLhs();
  auto width = getScalarWidth(slot.base.getType());
  ScalarFacts facts = scalars.getFacts(slot.base, remainder);
  auto lowest = checkedAdd(facts.min, addend.getSExtValue());
  auto highest = checkedAdd(facts.max, addend.getSExtValue());
  if (!width || !lowest || !highest || *lowest < 0 || *highest > ScalarFacts::any(*width).max)
    return std::nullopt;
  slot.base = peelExtensions(slot.base);
  slot.offset = floorMod(addend.getSExtValue(), extent);
  return slot;
}

std::optional<RingSlot> tilus::getRingSlot(Value handle, const ScalarAnalysis &scalars) {
  while (isSharedView(handle.getDefiningOp())) {
    Value source = handle.getDefiningOp()->getOperand(0);
    auto slice = handle.getDefiningOp<SliceSharedOp>();
    handle = source;
    if (!slice || !source.getDefiningOp<AllocSharedOp>())
      continue;
    auto type = cast<SharedType>(source.getType());
    for (auto [dim, index] : llvm::zip_equal(slice.getDims(), slice.getOffsets())) {
      std::optional<RingSlot> slot = matchIndex(index, type.getShape()[dim], scalars);
      if (!slot || !hasApartSlots(type, dim))
        continue;
      slot->tile = source;
      slot->dim = dim;
      return slot;
    }
  }
  return std::nullopt;
}
