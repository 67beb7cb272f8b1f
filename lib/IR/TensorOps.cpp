// Operations on register tiles: verification and folding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpVerification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilus;

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult BroadcastOp::verify() {
  Type element = getElementTypeOrSelf(getSource().getType());
  RankedTensorType result = tileOf(getResult());
  if (element != result.getElementType())
    return emitOpError("expected a result of ") << element << ", but got " << result.getElementType();
  auto source = dyn_cast<RankedTensorType>(getSource().getType());
  if (!source)
    return success();
  int64_t lead = result.getRank() - source.getRank();
  bool fits = lead >= 0;
  for (int64_t dim = 0; fits && dim < source.getRank(); ++dim)
    fits = source.getDimSize(dim) == 1 || source.getDimSize(dim) == result.getDimSize(lead + dim);
  if (!fits)
    return emitOpError("expected a shape that stretches to ")
           << formatShape(result.getShape()) << ", but got " << formatShape(source.getShape());
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (!adaptor.getSource())
    return {};
  if (isa<FloatAttr, IntegerAttr>(adaptor.getSource()))
    return DenseElementsAttr::get(tileOf(getResult()), adaptor.getSource());
  auto splat = dyn_cast<SplatElementsAttr>(adaptor.getSource());
  return splat ? splat.resizeSplat(tileOf(getResult())) : OpFoldResult();
}

LogicalResult IotaOp::verify() { return verifyDim(*this, getDim(), tileOf(getResult()).getRank()); }

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  if (source.getElementType() != result.getElementType())
    return emitOpError("expected a result of ")
           << source.getElementType() << ", but got " << result.getElementType();
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("expected a result of ")
           << source.getNumElements() << " elements, but got " << formatShape(result.getShape());
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource());
  return splat ? splat.resizeSplat(tileOf(getResult())) : OpFoldResult();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  if (source.getElementType() != result.getElementType())
    return emitOpError("expected a result of ")
           << source.getElementType() << ", but got " << result.getElementType();
  return verifyPermutation(*this, source.getShape(), getPermutation(), result.getShape());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  bool isIdentity = llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size()));
  if (isIdentity && getSource().getType() == getResult().getType())
    return getSource();
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource());
  return splat ? splat.resizeSplat(tileOf(getResult())) : OpFoldResult();
}

/// Checks that elements of this type can be combined so.
static LogicalResult verifyCombine(Operation *op, CombineKind kind, Type element) {
  bool isFloat = isa<FloatType>(element), isInteger = element.isIntOrIndex();
  bool isForFloats = kind == CombineKind::MaxNum || kind == CombineKind::MinNum;
  bool isForBoth = kind == CombineKind::Add || kind == CombineKind::Mul || kind == CombineKind::Max ||
                   kind == CombineKind::Min;
  if ((isFloat && (isForFloats || isForBoth)) || (isInteger && !isForFloats))
    return success();
  return op->emitOpError("expected an element type that '")
         << stringifyCombineKind(kind) << "' combines, but got " << element;
}

LogicalResult ReduceOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  if (failed(verifyDim(*this, getDim(), source.getRank())) ||
      failed(verifyCombine(*this, getKind(), source.getElementType())))
    return failure();
  SmallVector<int64_t> shape(source.getShape());
  if (getKeepDim())
    shape[getDim()] = 1;
  else
    shape.erase(shape.begin() + getDim());
  return verifyShapeAndElement(*this, "a result", shape, source.getElementType(), result.getShape(),
                               result.getElementType());
}

LogicalResult ScanOp::verify() {
  RankedTensorType source = tileOf(getSource());
  if (failed(verifyDim(*this, getDim(), source.getRank())))
    return failure();
  return verifyCombine(*this, getKind(), source.getElementType());
}

LogicalResult ExtractSliceOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  if (failed(verifyIndexedDims(*this, source.getRank(), getDims(), getOffsets().size())))
    return failure();
  return verifyShapeAndElement(*this, "a result", dropDims(source.getShape(), getDims()),
                               source.getElementType(), result.getShape(), result.getElementType());
}

LogicalResult InsertSliceOp::verify() {
  RankedTensorType source = tileOf(getSource()), dest = tileOf(getDest());
  if (failed(verifyIndexedDims(*this, dest.getRank(), getDims(), getOffsets().size())))
    return failure();
  return verifyShapeAndElement(*this, "a source", dropDims(dest.getShape(), getDims()), dest.getElementType(),
                               source.getShape(), source.getElementType());
}

LogicalResult ExtractOp::verify() {
  if (tileOf(getSource()).getNumElements() != 1)
    return emitOpError("expected a tile of one element, but got shape ")
           << formatShape(tileOf(getSource()).getShape());
  return success();
}

LogicalResult CastOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  if (source.getShape() != result.getShape())
    return emitOpError("expected a result of shape ")
           << formatShape(source.getShape()) << ", but got " << formatShape(result.getShape());
  if (source.getEncoding() != result.getEncoding())
    return emitOpError("expected source and result of one layout, but got ") << source << " and " << result;
  if (getRounding() != Rounding::NearestEven && !isFloatElement(result.getElementType()))
    return emitOpError("expected a float result where 'rounding' is given, but got ")
           << result.getElementType();
  return success();
}

LogicalResult ViewOp::verify() {
  RegisterLayoutAttr source = getTileLayout(getSource().getType()),
                     result = getTileLayout(getResult().getType());
  if (!source || !result)
    return emitOpError("expected layouts on both tiles, but got ")
           << getSource().getType() << " and " << getResult().getType();
  int64_t sourceBits =
      source.getLayout().getNumLocals() * getElementBits(tileOf(getSource()).getElementType());
  int64_t resultBits =
      result.getLayout().getNumLocals() * getElementBits(tileOf(getResult()).getElementType());
  if (source.getLayout().getNumThreads() != result.getLayout().getNumThreads() || sourceBits != resultBits)
    return emitOpError("expected equal threads and bits a thread, but got ")
           << source.getLayout().getNumThreads() << " threads of " << sourceBits << " bits and "
           << result.getLayout().getNumThreads() << " threads of " << resultBits << " bits";
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  return verifyShapeAndElement(*this, "a result", source.getShape(), source.getElementType(),
                               result.getShape(), result.getElementType());
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.resizeSplat(tileOf(getResult()));
  return {};
}

LogicalResult RandomOp::verify() {
  RankedTensorType offset = tileOf(getOffset()), result = tileOf(getResult());
  SmallVector<int64_t> shape(offset.getShape());
  shape.insert(shape.begin(), 4);
  Type word = IntegerType::get(getContext(), 32);
  if (offset.getElementType() != word)
    return emitOpError("expected offsets of i32, but got ") << offset.getElementType();
  if (int32_t rounds = getRounds(); rounds < 1)
    return emitOpError("expected at least one round, but got ") << rounds;
  return verifyShapeAndElement(*this, "a result", shape, word, result.getShape(), result.getElementType());
}
