// Plans for combining the elements of a tile along one dimension.
//
// Digits of the thread id are cut in two where they leave the bits of the lane number: the inner part is
// combined by shuffles, the outer one through scratch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/CombinePlan.h"

#include "Tilus/Layout/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;

namespace tilus {

bool formsWarps(int64_t begin, int64_t count) {
  int64_t unit = std::min<int64_t>(kWarpSize, PowerOf2Ceil(count));
  return begin % unit == 0;
}

int64_t ScratchPlaces::getPlace(int64_t thread) const {
  int64_t place = 0;
  for (const ThreadDigit &digit : digits)
    place += thread / digit.stride % digit.size * digit.placeStride;
  return place;
}

bool ScratchPlaces::isWriter(int64_t thread) const {
  return all_of(silent, [&](const ThreadDigit &digit) { return thread / digit.stride % digit.size == 0; });
}

namespace {
/// A digit of the thread id that is combined as a whole.
struct ThreadPart {
  int64_t size;
  int64_t stride;
  int64_t dim;
  int64_t indexStride;
  bool isInLanes;

  ThreadDigit getDigit() const { return {size, stride}; }
};
} // namespace

/// The digits of the thread id, innermost first, those of `dim` cut between lanes and the rest.
static SmallVector<ThreadPart, 8> cutDigits(const RegisterLayout &layout, int64_t dim, bool hasWarps) {
  SmallVector<ThreadPart, 8> parts;
  auto digits = layout.getSpatialDigits();
  for (const LayoutDigit &digit : reverse(digits)) {
    bool startsAtBit = hasWarps && isPowerOf2_64(digit.stride) && digit.stride < kWarpSize;
    int64_t inner = digit.dim == dim && startsAtBit ? std::gcd(digit.size, kWarpSize / digit.stride) : 1;
    if (inner > 1)
      parts.push_back({inner, digit.stride, digit.dim, digit.indexStride, true});
    if (inner < digit.size)
      parts.push_back(
          {digit.size / inner, digit.stride * inner, digit.dim, digit.indexStride * inner, false});
  }
  return parts;
}

/// One place for all threads that differ only in replicas and in the parts for which `isShared` holds.
static ScratchPlaces getPlaces(ArrayRef<ThreadPart> parts, function_ref<bool(const ThreadPart &)> isShared) {
  ScratchPlaces places;
  for (const ThreadPart &part : parts) {
    if (part.dim < 0 || isShared(part)) {
      places.silent.push_back(part.getDigit());
      continue;
    }
    places.digits.push_back({part.size, part.stride, places.count});
    places.count *= part.size;
  }
  return places;
}

static int64_t getPlaceStride(const ScratchPlaces &places, int64_t stride) {
  return find_if(places.digits, [&](const ThreadDigit &digit) { return digit.stride == stride; })
      ->placeStride;
}

ReducePlan planReduce(const RegisterLayout &layout, int64_t dim, bool hasWarps) {
  SmallVector<ThreadPart, 8> parts = cutDigits(layout, dim, hasWarps);
  ReducePlan plan;
  plan.places = getPlaces(parts, [&](const ThreadPart &part) { return part.dim == dim && part.isInLanes; });
  int64_t covered = 1;
  for (const ThreadPart &part : parts) {
    if (part.dim != dim)
      continue;
    if (part.isInLanes) {
      plan.lanes.push_back(part.getDigit());
      covered *= part.size;
    } else {
      plan.partners.push_back({part.size, part.stride, getPlaceStride(plan.places, part.stride)});
    }
  }
  // A partial warp is reduced as a whole too, but none next to whole ones.
  int64_t threads = layout.getNumThreads();
  plan.coversWarps =
      covered == std::min(threads, kWarpSize) && (threads <= kWarpSize || threads % kWarpSize == 0);
  plan.numValues = layout.getNumLocals();
  for (const LayoutDigit &digit : layout.getLocalDigits())
    if (digit.dim == dim)
      plan.numValues /= digit.size;
  return plan;
}

/// The digits of the slot and parts of the thread id along `dim`, as steps with their strides in the index.
static SmallVector<std::pair<int64_t, ScanStep>, 8> collectSteps(const RegisterLayout &layout, int64_t dim,
                                                                 ArrayRef<ThreadPart> parts) {
  SmallVector<std::pair<int64_t, ScanStep>, 8> steps;
  for (const LayoutDigit &digit : layout.getLocalDigits())
    if (digit.dim == dim)
      steps.push_back({digit.indexStride, {ScanStep::Slots, {digit.size, digit.stride}, 0, {}}});
  for (const ThreadPart &part : parts)
    if (part.dim == dim)
      steps.push_back(
          {part.indexStride, {part.isInLanes ? ScanStep::Lanes : ScanStep::Scratch, part.getDigit(), 0, {}}});
  llvm::sort(steps, [](const auto &a, const auto &b) { return a.first < b.first; });
  return steps;
}

ScanPlan planScan(const RegisterLayout &layout, int64_t dim, bool hasWarps) {
  SmallVector<ThreadPart, 8> parts = cutDigits(layout, dim, hasWarps);
  ScanPlan plan;
  int64_t numTotals = layout.getNumLocals();
  for (auto &[stride, step] : collectSteps(layout, dim, parts)) {
    int64_t indexStride = stride;
    step.numTotals = numTotals;
    if (step.kind == ScanStep::Slots)
      numTotals /= step.digit.size;
    if (step.kind == ScanStep::Scratch) {
      step.places = getPlaces(
          parts, [&](const ThreadPart &part) { return part.dim == dim && part.indexStride < indexStride; });
      step.digit.placeStride = getPlaceStride(step.places, step.digit.stride);
      step.scratchBegin = plan.scratchSize;
      plan.scratchSize += step.places.count * numTotals;
    }
    plan.steps.push_back(step);
  }
  return plan;
}

ReplicaPlan planReplicas(const RegisterLayout &layout, bool hasWarps) {
  SmallVector<ThreadPart, 8> parts = cutDigits(layout, /*dim=*/-1, /*hasWarps=*/false);
  ReplicaPlan plan;
  plan.places = getPlaces(parts, [](const ThreadPart &) { return false; });
  plan.replicas = plan.places.silent;
  plan.isInWarp = hasWarps;
  for (const ThreadDigit &digit : plan.replicas)
    plan.isInWarp &= layout.getNumThreads() <= kWarpSize || kWarpSize % (digit.size * digit.stride) == 0;
  return plan;
}

} // namespace tilus
