// Checks the facts about accesses to global memory that earlier passes recorded and that the lowering relies
// on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MemoryOps.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

/// Size of the tile along a dimension of the view; 1 along those that the tile does not have.
static int64_t getTileSize(const TileAccess &access, int64_t viewDim) {
  const int64_t *dim = llvm::find(access.dims, viewDim);
  return dim == access.dims.end() ? 1 : access.shape[dim - access.dims.begin()];
}

static bool isWithin(const TileAccess &access, int64_t viewDim) {
  int64_t offset = access.offsets[viewDim], size = access.view->shape[viewDim];
  return offset >= 0 && offset <= size - getTileSize(access, viewDim);
}

static LogicalResult checkInBounds(Operation *op, const TileAccess &access) {
  auto claims = op->getAttrOfType<DenseBoolArrayAttr>(TilusDialect::kInBoundsAttrName);
  int64_t count = claims ? claims.size() : 0;
  for (int64_t dim = 0; dim < std::min<int64_t>(count, access.offsets.size()); ++dim)
    if (claims[dim] && !isWithin(access, dim))
      return op->emitOpError("expected the tile within dimension ")
             << dim << " of the view, as 'tilus.in_bounds' says, but got elements " << access.offsets[dim]
             << " to " << multiplyAdd(access.offsets[dim], 1, getTileSize(access, dim) - 1) << " of "
             << access.view->shape[dim];
  return success();
}

static int64_t getIntClaim(Operation *op, StringRef name, int64_t otherwise) {
  auto claim = op->getAttrOfType<IntegerAttr>(name);
  return claim ? claim.getInt() : otherwise;
}

/// Checks that groups of `vector` elements along the tile's dimension begin at multiples of as many elements.
static LogicalResult checkVector(Operation *op, const TileAccess &access, int64_t vectorDim, int64_t vector) {
  const View &view = *access.view;
  int64_t base = view.offset;
  for (auto [offset, stride] : llvm::zip(access.offsets, view.strides))
    base = multiplyAdd(base, offset, stride);
  bool isAligned = base % vector == 0 && view.strides[access.dims[vectorDim]] == 1;
  for (auto [dim, size] : llvm::enumerate(access.shape))
    isAligned &= int64_t(dim) == vectorDim || size == 1 || view.strides[access.dims[dim]] % vector == 0;
  if (isAligned)
    return success();
  return op->emitOpError("expected rows that begin at multiples of ")
         << vector << " elements, as 'tilus.vector' says, but got a tile at element " << base;
}

LogicalResult reference::checkFacts(Operation *op, const TileAccess &access) {
  if (failed(checkInBounds(op, access)))
    return failure();
  int64_t dim = getIntClaim(op, TilusDialect::kVectorDimAttrName, -1),
          vector = getIntClaim(op, TilusDialect::kVectorAttrName, 1);
  if (dim < 0 || dim >= int64_t(access.dims.size()))
    return success();
  if (vector > 1 && failed(checkVector(op, access, dim, vector)))
    return failure();
  int64_t viewDim = access.dims[dim], mask = getIntClaim(op, TilusDialect::kMaskVectorAttrName, 1);
  int64_t offset = access.offsets[viewDim], size = access.view->shape[viewDim];
  if (mask <= 1 || isWithin(access, viewDim) || (offset % mask == 0 && size % mask == 0))
    return success();
  return op->emitOpError("expected groups of ")
         << mask
         << " elements wholly inside or outside of the view, as 'tilus.mask_vector' says, but got offset "
         << offset << " in a size of " << size;
}
