// Which allocation a handle to shared memory stands for, and which of its bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Analysis/SharedAliases.h"
#include "Tilus/Analysis/SharedAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tilus;

/// Bytes of so many elements, packed.
static int64_t toBytes(int64_t elements, Type element) {
  return llvm::divideCeil(elements * int64_t(getElementBits(element)), 8);
}

int64_t tilus::getSharedBytes(SharedType type) {
  int64_t elements = type.getLayout() ? type.getLayout().getLayout().getCountSize() : type.getNumElements();
  return toBytes(elements, type.getElementType());
}

/// Elements `[begin, end)` that the handle takes up before swizzling, and whether its origin is known.
static std::optional<std::pair<int64_t, int64_t>> getExactElements(Value handle) {
  auto type = cast<SharedType>(handle.getType());
  if (handle.getDefiningOp<AllocSharedOp>())
    return std::pair<int64_t, int64_t>(0, type.getLayout().getLayout().getCountSize());
  Operation *view = handle.getDefiningOp();
  if (!isSharedView(view))
    return std::nullopt;
  auto source = getExactElements(view->getOperand(0));
  auto slice = dyn_cast<SliceSharedOp>(view);
  if (!source || !slice)
    return source;
  const SharedLayout &layout = slice.getSource().getType().getLayout().getLayout();
  Extents index(layout.getRank(), 0);
  for (auto [dim, offset] : llvm::zip_equal(slice.getDims(), slice.getOffsets())) {
    APInt value;
    if (!matchPattern(offset, m_ConstantInt(&value)) || value.getSExtValue() < 0 ||
        value.getSExtValue() >= layout.getShape()[dim])
      return std::nullopt;
    index[dim] = value.getSExtValue();
  }
  int64_t origin = source->first + layout.getLinearOffset(index), count = 1;
  const SharedLayout &own = type.getLayout().getLayout();
  for (auto [size, stride] : llvm::zip_equal(own.getModeShape(), own.getModeStrides()))
    count += (size - 1) * stride;
  return std::pair(origin, origin + count);
}

ByteRange tilus::getByteRange(Value handle) {
  // Without an exact place, the nearest source that has one; for what control flow hands on, all there is.
  Value known = handle;
  auto exact = getExactElements(known);
  while (!exact && isSharedView(known.getDefiningOp())) {
    known = known.getDefiningOp()->getOperand(0);
    exact = getExactElements(known);
  }
  if (!exact)
    return {0, std::numeric_limits<int64_t>::max()};
  auto type = cast<SharedType>(known.getType());
  auto [begin, end] = *exact;
  if (auto swizzle = type.getLayout().getLayout().getSwizzle()) {
    int64_t block = swizzle->getBlockSize();
    begin = begin / block * block;
    end = llvm::alignTo(end, block);
  }
  int64_t bits = getElementBits(type.getElementType());
  return {begin * bits / 8, toBytes(end, type.getElementType())};
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// The values that a use of a handle hands it on to.
static void appendSuccessors(OpOperand &use, const RegionBranchSuccessorMapping &flow,
                             SmallVectorImpl<Value> &successors) {
  Operation *user = use.getOwner();
  if (isSharedView(user) || isa<arith::SelectOp>(user))
    successors.push_back(user->getResult(0));
  if (auto inputs = flow.find(&use); inputs != flow.end())
    successors.append(inputs->second.begin(), inputs->second.end());
}

SharedAliases::SharedAliases(KernelOp kernel) {
  RegionBranchSuccessorMapping flow;
  kernel.getBody().walk(
      [&](RegionBranchOpInterface branch) { branch.getSuccessorOperandInputMapping(flow); });
  kernel.getBody().walk<WalkOrder::PreOrder>([&](AllocSharedOp allocation) {
    SmallVector<Value, 4> &reached = handles[allocation.getResult()];
    reached.push_back(allocation.getResult());
    for (size_t next = 0; next < reached.size(); ++next) {
      Value handle = reached[next];
      allocations[handle].push_back(allocation);
      SmallVector<Value> successors;
      for (OpOperand &use : handle.getUses())
        appendSuccessors(use, flow, successors);
      for (Value successor : successors)
        if (!llvm::is_contained(reached, successor))
          reached.push_back(successor);
    }
  });
}

ArrayRef<AllocSharedOp> SharedAliases::getAllocations(Value handle) const {
  auto it = allocations.find(handle);
  return it == allocations.end() ? ArrayRef<AllocSharedOp>() : ArrayRef<AllocSharedOp>(it->second);
}

ArrayRef<Value> SharedAliases::getHandles(AllocSharedOp allocation) const {
  auto it = handles.find(allocation.getResult());
  return it == handles.end() ? ArrayRef<Value>() : ArrayRef<Value>(it->second);
}
