/* Layouts in C: the map and the algebra against their definitions, text that MLIR reads back, misuse.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Tilus-c/Layout.h"
#include "Check.h"
#include "Tilus-c/Dialect.h"

#define LIST(...)                                                                                            \
  (TilusExtents) { (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t) }
static const TilusExtents none = {NULL, 0};

/* The accumulator fragment of m16n8: thread 5, slot 3 is row 9, column 3. */
static TilusRegisterLayout *makeFragment(void) {
  TilusRegisterLayout *layout = NULL;
  OK(tilusRegisterLayoutCreate(LIST(16, 8), LIST(2, 8, 4, 2), LIST(1, 2), LIST(0, 3), &layout));
  return layout;
}

void testRegisterLayout(void) {
  CHECK(tilusLayoutGetVersion() == TILUS_LAYOUT_C_API_VERSION);
  TilusRegisterLayout *layout = makeFragment();
  int64_t index[2] = {0, 0}, slot = -1, thread = -1;
  OK(tilusRegisterLayoutGetIndex(layout, 5, 3, index));
  CHECK(index[0] == 9 && index[1] == 3);
  OK(tilusRegisterLayoutGetSlot(layout, LIST(9, 3), &slot));
  OK(tilusRegisterLayoutGetThreads(layout, LIST(9, 3), &thread));
  CHECK(slot == 3 && thread == 5);
  CHECK(tilusRegisterLayoutGetThreadCount(layout) == 32 && tilusRegisterLayoutGetSlotCount(layout) == 4 &&
        tilusRegisterLayoutGetReplication(layout) == 1);
  CHECK(tilusRegisterLayoutGetShape(layout).count == 2 && tilusRegisterLayoutGetModes(layout).count == 4 &&
        tilusRegisterLayoutGetSpatialModes(layout).values[0] == 1 &&
        tilusRegisterLayoutGetLocalModes(layout).values[1] == 3);
  tilusRegisterLayoutDestroy(layout);
}

/* For all threads and slots, index = outer index * inner shape + inner index. */
static bool isComposition(const TilusRegisterLayout *product, const TilusRegisterLayout *outer,
                          const TilusRegisterLayout *inner) {
  int64_t threads = tilusRegisterLayoutGetThreadCount(inner), slots = tilusRegisterLayoutGetSlotCount(inner);
  bool holds =
      tilusRegisterLayoutGetThreadCount(product) == tilusRegisterLayoutGetThreadCount(outer) * threads;
  for (int64_t thread = 0; thread < tilusRegisterLayoutGetThreadCount(product); ++thread)
    for (int64_t slot = 0; slot < tilusRegisterLayoutGetSlotCount(product); ++slot) {
      int64_t all[2], left[2], right[2];
      OK(tilusRegisterLayoutGetIndex(product, thread, slot, all));
      OK(tilusRegisterLayoutGetIndex(outer, thread / threads, slot / slots, left));
      OK(tilusRegisterLayoutGetIndex(inner, thread % threads, slot % slots, right));
      for (int dim = 0; dim < 2; ++dim)
        holds = holds && all[dim] == left[dim] * tilusRegisterLayoutGetShape(inner).values[dim] + right[dim];
    }
  return holds;
}

void testLayoutAlgebra(void) {
  TilusRegisterLayout *outer = NULL, *inner = NULL, *product = NULL, *other = NULL;
  OK(tilusRegisterLayoutCreateSpatial(LIST(4, 8), LIST(1, 0), &outer));
  OK(tilusRegisterLayoutCreateLocal(LIST(2, 3), none, &inner));
  OK(tilusRegisterLayoutCompose(outer, inner, &product));
  CHECK(isComposition(product, outer, inner));
  OK(tilusRegisterLayoutDivide(product, inner, &other));
  CHECK(tilusRegisterLayoutIsEqual(other, outer));
  tilusRegisterLayoutDestroy(other);
  OK(tilusRegisterLayoutLeftDivide(product, outer, &other));
  CHECK(tilusRegisterLayoutIsEqual(other, inner));
  tilusRegisterLayoutDestroy(other);
  FAILS(tilusRegisterLayoutDivide(inner, product, &other), "");
  /* What dimension 1 held in 8 threads is held by 8 replicas of each element. */
  OK(tilusRegisterLayoutReduce(product, LIST(1), true, &other));
  CHECK(tilusRegisterLayoutGetShape(other).values[1] == 1 && tilusRegisterLayoutGetReplication(other) == 8 &&
        tilusRegisterLayoutGetSlotCount(other) == 2);
  TilusRegisterLayout *same = NULL, *wide = NULL;
  OK(tilusRegisterLayoutReduceTo(product, LIST(8, 1), &same));
  CHECK(tilusRegisterLayoutIsEqual(same, other));
  OK(tilusRegisterLayoutExpandTo(other, LIST(8, 24), &wide));
  tilusRegisterLayoutDestroy(same);
  OK(tilusRegisterLayoutReduceTo(wide, LIST(8, 1), &same));
  CHECK(tilusRegisterLayoutIsEqual(same, other));
  bool covers = false;
  OK(tilusRegisterLayoutCovers(wide, wide, &covers));
  CHECK(covers);
  FAILS(tilusRegisterLayoutCovers(wide, other, &covers), "layouts of one shape");
  TilusRegisterLayout *all[] = {outer, inner, product, other, same, wide};
  for (size_t index = 0; index < sizeof(all) / sizeof(all[0]); ++index)
    tilusRegisterLayoutDestroy(all[index]);
}

void testLayoutShapes(void) {
  TilusRegisterLayout *layout = NULL, *other = NULL, *back = NULL;
  OK(tilusRegisterLayoutCreateDistributed(LIST(64, 32), 128, 1, 8, &layout));
  CHECK(tilusRegisterLayoutGetThreadCount(layout) == 128 && tilusRegisterLayoutGetSlotCount(layout) == 16);
  OK(tilusRegisterLayoutPermute(layout, LIST(1, 0), &other));
  OK(tilusRegisterLayoutPermute(other, LIST(1, 0), &back));
  CHECK(tilusRegisterLayoutIsEqual(layout, back) && !tilusRegisterLayoutIsEqual(layout, other));
  tilusRegisterLayoutDestroy(back);
  tilusRegisterLayoutDestroy(other);
  OK(tilusRegisterLayoutUnsqueeze(layout, LIST(0, 3), &other));
  CHECK(tilusRegisterLayoutGetShape(other).count == 4);
  OK(tilusRegisterLayoutSqueeze(other, LIST(0, 3), &back));
  CHECK(tilusRegisterLayoutIsEqual(layout, back));
  FAILS(tilusRegisterLayoutSqueeze(layout, LIST(0), &(TilusRegisterLayout *){NULL}), "");
  tilusRegisterLayoutDestroy(back);
  tilusRegisterLayoutDestroy(other);
  OK(tilusRegisterLayoutReshape(layout, LIST(2048), &other));
  OK(tilusRegisterLayoutReshape(other, LIST(64, 32), &back));
  CHECK(tilusRegisterLayoutIsEqual(layout, back));
  tilusRegisterLayoutDestroy(back);
  tilusRegisterLayoutDestroy(other);
  OK(tilusRegisterLayoutCreateReplicated(LIST(2), 4, &other));
  OK(tilusRegisterLayoutConcat(layout, other, &back));
  int64_t threads[4] = {0}, index[3] = {0};
  OK(tilusRegisterLayoutGetThreads(back, LIST(63, 31, 1), threads));
  CHECK(threads[0] == 127 * 4 && threads[3] == 127 * 4 + 3);
  OK(tilusRegisterLayoutGetIndex(back, threads[2], 31, index));
  CHECK(index[0] == 63 && index[1] == 31 && index[2] == 1);
  tilusRegisterLayoutDestroy(back);
  tilusRegisterLayoutDestroy(other);
  tilusRegisterLayoutDestroy(layout);
}

void testSharedLayout(void) {
  TilusSharedLayout *layout = NULL, *other = NULL;
  int64_t offset = -1;
  /* Vector 2 of row 3 lies where vector 2 ^ 3 would. */
  OK(tilusSharedLayoutCreateSwizzled(LIST(8, 64), 16, &layout));
  OK(tilusSharedLayoutGetOffset(layout, LIST(3, 16), 0, &offset));
  CHECK(offset == 3 * 64 + (2 ^ 3) * 8);
  TilusSwizzle swizzle = {0, 0, 0};
  CHECK(tilusSharedLayoutGetSwizzle(layout, &swizzle) && swizzle.base == 3 && swizzle.bits == 3 &&
        swizzle.shift == 3);
  OK(tilusSharedLayoutCreate(LIST(8, 64), LIST(8, 64), LIST(64, 1), &swizzle, &other));
  CHECK(tilusSharedLayoutIsEqual(layout, other));
  tilusSharedLayoutDestroy(other);
  OK(tilusSharedLayoutPrependDim(layout, 3, &other));
  OK(tilusSharedLayoutGetOffset(other, LIST(2, 3, 16), 0, &offset));
  CHECK(offset == 2 * 512 + 232 - 32 && tilusSharedLayoutGetElementCount(other) == 3 * 512);
  TilusSharedLayout *slice = NULL;
  OK(tilusSharedLayoutSlice(other, LIST(1, 2), &slice));
  CHECK(tilusSharedLayoutIsEqual(slice, layout));
  tilusSharedLayoutDestroy(slice);
  FAILS(tilusSharedLayoutApplySwizzle(layout, swizzle, &slice), "");
  tilusSharedLayoutDestroy(other);
  tilusSharedLayoutDestroy(layout);
  OK(tilusSharedLayoutCreate(LIST(4, 6), LIST(4, 2, 3), LIST(6, 3, 1), NULL, &layout));
  CHECK(tilusSharedLayoutGetModes(layout).count == 2 && tilusSharedLayoutGetStrides(layout).values[0] == 6 &&
        !tilusSharedLayoutGetSwizzle(layout, NULL) && tilusSharedLayoutGetShape(layout).values[1] == 6);
  OK(tilusSharedLayoutPermute(layout, LIST(1, 0), &other));
  OK(tilusSharedLayoutGetOffset(other, LIST(5, 2), 7, &offset));
  CHECK(offset == 7 + 5 + 2 * 6);
  tilusSharedLayoutDestroy(other);
  OK(tilusSharedLayoutReshape(layout, LIST(8, 3), &other));
  OK(tilusSharedLayoutGetOffset(other, LIST(5, 2), 0, &offset));
  CHECK(offset == 17);
  tilusSharedLayoutDestroy(other);
  OK(tilusSharedLayoutUnsqueeze(layout, LIST(1), &other));
  OK(tilusSharedLayoutCompose(layout, layout, &slice));
  OK(tilusSharedLayoutGetOffset(slice, LIST(4 + 1, 6 + 2), 0, &offset));
  CHECK(offset == 7 * 24 + 6 + 2 && tilusSharedLayoutGetShape(other).count == 3);
  tilusSharedLayoutDestroy(slice);
  tilusSharedLayoutDestroy(other);
  tilusSharedLayoutDestroy(layout);
}

static void appendText(MlirStringRef part, void *userData) {
  strncat((char *)userData, part.data, part.length);
}

/* The text of a layout is an attribute, which MLIR prints the same. */
static void checkText(MlirContext context, TilusBlob *blob) {
  char expected[256] = "", actual[256] = "";
  TilusBytes text = tilusBlobGetBytes(blob);
  strncat(expected, text.data, text.size);
  MlirAttribute attribute = mlirAttributeParseGet(context, mlirStringRefCreateFromCString(expected));
  CHECK(!mlirAttributeIsNull(attribute));
  if (!mlirAttributeIsNull(attribute))
    mlirAttributePrint(attribute, appendText, actual);
  SAME(actual, expected);
  tilusBlobDestroy(blob);
}

void testLayoutText(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tilus__(), registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirContextLoadAllAvailableDialects(context);
  TilusRegisterLayout *layout = makeFragment();
  TilusSharedLayout *shared = NULL;
  TilusBlob *blob = NULL;
  OK(tilusRegisterLayoutPrint(layout, &blob));
  static const char text[] =
      "#tilus.reg<shape = [16, 8], modes = [2, 8, 4, 2], spatial = [1, 2], local = [0, 3]>";
  CHECK(tilusBlobGetBytes(blob).size == strlen(text) &&
        memcmp(tilusBlobGetBytes(blob).data, text, strlen(text)) == 0);
  checkText(context, blob);
  OK(tilusSharedLayoutCreateSwizzled(LIST(8, 64), 16, &shared));
  OK(tilusSharedLayoutPrint(shared, &blob));
  checkText(context, blob);
  tilusSharedLayoutDestroy(shared);
  tilusRegisterLayoutDestroy(layout);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
}

void testMisuseOfLayouts(void) {
  TilusRegisterLayout *layout = makeFragment(), *result = NULL;
  TilusSharedLayout *shared = NULL;
  TilusBlob *blob = NULL;
  int64_t number = 0;
  const TilusExtents lost = {NULL, 2};
  FAILS(tilusRegisterLayoutCreate(LIST(4), LIST(2, 2), LIST(0), none, &result), "expected");
  FAILS(tilusRegisterLayoutCreate(lost, none, none, none, &result), "the values of a list, but got null");
  FAILS(tilusRegisterLayoutCreateSpatial(LIST(4, 4), LIST(0, 0), &result), "expected");
  FAILS(tilusRegisterLayoutCreateSpatial(LIST(4, 0), none, &result), "positive sizes");
  FAILS(tilusRegisterLayoutCreateLocal(LIST((int64_t)1 << 40, 2), none, &result), "at most 2^40");
  FAILS(tilusRegisterLayoutCreateReplicated(LIST(4), 0, &result), "positive sizes");
  FAILS(tilusRegisterLayoutCreateDistributed(LIST(4), 32, 1, 1, &result), "one of 1 dimensions");
  FAILS(tilusRegisterLayoutCreateDistributed(LIST(4), 32, 0, 0, &result), "at least 1 element");
  FAILS(tilusRegisterLayoutGetIndex(layout, 32, 0, &number), "one of 32 threads and 4 slots");
  FAILS(tilusRegisterLayoutGetSlot(layout, LIST(16, 0), &number), "an index within shape [16, 8]");
  FAILS(tilusRegisterLayoutGetThreads(layout, LIST(0), &number), "an index within shape [16, 8]");
  FAILS(tilusRegisterLayoutPermute(layout, LIST(0, 2), &result), "expected");
  FAILS(tilusRegisterLayoutCompose(layout, NULL, &result), "a layout, but got null");
  FAILS(tilusRegisterLayoutPrint(NULL, &blob), "a layout, but got null");
  FAILS(tilusRegisterLayoutReshape(layout, LIST(3), NULL), "a place for the result");
  FAILS(tilusSharedLayoutCreate(LIST(4), LIST(4), LIST(-1), NULL, &shared), "expected");
  FAILS(tilusSharedLayoutCreate(LIST(4), LIST(4), LIST(1), &(TilusSwizzle){0, 3, 1}, &shared), "expected");
  FAILS(tilusSharedLayoutCreateSwizzled(LIST(4), 0, &shared), "1 to 128 bits");
  CHECK(!result && !shared && !blob);
  CHECK(tilusRegisterLayoutGetShape(NULL).count == 0 && tilusRegisterLayoutGetThreadCount(NULL) == 0 &&
        !tilusRegisterLayoutIsEqual(NULL, NULL) && tilusSharedLayoutGetElementCount(NULL) == 0);
  tilusRegisterLayoutDestroy(layout);
  tilusRegisterLayoutDestroy(NULL);
  tilusSharedLayoutDestroy(NULL);
}
