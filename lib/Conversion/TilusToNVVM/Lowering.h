// What the patterns of the lowering share: the executing threads, indices of slots, views, memory accesses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TileRegisters.h"
#include "Tilus/IR/TilusOps.h"

namespace tilus {

/// The threads that execute an op: [begin, begin + count) of the block.
struct ThreadGroup {
  int64_t begin = 0;
  int64_t count = 0;
  bool operator==(const ThreadGroup &other) const { return begin == other.begin && count == other.count; }
};

/// Facts about the kernel being lowered, collected before ops are moved out of their regions.
class LoweringContext {
public:
  LoweringContext(KernelOp kernel, const TargetInfo &target, bool fastMath);

  const TargetInfo &getTarget() const { return target; }
  bool isFastMath() const { return fastMath; }
  int64_t getBlockThreads() const { return blockThreads; }
  /// The group that executes an op of the kernel.
  ThreadGroup getGroup(mlir::Operation *op) const;
  /// The number of the hardware barrier of a group; 0 is the block's.
  int64_t getBarrier(ThreadGroup group) const;
  /// Groups beyond the hardware's fifteen barriers, with an op that synchronises one; null if all have one.
  mlir::Operation *getBarrierOverflow() const { return barrierOverflow; }
  /// An op that synchronises several warps of which its group has only a part; null if there is none.
  mlir::Operation *getCutWarp() const { return cutWarp; }
  /// The hidden parameter of a workspace: its position behind the kernel's parameters.
  int64_t getWorkspaceIndex(AllocGlobalOp op) const;
  llvm::ArrayRef<AllocGlobalOp> getWorkspaces() const { return workspaces; }
  /// What divides the origin, in elements, of the shared tile that an op accesses.
  int64_t getOriginDivisibility(mlir::Operation *op) const;

private:
  const TargetInfo &target;
  bool fastMath;
  int64_t blockThreads;
  llvm::DenseMap<mlir::Operation *, ThreadGroup> groups;
  llvm::SmallVector<ThreadGroup> barriers;
  mlir::Operation *barrierOverflow = nullptr, *cutWarp = nullptr;
  llvm::SmallVector<AllocGlobalOp> workspaces;
  llvm::DenseMap<mlir::Operation *, int64_t> originDivisibility;
};

/// Base of the lowering's patterns.
template <typename Op> class TileLowering : public mlir::OpConversionPattern<Op> {
public:
  TileLowering(const mlir::TypeConverter &converter, mlir::MLIRContext *mlirContext,
               const LoweringContext &context)
      : mlir::OpConversionPattern<Op>(converter, mlirContext), context(context) {}

protected:
  using Adaptor = typename mlir::OpConversionPattern<Op>::OneToNOpAdaptor;
  const LoweringContext &context;
};

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// The thread's number within the group of `op`, an i32.
mlir::Value createThreadId(mlir::OpBuilder &builder, mlir::Location loc, const LoweringContext &context,
                           ThreadGroup group);
/// The lane of the thread in its warp, an i32.
mlir::Value createLaneId(mlir::OpBuilder &builder, mlir::Location loc);
/// The barrier of a group.
void createBarrier(mlir::OpBuilder &builder, mlir::Location loc, const LoweringContext &context,
                   ThreadGroup group);
/// `(value / div) % mod` on i32, with what is no operation left out. `limit` bounds the value: [0, limit).
mlir::Value createDigit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t div,
                        int64_t mod, int64_t limit);
/// i1: the thread is the one replica that acts for all that hold the same elements. Null if there is only
/// one.
mlir::Value createIsRepresentative(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value threadId,
                                   const RegisterLayout &layout);

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The index of each slot of a tile: per dimension a part of the thread (i32) and a constant of the slot.
struct TileIndices {
  /// Index along each dimension of slot 0 of this thread.
  llvm::SmallVector<mlir::Value> thread;
  /// Distance of each slot from slot 0, along each dimension.
  llvm::SmallVector<llvm::SmallVector<int64_t>> slots;
};
TileIndices createTileIndices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value threadId,
                              const RegisterLayout &layout);

/// Runs of slots that one access moves: their first slots; each run has `count` slots next to each other
/// along `dim`. The run is a power of two of at most `limit` slots.
struct SlotRuns {
  int64_t dim = 0;
  int64_t count = 1;
};
SlotRuns getSlotRuns(const RegisterLayout &layout, int64_t dim, int64_t limit);

/// Runs of slots that lie next to each other in a shared tile too, aligned to their size, at most 16 bytes.
SlotRuns getSharedRuns(const SharedLayout &shared, const RegisterLayout &registers, int64_t elementBits,
                       int64_t originDivisibility);

/// The value as i64; signed.
mlir::Value createIndex64(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A view of global memory at run time, all sizes and strides as i64.
struct GlobalParts {
  mlir::Value base;
  llvm::SmallVector<mlir::Value> sizes;
  llvm::SmallVector<mlir::Value> strides;
};
GlobalParts createGlobalParts(mlir::OpBuilder &builder, mlir::Location loc, GlobalType type,
                              mlir::ValueRange values);

/// A pointer `elements` (i64 or i32) elements of `bits` bits from `base`.
mlir::Value createElementPointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                                 mlir::Value elements, int64_t bits);

/// The block's shared memory plus a constant number of bytes.
mlir::Value createSharedPointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Operation *op,
                                int64_t bytes);
/// The scratch space that the plan gave the op.
mlir::Value createScratchPointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Operation *op);

/// The linear offset, in elements, of a run-time index (i32): each dimension's modes in turn.
mlir::Value createLinearOffset(mlir::OpBuilder &builder, mlir::Location loc, const SharedLayout &layout,
                               llvm::ArrayRef<mlir::Value> index);

/// Addresses in a shared tile. The offset of an element is swizzled after the view's origin was added.
class SharedAddresser {
public:
  /// `parts`: pointer and element offset of the shared tile, as the type converter gives them.
  SharedAddresser(mlir::OpBuilder &builder, mlir::Location loc, SharedType type, mlir::ValueRange parts);
  /// Prepares addresses. `thread` is the thread's part of the index along each dimension, the sum of
  /// `digits`.
  void setThreadIndex(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> thread,
                      llvm::ArrayRef<LayoutDigit> digits);
  /// The address of the element at `slot` from the thread's index.
  mlir::Value getPointer(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> slot);

private:
  /// A place at which a dimension is split into modes: where the remainders of the thread's and the slot's
  /// part by `boundary` sum up to it, the parts' offsets do not add.
  struct Carry {
    int64_t dim;
    int64_t boundary;
    /// The largest remainder of the thread's part.
    int64_t remainder;
  };
  bool hasCarry(llvm::ArrayRef<int64_t> slot) const;
  mlir::Value getCarriedOffset(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> slot);

  SharedLayout layout;
  int64_t elementBits;
  mlir::Value base, origin;
  llvm::SmallVector<mlir::Value> threadIndex;
  llvm::SmallVector<Carry> carries;
  mlir::Value threadOffset;
  /// Bits that the thread's part of the offset may set.
  uint64_t threadBits = ~uint64_t(0);
  /// The origin, if it is known; it counts to the slots' part then, else to the thread's.
  std::optional<int64_t> constantOrigin;
  mlir::Value swizzledThread;
};

/// Loads `bits` bits from global or shared memory as words (see getWords). Masked off, they are zero.
llvm::SmallVector<mlir::Value> createLoad(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
                                          mlir::Type word, int64_t words, mlir::Value mask, CacheHint cache);
/// Stores words unless masked off.
void createStore(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer, mlir::ValueRange words,
                 mlir::Value mask, CacheHint cache);

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Combines two integers or floats of one type as the kind says.
mlir::Value createCombine(mlir::OpBuilder &builder, mlir::Location loc, CombineKind kind, mlir::Value a,
                          mlir::Value b);
/// The identity of a combination of an integer or float type: of maxima and minima the infinity.
mlir::Value createIdentity(mlir::OpBuilder &builder, mlir::Location loc, CombineKind kind, mlir::Type type);
/// Converts a slot between element types as `tilus.cast` does without options.
mlir::Value createElementCast(mlir::OpBuilder &builder, mlir::Location loc, const LoweringContext &context,
                              mlir::Value slot, mlir::Type from, mlir::Type to);

/// Whether an op of math on a scalar is lowered here, and not left for libdevice.
bool hasSequence(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Pattern groups
//===----------------------------------------------------------------------===//

using PopulateFn = void(const mlir::TypeConverter &, mlir::RewritePatternSet &, const LoweringContext &);
PopulateFn populateControlToNVVM, populateElementwiseToNVVM, populateTensorToNVVM, populateGlobalMemoryToNVVM,
    populateSharedMemoryToNVVM, populateMmaToNVVM, populateAsyncToNVVM, populateSyncToNVVM,
    populateCombineToNVVM, populateConvertLayoutToNVVM, populateCastToNVVM, populateAtomicToNVVM,
    populateDebugToNVVM, populateRandomToNVVM, populateConstantToNVVM, populateMathToNVVM,
    populateDivisionToNVVM;

} // namespace tilus
