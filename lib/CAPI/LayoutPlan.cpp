// Conversions, accesses to shared memory and matrix fragments of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutHandles.h"
#include "Tilus/Analysis/SharedAccess.h"
#include "Tilus/IR/Atoms/MmaAtoms.h"
#include "Tilus/Layout/BankConflicts.h"

using namespace tilus;
using namespace tilus::capi;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

TilusError *tilusConversionPlan(const TilusRegisterLayout *source, const TilusRegisterLayout *target,
                                int64_t elementBits, TilusConversion **result) {
  if (TilusError *error = checkHandles(result, source, target))
    return error;
  std::string text;
  auto store = [&](const llvm::Twine &message) { text = message.str(); };
  auto plan = planConversion(source->layout, target->layout, elementBits, store);
  if (!plan)
    return new TilusError{std::move(text)};
  *result = new TilusConversion{std::move(*plan), source->layout.getNumThreads()};
  return nullptr;
}

void tilusConversionDestroy(TilusConversion *conversion) { delete conversion; }

TilusConversionKind tilusConversionGetKind(const TilusConversion *conversion) {
  return conversion ? static_cast<TilusConversionKind>(conversion->plan.kind) : TilusConversionKindIdentity;
}

int64_t tilusConversionGetCost(const TilusConversion *conversion) {
  return conversion ? conversion->plan.cost : 0;
}

size_t tilusConversionGetRoundCount(const TilusConversion *conversion) {
  return conversion ? conversion->plan.rounds.size() : 0;
}

TilusError *tilusConversionGetMove(const TilusConversion *conversion, size_t round, int64_t thread,
                                   TilusConversionMove *result) {
  if (!conversion || !result)
    return makeNullError(conversion ? "a place for the move" : "a conversion");
  if (round >= conversion->plan.rounds.size())
    return makeIndexError("rounds", conversion->plan.rounds.size(), round);
  if (thread < 0 || thread >= conversion->threadCount)
    return makeError("one of " + llvm::Twine(conversion->threadCount) + " threads", llvm::Twine(thread));
  const ConversionRound &plan = conversion->plan.rounds[round];
  int64_t lane = plan.isLocal ? thread % kWarpSize : plan.sourceLane.evaluate(thread);
  *result = {plan.publishSlot.evaluate(thread), lane, plan.writeSlot.evaluate(thread)};
  return nullptr;
}

TilusError *tilusConversionGetStaging(const TilusConversion *conversion, TilusConversionStaging *result,
                                      TilusSharedLayout **layout) {
  if (layout)
    *layout = nullptr;
  if (!conversion || !result || !layout)
    return makeNullError(conversion ? "a place for the result" : "a conversion");
  const std::optional<SharedStaging> &staging = conversion->plan.staging;
  if (!staging)
    return makeError("a conversion through shared memory", "one without");
  *result = {staging->storageBits,      staging->sizeBytes,       staging->store.vectorSize,
             staging->store.wavefronts, staging->store.conflicts, staging->load.vectorSize,
             staging->load.wavefronts,  staging->load.conflicts};
  *layout = new TilusSharedLayout{staging->layout};
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Accesses to shared memory
//===----------------------------------------------------------------------===//

TilusError *tilusAccessGetCost(TilusExtents addresses, int64_t widthBytes, TilusAccessCost *result) {
  if (!result)
    return makeNullError("a place for the cost");
  if (TilusError *error = checkExtents(addresses))
    return error;
  if (widthBytes < 1 || widthBytes > kMaxAccessBytes)
    return makeError("accesses of 1 to 16 bytes", llvm::Twine(widthBytes));
  if (addresses.count > kWarpSize)
    return makeError("the addresses of at most 32 lanes", llvm::Twine(addresses.count));
  AccessCost cost = countAccess(unwrap(addresses), widthBytes);
  *result = {cost.wavefronts, cost.conflicts};
  return nullptr;
}

/// Null if the tiles have one shape and elements of a size that can be accessed.
static TilusError *checkAccess(const TilusRegisterLayout *tile, const TilusSharedLayout *shared,
                               int64_t elementBits) {
  if (!tile || !shared)
    return makeNullError("a layout");
  if (tile->layout.getShape() != shared->layout.getShape())
    return makeError("layouts of one shape", formatExtents(tile->layout.getShape()) + " and " +
                                                 formatExtents(shared->layout.getShape()));
  if (elementBits < 1 || elementBits > 64)
    return makeError("elements of 1 to 64 bits", llvm::Twine(elementBits));
  return nullptr;
}

/// The alignment of a tile at the start of its allocation, in elements.
constexpr int64_t kOriginAlignment = int64_t(1) << 20;

TilusError *tilusSharedAccessGetVector(const TilusRegisterLayout *tile, const TilusSharedLayout *shared,
                                       int64_t elementBits, TilusAccessVector *result) {
  if (!result)
    return makeNullError("a place for the vector");
  if (TilusError *error = checkAccess(tile, shared, elementBits))
    return error;
  AccessVector vector = getSharedVector(tile->layout, shared->layout, elementBits, kOriginAlignment);
  *result = {vector.dim, vector.size};
  return nullptr;
}

TilusError *tilusSharedAccessGetCycles(TilusSharedAccess access, const TilusRegisterLayout *tile,
                                       const TilusSharedLayout *shared, int64_t elementBits, bool *isPossible,
                                       int64_t *cycles) {
  if (!isPossible || !cycles)
    return makeNullError("a place for the result");
  if (TilusError *error = checkAccess(tile, shared, elementBits))
    return error;
  constexpr SharedAccess kinds[] = {SharedAccess::Vector, SharedAccess::Matrix, SharedAccess::MatrixTrans};
  if (access < 0 || access >= std::size(kinds))
    return makeError("a TilusSharedAccess", llvm::Twine(int(access)));
  SharedAccess kind = kinds[access];
  *isPossible = canAccess(kind, tile->layout, shared->layout, elementBits, kOriginAlignment);
  *cycles =
      *isPossible ? countWavefronts(kind, tile->layout, shared->layout, elementBits, kOriginAlignment) : 0;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

static const MmaAtom *unwrap(const TilusMmaAtom *atom) { return reinterpret_cast<const MmaAtom *>(atom); }

size_t tilusMmaAtomGetCount() { return allMmaAtoms().size(); }

const TilusMmaAtom *tilusMmaAtomGetAt(size_t index) {
  llvm::ArrayRef<MmaAtom> atoms = allMmaAtoms();
  return index < atoms.size() ? reinterpret_cast<const TilusMmaAtom *>(&atoms[index]) : nullptr;
}

const char *tilusMmaAtomGetName(const TilusMmaAtom *atom) { return atom ? unwrap(atom)->name.data() : ""; }

void tilusMmaAtomGetShape(const TilusMmaAtom *atom, int64_t shape[3]) {
  if (!shape)
    return;
  shape[0] = atom ? unwrap(atom)->m : 0;
  shape[1] = atom ? unwrap(atom)->n : 0;
  shape[2] = atom ? unwrap(atom)->k : 0;
}

const char *tilusMmaAtomGetType(const TilusMmaAtom *atom, size_t operand) {
  if (!atom || operand > 2)
    return nullptr;
  const MmaAtom *row = unwrap(atom);
  return (operand == 0 ? row->aType : operand == 1 ? row->bType : row->accType).data();
}

TilusError *tilusMmaAtomGetLayout(const TilusMmaAtom *atom, size_t operand, TilusRegisterLayout **result) {
  if (TilusError *error = checkHandles(result))
    return error;
  if (!atom)
    return makeNullError("a matrix instruction");
  if (operand > 2)
    return makeIndexError("operands", 3, operand);
  const MmaAtom *row = unwrap(atom);
  *result = new TilusRegisterLayout{operand == 0   ? row->getALayout()
                                    : operand == 1 ? row->getBLayout()
                                                   : row->getAccLayout()};
  return nullptr;
}
