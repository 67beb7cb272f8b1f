// Plans of register-layout conversions through shared memory.
//
// Candidates are row-major buffers with each dimension innermost: rows padded by a few bytes, or, where rows
// are a power of two long, vectors of a row swizzled by a part of the row number. The one that costs the
// banks least, over the stores and the loads of a warp, wins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/BankConflicts.h"
#include "Tilus/Layout/LayoutConversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;

namespace tilus {

namespace {

/// A buffer under consideration: one stride a dimension.
struct Candidate {
  Extents strides;
  int64_t inner;
  std::optional<Swizzle> swizzle;
};

/// One side of the trip: the layout and what the accesses of its first warp need to know of it.
struct Side {
  Side(const RegisterLayout &layout, bool onlyRepresentatives);

  const RegisterLayout &layout;
  SmallVector<LayoutDigit, 6> localDigits;
  /// The element in slot 0 of each active lane of the first warp.
  SmallVector<std::optional<Extents>, 32> laneIndices;
};

} // namespace

Side::Side(const RegisterLayout &layout, bool onlyRepresentatives)
    : layout(layout), localDigits(layout.getLocalDigits()) {
  int64_t numLanes = std::min(kWarpSize, layout.getNumThreads());
  for (int64_t lane = 0; lane < numLanes; ++lane) {
    bool isActive = !onlyRepresentatives || layout.isRepresentative(lane);
    laneIndices.push_back(isActive ? std::optional(layout.getIndex(lane, 0)) : std::nullopt);
  }
}

static int64_t dot(ArrayRef<int64_t> index, ArrayRef<int64_t> strides) {
  int64_t sum = 0;
  for (auto [i, stride] : zip_equal(index, strides))
    sum += i * stride;
  return sum;
}

/// The widest vectors of `side` that are whole and aligned in the buffer.
static StagingAccess findVectors(const Side &side, const Candidate &candidate, int64_t storageBits) {
  int64_t limit = kMaxAccessBytes * 8 / storageBits;
  if (candidate.swizzle)
    limit = std::gcd(limit, int64_t(1) << candidate.swizzle->base);
  for (auto [dim, stride] : enumerate(candidate.strides))
    if (int64_t(dim) != candidate.inner && side.layout.getShape()[dim] > 1)
      limit = std::gcd(limit, stride);
  StagingAccess access;
  for (const LayoutDigit &digit : side.localDigits)
    if (digit.dim == candidate.inner && digit.indexStride == 1) {
      access.vectorSize = std::gcd(digit.size, limit);
      access.slotStride = digit.stride;
    }
  return access;
}

/// Counts the bank cycles of the accesses of the first warp. Without a swizzle all accesses have the same
/// pattern; with one, the first few are counted and scaled.
static void countWavefronts(StagingAccess &access, const Side &side, const Candidate &candidate,
                            int64_t storageBits) {
  constexpr int64_t kMaxCounted = 4;
  int64_t numAccesses = side.layout.getNumLocals() / access.vectorSize;
  bool isUniform = !candidate.swizzle && access.vectorSize * storageBits / 8 >= kBankBytes;
  int64_t numCounted = std::min(numAccesses, isUniform ? 1 : kMaxCounted);
  AccessCost total;
  int64_t slot = 0;
  for (int64_t counted = 0; counted < numCounted; ++slot) {
    if (slot / access.slotStride % access.vectorSize != 0)
      continue;
    int64_t base = dot(side.layout.getIndex(0, slot), candidate.strides);
    SmallVector<int64_t, 32> addresses;
    for (const std::optional<Extents> &index : side.laneIndices) {
      int64_t offset = index ? base + dot(*index, candidate.strides) : -1;
      if (index && candidate.swizzle)
        offset = candidate.swizzle->apply(offset);
      addresses.push_back(index ? offset * storageBits / 8 : -1);
    }
    AccessCost cost = countAccess(addresses, access.vectorSize * storageBits / 8);
    total.wavefronts += cost.wavefronts;
    total.conflicts += cost.conflicts;
    ++counted;
  }
  access.wavefronts = divideCeil(total.wavefronts * numAccesses, numCounted);
  access.conflicts = divideCeil(total.conflicts * numAccesses, numCounted);
}

/// A row-major buffer with dimension `inner` innermost and rows padded by `padding` elements.
static Candidate makePadded(ArrayRef<int64_t> shape, int64_t inner, int64_t padding) {
  Candidate candidate{Extents(shape.size(), 1), inner, std::nullopt};
  int64_t stride = inner < 0 ? 1 : shape[inner] + padding;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    if (dim == inner)
      continue;
    candidate.strides[dim] = stride;
    stride *= shape[dim];
  }
  return candidate;
}

/// Appends the buffers with dimension `inner` innermost whose vectors of 16, 8 or 4 bytes are permuted within
/// 128 bytes of a row by bits of the row number. Rows must be a power of two long.
static void addSwizzled(ArrayRef<int64_t> shape, int64_t inner, int64_t storageBits,
                        SmallVectorImpl<Candidate> &candidates) {
  if (!isPowerOf2_64(shape[inner]))
    return;
  constexpr int64_t kSpanBits = kNumBanks * kBankBytes * 8;
  int64_t rowBits = Log2_64(shape[inner]);
  int64_t totalBits = Log2_64(product(shape));
  for (int64_t vectorBytes : {16, 8, 4}) {
    int64_t vectorElements = vectorBytes * 8 / storageBits;
    if (vectorElements == 0)
      continue;
    int64_t base = Log2_64(vectorElements);
    int64_t bits = std::min<int64_t>(rowBits, Log2_64(kSpanBits / storageBits)) - base;
    for (int64_t shift = std::max(bits, rowBits - base); bits > 0 && base + shift < totalBits; ++shift) {
      candidates.push_back(makePadded(shape, inner, 0));
      candidates.back().swizzle = Swizzle{base, bits, shift};
    }
  }
}

static SmallVector<Candidate, 0> makeCandidates(ArrayRef<int64_t> shape, int64_t storageBits) {
  SmallVector<Candidate, 0> candidates;
  for (int64_t inner = int64_t(shape.size()) - 1; inner >= 0; --inner) {
    if (shape[inner] == 1)
      continue;
    for (int64_t paddingBytes : {0, 16, 8, 4}) {
      int64_t padding = paddingBytes * 8 / storageBits;
      if (padding > 0 || paddingBytes == 0)
        candidates.push_back(makePadded(shape, inner, padding));
    }
    addSwizzled(shape, inner, storageBits, candidates);
  }
  if (candidates.empty())
    candidates.push_back(makePadded(shape, -1, 0));
  return candidates;
}

ConversionPlan planSharedMemory(const RegisterLayout &source, const RegisterLayout &target,
                                int64_t elementBits) {
  int64_t storageBits = std::max<int64_t>(8, PowerOf2Ceil(elementBits));
  Side storeSide(source, /*onlyRepresentatives=*/true), loadSide(target, /*onlyRepresentatives=*/false);
  ConversionPlan plan;
  plan.kind = ConversionKind::SharedMemory;
  for (const Candidate &candidate : makeCandidates(source.getShape(), storageBits)) {
    SharedStaging staging;
    auto getCost = [&] {
      return ConversionCosts::kStagingLatency +
             (staging.store.wavefronts + staging.load.wavefronts) * ConversionCosts::kWavefront;
    };
    staging.store = findVectors(storeSide, candidate, storageBits);
    countWavefronts(staging.store, storeSide, candidate, storageBits);
    if (plan.staging && getCost() > plan.cost)
      continue;
    staging.load = findVectors(loadSide, candidate, storageBits);
    countWavefronts(staging.load, loadSide, candidate, storageBits);
    staging.layout = SharedLayout::strided(source.getShape(), candidate.strides, candidate.swizzle);
    staging.storageBits = storageBits;
    staging.sizeBytes = staging.layout.getCountSize() * storageBits / 8;
    bool isSmaller = plan.staging && getCost() == plan.cost && staging.sizeBytes < plan.staging->sizeBytes;
    if (!plan.staging || getCost() < plan.cost || isSmaller) {
      plan.cost = getCost();
      plan.staging = std::move(staging);
    }
  }
  return plan;
}

} // namespace tilus
