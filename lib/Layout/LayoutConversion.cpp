// Plans of register-layout conversions within threads and within warps, and the choice among all plans.
//
// The two layouts are refined to common modes and common digits of the thread id. A mode then sits, on each
// side, in one digit of the thread or of the slot, and the plan follows from where each mode comes from:
//
//  * Source digit of the thread: the lane that holds the element, known to the reader from its own digit of
//  the
//    mode, or from the slot that it fills.
//  * Source digit of the slot, target digit of the slot: the same for all threads.
//  * Source digit of the slot, target digit of the thread: the readers of one lane want different slots of
//  it. The
//    chain of modes that pass through the digit, from this one on, ends in a mode that becomes a slot digit
//    (then the readers go through the slots of that mode in rotated order, so that each lane serves one slot
//    a round) or in a replication of the source (then the replica is chosen whose own digit names the slot).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/LayoutConversion.h"

#include "RegisterLayoutBuilder.h"
#include "Tilus/Layout/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilus {

//===-- Expressions
//-----------------------------------------------------------------------------------------===//

int64_t ThreadExpr::evaluate(int64_t thread) const {
  int64_t value = constant;
  for (const ThreadTerm &term : terms)
    value += term.evaluate(thread);
  return value;
}

int64_t ThreadExpr::getNumValues() const {
  int64_t count = 1;
  for (const ThreadTerm &term : terms)
    count *= term.mod;
  return count;
}

void ThreadExpr::add(ThreadTerm term) {
  if (term.mod == 1 || term.scale == 0)
    return;
  auto *at = find_if(terms, [&](const ThreadTerm &other) { return other.div > term.div; });
  at = terms.insert(at, term);
  auto continues = [](const ThreadTerm &inner, const ThreadTerm &outer) {
    return inner.offset == 0 && outer.offset == 0 && outer.div == inner.div * inner.mod &&
           outer.scale == inner.scale * inner.mod;
  };
  if (at + 1 != terms.end() && continues(*at, at[1])) {
    at->mod *= at[1].mod;
    terms.erase(at + 1);
  }
  if (at != terms.begin() && continues(at[-1], *at)) {
    at[-1].mod *= at->mod;
    terms.erase(at);
  }
}

//===-- Common refinement
//-----------------------------------------------------------------------------------===//

namespace {

/// Two layouts with the same modes and the same digits of the thread id.
struct CommonDigits {
  RegisterLayoutBuilder source;
  RegisterLayoutBuilder target;
  /// Size and stride of each digit of the thread id.
  Extents sizes;
  Extents strides;
  /// For each mode: its digit of the thread id on each side, or -1; else its stride in the slot.
  Extents sourceDigit, targetDigit, sourceSlotStride, targetSlotStride;
};

/// Where the slot digit `mode` of the source, which becomes a thread digit of the target, is known to the
/// publisher.
struct Chain {
  int64_t mode;
  /// The digit of the thread id that the mode becomes.
  int64_t firstDigit;
  /// The digit of the thread id at which the chain ends.
  int64_t lastDigit;
  /// The mode that becomes a slot digit of the target; -1 if the chain ends in a replication.
  int64_t lastMode;
};

} // namespace

/// Cuts the modes of `layout` where those of `other` end.
static bool cutModesLike(RegisterLayoutBuilder &layout, const RegisterLayoutBuilder &other) {
  Extents strides(other.shape.size(), 1);
  for (size_t mode = other.modeShape.size(); mode-- > 0;) {
    int64_t dim = other.modeDims[mode];
    if (!layout.cutDim(dim, strides[dim]))
      return false;
    strides[dim] *= other.modeShape[mode];
  }
  return true;
}

/// Cuts the digits of the thread id of `layout` where those of `other` end.
static bool cutThreadsLike(RegisterLayoutBuilder &layout, const RegisterLayoutBuilder &other) {
  int64_t stride = 1;
  for (int64_t entry : reverse(other.spatial)) {
    if (!layout.cutList(layout.spatial, stride))
      return false;
    stride *= other.getEntrySize(entry);
  }
  return true;
}

/// The digit of the thread id that holds each mode, or -1.
static Extents locateModes(const RegisterLayoutBuilder &layout) {
  Extents digits(layout.modeShape.size(), -1);
  for (auto [digit, entry] : enumerate(layout.spatial))
    if (entry >= 0)
      digits[entry] = digit;
  return digits;
}

/// The stride of each mode in the slot, or 0.
static Extents slotStrides(const RegisterLayoutBuilder &layout) {
  Extents strides(layout.modeShape.size(), 0);
  int64_t stride = 1;
  for (int64_t mode : reverse(layout.local)) {
    strides[mode] = stride;
    stride *= layout.modeShape[mode];
  }
  return strides;
}

/// The common refinement of two layouts, with a cut between lane and warp if `cutWarps`; nullopt if there is
/// none.
static std::optional<CommonDigits> refine(const RegisterLayout &source, const RegisterLayout &target,
                                          bool cutWarps) {
  CommonDigits common{RegisterLayoutBuilder(source), RegisterLayoutBuilder(target), {}, {}, {}, {}, {}, {}};
  RegisterLayoutBuilder &a = common.source, &b = common.target;
  if (cutWarps && source.getNumThreads() > kWarpSize &&
      (!a.cutList(a.spatial, kWarpSize) || !b.cutList(b.spatial, kWarpSize)))
    return std::nullopt;
  auto countParts = [&] {
    return a.modeShape.size() + b.modeShape.size() + a.spatial.size() + b.spatial.size();
  };
  size_t before;
  do {
    before = countParts();
    if (!cutModesLike(a, b) || !cutModesLike(b, a) || !cutThreadsLike(a, b) || !cutThreadsLike(b, a))
      return std::nullopt;
  } while (countParts() != before);

  for (int64_t entry : a.spatial)
    common.sizes.push_back(a.getEntrySize(entry));
  common.strides = rowMajorStrides(common.sizes);
  common.sourceDigit = locateModes(a);
  common.targetDigit = locateModes(b);
  common.sourceSlotStride = slotStrides(a);
  common.targetSlotStride = slotStrides(b);
  return common;
}

//===-- Rounds
//----------------------------------------------------------------------------------------------===//

/// Whether each warp holds all that it needs: the digits of the thread id from the warp on hold the same mode
/// on both sides, or replicas on the source side.
static bool staysInWarp(const CommonDigits &common) {
  for (auto [a, b, stride] : zip_equal(common.source.spatial, common.target.spatial, common.strides))
    if (stride >= kWarpSize && a >= 0 && a != b)
      return false;
  return true;
}

/// The chains of all modes that move from the slot into the thread id. Nullopt if one of them ends in a
/// replica that cannot be chosen because it is another warp's.
static std::optional<SmallVector<Chain, 4>> findChains(const CommonDigits &common) {
  SmallVector<Chain, 4> chains;
  for (int64_t mode : common.source.local) {
    int64_t first = common.targetDigit[mode];
    if (first < 0)
      continue;
    Chain chain{mode, first, first, -1};
    int64_t passing = common.source.spatial[first];
    while (passing >= 0 && common.targetDigit[passing] >= 0) {
      chain.lastDigit = common.targetDigit[passing];
      passing = common.source.spatial[chain.lastDigit];
    }
    chain.lastMode = passing < 0 ? -1 : passing;
    if (chain.lastMode < 0 && chain.lastDigit != first && common.strides[chain.lastDigit] >= kWarpSize)
      return std::nullopt;
    chains.push_back(chain);
  }
  return chains;
}

/// The round that fills, up to the rotation along chains, the target slot `slot`.
static ConversionRound makeRound(const CommonDigits &common, ArrayRef<Chain> chains, int64_t slot) {
  ConversionRound round;
  ArrayRef<int64_t> modeShape = common.source.modeShape;
  auto slotDigit = [&](int64_t mode) { return slot / common.targetSlotStride[mode] % modeShape[mode]; };

  round.isLocal = true;
  for (int64_t digit = 0; digit < int64_t(common.sizes.size()); ++digit) {
    int64_t size = common.sizes[digit], stride = common.strides[digit];
    int64_t mode = common.source.spatial[digit];
    // The digit of the reader that the digit of the source lane equals, and its rotation.
    int64_t from = digit, offset = 0;
    const auto *chain = find_if(chains, [&](const Chain &chain) { return chain.lastDigit == digit; });
    if (chain != chains.end()) {
      from = chain->firstDigit;
      offset = mode < 0 ? 0 : slotDigit(mode);
    } else if (mode >= 0) {
      from = common.targetDigit[mode];
    }
    round.isLocal &= from == digit && offset == 0;
    // Warp digits are the reader's own.
    if (stride >= kWarpSize)
      continue;
    if (from >= 0)
      round.sourceLane.add({common.strides[from], size, offset, stride});
    else
      round.sourceLane.constant += slotDigit(mode) * stride;
  }

  for (int64_t mode : common.source.local)
    if (common.targetDigit[mode] < 0)
      round.publishSlot.constant += slotDigit(mode) * common.sourceSlotStride[mode];
  for (const Chain &chain : chains) {
    int64_t size = modeShape[chain.mode];
    int64_t turn = chain.lastMode < 0 ? 0 : slotDigit(chain.lastMode);
    round.publishSlot.add(
        {common.strides[chain.lastDigit], size, (size - turn) % size, common.sourceSlotStride[chain.mode]});
    if (chain.lastMode >= 0)
      round.writeSlot.add(
          {common.strides[chain.firstDigit], size, turn, common.targetSlotStride[chain.lastMode]});
  }
  for (int64_t mode : common.target.local)
    if (none_of(chains, [&](const Chain &chain) { return chain.lastMode == mode; }))
      round.writeSlot.constant += slotDigit(mode) * common.targetSlotStride[mode];
  return round;
}

/// The estimated cost of rounds.
static int64_t costRounds(ArrayRef<ConversionRound> rounds, int64_t elementBits) {
  int64_t words = divideCeil(elementBits, 32);
  int64_t cost = 0;
  bool hasShuffle = false;
  for (const ConversionRound &round : rounds) {
    cost += (round.publishSlot.getNumValues() - 1) * words * ConversionCosts::kSelect;
    if (!round.writeSlot.isConstant())
      cost += round.writeSlot.getNumValues() * words * ConversionCosts::kSelect;
    if (!round.isLocal)
      cost += words * ConversionCosts::kShuffle;
    hasShuffle |= !round.isLocal;
  }
  return cost + (hasShuffle ? ConversionCosts::kShuffleLatency : 0);
}

/// The plan in which each thread renames its slots alike, found slot by slot: for layouts whose modes have no
/// common refinement.
static std::optional<ConversionPlan> planUniformRename(const RegisterLayout &source,
                                                       const RegisterLayout &target) {
  constexpr int64_t kMaxSteps = 1 << 18;
  if (target.getNumThreads() > kMaxSteps / target.getNumLocals())
    return std::nullopt;
  ConversionPlan plan;
  plan.kind = ConversionKind::InThread;
  for (int64_t slot = 0; slot < target.getNumLocals(); ++slot) {
    ConversionRound round;
    round.isLocal = true;
    round.publishSlot.constant = source.getLocal(target.getIndex(0, slot));
    round.sourceLane.add({1, kWarpSize, 0, 1});
    round.writeSlot.constant = slot;
    for (int64_t thread = 1; thread < target.getNumThreads(); ++thread)
      if (source.getLocal(target.getIndex(thread, slot)) != round.publishSlot.constant)
        return std::nullopt;
    plan.rounds.push_back(round);
  }
  return plan;
}

std::optional<ConversionPlan> planInThread(const RegisterLayout &source, const RegisterLayout &target,
                                           int64_t elementBits) {
  if (!source.covers(target))
    return std::nullopt;
  std::optional<CommonDigits> common = refine(source, target, /*cutWarps=*/false);
  if (!common)
    return planUniformRename(source, target);
  std::optional<SmallVector<Chain, 4>> chains = findChains(*common);
  if (!chains)
    return std::nullopt;
  ConversionPlan plan;
  plan.kind = ConversionKind::InThread;
  for (int64_t slot = 0; slot < target.getNumLocals(); ++slot) {
    plan.rounds.push_back(makeRound(*common, *chains, slot));
    plan.rounds.back().sourceLane = ThreadExpr();
    plan.rounds.back().sourceLane.add({1, kWarpSize, 0, 1});
  }
  plan.cost = costRounds(plan.rounds, elementBits);
  return plan;
}

std::optional<ConversionPlan> planShuffle(const RegisterLayout &source, const RegisterLayout &target,
                                          int64_t elementBits) {
  if (target.getNumLocals() > kMaxShuffleRounds)
    return std::nullopt;
  std::optional<CommonDigits> common = refine(source, target, /*cutWarps=*/true);
  if (!common || !staysInWarp(*common))
    return std::nullopt;
  std::optional<SmallVector<Chain, 4>> chains = findChains(*common);
  if (!chains)
    return std::nullopt;
  ConversionPlan plan;
  plan.kind = ConversionKind::Shuffle;
  for (int64_t slot = 0; slot < target.getNumLocals(); ++slot)
    plan.rounds.push_back(makeRound(*common, *chains, slot));
  plan.cost = costRounds(plan.rounds, elementBits);
  return plan;
}

std::optional<ConversionPlan> planConversion(const RegisterLayout &source, const RegisterLayout &target,
                                             int64_t elementBits, ErrorCallback onError) {
  if (source.getShape() != target.getShape())
    return reportError(onError, "expected layouts of one shape, but got " + formatExtents(source.getShape()) +
                                    " and " + formatExtents(target.getShape()));
  if (source.getNumThreads() != target.getNumThreads())
    return reportError(onError, "expected layouts of one number of threads, but got " +
                                    Twine(source.getNumThreads()) + " and " + Twine(target.getNumThreads()));
  if (elementBits < 1 || elementBits > 64)
    return reportError(onError, "expected elements of 1 to 64 bits, but got " + Twine(elementBits));
  if (source == target)
    return ConversionPlan();
  std::optional<ConversionPlan> best = planInThread(source, target, elementBits);
  if (best && best->cost == 0)
    return best;
  if (!best)
    best = planShuffle(source, target, elementBits);
  ConversionPlan staged = planSharedMemory(source, target, elementBits);
  return best && best->cost <= staged.cost ? *best : staged;
}

} // namespace tilus
