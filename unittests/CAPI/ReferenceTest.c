/* The CPU reference from C, and the places of diagnostics.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Tilus-c/Reference.h"
#include "Check.h"
#include "Tilus-c/Dialect.h"

/* y[i] = x[i] * s for i < n, blocks of 64; 9 for s where the target is sm_90a. */
static const char scaleText[] =
    "tilus.kernel @scale(%n: i32, %s: f16, %x: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(1) grid {\n"
    "  %c64 = arith.constant 64 : i32\n"
    "  %b = arith.ceildivsi %n, %c64 : i32\n"
    "  tilus.grid [%b]\n"
    "} {\n"
    "  %c64 = arith.constant 64 : i32\n"
    "  %c9 = arith.constant 9.0 : f16\n"
    "  %exact = tilus.target_is \"sm_90a\"\n"
    "  %f = arith.select %exact, %c9, %s : f16\n"
    "  %i = tilus.block_id x\n"
    "  %o = arith.muli %i, %c64 : i32\n"
    "  %gx = tilus.global_view %x [%n] : !tilus.ptr<f16> -> !tilus.global<?xf16>\n"
    "  %gy = tilus.global_view %y [%n] : !tilus.ptr<f16> -> !tilus.global<?xf16>\n"
    "  %t = tilus.load_global %gx[%o] : !tilus.global<?xf16> -> tensor<64xf16>\n"
    "  %k = tilus.broadcast %f : f16 -> tensor<64xf16>\n"
    "  %r = arith.mulf %t, %k : tensor<64xf16>\n"
    "  tilus.store_global %r, %gy[%o] : tensor<64xf16>, !tilus.global<?xf16>\n"
    "  tilus.printf \"block %d\\n\", %i : i32\n"
    "}\n";

enum { count = 100 };

static MlirContext makeContext(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tilusRegisterCompilerDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  return context;
}

/* A reference that needs neither its module nor its context any more. */
static TilusReference *makeReference(const char *text, const TilusTarget *target) {
  MlirContext context = makeContext();
  TilusModuleSource source = {
      .size = sizeof(source), .data = text, .dataSize = strlen(text), .fileName = "scale.mlir"};
  MlirModule module;
  TilusReference *reference = NULL;
  OK(tilusParseModule(context, &source, &module));
  OK(tilusReferenceCreate(module, NULL, target, &reference));
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return reference;
}

/* The code in f16 of an integer of 0 to 2048. */
static uint16_t encodeHalf(unsigned value) {
  unsigned exponent = 0;
  if (value == 0)
    return 0;
  while (value >> (exponent + 1))
    ++exponent;
  return (uint16_t)((exponent + 15) << 10 | ((value << (10 - exponent)) & 0x3ff));
}

static void append(void *userData, const char *text, size_t size) {
  char *line = userData;
  size_t length = strlen(line);
  memcpy(line + length, text, size);
  line[length + size] = 0;
}

static void checkScaled(const TilusTarget *target, unsigned factor) {
  TilusReference *reference = makeReference(scaleText, target);
  uint16_t x[count], y[count] = {0};
  for (unsigned i = 0; i < count; ++i)
    x[i] = encodeHalf(i);
  char printed[64] = "";
  TilusReferenceOptions options = {
      .size = sizeof(options), .checkHazards = true, .output = append, .userData = printed};
  TilusReferenceResult result = {.size = sizeof(result)};
  TilusValue values[] = {tilusValueInt(count), tilusValueFloat(3.0),
                         tilusValuePointer((uintptr_t)x, sizeof(x), TILUS_DEVICE_HOST),
                         tilusValuePointer((uintptr_t)y, sizeof(y), TILUS_DEVICE_UNKNOWN)};
  OK(tilusReferenceRun(reference, values, 4, &options, &result));
  unsigned wrong = 0;
  for (unsigned i = 0; i < count; ++i)
    wrong += y[i] != encodeHalf(i * factor);
  CHECK(wrong == 0);
  CHECK(result.blocks[0] == 2 && result.blocks[1] == 1 && result.blocks[2] == 1 && result.steps > 0);
  SAME(printed, "block 0\nblock 1\n");
  tilusReferenceDestroy(reference);
}

static void checkMisuse(void) {
  TilusReference *reference = makeReference(scaleText, NULL);
  SAME(tilusReferenceGetName(reference), "scale");
  CHECK(tilusReferenceGetParamCount(reference) == 4);
  TilusParamInfo info = {.size = sizeof(info)};
  OK(tilusReferenceGetParam(reference, 2, &info));
  SAME(info.name, "x");
  SAME(info.type, "f16");
  CHECK(info.isPointer && info.bits == 16);
  FAILS(tilusReferenceGetParam(reference, 4, &info), "one of 4 parameters, but got 4");
  uint16_t x[count] = {0};
  TilusValue memory = tilusValuePointer((uintptr_t)x, sizeof(x), TILUS_DEVICE_HOST);
  TilusValue good[] = {tilusValueInt(count), tilusValueInt(2), memory, memory};
  OK(tilusReferenceRun(reference, good, 4, NULL, NULL));
  struct {
    unsigned index;
    TilusValue value;
    const char *text;
  } cases[] = {
      {0, tilusValueInt(INT64_C(1) << 40),
       "a value of type i32 for parameter 'n' of kernel 'scale', but got 1099511627776"},
      {0, tilusValueFloat(1.0), "for parameter 'n' of kernel 'scale', but got a real number"},
      {1, memory, "a value of type f16 for parameter 's' of kernel 'scale', but got a pointer"},
      {2, tilusValueInt(5), "memory of the host for parameter 'x' of kernel 'scale', but got an integer"},
      {2, tilusValuePointer((uintptr_t)x, sizeof(x), 0), "but got memory of device 0"},
      {2, tilusValuePointer(0, 8, TILUS_DEVICE_HOST), "but got 8 bytes at the address 0"},
      {3, tilusValueOpaque(1), "but got a constant"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    TilusValue values[4];
    memcpy(values, good, sizeof(good));
    values[cases[i].index] = cases[i].value;
    FAILS(tilusReferenceRun(reference, values, 4, NULL, NULL), cases[i].text);
  }
  FAILS(tilusReferenceRun(reference, good, 3, NULL, NULL), "4 arguments for kernel 'scale', but got 3");
  FAILS(tilusReferenceRun(NULL, good, 4, NULL, NULL), ", but got null");
  FAILS(tilusReferenceRun(reference, NULL, 4, NULL, NULL), ", but got null");
  TilusReferenceOptions options = {.size = 1};
  FAILS(tilusReferenceRun(reference, good, 4, &options, NULL), "as its field 'size' says");
  options = (TilusReferenceOptions){.size = sizeof(options), .maxSteps = 3};
  FAILS(tilusReferenceRun(reference, good, 4, &options, NULL), "3");
  tilusReferenceDestroy(reference);
  tilusReferenceDestroy(NULL);
}

/* Memory that ends too early is an error at the operation that needs more. */
static void checkPlaces(void) {
  TilusReference *reference = makeReference(scaleText, NULL);
  uint16_t x[count] = {0};
  TilusValue memory = tilusValuePointer((uintptr_t)x, sizeof(x), TILUS_DEVICE_HOST);
  TilusValue values[] = {tilusValueInt(count), tilusValueInt(2), memory, tilusValueNone()};
  TilusError *error = tilusReferenceRun(reference, values, 4, NULL, NULL);
  CHECK(tilusErrorGetDiagnosticCount(error) >= 1);
  TilusDiagnostic diagnostic = {.size = sizeof(diagnostic)};
  OK(tilusErrorGetDiagnostic(error, 0, &diagnostic));
  SAME(diagnostic.severity, "error");
  SAME(diagnostic.file, "scale.mlir");
  CHECK(diagnostic.line == 17 && diagnostic.column == 3);
  CHECK(strstr(diagnostic.message, "parameter 'y'") != NULL);
  CHECK(strstr(tilusErrorGetMessage(error), "scale.mlir:17:3: error: ") != NULL);
  FAILS(tilusErrorGetDiagnostic(error, 99, &diagnostic), "diagnostics, but got 99");
  FAILS(tilusErrorGetDiagnostic(NULL, 0, &diagnostic), ", but got null");
  CHECK(tilusErrorGetDiagnosticCount(NULL) == 0);
  tilusErrorDestroy(error);
  tilusReferenceDestroy(reference);
}

static void checkCreation(void) {
  MlirContext context = makeContext();
  TilusReference *reference = NULL;
  MlirModule module = mlirModuleCreateParse(
      context,
      mlirStringRefCreateFromCString(
          "tilus.kernel @a() warps(1) grid {\n %c = arith.constant 1 : i32\n tilus.grid [%c]\n} {\n}\n"
          "tilus.kernel @b() warps(1) grid {\n %c = arith.constant 1 : i32\n tilus.grid [%c]\n} {\n}\n"));
  CHECK(!mlirModuleIsNull(module));
  FAILS(tilusReferenceCreate(module, NULL, NULL, &reference), "or the name of one, but got 'a', 'b'");
  FAILS(tilusReferenceCreate(module, "c", NULL, &reference), "a kernel 'c' in the module, but got 'a', 'b'");
  OK(tilusReferenceCreate(module, "b", NULL, &reference));
  SAME(tilusReferenceGetName(reference), "b");
  OK(tilusReferenceRun(reference, NULL, 0, NULL, NULL));
  tilusReferenceDestroy(reference);
  FAILS(tilusReferenceCreate((MlirModule){NULL}, NULL, NULL, &reference), "a module, but got null");
  CHECK(reference == NULL);
  FAILS(tilusReferenceCreate(module, NULL, NULL, NULL), ", but got null");
  TilusModuleSource source = {.size = sizeof(source), .data = "", .dataSize = 0};
  MlirModule parsed;
  FAILS(tilusParseModule((MlirContext){NULL}, &source, &parsed), "a context, but got null");
  FAILS(tilusParseModule(context, &source, NULL), ", but got null");
  FAILS(tilusParseModule(context, NULL, &parsed), ", but got null");
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
}

void testReference(void) {
  checkScaled(NULL, 3);
  checkScaled(lookUp("sm_90"), 3);
  checkScaled(lookUp("sm_90a"), 9);
  checkMisuse();
  checkPlaces();
  checkCreation();
}
