/* Conversions, accesses to shared memory and matrix fragments in C.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Tilus-c/LayoutPlan.h"
#include "Check.h"

#define LIST(...)                                                                                            \
  (TilusExtents) { (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t) }
static const TilusExtents none = {NULL, 0};

/* Executes the rounds with the index of each element as its value: every thread must end up with its own. */
static void checkRounds(const TilusConversion *conversion, const TilusRegisterLayout *source,
                        const TilusRegisterLayout *target) {
  int64_t written[32][8] = {{0}}, index[2];
  for (size_t round = 0; round < tilusConversionGetRoundCount(conversion); ++round) {
    TilusConversionMove moves[32];
    for (int64_t thread = 0; thread < 32; ++thread)
      OK(tilusConversionGetMove(conversion, round, thread, &moves[thread]));
    for (int64_t thread = 0; thread < 32; ++thread) {
      int64_t lane = moves[thread].sourceLane;
      OK(tilusRegisterLayoutGetIndex(source, lane, moves[lane].publishSlot, index));
      written[thread][moves[thread].writeSlot] = index[0] * 8 + index[1] + 1;
    }
  }
  for (int64_t thread = 0; thread < 32; ++thread)
    for (int64_t slot = 0; slot < tilusRegisterLayoutGetSlotCount(target); ++slot) {
      OK(tilusRegisterLayoutGetIndex(target, thread, slot, index));
      CHECK(written[thread][slot] == index[0] * 8 + index[1] + 1);
    }
}

void testConversion(void) {
  TilusRegisterLayout *rows = NULL, *columns = NULL;
  OK(tilusRegisterLayoutCreateDistributed(LIST(8, 8), 32, 1, 2, &rows));
  OK(tilusRegisterLayoutCreateDistributed(LIST(8, 8), 32, 0, 2, &columns));
  TilusConversion *conversion = NULL;
  OK(tilusConversionPlan(rows, rows, 32, &conversion));
  CHECK(tilusConversionGetKind(conversion) == TilusConversionKindIdentity &&
        tilusConversionGetCost(conversion) == 0);
  tilusConversionDestroy(conversion);
  OK(tilusConversionPlan(rows, columns, 32, &conversion));
  CHECK(tilusConversionGetKind(conversion) == TilusConversionKindShuffle &&
        tilusConversionGetRoundCount(conversion) > 0 && tilusConversionGetCost(conversion) > 0);
  checkRounds(conversion, rows, columns);
  TilusConversionStaging staging;
  TilusConversionMove move;
  TilusSharedLayout *buffer = NULL;
  FAILS(tilusConversionGetStaging(conversion, &staging, &buffer), "a conversion through shared memory");
  FAILS(tilusConversionGetMove(conversion, 1000, 0, &move), "rounds");
  FAILS(tilusConversionGetMove(conversion, 0, 32, &move), "one of 32 threads");
  tilusConversionDestroy(conversion);
  FAILS(tilusConversionPlan(rows, columns, 65, &conversion), "expected");
  tilusRegisterLayoutDestroy(rows);
  tilusRegisterLayoutDestroy(columns);
  /* Across warps there is no way but shared memory. */
  OK(tilusRegisterLayoutCreateDistributed(LIST(64, 64), 128, 1, 8, &rows));
  OK(tilusRegisterLayoutCreateDistributed(LIST(64, 64), 128, 0, 8, &columns));
  OK(tilusConversionPlan(rows, columns, 16, &conversion));
  CHECK(tilusConversionGetKind(conversion) == TilusConversionKindSharedMemory);
  OK(tilusConversionGetStaging(conversion, &staging, &buffer));
  CHECK(staging.storageBits == 16 && staging.sizeBytes >= 64 * 64 * 2 && staging.storeCycles > 0 &&
        staging.sizeBytes == tilusSharedLayoutGetElementCount(buffer) * 2);
  tilusSharedLayoutDestroy(buffer);
  tilusConversionDestroy(conversion);
  tilusRegisterLayoutDestroy(rows);
  tilusRegisterLayoutDestroy(columns);
}

void testSharedAccess(void) {
  /* 32 lanes with a word each in a row of banks; then all in one bank; then all at one word. */
  int64_t addresses[32];
  TilusAccessCost cost;
  for (int64_t lane = 0; lane < 32; ++lane)
    addresses[lane] = lane * 4;
  OK(tilusAccessGetCost((TilusExtents){addresses, 32}, 4, &cost));
  CHECK(cost.cycles == 1 && cost.conflicts == 0);
  for (int64_t lane = 0; lane < 32; ++lane)
    addresses[lane] = lane * 128;
  OK(tilusAccessGetCost((TilusExtents){addresses, 32}, 4, &cost));
  CHECK(cost.cycles == 32 && cost.conflicts == 31);
  for (int64_t lane = 0; lane < 32; ++lane)
    addresses[lane] = 256;
  OK(tilusAccessGetCost((TilusExtents){addresses, 32}, 4, &cost));
  CHECK(cost.cycles == 1);
  FAILS(tilusAccessGetCost((TilusExtents){addresses, 32}, 17, &cost), "1 to 16 bytes");
  /* Columns of 8 rows of 128 bytes: 8 vectors in one group of banks, unless they are swizzled. */
  TilusRegisterLayout *tile = NULL;
  TilusSharedLayout *plain = NULL, *swizzled = NULL;
  OK(tilusRegisterLayoutCreate(LIST(32, 64), LIST(32, 8, 8), LIST(0), LIST(1, 2), &tile));
  OK(tilusSharedLayoutCreate(LIST(32, 64), LIST(32, 64), LIST(64, 1), NULL, &plain));
  OK(tilusSharedLayoutCreateSwizzled(LIST(32, 64), 16, &swizzled));
  TilusAccessVector vector;
  OK(tilusSharedAccessGetVector(tile, plain, 16, &vector));
  CHECK(vector.dim == 1 && vector.size == 8);
  bool isPossible = false;
  int64_t cycles = 0;
  OK(tilusSharedAccessGetCycles(TilusSharedAccessVector, tile, plain, 16, &isPossible, &cycles));
  CHECK(isPossible && cycles == 8 * 32);
  OK(tilusSharedAccessGetCycles(TilusSharedAccessVector, tile, swizzled, 16, &isPossible, &cycles));
  CHECK(isPossible && cycles == 8 * 4);
  OK(tilusSharedAccessGetCycles(TilusSharedAccessMatrix, tile, swizzled, 16, &isPossible, &cycles));
  CHECK(!isPossible && cycles == 0);
  FAILS(tilusSharedAccessGetVector(tile, plain, 0, &vector), "1 to 64 bits");
  FAILS(tilusSharedAccessGetCycles((TilusSharedAccess)3, tile, plain, 16, &isPossible, &cycles),
        "a TilusSharedAccess");
  tilusRegisterLayoutDestroy(tile);
  OK(tilusRegisterLayoutCreateLocal(LIST(32), none, &tile));
  FAILS(tilusSharedAccessGetVector(tile, plain, 16, &vector), "layouts of one shape");
  tilusRegisterLayoutDestroy(tile);
  tilusSharedLayoutDestroy(plain);
  tilusSharedLayoutDestroy(swizzled);
}

void testMmaAtoms(void) {
  CHECK(tilusMmaAtomGetCount() > 0 && !tilusMmaAtomGetAt(tilusMmaAtomGetCount()));
  const TilusMmaAtom *atom = tilusMmaAtomGetAt(0);
  SAME(tilusMmaAtomGetName(atom), "m16n8k16_f16_f16_f32");
  SAME(tilusMmaAtomGetType(atom, 0), "f16");
  SAME(tilusMmaAtomGetType(atom, 2), "f32");
  int64_t shape[3];
  tilusMmaAtomGetShape(atom, shape);
  CHECK(shape[0] == 16 && shape[1] == 8 && shape[2] == 16 && !tilusMmaAtomGetType(atom, 3));
  TilusRegisterLayout *layout = NULL;
  OK(tilusMmaAtomGetLayout(atom, 1, &layout));
  CHECK(tilusRegisterLayoutGetShape(layout).values[0] == 16 &&
        tilusRegisterLayoutGetThreadCount(layout) == 32);
  tilusRegisterLayoutDestroy(layout);
  FAILS(tilusMmaAtomGetLayout(atom, 3, &layout), "operands");
  FAILS(tilusMmaAtomGetLayout(NULL, 0, &layout), "a matrix instruction, but got null");
}
