// Plans for moving a tile from one register layout to another.
//
// Owns the choice between moves within threads, warp shuffles and a trip through shared memory, as data that
// code generation and simulation both execute. Does not own the generation of code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/RegisterLayout.h"
#include "Tilus/Layout/SharedLayout.h"

namespace tilus {

/// A term of a ThreadExpr: `((thread / div) % mod + offset) % mod * scale`.
struct ThreadTerm {
  int64_t div;
  int64_t mod;
  int64_t offset;
  int64_t scale;

  int64_t evaluate(int64_t thread) const { return ((thread / div) % mod + offset) % mod * scale; }
  bool operator==(const ThreadTerm &other) const {
    return div == other.div && mod == other.mod && offset == other.offset && scale == other.scale;
  }
};

/// A mixed-radix function of the thread id within the group.
struct ThreadExpr {
  int64_t constant = 0;
  /// In ascending order of `div`; terms that continue each other are merged.
  llvm::SmallVector<ThreadTerm, 4> terms;

  bool isConstant() const { return terms.empty(); }
  int64_t evaluate(int64_t thread) const;
  /// The number of values that the function takes if its terms are independent.
  int64_t getNumValues() const;
  /// Adds a term and keeps the form above. A term of one value adds its constant.
  void add(ThreadTerm term);
  bool operator==(const ThreadExpr &other) const {
    return constant == other.constant && terms == other.terms;
  }
};

/// One step of a conversion: every thread offers the value of its source slot `publishSlot`, takes the value
/// that lane `sourceLane` of its warp offers, and writes it to its destination slot `writeSlot`. Each
/// expression is evaluated with the id of the thread that does it.
struct ConversionRound {
  ThreadExpr publishSlot;
  ThreadExpr sourceLane;
  ThreadExpr writeSlot;
  /// The source lane is the thread's own: no data crosses lanes.
  bool isLocal = false;
};

/// How the slots of one side meet the staging buffer: `vectorSize` elements that are neighbours in memory,
/// aligned to their common size, sit in the slots `base + j * slotStride`, for each slot `base` with
/// `(base / slotStride) % vectorSize == 0`.
struct StagingAccess {
  int64_t vectorSize = 1;
  int64_t slotStride = 1;
  /// Bank cycles of all accesses of a warp together.
  int64_t wavefronts = 0;
  /// Those due to bank conflicts.
  int64_t conflicts = 0;
};

/// A trip through shared memory: representative threads store their source slots, the group synchronises, all
/// threads load their destination slots.
struct SharedStaging {
  SharedLayout layout;
  /// Bits that an element takes up in the buffer: its own, rounded up to 8, 16, 32 or 64.
  int64_t storageBits = 0;
  int64_t sizeBytes = 0;
  StagingAccess store;
  StagingAccess load;
};

enum class ConversionKind {
  /// The layouts are equal.
  Identity,
  /// All rounds are local: renaming of slots, with selects where a slot depends on the thread.
  InThread,
  /// Rounds of warp shuffles.
  Shuffle,
  /// A trip through shared memory.
  SharedMemory,
};

/// How to convert between two layouts. `rounds` is filled for InThread and Shuffle and writes each
/// destination slot once, `staging` for SharedMemory.
struct ConversionPlan {
  ConversionKind kind = ConversionKind::Identity;
  llvm::SmallVector<ConversionRound, 0> rounds;
  std::optional<SharedStaging> staging;
  /// Estimated cycles of a scheduler for one warp; see ConversionCosts.
  int64_t cost = 0;
};

/// The cost model, in cycles of one of the four schedulers of a multiprocessor, for one warp. A shuffle and a
/// bank cycle occupy a unit that the four schedulers share; the latencies are paid once, since rounds are
/// independent. Elements above 32 bits count as two words.
struct ConversionCosts {
  /// A select of one 32-bit word.
  static constexpr int64_t kSelect = 2;
  /// A shuffle of one 32-bit word.
  static constexpr int64_t kShuffle = 4;
  /// The way of one value through the shuffle network.
  static constexpr int64_t kShuffleLatency = 24;
  /// A cycle in which the banks serve one phase of a warp.
  static constexpr int64_t kWavefront = 4;
  /// Store, barrier, load, and the barrier that frees the buffer.
  static constexpr int64_t kStagingLatency = 120;
};

/// The most rounds of a shuffle plan; beyond, shared memory is used.
constexpr int64_t kMaxShuffleRounds = 64;

/// The cheapest plan to convert elements of `elementBits` bits from `source` to `target`. There always is one
/// if the layouts agree in shape and number of threads and the elements have 1 to 64 bits; otherwise nullopt
/// and an error.
std::optional<ConversionPlan> planConversion(const RegisterLayout &source, const RegisterLayout &target,
                                             int64_t elementBits, ErrorCallback onError = nullptr);

/// The plan with moves within threads, if the source covers the target and a plan with these expressions
/// exists.
std::optional<ConversionPlan> planInThread(const RegisterLayout &source, const RegisterLayout &target,
                                           int64_t elementBits);
/// The plan with warp shuffles, if every thread finds what it needs in its own warp and such a plan exists.
std::optional<ConversionPlan> planShuffle(const RegisterLayout &source, const RegisterLayout &target,
                                          int64_t elementBits);
/// The best plan through shared memory found among row-major buffers with each dimension innermost, with
/// padded rows or swizzled.
ConversionPlan planSharedMemory(const RegisterLayout &source, const RegisterLayout &target,
                                int64_t elementBits);

} // namespace tilus
