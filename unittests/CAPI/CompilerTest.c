/* The compiler as a program in C uses it. Compiles to PTX, which takes no assembler.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "CompilerSupport.h"

/* x[i] = value + marker for i < n, where the marker tells sm_90a and others apart. */
static const char fillText[] =
    "tilus.kernel @fill(%n: i32, %value: i32, %x: !tilus.ptr<i32>) warps(4) grid {\n"
    "  %c512 = arith.constant 512 : i32\n"
    "  %b = arith.ceildivsi %n, %c512 : i32\n"
    "  tilus.grid [%b]\n"
    "} {\n"
    "  %c512 = arith.constant 512 : i32\n"
    "  %c7000 = arith.constant 7000 : i32\n"
    "  %c9000 = arith.constant 9000 : i32\n"
    "  %exact = tilus.target_is \"sm_90a\"\n"
    "  %marker = arith.select %exact, %c9000, %c7000 : i32\n"
    "  %i = tilus.block_id x\n"
    "  %o = arith.muli %i, %c512 : i32\n"
    "  %v = arith.addi %value, %marker : i32\n"
    "  %g = tilus.global_view %x [%n] : !tilus.ptr<i32> -> !tilus.global<?xi32>\n"
    "  %t = tilus.broadcast %v : i32 -> tensor<512xi32>\n"
    "  tilus.store_global %t, %g[%o] : tensor<512xi32>, !tilus.global<?xi32>\n"
    "}\n";

static bool hasText(TilusBytes bytes, const char *text) {
  size_t length = strlen(text);
  for (size_t index = 0; index + length <= bytes.size; ++index)
    if (memcmp((const char *)bytes.data + index, text, length) == 0)
      return true;
  return false;
}

static void testOptions(void) {
  static const char *const rows[][2] = {
      {"assembler", "nvjitlink"}, {"cache", "off"},       {"cubin", "true"},
      {"cuda-path", "/nowhere"},  {"fast-math", "true"},  {"line-info", "false"},
      {"opt-level", "2"},         {"reproducer-dir", ""}, {"verify-phases", "true"},
      {"cache", "/tmp/x"},        {"assembler", "auto"},  {"site-packages", "/nowhere"}};
  TilusCompileOptions *options = NULL;
  OK(tilusCompileOptionsCreate(&options));
  for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); ++row)
    OK(tilusCompileOptionsSet(options, rows[row][0], rows[row][1]));
  FAILS(tilusCompileOptionsSet(options, "opt-level", "4"),
        "expected '0' to '3' for option 'opt-level', but got '4'");
  FAILS(tilusCompileOptionsSet(options, "fast-math", "1"), "expected 'true' or 'false'");
  FAILS(tilusCompileOptionsSet(options, "assembler", "gas"), "'ptxas'");
  FAILS(tilusCompileOptionsSet(options, "cache", "maybe"), "'on', 'off'");
  FAILS(tilusCompileOptionsSet(options, "speed", "1"),
        "opt-level, reproducer-dir, site-packages, verify-phases), but got 'speed'");
  tilusCompileOptionsDestroy(options);
}

static void testMisuseOfCompiler(void) {
  CHECK(tilusCompilerGetVersion() == TILUS_COMPILER_C_API_VERSION);
  TilusCompiler *compiler = NULL;
  TilusBlob *blob = NULL;
  TilusDispatcher *dispatcher = NULL;
  TilusModuleSource source = makeModule(fillText, "fill.mlir");
  const char *text = ", but got null";
  FAILS(tilusCompileOptionsCreate(NULL), text);
  FAILS(tilusCompileOptionsSet(NULL, "cubin", "true"), text);
  FAILS(tilusCompilerCreate(NULL, NULL), text);
  FAILS(tilusCompile(NULL, &source, NULL, 0, &blob), text);
  OK(tilusCompilerCreate(NULL, &compiler));
  FAILS(tilusCompile(compiler, &source, NULL, 0, NULL), text);
  FAILS(tilusCompile(compiler, NULL, NULL, 0, &blob), text);
  FAILS(tilusCompile(compiler, &source, NULL, 1, &blob), text);
  const TilusTarget *targets[] = {NULL};
  FAILS(tilusCompile(compiler, &source, targets, 1, &blob), text);
  FAILS(tilusDispatcherCreateFromModule(compiler, &source, NULL, NULL, &dispatcher), text);
  FAILS(tilusDispatcherCreateFromModule(NULL, &source, NULL, NULL, &dispatcher), text);
  source.size = 3;
  FAILS(tilusCompile(compiler, &source, NULL, 0, &blob), "'size' says, but got 3");
  CHECK(!blob && !dispatcher);
  tilusCompilerDestroy(compiler);
  tilusCompilerDestroy(NULL);
  tilusCompileOptionsDestroy(NULL);
}

static void testDiagnostics(void) {
  TilusCompiler *compiler = makeCompiler("off");
  TilusBlob *blob = NULL;
  TilusModuleSource source = makeModule("tilus.kernel @k(", "fill.mlir");
  FAILS(tilusCompile(compiler, &source, NULL, 0, &blob), "fill.mlir:1:1");
  source = makeModule("module {}", "fill.mlir");
  FAILS(tilusCompile(compiler, &source, NULL, 0, &blob), "expected a module with kernels, but got none");
  source = makeModule(fillText, "fill.mlir");
  FAILS(tilusCompile(compiler, &source, NULL, 0, &blob), "expected a target");
  TilusDispatcher *dispatcher = NULL;
  const char *constants[] = {"m"};
  TilusSpecialization special = {.size = sizeof(special), .kernel = "drain"};
  FAILS(tilusDispatcherCreateFromModule(compiler, &source, &special, NULL, &dispatcher), "'drain'");
  special = (TilusSpecialization){.size = sizeof(special), .constants = constants, .constantCount = 1};
  FAILS(tilusDispatcherCreateFromModule(compiler, &source, &special, NULL, &dispatcher), "'m'");
  CHECK(!blob && !dispatcher);
  tilusCompilerDestroy(compiler);
}

static void testTargets(void) {
  TilusCompiler *compiler = makeCompiler("off");
  const TilusTarget *featured = NULL;
  OK(tilusTargetLookup("sm_90a", "+ptx86", &featured));
  const TilusTarget *targets[] = {lookUp("sm_103a"), lookUp("sm_90a"), featured};
  const char *headers[] = {".target sm_103a", ".target sm_90a", ".version 8.6"};
  const char *markers[] = {"7000;", "9000;", "9000;"};
  TilusModuleSource source = makeModule(fillText, "fill.mlir");
  TilusBlob *blob = NULL;
  TilusArtifactFile *file = NULL;
  OK(tilusCompile(compiler, &source, targets, 3, &blob));
  TilusBytes bytes = tilusBlobGetBytes(blob);
  OK(tilusArtifactFileParse(bytes.data, bytes.size, &file));
  tilusBlobDestroy(blob);
  CHECK(tilusArtifactFileGetCount(file) == 3);
  for (int index = 0; index < 3; ++index) {
    TilusArtifact *artifact = NULL;
    TilusArtifactInfo info = {.size = sizeof(info)};
    OK(tilusArtifactFileFind(file, "fill", targets[index], &artifact));
    OK(tilusArtifactGetInfo(artifact, &info));
    CHECK(info.target == targets[index] && info.cubin.size == 0);
    CHECK(hasText(info.ptx, headers[index]) && hasText(info.ptx, markers[index]));
    tilusArtifactDestroy(artifact);
  }
  tilusArtifactFileDestroy(file);
  tilusCompilerDestroy(compiler);
}

/* A constant of a call is compiled in; each target has its own code; what is launched follows. */
static void testModuleDispatcher(void) {
  TilusDriver *driver = loadFake("90");
  TilusDevice *device = openDevice(driver, 0);
  TilusCompiler *compiler = makeCompiler("off");
  TilusModuleSource source = makeModule(fillText, "fill.mlir");
  const char *constants[] = {"value"};
  TilusSpecialization special = {
      .size = sizeof(special), .kernel = "fill", .constants = constants, .constantCount = 1, .divisors = 16};
  TilusDispatcher *dispatcher = NULL;
  OK(tilusDispatcherCreateFromModule(compiler, &source, &special, NULL, &dispatcher));
  static const TilusCallParam params[] = {{"n", TilusParamKindInteger, 16},
                                          {"value", TilusParamKindConstant, 0},
                                          {"x", TilusParamKindPointer, 0}};
  CHECK(tilusDispatcherGetParamCount(dispatcher) == 3);
  for (int index = 0; index < 3; ++index) {
    TilusCallParam param;
    OK(tilusDispatcherGetParam(dispatcher, index, &param));
    SAME(param.name, params[index].name);
    CHECK(param.kind == params[index].kind && param.divisors == params[index].divisors);
  }
  /* The dispatcher keeps its compiler. */
  tilusCompilerDestroy(compiler);
  TilusValue values[] = {tilusValueInt(1024), tilusValueInt(5),
                         tilusValuePointer(0x1000, 0, TILUS_DEVICE_UNKNOWN)};
  TilusCallSite site = {.size = sizeof(site), .device = device};
  OK(tilusDispatcherCall(dispatcher, values, 3, &site));
  OK(tilusTargetScopePush(lookUp("sm_90")));
  OK(tilusDispatcherCall(dispatcher, values, 3, &site));
  OK(tilusTargetScopePop());
  OK(tilusDispatcherCall(dispatcher, values, 3, &site));
  CHECK(countCalls("cuLaunchKernelEx fill") == 3 && countCalls("cuModuleLoad") == 2);
  static const char *const chips[] = {"sm_90a", "sm_90"};
  static const char *const sums[] = {"9005;", "7005;"};
  for (int index = 0; index < 2; ++index) {
    const TilusInstance *instance = NULL;
    TilusArtifact *artifact = NULL;
    TilusArtifactInfo info = {.size = sizeof(info)};
    TilusTargetStats stats = {.size = sizeof(stats)};
    OK(tilusDispatcherCompile(dispatcher, values, 3, lookUp(chips[index]), &instance));
    OK(tilusInstanceGetArtifact(instance, 0, &artifact));
    OK(tilusArtifactGetInfo(artifact, &info));
    CHECK(hasText(info.ptx, sums[index]));
    OK(tilusDispatcherGetStats(dispatcher, lookUp(chips[index]), &stats));
    CHECK(stats.instances == 1 && stats.slowCalls == 1 && stats.compileMilliseconds > 0);
    tilusArtifactDestroy(artifact);
  }
  tilusDispatcherDestroy(dispatcher);
  tilusDeviceDestroy(device);
  tilusDriverDestroy(driver);
  CHECK(countObjects() == 0);
}

int main(void) {
  static const struct Test tests[] = {{"options", testOptions},
                                      {"misuse", testMisuseOfCompiler},
                                      {"diagnostics", testDiagnostics},
                                      {"modules without kernels", testModulesWithoutKernels},
                                      {"deep nesting", testDeepNesting},
                                      {"names of kernels", testKernelNames},
                                      {"constants", testConstants},
                                      {"cache settings", testCacheSettings},
                                      {"forked compiler", testForkedCompiler},
                                      {"targets", testTargets},
                                      {"module dispatcher", testModuleDispatcher},
                                      {"dialect", testDialect},
                                      {"pipeline", testPipeline},
                                      {"register layout", testRegisterLayout},
                                      {"layout algebra", testLayoutAlgebra},
                                      {"layout shapes", testLayoutShapes},
                                      {"shared layout", testSharedLayout},
                                      {"layout text", testLayoutText},
                                      {"misuse of layouts", testMisuseOfLayouts},
                                      {"conversion", testConversion},
                                      {"shared access", testSharedAccess},
                                      {"matrix instructions", testMmaAtoms},
                                      {"reference", testReference},
                                      {"scripts", testScripts},
                                      {"script stores", testScriptStores}};
  return runTests(tests, sizeof(tests) / sizeof(tests[0]));
}
