// Rules that several op groups check in the same words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpVerification.h"

using namespace mlir;
using namespace tilus;

std::string tilus::formatShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "[]";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return text;
}

SmallVector<int64_t> tilus::resolveTileDims(std::optional<ArrayRef<int64_t>> dims, int64_t tileRank,
                                            int64_t viewRank) {
  if (dims)
    return SmallVector<int64_t>(*dims);
  return llvm::to_vector(llvm::seq<int64_t>(viewRank - tileRank, viewRank));
}

LogicalResult tilus::verifyDim(Operation *op, int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank)
    return success();
  if (rank == 0)
    return op->emitOpError("expected a value of rank 1 or more, but got rank 0");
  return op->emitOpError("expected a dimension of 0 to ") << rank - 1 << ", but got " << dim;
}

LogicalResult tilus::verifyTileAccess(Operation *op, GlobalType view, ValueRange offsets,
                                      std::optional<ArrayRef<int64_t>> dims, int64_t tileRank,
                                      Type tileElement) {
  if (int64_t(offsets.size()) != view.getRank())
    return op->emitOpError("expected one offset for each of the ")
           << view.getRank() << " dimensions of the view, but got " << offsets.size();
  if (tileElement != view.getElementType())
    return op->emitOpError("expected a tile of the view's element type ")
           << view.getElementType() << ", but got " << tileElement;
  if (!dims && tileRank > view.getRank())
    return op->emitOpError("expected a tile of at most the view's rank ")
           << view.getRank() << ", but got rank " << tileRank;
  if (!dims)
    return success();
  if (int64_t(dims->size()) != tileRank)
    return op->emitOpError("expected one of 'dims' for each of the ")
           << tileRank << " dimensions of the tile, but got " << dims->size();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : *dims) {
    if (failed(verifyDim(op, dim, view.getRank())))
      return failure();
    if (!seen.insert(dim).second)
      return op->emitOpError("expected distinct 'dims', but got ") << dim << " twice";
  }
  return success();
}

LogicalResult tilus::verifyIndexedDims(Operation *op, int64_t rank, ArrayRef<int64_t> dims,
                                       size_t numOffsets) {
  if (dims.size() != numOffsets)
    return op->emitOpError("expected one offset for each of the ")
           << dims.size() << " 'dims', but got " << numOffsets;
  for (auto [position, dim] : llvm::enumerate(dims)) {
    if (failed(verifyDim(op, dim, rank)))
      return failure();
    if (position > 0 && dim <= dims[position - 1])
      return op->emitOpError("expected ascending 'dims', but got ") << dim << " after " << dims[position - 1];
  }
  return success();
}

SmallVector<int64_t> tilus::dropDims(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims, int64_t(dim)))
      kept.push_back(size);
  return kept;
}

LogicalResult tilus::verifyShapeAndElement(Operation *op, StringRef what, ArrayRef<int64_t> expectedShape,
                                           Type expectedElement, ArrayRef<int64_t> shape, Type element) {
  if (expectedShape != shape)
    return op->emitOpError("expected ")
           << what << " of shape " << formatShape(expectedShape) << ", but got " << formatShape(shape);
  if (expectedElement != element)
    return op->emitOpError("expected ") << what << " of " << expectedElement << ", but got " << element;
  return success();
}

LogicalResult tilus::verifyPermutation(Operation *op, ArrayRef<int64_t> source, ArrayRef<int64_t> permutation,
                                       ArrayRef<int64_t> result) {
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, source.size())))
    return op->emitOpError("expected a permutation of the ")
           << source.size() << " dimensions, but got [" << permutation << "]";
  SmallVector<int64_t> permuted;
  for (int64_t dim : permutation)
    permuted.push_back(source[dim]);
  if (ArrayRef<int64_t>(permuted) == result)
    return success();
  return op->emitOpError("expected a result of shape ")
         << formatShape(permuted) << ", but got " << formatShape(result);
}
