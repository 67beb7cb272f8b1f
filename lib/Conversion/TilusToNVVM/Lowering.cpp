// What the patterns of the lowering share: the executing threads and the indices of slots.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "Tilus/IR/TilePlans.h"
#include "Tilus/Support/IntMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

/// The hardware's named barriers beside the block's own, number 0.
static constexpr int64_t kMaxGroupBarriers = 15;

/// Whether an op of this group may need a barrier: its own sync, or scratch in shared memory.
static bool mayNeedBarrier(Operation *op) {
  if (auto scratch = dyn_cast<ScratchOpInterface>(op))
    return scratch.getScratchBytes() > 0;
  return isa<SyncOp, SemaphoreLockOp, SemaphoreReleaseOp, AssertOp, PrintOp>(op);
}

/// The shared tile that an op accesses; null if none.
static Value getSharedOperand(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<SharedType>(operand.getType()))
      return operand;
  return {};
}

/// What divides the origin of a shared tile: the strides of all dimensions that slices have indexed.
static int64_t computeOriginDivisibility(Value shared) {
  int64_t divisor = 0;
  while (Operation *op = shared.getDefiningOp()) {
    if (auto slice = dyn_cast<SliceSharedOp>(op))
      if (SharedLayoutAttr layout = slice.getSource().getType().getLayout())
        for (int64_t dim : slice.getDims())
          for (auto [size, stride] : layout.getLayout().getDimModes(dim))
            divisor = gcd(divisor, stride);
    Value source = getSharedOperand(op);
    if (!source)
      return divisor;
    shared = source;
  }
  return 1; // a block argument: anything
}

LoweringContext::LoweringContext(KernelOp kernel, const TargetInfo &target, bool fastMath)
    : target(target), fastMath(fastMath), blockThreads(kernel.getNumThreads()) {
  kernel.getBody().walk([&](Operation *op) {
    ThreadGroup group{getPlacedThreadBegin(op), getNumThreads(op)};
    if (group.count != blockThreads)
      groups[op] = group;
    if (Value shared = getSharedOperand(op))
      originDivisibility[op] = computeOriginDivisibility(shared);
    if (auto workspace = dyn_cast<AllocGlobalOp>(op))
      workspaces.push_back(workspace);
    bool needsNamed = group.count > 32 || group.begin % 32 + group.count > 32;
    if (group.count == blockThreads || !needsNamed || !mayNeedBarrier(op))
      return;
    if (group.begin % 32 || group.count % 32) {
      if (!cutWarp)
        cutWarp = op;
      return;
    }
    if (llvm::is_contained(barriers, group))
      return;
    if (barriers.size() == kMaxGroupBarriers)
      barrierOverflow = op;
    else
      barriers.push_back(group);
  });
}

ThreadGroup LoweringContext::getGroup(Operation *op) const {
  auto found = groups.find(op);
  return found == groups.end() ? ThreadGroup{0, blockThreads} : found->second;
}

int64_t LoweringContext::getBarrier(ThreadGroup group) const {
  return llvm::find(barriers, group) - barriers.begin() + 1;
}

int64_t LoweringContext::getOriginDivisibility(Operation *op) const { return originDivisibility.lookup(op); }

int64_t LoweringContext::getWorkspaceIndex(AllocGlobalOp op) const {
  return llvm::find(workspaces, op) - workspaces.begin();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value tilus::createThreadId(OpBuilder &builder, Location loc, const LoweringContext &context,
                            ThreadGroup group) {
  auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), 32, 0, context.getBlockThreads());
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type(), range);
  if (group.begin)
    thread = arith::SubIOp::create(builder, loc, thread, createI32(builder, loc, group.begin));
  return thread;
}

Value tilus::createLaneId(OpBuilder &builder, Location loc) {
  auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), 32, 0, 32);
  return NVVM::LaneIdOp::create(builder, loc, builder.getI32Type(), range);
}

void tilus::createBarrier(OpBuilder &builder, Location loc, const LoweringContext &context,
                          ThreadGroup group) {
  if (group.count == 1)
    return;
  if (group.count == context.getBlockThreads()) {
    NVVM::Barrier0Op::create(builder, loc);
    return;
  }
  int64_t firstLane = group.begin % 32;
  if (firstLane + group.count <= 32) {
    uint32_t mask = uint32_t(((uint64_t(1) << group.count) - 1) << firstLane);
    NVVM::SyncWarpOp::create(builder, loc, createI32(builder, loc, int32_t(mask)));
    return;
  }
  // A barrier waits for all threads of a warp: groups that cut one are refused (PTX ISA, "barrier").
  NVVM::BarrierOp::create(builder, loc, TypeRange(), createI32(builder, loc, context.getBarrier(group)),
                          createI32(builder, loc, group.count), NVVM::BarrierReductionAttr(), Value());
}

Value tilus::createDigit(OpBuilder &builder, Location loc, Value value, int64_t div, int64_t mod,
                         int64_t limit) {
  if (mod == 1)
    return createI32(builder, loc, 0);
  if (div > 1)
    value = builder.createOrFold<arith::DivUIOp>(loc, value, createI32(builder, loc, div));
  if (int64_t(llvm::divideCeil(limit, div)) > mod)
    value = builder.createOrFold<arith::RemUIOp>(loc, value, createI32(builder, loc, mod));
  return value;
}

Value tilus::createIsRepresentative(OpBuilder &builder, Location loc, Value threadId,
                                    const RegisterLayout &layout) {
  Value result, zero = createI32(builder, loc, 0);
  for (const LayoutDigit &digit : layout.getSpatialDigits()) {
    if (!digit.isReplication())
      continue;
    Value value = createDigit(builder, loc, threadId, digit.stride, digit.size, layout.getNumThreads());
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value, zero);
    result = result ? arith::AndIOp::create(builder, loc, result, isFirst).getResult() : isFirst;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

TileIndices tilus::createTileIndices(OpBuilder &builder, Location loc, Value threadId,
                                     const RegisterLayout &layout) {
  TileIndices indices;
  indices.thread.resize(layout.getRank());
  for (const LayoutDigit &digit : layout.getSpatialDigits()) {
    if (digit.isReplication())
      continue;
    Value part = createDigit(builder, loc, threadId, digit.stride, digit.size, layout.getNumThreads());
    if (digit.indexStride != 1)
      part = arith::MulIOp::create(builder, loc, part, createI32(builder, loc, digit.indexStride));
    Value &index = indices.thread[digit.dim];
    index = index ? arith::AddIOp::create(builder, loc, index, part).getResult() : part;
  }
  for (Value &index : indices.thread)
    if (!index)
      index = createI32(builder, loc, 0);
  auto digits = layout.getLocalDigits();
  for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot) {
    SmallVector<int64_t> &offset = indices.slots.emplace_back(layout.getRank(), 0);
    for (const LayoutDigit &digit : digits)
      offset[digit.dim] += (slot / digit.stride) % digit.size * digit.indexStride;
  }
  return indices;
}

SlotRuns tilus::getSlotRuns(const RegisterLayout &layout, int64_t dim, int64_t limit) {
  if (dim < 0 || dim >= layout.getRank() || limit <= 1)
    return {};
  int64_t run = layout.getContiguousRun(dim);
  int64_t powerOfTwo = run & -run;
  return {dim, std::min<int64_t>(powerOfTwo, llvm::bit_floor(uint64_t(limit)))};
}

Value tilus::createIndex64(OpBuilder &builder, Location loc, Value value) {
  Type i64 = builder.getI64Type();
  if (value.getType() == i64)
    return value;
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, value);
  return arith::ExtSIOp::create(builder, loc, i64, value);
}
