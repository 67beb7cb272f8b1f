// Views, shared tiles, loads and stores: verification and layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutRules.h"
#include "OpVerification.h"

using namespace mlir;
using namespace tilus;

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

LogicalResult GlobalViewOp::verify() {
  GlobalType view = getResult().getType();
  if (getBase().getType().getElementType() != view.getElementType())
    return emitOpError("expected a view of ")
           << getBase().getType().getElementType() << ", but got " << view.getElementType();
  if (int64_t(getSizes().size()) != view.getNumDynamicSizes())
    return emitOpError("expected one operand for each of the ")
           << view.getNumDynamicSizes() << " dynamic sizes, but got " << getSizes().size();
  if (int64_t(getStrides().size()) != view.getNumDynamicStrides())
    return emitOpError("expected one operand for each of the ")
           << view.getNumDynamicStrides() << " dynamic strides, but got " << getStrides().size();
  return success();
}

LogicalResult SliceGlobalOp::verify() {
  GlobalType source = getSource().getType(), result = getResult().getType();
  if (failed(verifyIndexedDims(*this, source.getRank(), getDims(), getOffsets().size())))
    return failure();
  if (failed(verifyShapeAndElement(*this, "a result", dropDims(source.getShape(), getDims()),
                                   source.getElementType(), result.getShape(), result.getElementType())))
    return failure();
  SmallVector<int64_t> strides = dropDims(source.getStaticStrides(), getDims());
  if (strides != result.getStaticStrides())
    return emitOpError("expected a result with the strides of the kept dimensions, ")
           << formatShape(strides) << ", but got " << formatShape(result.getStaticStrides());
  return success();
}

LogicalResult ElementPointerOp::verify() {
  int64_t rank = getView().getType().getRank();
  if (int64_t(getOffsets().size()) == rank)
    return success();
  return emitOpError("expected one offset for each of the ")
         << rank << " dimensions of the view, but got " << getOffsets().size();
}

OpFoldResult PointerCastOp::fold(FoldAdaptor adaptor) {
  Value source = getSource();
  if (auto inner = source.getDefiningOp<PointerCastOp>())
    source = inner.getSource();
  if (source.getType() == getType())
    return source;
  if (source == getSource())
    return {};
  getSourceMutable().assign(source);
  return getResult();
}

LogicalResult AllocGlobalOp::verify() {
  GlobalType view = getResult().getType();
  if (!view.getStrides().empty())
    return emitOpError("expected a dense row-major workspace, but got ") << view;
  if (int64_t(getSizes().size()) != view.getNumDynamicSizes())
    return emitOpError("expected one operand for each of the ")
           << view.getNumDynamicSizes() << " dynamic sizes, but got " << getSizes().size();
  return success();
}

LogicalResult LoadGlobalOp::verify() {
  RankedTensorType tile = tileOf(getResult());
  return verifyTileAccess(*this, getSource().getType(), getOffsets(), getDims(), tile.getRank(),
                          tile.getElementType());
}

SmallVector<int64_t> LoadGlobalOp::getTileDims() {
  return resolveTileDims(getDims(), tileOf(getResult()).getRank(), getSource().getType().getRank());
}

LogicalResult StoreGlobalOp::verify() {
  RankedTensorType tile = tileOf(getValue());
  return verifyTileAccess(*this, getDest().getType(), getOffsets(), getDims(), tile.getRank(),
                          tile.getElementType());
}

SmallVector<int64_t> StoreGlobalOp::getTileDims() {
  return resolveTileDims(getDims(), tileOf(getValue()).getRank(), getDest().getType().getRank());
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LogicalResult FreeSharedOp::verify() {
  if (getSource().getDefiningOp<AllocSharedOp>())
    return success();
  InFlightDiagnostic error = emitOpError("expected the result of 'tilus.alloc_shared'");
  error.attachNote(getSource().getLoc()) << "but got this value";
  return error;
}

/// Checks that a view of a shared tile has the layout that follows from the source's, once both are known.
static LogicalResult
verifySharedLayout(Operation *op, SharedType source, SharedType result,
                   function_ref<std::optional<SharedLayout>(const SharedLayout &)> derive) {
  if (!source.getLayout() || !result.getLayout())
    return success();
  std::optional<SharedLayout> layout = derive(source.getLayout().getLayout());
  if (!layout)
    return op->emitOpError("expected a source whose layout allows the view, but got ") << source.getLayout();
  auto expected = SharedLayoutAttr::get(op->getContext(), *layout);
  if (expected != result.getLayout())
    return op->emitOpError("expected a result of layout ") << expected << ", but got " << result.getLayout();
  return success();
}

LogicalResult SliceSharedOp::verify() {
  SharedType source = getSource().getType(), result = getResult().getType();
  if (failed(verifyIndexedDims(*this, source.getRank(), getDims(), getOffsets().size())))
    return failure();
  if (failed(verifyShapeAndElement(*this, "a result", dropDims(source.getShape(), getDims()),
                                   source.getElementType(), result.getShape(), result.getElementType())))
    return failure();
  SmallVector<int64_t> kept = dropDims(llvm::to_vector(llvm::seq<int64_t>(0, source.getRank())), getDims());
  return verifySharedLayout(*this, source, result,
                            [&](const SharedLayout &layout) { return layout.slice(kept); });
}

LogicalResult ReshapeSharedOp::verify() {
  SharedType source = getSource().getType(), result = getResult().getType();
  if (source.getElementType() != result.getElementType())
    return emitOpError("expected a result of ")
           << source.getElementType() << ", but got " << result.getElementType();
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("expected a result of ")
           << source.getNumElements() << " elements, but got " << formatShape(result.getShape());
  return verifySharedLayout(*this, source, result,
                            [&](const SharedLayout &layout) { return layout.reshape(result.getShape()); });
}

LogicalResult PermuteSharedOp::verify() {
  SharedType source = getSource().getType(), result = getResult().getType();
  if (source.getElementType() != result.getElementType())
    return emitOpError("expected a result of ")
           << source.getElementType() << ", but got " << result.getElementType();
  if (failed(verifyPermutation(*this, source.getShape(), getPermutation(), result.getShape())))
    return failure();
  return verifySharedLayout(*this, source, result,
                            [&](const SharedLayout &layout) { return layout.permute(getPermutation()); });
}

LogicalResult LoadSharedOp::verify() {
  SharedType source = getSource().getType();
  RankedTensorType tile = tileOf(getResult());
  return verifyShapeAndElement(*this, "a result", source.getShape(), source.getElementType(), tile.getShape(),
                               tile.getElementType());
}

LogicalResult StoreSharedOp::verify() {
  SharedType dest = getDest().getType();
  RankedTensorType tile = tileOf(getValue());
  return verifyShapeAndElement(*this, "a value", dest.getShape(), dest.getElementType(), tile.getShape(),
                               tile.getElementType());
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// The layout whose accesses to memory are as wide as the op allows: neighbours of a vector in neighbouring
/// threads.
static RegisterLayout getAccessLayout(LayoutQuery &query, Operation *access, Value tile) {
  AccessVector vector = query.getAccessVector(access);
  ArrayRef<int64_t> shape = getTileShape(tile);
  int64_t share = std::max<int64_t>(1, ShapedType::getNumElements(shape) / query.getNumThreads());
  int64_t size = vector.size;
  while (size > 1 && size > share)
    size /= 2;
  return RegisterLayout::distribute(query.getNumThreads(), shape, vector.dim, size);
}

void LoadGlobalOp::inferLayouts(LayoutQuery &query) {
  query.propose(getResult(), getAccessLayout(query, *this, getResult()));
}

void StoreGlobalOp::inferLayouts(LayoutQuery &query) {
  query.propose(getValue(), getAccessLayout(query, *this, getValue()));
}

void LoadSharedOp::inferLayouts(LayoutQuery &query) {
  query.propose(getResult(), getAccessLayout(query, *this, getResult()));
}

void StoreSharedOp::inferLayouts(LayoutQuery &query) {
  query.propose(getValue(), getAccessLayout(query, *this, getValue()));
}
