// How a register tile meets its place in shared memory: the instruction, the vectors, the bank cycles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Analysis/SharedAccess.h"
#include "Tilus/Layout/BankConflicts.h"

#include <numeric>

using namespace mlir;
using namespace tilus;

constexpr int64_t kMostAlignment = int64_t(1) << 20;

std::optional<RegisterLayout> tilus::getMatrixFragment(int64_t elementBits, bool isTransposed) {
  if (isTransposed && elementBits == 16)
    return RegisterLayout::columnSpatial({4, 8}).compose(RegisterLayout::local({2, 1}));
  if (!isTransposed && (elementBits == 8 || elementBits == 16 || elementBits == 32))
    return RegisterLayout::spatial({8, 4}).compose(RegisterLayout::local({1, 32 / elementBits}));
  return std::nullopt;
}

/// Whether every aligned run of `count` elements along `dim` is contiguous and aligned in the view.
static bool hasAlignedRuns(const SharedLayout &shared, int64_t dim, int64_t count, int64_t originAlignment) {
  if (shared.getContiguousRun(dim) % count || originAlignment % count)
    return false;
  return llvm::all_of(shared.getModeStrides(),
                      [&](int64_t stride) { return stride == 1 || stride % count == 0; });
}

/// The layout of the fragments within the tile; nullopt if it does not consist of them.
static std::optional<RegisterLayout> divideByFragment(SharedAccess access, const RegisterLayout &tile,
                                                      int64_t elementBits) {
  auto fragment = getMatrixFragment(elementBits, access == SharedAccess::MatrixTrans);
  if (!fragment || tile.getRank() != 2)
    return std::nullopt;
  return tile.divide(*fragment);
}

bool tilus::canAccess(SharedAccess access, const RegisterLayout &tile, const SharedLayout &shared,
                      int64_t elementBits, int64_t originAlignment) {
  if (access == SharedAccess::Vector)
    return true;
  return divideByFragment(access, tile, elementBits) &&
         hasAlignedRuns(shared, 1, kMaxAccessBytes * 8 / elementBits, originAlignment);
}

AccessVector tilus::getSharedVector(const RegisterLayout &tile, const SharedLayout &shared,
                                    int64_t elementBits, int64_t originAlignment) {
  AccessVector best{std::max<int64_t>(tile.getRank() - 1, 0), 1};
  for (int64_t dim = tile.getRank(); dim-- > 0;) {
    int64_t run = tile.getContiguousRun(dim), size = 1;
    while (size * 2 * elementBits <= kMaxAccessBytes * 8 && run % (size * 2) == 0 &&
           hasAlignedRuns(shared, dim, size * 2, originAlignment))
      size *= 2;
    if (size > best.size)
      best = {dim, size};
  }
  return best;
}

/// Bank cycles of the first few of `count` equal accesses, scaled to all.
static int64_t countAll(int64_t count, function_ref<int64_t(int64_t)> countOne) {
  constexpr int64_t kMostCounted = 4;
  int64_t counted = std::min(count, kMostCounted), cycles = 0;
  for (int64_t access = 0; access < counted; ++access)
    cycles += countOne(access);
  return counted ? llvm::divideCeil(cycles * count, counted) : 0;
}

static int64_t countMatrixWavefronts(const RegisterLayout &fragments, const SharedLayout &shared,
                                     int64_t elementBits) {
  constexpr int64_t kRows = 8;
  int64_t columns = shared.getShape()[1] / fragments.getShape()[1];
  return countAll(fragments.getNumLocals(), [&](int64_t slot) {
    Extents fragment = fragments.getIndex(/*thread=*/0, slot);
    SmallVector<int64_t, kRows> addresses;
    for (int64_t row = 0; row < kRows; ++row)
      addresses.push_back(shared.getOffset({fragment[0] * kRows + row, fragment[1] * columns}) * elementBits /
                          8);
    return countAccess(addresses, kMaxAccessBytes).wavefronts;
  });
}

static int64_t countVectorWavefronts(const RegisterLayout &tile, const SharedLayout &shared,
                                     int64_t elementBits, int64_t vectorSize) {
  int64_t width = std::max<int64_t>(1, vectorSize * elementBits / 8);
  return countAll(tile.getNumLocals() / vectorSize, [&](int64_t access) {
    SmallVector<int64_t, kWarpSize> addresses;
    for (int64_t lane = 0, lanes = std::min(kWarpSize, tile.getNumThreads()); lane < lanes; ++lane)
      addresses.push_back(shared.getOffset(tile.getIndex(lane, access * vectorSize)) * elementBits / 8);
    return countAccess(addresses, width).wavefronts;
  });
}

int64_t tilus::countWavefronts(SharedAccess access, const RegisterLayout &tile, const SharedLayout &shared,
                               int64_t elementBits, int64_t originAlignment) {
  if (access != SharedAccess::Vector)
    if (auto fragments = divideByFragment(access, tile, elementBits))
      return countMatrixWavefronts(*fragments, shared, elementBits);
  AccessVector vector = getSharedVector(tile, shared, elementBits, originAlignment);
  return countVectorWavefronts(tile, shared, elementBits, vector.size);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

bool tilus::isSharedView(Operation *op) {
  return isa_and_nonnull<SliceSharedOp, ReshapeSharedOp, PermuteSharedOp>(op);
}

std::optional<SharedLayout> tilus::deriveView(Operation *view, const SharedLayout &source) {
  if (auto slice = dyn_cast<SliceSharedOp>(view)) {
    SmallVector<int64_t> kept;
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      if (!llvm::is_contained(slice.getDims(), dim))
        kept.push_back(dim);
    return source.slice(kept);
  }
  if (auto reshape = dyn_cast<ReshapeSharedOp>(view))
    return source.reshape(reshape.getResult().getType().getShape());
  return source.permute(cast<PermuteSharedOp>(view).getPermutation());
}

int64_t tilus::getOriginAlignment(Value shared) {
  int64_t alignment = kMostAlignment;
  while (isSharedView(shared.getDefiningOp())) {
    Operation *view = shared.getDefiningOp();
    shared = view->getOperand(0);
    auto slice = dyn_cast<SliceSharedOp>(view);
    SharedLayoutAttr layout = cast<SharedType>(shared.getType()).getLayout();
    if (!slice || !layout)
      continue;
    for (int64_t dim : slice.getDims())
      for (auto [size, stride] : layout.getLayout().getDimModes(dim))
        alignment = std::gcd(alignment, stride);
  }
  return shared.getDefiningOp<AllocSharedOp>() ? alignment : 1;
}

bool tilus::hasInstruction(SharedAccess access, bool isLoad, const TargetInfo &target) {
  return access == SharedAccess::Vector || target.hasFeature(isLoad ? Feature::Ldmatrix : Feature::Stmatrix);
}
