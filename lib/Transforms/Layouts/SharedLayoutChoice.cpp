// Layouts of tiles in shared memory, chosen from their accesses.
//
// In program order: an allocation collects its views and the accesses to them, counts the bank cycles of each
// candidate, and lays itself and its views out. Handles that control flow carries are row-major, so that all
// that flow into one place agree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SharedLayoutChoice.h"
#include "CarriedTiles.h"
#include "TileRules.h"
#include "Tilus/Analysis/SharedAccess.h"
#include "Tilus/Layout/BankConflicts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <numeric>

using namespace mlir;
using namespace tilus;

namespace {
/// The views of an allocation, sources before their views, and the ops that read or write them.
struct AllocationUses {
  explicit AllocationUses(Value allocation);

  SmallVector<Value> handles;
  SmallVector<std::pair<Operation *, Value>> accesses;
  /// Some handle goes through control flow.
  bool isCarried = false;
};

/// Layouts of an allocation and its views, and what they cost.
struct Candidate {
  SmallVector<SharedLayout> layouts;
  int64_t cost = 0;
};
} // namespace

AllocationUses::AllocationUses(Value allocation) : handles{allocation} {
  for (size_t next = 0; next < handles.size(); ++next) {
    Value handle = handles[next];
    for (Operation *user : handle.getUsers()) {
      if (isSharedView(user))
        handles.push_back(user->getResult(0));
      else if (!isa<FreeSharedOp>(user))
        accesses.push_back({user, handle});
      isCarried |= user->hasTrait<mlir::OpTrait::IsTerminator>() || user->getNumRegions() ||
                   isa<arith::SelectOp>(user);
    }
  }
}

static SharedType getSharedType(Value handle) { return cast<SharedType>(handle.getType()); }

/// The register layout of an access; for a copy, vectors of rows.
static std::optional<RegisterLayout> getRegisterLayout(Operation *access, Value handle) {
  if (Value tile = getAccessedTile(access))
    return getTileLayout(tile.getType()).getLayout();
  if (isa<CopyAsyncOp>(access)) {
    SharedType type = getSharedType(handle);
    return RegisterLayout::distribute(getNumThreads(access), type.getShape(), type.getRank() - 1,
                                      kMaxAccessBytes * 8 / getElementBits(type.getElementType()));
  }
  for (Value operand : access->getOperands())
    if (isTile(operand) && getTileType(operand).getShape() == getSharedType(handle).getShape())
      return getTileLayout(operand.getType()).getLayout();
  return std::nullopt;
}

/// Bank cycles of an access with the best instruction for it, once for each trip that is assumed.
static int64_t getAccessCost(Operation *access, Value handle, const SharedLayout &layout,
                             int64_t originAlignment) {
  std::optional<RegisterLayout> tile = getRegisterLayout(access, handle);
  if (!tile)
    return 0;
  int64_t bits = getElementBits(getSharedType(handle).getElementType());
  int64_t cost = countWavefronts(SharedAccess::Vector, *tile, layout, bits, originAlignment);
  TargetAttr target = getTarget(access);
  for (SharedAccess kind : {SharedAccess::Matrix, SharedAccess::MatrixTrans})
    if (target && isa<LoadSharedOp, StoreSharedOp>(access) &&
        hasInstruction(kind, isa<LoadSharedOp>(access), *target.getInfo()) &&
        canAccess(kind, *tile, layout, bits, originAlignment))
      cost = std::min(cost, countWavefronts(kind, *tile, layout, bits, originAlignment));
  constexpr int64_t kTripsAssumed = 8, kMostCost = int64_t(1) << 50;
  for (Operation *parent = access->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent) && cost < kMostCost)
      cost *= kTripsAssumed;
  return cost;
}

/// Lays the handles out from the allocation's layout; the first view that cannot be expressed, or that is
/// pinned to another layout, ends it.
static Value deriveHandles(const AllocationUses &uses, const SharedLayout &layout, Candidate &candidate) {
  DenseMap<Value, unsigned> places;
  for (auto [place, handle] : llvm::enumerate(uses.handles)) {
    places[handle] = place;
    std::optional<SharedLayout> derived = layout;
    if (place > 0) {
      Operation *view = handle.getDefiningOp();
      derived = deriveView(view, candidate.layouts[places[view->getOperand(0)]]);
    }
    SharedLayoutAttr pinned = getSharedType(handle).getLayout();
    if (!derived || (pinned && pinned.getLayout() != *derived))
      return handle;
    candidate.layouts.push_back(*derived);
  }
  return {};
}

/// The alignment of a handle's origin under the candidate, in elements.
static int64_t getAlignment(const AllocationUses &uses, const Candidate &candidate, Value handle) {
  int64_t alignment = int64_t(1) << 20;
  for (; isSharedView(handle.getDefiningOp()); handle = handle.getDefiningOp()->getOperand(0)) {
    auto slice = dyn_cast<SliceSharedOp>(handle.getDefiningOp());
    if (!slice)
      continue;
    auto source = llvm::find(uses.handles, slice.getSource()) - uses.handles.begin();
    for (int64_t dim : slice.getDims())
      for (auto [size, stride] : candidate.layouts[source].getDimModes(dim))
        alignment = std::gcd(alignment, stride);
  }
  return alignment;
}

static void countCost(const AllocationUses &uses, Candidate &candidate) {
  for (auto [access, handle] : uses.accesses) {
    auto place = llvm::find(uses.handles, handle) - uses.handles.begin();
    candidate.cost +=
        getAccessCost(access, handle, candidate.layouts[place], getAlignment(uses, candidate, handle));
  }
}

/// Row-major with `pad` elements after each row of the last dimension.
static SharedLayout padRows(ArrayRef<int64_t> shape, int64_t pad) {
  Extents strides(shape.size(), 1);
  int64_t stride = shape.back() + pad;
  for (int64_t dim = int64_t(shape.size()) - 2; dim >= 0; --dim) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return SharedLayout::strided(shape, strides);
}

/// Appends the candidates of a shape whose last dimension is to be innermost, simple ones first.
static void appendCandidates(ArrayRef<int64_t> shape, int64_t elementBits,
                             SmallVectorImpl<SharedLayout> &candidates) {
  candidates.push_back(SharedLayout::rowMajor(shape));
  if (shape.size() < 2)
    return;
  candidates.push_back(SharedLayout::rowMajorSwizzle(shape, elementBits));
  for (int64_t bytes : {kMaxAccessBytes, kBankBytes})
    if (bytes * 8 % elementBits == 0)
      candidates.push_back(padRows(shape, bytes * 8 / elementBits));
}

/// Appends the candidates of which rows go over two or more of the last dimensions.
static void appendJoinedCandidates(ArrayRef<int64_t> shape, int64_t elementBits,
                                   SmallVectorImpl<SharedLayout> &candidates) {
  for (SmallVector<int64_t> joined(shape); joined.size() > 2;) {
    int64_t last = joined.pop_back_val();
    joined.back() *= last;
    if (auto layout = SharedLayout::rowMajorSwizzle(joined, elementBits).reshape(shape))
      candidates.push_back(*layout);
  }
}

/// The candidates of an allocation in the order of preference.
static SmallVector<SharedLayout> getCandidates(const AllocationUses &uses) {
  SharedType type = getSharedType(uses.handles.front());
  ArrayRef<int64_t> shape = type.getShape();
  if (type.getLayout())
    return {type.getLayout().getLayout()};
  SmallVector<SharedLayout> candidates;
  if (uses.isCarried || shape.empty())
    return {SharedLayout::rowMajor(shape)};
  int64_t bits = getElementBits(type.getElementType());
  appendCandidates(shape, bits, candidates);
  // Vectors by rows and matrices are what the swizzle is made for, also where others do as well.
  bool hasCopies = llvm::any_of(uses.accesses, [](auto &use) { return isa<CopyAsyncOp>(use.first); });
  if (hasCopies && candidates.size() > 1)
    std::swap(candidates[0], candidates[1]);
  if (shape.size() < 2)
    return candidates;
  appendJoinedCandidates(shape, bits, candidates);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  std::swap(order[shape.size() - 1], order[shape.size() - 2]);
  SmallVector<int64_t> swapped = llvm::map_to_vector(order, [&](int64_t dim) { return shape[dim]; });
  SmallVector<SharedLayout> columns;
  appendCandidates(swapped, bits, columns);
  for (const SharedLayout &layout : columns)
    if (auto permuted = layout.permute(order))
      candidates.push_back(*permuted);
  return candidates;
}

static LogicalResult emitViewError(Value view, Value allocation) {
  InFlightDiagnostic error = emitError(view.getLoc())
                             << "expected a view that the layout of its allocation expresses, but got "
                             << view.getType();
  error.attachNote(allocation.getLoc()) << "the allocation of type " << allocation.getType();
  return error;
}

/// Lays an allocation and its views out.
static LogicalResult layOut(AllocSharedOp allocation, bool emitRemarks) {
  AllocationUses uses(allocation);
  std::optional<Candidate> best;
  Value culprit;
  for (const SharedLayout &layout : getCandidates(uses)) {
    Candidate candidate;
    if (Value view = deriveHandles(uses, layout, candidate)) {
      culprit = culprit ? culprit : view;
      continue;
    }
    countCost(uses, candidate);
    if (!best || candidate.cost < best->cost)
      best = candidate;
  }
  if (!best)
    return emitViewError(culprit, allocation);
  for (auto [handle, layout] : llvm::zip_equal(uses.handles, best->layouts))
    handle.setType(getSharedType(handle).withLayout(SharedLayoutAttr::get(handle.getContext(), layout)));
  if (emitRemarks)
    allocation.emitRemark("lies in shared memory as ")
        << getSharedType(allocation).getLayout() << ", " << best->cost << " bank cycles a warp";
  return success();
}

/// Lays out a handle that is not made from an allocation in sight: a block argument, a result of control flow
/// or a selection, or a view of one.
static LogicalResult layOutFrom(Value handle, Value source) {
  SharedLayoutAttr layout = getSharedType(source).getLayout();
  if (isSharedView(handle.getDefiningOp())) {
    auto derived = deriveView(handle.getDefiningOp(), layout.getLayout());
    layout = derived ? SharedLayoutAttr::get(handle.getContext(), *derived) : SharedLayoutAttr();
  }
  SharedLayoutAttr present = getSharedType(handle).getLayout();
  if (!layout || (present && present != layout))
    return emitViewError(handle, source);
  handle.setType(getSharedType(handle).withLayout(layout));
  return success();
}

LogicalResult tilus::chooseSharedLayouts(KernelOp kernel, bool emitRemarks) {
  auto isHandle = [](Value value) { return isa<SharedType>(value.getType()); };
  CarriedTiles carried(kernel, isHandle);
  WalkResult result = kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto allocation = dyn_cast<AllocSharedOp>(op))
      return failed(layOut(allocation, emitRemarks)) ? WalkResult::interrupt() : WalkResult::advance();
    for (OpOperand &operand : op->getOpOperands()) {
      Value leader = isHandle(operand.get()) ? carried.getTarget(operand) : Value();
      if (!leader)
        continue;
      for (Value member : carried.getMembers(leader))
        if (failed(layOutFrom(member, operand.get())))
          return WalkResult::interrupt();
    }
    for (Value handle : op->getResults())
      if (isHandle(handle) && !getSharedType(handle).getLayout() &&
          (isSharedView(op) || isa<arith::SelectOp>(op)))
        if (failed(layOutFrom(handle, op->getOperands().back())))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
