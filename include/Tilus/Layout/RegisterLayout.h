// The layout of a tile in the registers of a group of threads.
//
// Owns the value type RegisterLayout: its canonical form, the map between elements and (thread, slot), and
// the algebra on layouts. Does not own conversion between layouts (LayoutConversion.h) or the IR attribute.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/LayoutSupport.h"

#include "llvm/ADT/Hashing.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilus {

/// One digit of the mixed-radix number that a thread id or a slot is. With `position` a thread id or a slot,
/// the digit is `(position / stride) % size`, and it adds `digit * indexStride` to the index along `dim`.
struct LayoutDigit {
  int64_t size;
  /// Distance in threads (or slots) between two values of the digit.
  int64_t stride;
  /// The dimension of the tile that the digit moves along; -1 for a replication digit.
  int64_t dim;
  /// Distance along `dim` between two values of the digit; 0 for a replication digit.
  int64_t indexStride;

  bool isReplication() const { return dim < 0; }
};

/// Distribution of the elements of a tile over threads and their register slots.
///
/// Each dimension is split into modes; `modeShape` lists their sizes, outermost first, dimension after
/// dimension. `spatialModes` are the digits of the thread id, outermost first: a mode number, or -r for r
/// replicas that hold the same elements. `localModes` are the digits of the slot. Every mode appears exactly
/// once.
///
/// A layout is always canonical: no mode of size 1, no two modes that are adjacent both in their dimension
/// and in the same list, no two adjacent replications. The canonical form is unique: two layouts are equal if
/// and only if shape, threads, slots and the map (thread, slot) -> element are the same.
class RegisterLayout {
public:
  /// The layout of a rank-0 tile on one thread.
  RegisterLayout() = default;

  /// The canonical layout with these modes, or nullopt and an error if they do not describe one.
  static std::optional<RegisterLayout> get(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> modeShape,
                                           llvm::ArrayRef<int64_t> spatialModes,
                                           llvm::ArrayRef<int64_t> localModes,
                                           ErrorCallback onError = nullptr);

  // Constructors. Sizes must be positive.

  /// One element a thread. `ranks[d]` is the place of dimension d in the order of the thread id, 0 outermost;
  /// row-major if empty.
  static RegisterLayout spatial(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> ranks = {});
  /// All elements in one thread; `ranks` order the slots as they order the threads in `spatial`.
  static RegisterLayout local(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> ranks = {});
  /// `spatial` with the first dimension fastest.
  static RegisterLayout columnSpatial(llvm::ArrayRef<int64_t> shape);
  /// `local` with the first dimension fastest.
  static RegisterLayout columnLocal(llvm::ArrayRef<int64_t> shape);
  /// All elements in each of `numThreads` threads.
  static RegisterLayout replicated(llvm::ArrayRef<int64_t> shape, int64_t numThreads);
  /// An even distribution of any shape over any number of threads: `distribute` without vectors.
  static RegisterLayout autoLocalSpatial(int64_t numThreads, llvm::ArrayRef<int64_t> shape);
  /// A valid layout for any sizes. Vectors of gcd(vectorSize, shape[vectorDim]) elements along `vectorDim`
  /// are innermost. The threads are split by gcd over what remains, `vectorDim` first and fastest, then from
  /// the last dimension backwards; threads left over hold replicas (outermost), elements left over are
  /// further slots.
  static RegisterLayout distribute(int64_t numThreads, llvm::ArrayRef<int64_t> shape, int64_t vectorDim,
                                   int64_t vectorSize);

  // Structure.

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  llvm::ArrayRef<int64_t> getModeShape() const { return modeShape; }
  llvm::ArrayRef<int64_t> getSpatialModes() const { return spatialModes; }
  llvm::ArrayRef<int64_t> getLocalModes() const { return localModes; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumThreads() const { return numThreads; }
  /// Elements that one thread holds.
  int64_t getNumLocals() const { return numLocals; }
  /// Elements of the tile.
  int64_t getSize() const { return product(shape); }
  /// Threads that hold each element. `getSize() * getReplication() == getNumThreads() * getNumLocals()`.
  int64_t getReplication() const;
  /// The digits of the thread id, outermost first.
  llvm::SmallVector<LayoutDigit, 6> getSpatialDigits() const { return getDigits(spatialModes); }
  /// The digits of the slot, outermost first.
  llvm::SmallVector<LayoutDigit, 6> getLocalDigits() const { return getDigits(localModes); }
  /// Slots in a row that walk along `dim` one element at a time: aligned runs of this length, from any slot
  /// that is a multiple of it, hold consecutive elements. 1 if there is none.
  int64_t getContiguousRun(int64_t dim) const;

  // The map.

  /// The element in slot `slot` of thread `thread`.
  Extents getIndex(int64_t thread, int64_t slot) const;
  /// The slot that holds the element; the same in all threads that hold it.
  int64_t getLocal(llvm::ArrayRef<int64_t> index) const;
  /// All threads that hold the element, in ascending order.
  llvm::SmallVector<int64_t> getThreads(llvm::ArrayRef<int64_t> index) const;
  /// The thread that holds the element and whose replication digits are zero: the lowest one.
  int64_t getRepresentativeThread(llvm::ArrayRef<int64_t> index) const;
  /// Whether the replication digits of the thread are zero.
  bool isRepresentative(int64_t thread) const;
  /// Whether each thread that holds an element in `other` holds it in this layout too.
  bool covers(const RegisterLayout &other) const;

  // Algebra. What can fail returns nullopt after an error; what cannot requires valid arguments.

  /// Tiles `inner` by this layout: index = outer * inner shape + inner, and likewise thread and slot. The
  /// lower rank is padded with leading dimensions of size 1.
  RegisterLayout compose(const RegisterLayout &inner) const;
  /// The layout Q with `Q.compose(inner) == *this`.
  std::optional<RegisterLayout> divide(const RegisterLayout &inner, ErrorCallback onError = nullptr) const;
  /// The layout Q with `outer.compose(Q) == *this`.
  std::optional<RegisterLayout> leftDivide(const RegisterLayout &outer,
                                           ErrorCallback onError = nullptr) const;
  /// Dimension d of the result is dimension `dims[d]` of this layout.
  std::optional<RegisterLayout> permute(llvm::ArrayRef<int64_t> dims, ErrorCallback onError = nullptr) const;
  /// What remains when `dims` collapse to one element: their threads become replicas, their slots vanish. The
  /// dimensions vanish, or stay with size 1 if `keepDims`.
  std::optional<RegisterLayout> reduce(llvm::ArrayRef<int64_t> dims, bool keepDims,
                                       ErrorCallback onError = nullptr) const;
  /// The inverse of broadcasting `target` to this shape: reduces leading dimensions that `target` lacks away
  /// and those of size 1 to size 1.
  std::optional<RegisterLayout> reduceTo(llvm::ArrayRef<int64_t> target,
                                         ErrorCallback onError = nullptr) const;
  /// A layout of the broadcast to `target` whose `reduceTo` is this layout: replicas share out the new
  /// elements, innermost dimension first, and what cannot be shared out becomes the outermost slots.
  std::optional<RegisterLayout> expandTo(llvm::ArrayRef<int64_t> target,
                                         ErrorCallback onError = nullptr) const;
  /// The dimensions of this layout followed by those of `other`; threads and slots of `other` are innermost.
  RegisterLayout concat(const RegisterLayout &other) const;
  /// The same distribution of the row-major sequence of elements seen in another shape of the same size.
  std::optional<RegisterLayout> reshape(llvm::ArrayRef<int64_t> newShape,
                                        ErrorCallback onError = nullptr) const;
  /// Merges dimensions `first` to `last`, inclusive, into one.
  std::optional<RegisterLayout> flatten(int64_t first, int64_t last, ErrorCallback onError = nullptr) const;
  /// Removes `dims`, which must have size 1.
  std::optional<RegisterLayout> squeeze(llvm::ArrayRef<int64_t> dims, ErrorCallback onError = nullptr) const;
  /// Inserts dimensions of size 1 at the positions `dims` of the result.
  std::optional<RegisterLayout> unsqueeze(llvm::ArrayRef<int64_t> dims,
                                          ErrorCallback onError = nullptr) const;
  /// What remains when `dims` are indexed by constants and vanish: `reduce` without keeping them.
  std::optional<RegisterLayout> slice(llvm::ArrayRef<int64_t> dims, ErrorCallback onError = nullptr) const;

  bool operator==(const RegisterLayout &other) const {
    return shape == other.shape && modeShape == other.modeShape && spatialModes == other.spatialModes &&
           localModes == other.localModes;
  }
  bool operator!=(const RegisterLayout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const RegisterLayout &layout);

  /// Prints `shape, modes, spatial, local` as lists.
  void print(llvm::raw_ostream &os) const;

private:
  friend class RegisterLayoutBuilder;
  llvm::SmallVector<LayoutDigit, 6> getDigits(llvm::ArrayRef<int64_t> modes) const;

  Extents shape;
  Extents modeShape;
  Extents spatialModes;
  Extents localModes;
  int64_t numThreads = 1;
  int64_t numLocals = 1;
};

} // namespace tilus
