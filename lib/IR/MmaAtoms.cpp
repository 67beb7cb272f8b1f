// The table of matrix instructions: fragments and block plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/Atoms/MmaAtoms.h"
#include "Tilus/IR/TilusTypes.h"

using namespace mlir;
using namespace tilus;

static constexpr MmaAtom kAtoms[] = {
#define TILUS_MMA_ATOM(name, m, n, k, a, b, acc, feature) {#name, m, n, k, a, b, acc, Feature::feature},
#include "Tilus/IR/Atoms/MmaAtoms.def"
};

ArrayRef<MmaAtom> tilus::allMmaAtoms() { return kAtoms; }

const MmaAtom *tilus::lookupMmaAtom(StringRef name) {
  const MmaAtom *atom = llvm::find_if(kAtoms, [&](const MmaAtom &atom) { return atom.name == name; });
  return atom == std::end(kAtoms) ? nullptr : atom;
}

/// The bits of an element type by its MLIR name.
static int64_t bitsOf(StringRef type) {
  if (type == "tf32")
    return 32;
  if (type.starts_with("f8"))
    return 8;
  int64_t bits = 0;
  type.drop_while([](char c) { return !llvm::isDigit(c); }).getAsInteger(10, bits);
  return bits;
}

int64_t MmaAtom::getElementsPerRegister() const { return std::max<int64_t>(1, 32 / bitsOf(aType)); }

// In all fragments lane = 4 * group + member: rows of a and columns of b are indexed by the group, k by the
// member, with the elements of one register next to each other along k (PTX ISA, "Matrix fragments for mma").
RegisterLayout MmaAtom::getALayout() const {
  int64_t packed = getElementsPerRegister();
  return RegisterLayout::columnLocal({m / 8, k / (4 * packed)})
      .compose(RegisterLayout::spatial({8, 4}))
      .compose(RegisterLayout::local({1, packed}));
}

RegisterLayout MmaAtom::getBLayout() const {
  int64_t packed = getElementsPerRegister();
  return RegisterLayout::local({k / (4 * packed), n / 8})
      .compose(RegisterLayout::columnSpatial({4, 8}))
      .compose(RegisterLayout::local({packed, 1}));
}

RegisterLayout MmaAtom::getAccLayout() const {
  return RegisterLayout::local({m / 8, n / 8})
      .compose(RegisterLayout::spatial({8, 4}))
      .compose(RegisterLayout::local({1, 2}));
}

bool MmaAtom::matchesTypes(Type a, Type b, Type acc) const {
  auto isNamed = [](Type type, StringRef name) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text == name;
  };
  return isNamed(a, aType) && isNamed(b, bType) && isNamed(acc, accType);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The layouts of a product whose accumulator is `outer * atom`. Warps that share rows of the accumulator
/// hold replicas of a, those that share columns replicas of b.
static std::optional<MmaPlan> makePlan(const MmaAtom &atom, const RegisterLayout &outer, int64_t k) {
  auto rows = outer.reduce({1}, /*keepDims=*/true), columns = outer.reduce({0}, /*keepDims=*/true);
  if (!rows || !columns)
    return std::nullopt;
  int64_t steps = k / atom.k;
  return MmaPlan{&atom, rows->compose(RegisterLayout::local({1, steps})).compose(atom.getALayout()),
                 columns->compose(RegisterLayout::local({steps, 1})).compose(atom.getBLayout()),
                 outer.compose(atom.getAccLayout())};
}

static bool isUsable(const MmaAtom &atom, int64_t k, Type a, Type b, Type acc, const TargetInfo &target) {
  return target.hasFeature(atom.feature) && k % atom.k == 0 && atom.matchesTypes(a, b, acc);
}

/// The split of the tile over warp rows and columns that holds the fewest register bits.
static std::optional<MmaPlan> planForWarps(const MmaAtom &atom, int64_t m, int64_t n, int64_t k,
                                           int64_t warps, int64_t replicas) {
  std::optional<MmaPlan> best;
  int64_t bestCost = 0, tilesM = m / atom.m, tilesN = n / atom.n;
  for (int64_t warpRows = 1; warpRows <= warps; ++warpRows) {
    int64_t warpColumns = warps / warpRows;
    if (warps % warpRows || tilesM % warpRows || tilesN % warpColumns)
      continue;
    auto outer = RegisterLayout::replicated({1, 1}, replicas)
                     .compose(RegisterLayout::spatial({warpRows, warpColumns}))
                     .compose(RegisterLayout::local({tilesM / warpRows, tilesN / warpColumns}));
    std::optional<MmaPlan> plan = makePlan(atom, outer, k);
    if (!plan)
      continue;
    int64_t cost = plan->a.getNumLocals() * bitsOf(atom.aType) + plan->b.getNumLocals() * bitsOf(atom.bType) +
                   plan->acc.getNumLocals() * bitsOf(atom.accType);
    if (best && cost >= bestCost)
      continue;
    best = plan;
    bestCost = cost;
  }
  return best;
}

std::optional<MmaPlan> tilus::planMma(int64_t m, int64_t n, int64_t k, Type a, Type b, Type acc,
                                      int64_t numThreads, const TargetInfo &target) {
  if (numThreads % 32)
    return std::nullopt;
  int64_t warps = numThreads / 32;
  for (const MmaAtom &atom : kAtoms) {
    if (!isUsable(atom, k, a, b, acc, target) || m % atom.m || n % atom.n)
      continue;
    // Warps beyond the number of atoms repeat the work of others.
    for (int64_t replicas = 1; replicas <= warps; ++replicas)
      if (warps % replicas == 0)
        if (auto plan = planForWarps(atom, m, n, k, warps / replicas, replicas))
          return plan;
  }
  return std::nullopt;
}

std::optional<MmaPlan> tilus::planMmaForAcc(const RegisterLayout &acc, int64_t k, Type a, Type b,
                                            Type accType, const TargetInfo &target) {
  for (const MmaAtom &atom : kAtoms) {
    if (!isUsable(atom, k, a, b, accType, target))
      continue;
    if (auto outer = acc.divide(atom.getAccLayout()))
      return makePlan(atom, *outer, k);
  }
  return std::nullopt;
}
