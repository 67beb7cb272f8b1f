// Atomic updates and scattered stores: verification, requirements and scratch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutRules.h"
#include "OpVerification.h"
#include "Tilus/IR/TilePlans.h"

using namespace mlir;
using namespace tilus;

static Type elementOf(Type dest) {
  if (auto view = dyn_cast<GlobalType>(dest))
    return view.getElementType();
  return cast<SharedType>(dest).getElementType();
}

static int64_t rankOf(Type dest) {
  if (auto view = dyn_cast<GlobalType>(dest))
    return view.getRank();
  return cast<SharedType>(dest).getRank();
}

/// Checks that the hardware updates elements of this type so.
static LogicalResult verifyAtomicElement(Operation *op, AtomicKind kind, Type element) {
  bool isWord = element.isInteger(32) || element.isInteger(64);
  bool isFloatAdd = (kind == AtomicKind::Add || kind == AtomicKind::Sub) &&
                    (element.isF32() || element.isF64() || element.isF16() || element.isBF16());
  bool isFloatExchange = kind == AtomicKind::Exch && (element.isF32() || element.isF64());
  if (isWord || isFloatAdd || isFloatExchange)
    return success();
  return op->emitOpError(
             "expected i32 or i64 (or a float of 16 to 64 bits for 'add' and 'sub', of 32 or 64 for "
             "'exch'), but got '")
         << stringifyAtomicKind(kind) << "' on " << element;
}

LogicalResult AtomicOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  Type dest = getDest().getType();
  if (failed(verifyAtomicElement(*this, getKind(), elementOf(dest))))
    return failure();
  if ((getKind() == AtomicKind::Cas) != bool(getCompare()))
    return emitOpError("expected 'compare' with 'cas' and only with it");
  for (Value tile : {getCompare(), getResult()})
    if (tile && tile.getType() != value)
      return emitOpError("expected all tiles of type ") << value << ", but got " << tile.getType();
  if (auto view = dyn_cast<GlobalType>(dest))
    return verifyTileAccess(*this, view, getOffsets(), std::nullopt, value.getRank(), value.getElementType());
  auto shared = cast<SharedType>(dest);
  if (!getOffsets().empty())
    return emitOpError("expected no offsets for a shared tile, but got ") << getOffsets().size();
  return verifyShapeAndElement(*this, "a value", shared.getShape(), shared.getElementType(), value.getShape(),
                               value.getElementType());
}

/// Checks destination, indices and values of a scatter.
static LogicalResult verifyScatter(Operation *op, Type dest, int64_t dim, RankedTensorType indices,
                                   RankedTensorType value) {
  if (failed(verifyDim(op, dim, rankOf(dest))))
    return failure();
  if (value.getRank() != rankOf(dest))
    return op->emitOpError("expected a value of the destination's rank ")
           << rankOf(dest) << ", but got " << value.getRank();
  if (value.getElementType() != elementOf(dest))
    return op->emitOpError("expected a value of ")
           << elementOf(dest) << ", but got " << value.getElementType();
  if (indices.getShape() != value.getShape() || indices.getEncoding() != value.getEncoding())
    return op->emitOpError("expected indices of the value's shape and layout, but got ")
           << indices << " and " << value;
  auto shared = dyn_cast<SharedType>(dest);
  for (int64_t axis = 0; shared && axis < value.getRank(); ++axis)
    if (axis != dim && value.getDimSize(axis) != shared.getShape()[axis])
      return op->emitOpError("expected the destination's size ")
             << shared.getShape()[axis] << " in dimension " << axis << ", but got " << value.getDimSize(axis);
  return success();
}

LogicalResult AtomicScatterOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  if (failed(verifyAtomicElement(*this, getKind(), value.getElementType())))
    return failure();
  if (getKind() == AtomicKind::Cas || getKind() == AtomicKind::Exch)
    return emitOpError("expected an operation whose order does not matter, but got '")
           << stringifyAtomicKind(getKind()) << "'";
  if (getResult() && getResult().getType() != value)
    return emitOpError("expected a result of type ") << value << ", but got " << getResult().getType();
  return verifyScatter(*this, getDest().getType(), getDim(), cast<RankedTensorType>(getIndices().getType()),
                       value);
}

LogicalResult StoreScatterOp::verify() {
  return verifyScatter(*this, getDest().getType(), getDim(), cast<RankedTensorType>(getIndices().getType()),
                       cast<RankedTensorType>(getValue().getType()));
}

/// Feature of an atomic update of this element type in this scope, if not every chip has it. Whatever has
/// clusters adds bf16 too.
static TargetRequirement requireAtomic(Type element, std::optional<MemoryScope> scope) {
  if (scope == MemoryScope::Cluster)
    return TargetRequirement(Feature::Cluster);
  return element.isBF16() ? TargetRequirement(Feature::AtomicBF16x2) : TargetRequirement();
}

TargetRequirement AtomicOp::getTargetRequirement() {
  return requireAtomic(elementOf(getDest().getType()), getScope());
}
TargetRequirement AtomicScatterOp::getTargetRequirement() {
  return requireAtomic(elementOf(getDest().getType()), getScope());
}
TargetRequirement StoreScatterOp::getTargetRequirement() { return {}; }

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// Scratch of values that one of the replicas of an element has read.
static int64_t getReplicaScratch(Operation *op, Value result) {
  RegisterLayoutAttr layout = result ? getTileLayout(result.getType()) : RegisterLayoutAttr();
  if (!layout)
    return 0;
  ReplicaPlan plan = planReplicas(layout.getLayout(), hasWarps(op));
  int64_t values = plan.needsScratch() ? plan.places.count * layout.getLayout().getNumLocals() : 0;
  return values * getCombineBytes(getElementTypeOrSelf(result.getType()));
}

int64_t AtomicOp::getScratchBytes() { return getReplicaScratch(*this, getResult()); }

int64_t AtomicScatterOp::getScratchBytes() { return getReplicaScratch(*this, getResult()); }
