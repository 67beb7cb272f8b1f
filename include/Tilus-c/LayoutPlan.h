// What the compiler makes of layouts, in C: conversions, accesses to shared memory, and matrix fragments.
//
// The library libTilus-C.so has it. These are the functions that the compiler itself decides with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_LAYOUTPLAN_H
#define TILUS_C_LAYOUTPLAN_H

#include "Tilus-c/Layout.h"

#ifdef __cplusplus
extern "C" {
#endif

// Conversions between register layouts.

typedef enum TilusConversionKind {
  /// The layouts are equal.
  TilusConversionKindIdentity = 0,
  /// Values move between the slots of a thread.
  TilusConversionKindInThread = 1,
  /// Rounds of warp shuffles.
  TilusConversionKindShuffle = 2,
  /// A trip through shared memory.
  TilusConversionKindSharedMemory = 3,
} TilusConversionKind;

/// How to convert a tile from one layout to another.
typedef struct TilusConversion TilusConversion;

/// The cheapest way for elements of `elementBits` (1 to 64) bits. Fails for layouts of different shapes or
/// numbers of threads.
TILUS_C_FALLIBLE TilusError *tilusConversionPlan(const TilusRegisterLayout *source,
                                                 const TilusRegisterLayout *target, int64_t elementBits,
                                                 TilusConversion **result);
TILUS_C_EXPORT void tilusConversionDestroy(TilusConversion *conversion);
TILUS_C_EXPORT TilusConversionKind tilusConversionGetKind(const TilusConversion *conversion);
/// Estimated cycles of a scheduler for one warp.
TILUS_C_EXPORT int64_t tilusConversionGetCost(const TilusConversion *conversion);
/// Rounds of moves; 0 unless values move within threads or by shuffles.
TILUS_C_EXPORT size_t tilusConversionGetRoundCount(const TilusConversion *conversion);

/// What a thread does in a round: it offers the value of its slot `publishSlot` of the source, takes what
/// lane `sourceLane` of its warp offers, and writes that to its slot `writeSlot` of the target.
typedef struct TilusConversionMove {
  int64_t publishSlot;
  int64_t sourceLane;
  int64_t writeSlot;
} TilusConversionMove;

TILUS_C_FALLIBLE TilusError *tilusConversionGetMove(const TilusConversion *conversion, size_t round,
                                                    int64_t thread, TilusConversionMove *result);

/// A trip through shared memory. Each side moves vectors; its bank cycles, and those of them that are due to
/// conflicts, are for all accesses of a warp together.
typedef struct TilusConversionStaging {
  int64_t storageBits;
  int64_t sizeBytes;
  int64_t storeVector;
  int64_t storeCycles;
  int64_t storeConflicts;
  int64_t loadVector;
  int64_t loadCycles;
  int64_t loadConflicts;
} TilusConversionStaging;

/// Fails unless the conversion goes through shared memory. `layout` gets the buffer's layout, a copy.
TILUS_C_FALLIBLE TilusError *tilusConversionGetStaging(const TilusConversion *conversion,
                                                       TilusConversionStaging *result,
                                                       TilusSharedLayout **layout);

// Accesses to shared memory.

/// What one access of a warp costs: the cycles that the banks are busy, and those of them that are due to two
/// lanes that want different words of one bank in one phase.
typedef struct TilusAccessCost {
  int64_t cycles;
  int64_t conflicts;
} TilusAccessCost;

/// The cost of an access of `widthBytes` (1 to 16) at the byte address of each lane, at most 32; a negative
/// address stands for an inactive lane. Lanes are served in phases of as many as 128 bytes allow.
TILUS_C_FALLIBLE TilusError *tilusAccessGetCost(TilusExtents addresses, int64_t widthBytes,
                                                TilusAccessCost *result);

typedef enum TilusSharedAccess {
  /// Loads and stores of up to 16 bytes a thread.
  TilusSharedAccessVector = 0,
  /// ldmatrix and stmatrix.
  TilusSharedAccessMatrix = 1,
  /// Their transposed forms.
  TilusSharedAccessMatrixTransposed = 2,
} TilusSharedAccess;

/// Elements that one vector access of a thread moves between a tile in registers and one in shared memory,
/// and the dimension along which they are neighbours.
typedef struct TilusAccessVector {
  int64_t dim;
  int64_t size;
} TilusAccessVector;

TILUS_C_FALLIBLE TilusError *tilusSharedAccessGetVector(const TilusRegisterLayout *tile,
                                                        const TilusSharedLayout *shared, int64_t elementBits,
                                                        TilusAccessVector *result);
/// Whether that instruction can move the tile, and the bank cycles of one warp's accesses to all of it; 0 if
/// it cannot.
TILUS_C_FALLIBLE TilusError *tilusSharedAccessGetCycles(TilusSharedAccess access,
                                                        const TilusRegisterLayout *tile,
                                                        const TilusSharedLayout *shared, int64_t elementBits,
                                                        bool *isPossible, int64_t *cycles);

// Matrix instructions.

/// A matrix instruction of a warp. It lives as long as the process.
typedef struct TilusMmaAtom TilusMmaAtom;

TILUS_C_EXPORT size_t tilusMmaAtomGetCount(void);
/// In the order of preference among those of equal types; null past the end.
TILUS_C_EXPORT const TilusMmaAtom *tilusMmaAtomGetAt(size_t index);
/// As in "m16n8k16_f16_f16_f32".
TILUS_C_EXPORT const char *tilusMmaAtomGetName(const TilusMmaAtom *atom);
/// Writes the sizes m, n and k; zeros for null.
TILUS_C_EXPORT void tilusMmaAtomGetShape(const TilusMmaAtom *atom, int64_t shape[3]);
/// MLIR's name of the type of operand 0 (a), 1 (b) or 2 (the accumulator); null for another.
TILUS_C_EXPORT const char *tilusMmaAtomGetType(const TilusMmaAtom *atom, size_t operand);
/// The fragment of that operand: shape [m, k], [k, n] or [m, n].
TILUS_C_FALLIBLE TilusError *tilusMmaAtomGetLayout(const TilusMmaAtom *atom, size_t operand,
                                                   TilusRegisterLayout **result);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_LAYOUTPLAN_H
