// The layout of a tile in shared memory.
//
// Owns the value type SharedLayout: offsets in elements, optionally swizzled, and the changes of view on it.
// Does not own the allocation of shared memory or the IR attribute.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/LayoutSupport.h"
#include "Tilus/Layout/Swizzle.h"

namespace tilus {

/// Map from the elements of a tile to offsets, in elements, from the start of an allocation.
///
/// Each dimension is split into modes, outermost first, each with a stride; their sum is the linear offset. A
/// view into a larger tile has an origin, which its user adds: the place of element `index` is
/// `swizzle(origin + linear(index))`. The swizzle therefore belongs to the layout even where the view alone
/// is too small for it to matter.
///
/// A layout is always canonical: no mode of size 1, and no two neighbouring modes of a dimension that are one
/// walk. The canonical form is unique: two layouts are equal if and only if they have the same shape and
/// place each element alike for every origin.
class SharedLayout {
public:
  /// The layout of a rank-0 tile.
  SharedLayout() = default;

  /// The canonical layout with these modes, or nullopt and an error if they do not describe one. Strides must
  /// not be negative; 0 makes elements share their place.
  static std::optional<SharedLayout> get(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> modeShape,
                                         llvm::ArrayRef<int64_t> modeStrides,
                                         std::optional<Swizzle> swizzle = std::nullopt,
                                         ErrorCallback onError = nullptr);
  /// The layout with one stride a dimension, which must be valid.
  static SharedLayout strided(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
                              std::optional<Swizzle> swizzle = std::nullopt);
  /// Compact, the last dimension fastest. Sizes must be positive.
  static SharedLayout rowMajor(llvm::ArrayRef<int64_t> shape);
  /// Compact, the first dimension fastest. Sizes must be positive.
  static SharedLayout columnMajor(llvm::ArrayRef<int64_t> shape);
  /// The layout that serves 16-byte vectors along the last dimension and along the one before it without bank
  /// conflicts: chunks of 128, 64, 32 or 16 bytes of a row, the largest that divides it, stored chunk column
  /// after chunk column, with the 16-byte vectors swizzled within the chunk. Row-major where that is
  /// impossible: rank below 2, an element size that is not a power of two up to 128 bits, or rows that are
  /// not whole vectors.
  static SharedLayout rowMajorSwizzle(llvm::ArrayRef<int64_t> shape, int64_t elementBits);

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  llvm::ArrayRef<int64_t> getModeShape() const { return modeShape; }
  llvm::ArrayRef<int64_t> getModeStrides() const { return modeStrides; }
  std::optional<Swizzle> getSwizzle() const { return swizzle; }
  int64_t getRank() const { return shape.size(); }
  int64_t getSize() const { return product(shape); }
  /// The modes of dimension `dim` as (size, stride), outermost first.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> getDimModes(int64_t dim) const;

  /// The offset of an element before swizzling.
  int64_t getLinearOffset(llvm::ArrayRef<int64_t> index) const;
  /// The offset of an element of the view that starts at linear offset `origin`.
  int64_t getOffset(llvm::ArrayRef<int64_t> index, int64_t origin = 0) const;
  /// Elements that the tile takes up, holes included: no offset reaches it, and with a swizzle it is a
  /// multiple of the swizzled block, so that what lies beyond is not touched.
  int64_t getCountSize() const;
  /// Elements in a row along `dim`, from any index that is a multiple of it, that lie at consecutive offsets.
  int64_t getContiguousRun(int64_t dim) const;

  /// Tiles `inner`, placed at multiples of its count size, by this layout. At most one of the two may be
  /// swizzled; if it is this one, the inner size must be a power of two.
  std::optional<SharedLayout> compose(const SharedLayout &inner, ErrorCallback onError = nullptr) const;
  /// Dimension d of the result is dimension `dims[d]` of this layout.
  std::optional<SharedLayout> permute(llvm::ArrayRef<int64_t> dims, ErrorCallback onError = nullptr) const;
  /// The same row-major sequence of elements seen in another shape of the same size.
  std::optional<SharedLayout> reshape(llvm::ArrayRef<int64_t> newShape,
                                      ErrorCallback onError = nullptr) const;
  /// Inserts dimensions of size 1 at the positions `dims` of the result.
  std::optional<SharedLayout> unsqueeze(llvm::ArrayRef<int64_t> dims, ErrorCallback onError = nullptr) const;
  /// The view that keeps `keptDims` (ascending) and indexes the others by constants; the linear offset of
  /// those constants is the origin of the view.
  std::optional<SharedLayout> slice(llvm::ArrayRef<int64_t> keptDims, ErrorCallback onError = nullptr) const;
  /// `count` copies one after the other along a new outermost dimension. With a swizzle the copies are placed
  /// at multiples of its block.
  SharedLayout prependDim(int64_t count) const;
  /// This layout with a swizzle in place of none.
  std::optional<SharedLayout> applySwizzle(Swizzle newSwizzle, ErrorCallback onError = nullptr) const;

  bool operator==(const SharedLayout &other) const {
    return shape == other.shape && modeShape == other.modeShape && modeStrides == other.modeStrides &&
           swizzle == other.swizzle;
  }
  bool operator!=(const SharedLayout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const SharedLayout &layout);

  /// Prints `shape, modes, strides` and the swizzle if there is one.
  void print(llvm::raw_ostream &os) const;

private:
  /// The canonical layout of valid modes.
  SharedLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> modeDims,
               llvm::ArrayRef<int64_t> modeShape, llvm::ArrayRef<int64_t> modeStrides,
               std::optional<Swizzle> swizzle);
  /// The dimension of each mode.
  Extents getModeDims() const;

  Extents shape;
  Extents modeShape;
  Extents modeStrides;
  std::optional<Swizzle> swizzle;
};

} // namespace tilus
