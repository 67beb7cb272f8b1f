// Operations on register tiles: verification, folding, layouts and scratch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutRules.h"
#include "OpVerification.h"
#include "Tilus/IR/TilePlans.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

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

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

void BroadcastOp::inferLayouts(LayoutQuery &query) {
  if (!isTileType(getSource().getType()))
    return;
  if (const RegisterLayout *result = query.get(getResult()))
    proposeIf(query, getSource(), result->reduceTo(getTileShape(getSource())));
  else if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->expandTo(getTileShape(getResult())));
}

LogicalResult BroadcastOp::verifyLayouts() {
  auto result = findLayout(getResult());
  return result && isTileType(getSource().getType())
             ? expectLayout(*this, "a source", getSource(), result->reduceTo(getTileShape(getSource())))
             : success();
}

void IotaOp::inferLayouts(LayoutQuery &) {}

/// A thread may hold so many times its share of a tile for the sake of a reshape without a move.
static constexpr int64_t kMostShares = 4;

/// A layout of the row-major sequence of `size` elements that is one in every shape: threads run over the
/// elements below and above all dimensions' boundaries, what lies between is one walk of slots. None where
/// that leaves most threads without elements of their own.
static std::optional<RegisterLayout> getSequenceLayout(int64_t numThreads,
                                                       ArrayRef<ArrayRef<int64_t>> shapes) {
  int64_t size = product(shapes.front()), low = size, high = 1;
  for (ArrayRef<int64_t> shape : shapes) {
    int64_t boundary = 1;
    for (int64_t extent : llvm::reverse(shape)) {
      boundary *= extent;
      if (boundary == 1 || boundary == size)
        continue;
      low = std::gcd(low, boundary);
      high = std::lcm(high, boundary);
    }
  }
  int64_t inner = std::gcd(numThreads, low), rest = numThreads / inner;
  int64_t outer = std::gcd(rest, size / std::lcm(high, inner));
  if (size / inner / outer > kMostShares * llvm::divideCeil(size, numThreads))
    return std::nullopt;
  return RegisterLayout::get({size}, {outer, size / inner / outer, inner}, {-(rest / outer), 0, 2}, {1});
}

void ReshapeOp::inferLayouts(LayoutQuery &query) {
  if (!query.get(getSource()) && !query.get(getResult())) {
    ArrayRef<int64_t> source = getTileShape(getSource()), result = getTileShape(getResult());
    if (auto sequence = getSequenceLayout(query.getNumThreads(), {source, result})) {
      proposeIf(query, getSource(), sequence->reshape(source));
      proposeIf(query, getResult(), sequence->reshape(result));
    }
    return;
  }
  if (const RegisterLayout *result = query.get(getResult()))
    proposeIf(query, getSource(), result->reshape(getTileShape(getSource())));
  if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->reshape(getTileShape(getResult())));
}

void TransposeOp::inferLayouts(LayoutQuery &query) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->permute(permutation));
  const RegisterLayout *result = query.get(getResult());
  if (!result)
    return;
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [position, dim] : llvm::enumerate(permutation))
    inverse[dim] = position;
  proposeIf(query, getSource(), result->permute(inverse));
}

LogicalResult TransposeOp::verifyLayouts() {
  auto source = findLayout(getSource());
  return source ? expectLayout(*this, "a result", getResult(), source->permute(getPermutation())) : success();
}

void ReduceOp::inferLayouts(LayoutQuery &query) {
  if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->reduce({int64_t(getDim())}, getKeepDim()));
}

LogicalResult ReduceOp::verifyLayouts() {
  auto source = findLayout(getSource());
  return source
             ? expectLayout(*this, "a result", getResult(), source->reduce({int64_t(getDim())}, getKeepDim()))
             : success();
}

void ExtractSliceOp::inferLayouts(LayoutQuery &query) {
  if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->slice(getDims()));
}

LogicalResult ExtractSliceOp::verifyLayouts() {
  auto source = findLayout(getSource());
  return source ? expectLayout(*this, "a result", getResult(), source->slice(getDims())) : success();
}

void InsertSliceOp::inferLayouts(LayoutQuery &query) {
  const RegisterLayout *whole = query.get(getResult());
  if (!whole)
    whole = query.get(getDest());
  if (!whole)
    return;
  RegisterLayout layout = *whole;
  query.propose(getResult(), layout);
  query.propose(getDest(), layout);
  proposeIf(query, getSource(), layout.slice(getDims()));
}

LogicalResult InsertSliceOp::verifyLayouts() {
  auto dest = findLayout(getDest());
  return dest ? expectLayout(*this, "a source", getSource(), dest->slice(getDims())) : success();
}

void ExtractOp::inferLayouts(LayoutQuery &query) {
  query.propose(getSource(), RegisterLayout::replicated(getTileShape(getSource()), query.getNumThreads()));
}

void RandomOp::inferLayouts(LayoutQuery &query) {
  if (const RegisterLayout *offset = query.get(getOffset()))
    query.propose(getResult(), RegisterLayout::local({4}).concat(*offset));
}

LogicalResult RandomOp::verifyLayouts() {
  auto offset = findLayout(getOffset());
  return offset ? expectLayout(*this, "a result", getResult(), RegisterLayout::local({4}).concat(*offset))
                : success();
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// Scratch of a move between two tiles.
static int64_t getMoveScratch(Operation *op, Value source, Value result) {
  if (!getTileLayout(source.getType()) || !getTileLayout(result.getType()))
    return 0;
  std::optional<ConversionPlan> plan = planTileMove(cast<RankedTensorType>(source.getType()),
                                                    cast<RankedTensorType>(result.getType()), hasWarps(op));
  return plan && plan->staging ? plan->staging->sizeBytes : 0;
}

int64_t ConvertLayoutOp::getScratchBytes() { return getMoveScratch(*this, getSource(), getResult()); }

int64_t ReshapeOp::getScratchBytes() { return getMoveScratch(*this, getSource(), getResult()); }

int64_t ReduceOp::getScratchBytes() {
  RegisterLayoutAttr layout = getTileLayout(getSource().getType());
  if (!layout)
    return 0;
  ReducePlan plan = planReduce(layout.getLayout(), getDim(), hasWarps(*this));
  return plan.getScratchSize() * getCombineBytes(getElementTypeOrSelf(getSource().getType()));
}

int64_t ScanOp::getScratchBytes() {
  RegisterLayoutAttr layout = getTileLayout(getSource().getType());
  if (!layout)
    return 0;
  ScanPlan plan = planScan(layout.getLayout(), getDim(), hasWarps(*this));
  return plan.scratchSize * getCombineBytes(getElementTypeOrSelf(getSource().getType()));
}
