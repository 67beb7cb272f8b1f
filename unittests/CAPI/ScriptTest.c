#define _DEFAULT_SOURCE /* mkdtemp */
/* Kernels with a cache, what is kept of scripts, dispatchers with several schedules and tuners, from C.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Tilus-c/Script.h"
#include "CompilerSupport.h"

#include <unistd.h>

/* x[0] = the number, by one block. */
static const char storeText[] =
    "tilus.kernel @store(%%n: i32, %%x: !tilus.ptr<i32>) warps(1) grid {\n"
    "  %%c1 = arith.constant 1 : i32\n"
    "  tilus.grid [%%c1]\n"
    "} {\n"
    "  %%c0 = arith.constant 0 : i32\n"
    "  %%c1 = arith.constant 1 : i32\n"
    "  %%v = arith.constant %d : i32\n"
    "  %%g = tilus.global_view %%x [%%c1] : !tilus.ptr<i32> -> !tilus.global<?xi32>\n"
    "  %%t = tilus.broadcast %%v : i32 -> tensor<1xi32>\n"
    "  tilus.store_global %%t, %%g[%%c0] : tensor<1xi32>, !tilus.global<?xi32>\n"
    "}\n";

static TilusKernelSource *makeSource(int number) {
  char text[1024];
  snprintf(text, sizeof(text), storeText, number);
  TilusModuleSource source = {sizeof(source), text, strlen(text), "store.mlir"};
  TilusKernelSource *kernel = NULL;
  OK(tilusKernelSourceParse(&source, NULL, &kernel));
  SAME(tilusKernelSourceGetName(kernel), "store");
  CHECK(tilusKernelSourceGetText(kernel).size > 100);
  return kernel;
}

static TilusCompiledKernel compileNumber(const TilusCompiler *compiler, int number, const char *chip) {
  TilusCompiledKernel kernel = {.size = sizeof(kernel)};
  TilusKernelSource *source = makeSource(number);
  OK(tilusCompileKernel(compiler, source, lookUp(chip), &kernel));
  tilusKernelSourceDestroy(source);
  TilusArtifactInfo info = {.size = sizeof(info)};
  OK(tilusArtifactGetInfo(kernel.artifact, &info));
  CHECK(info.target == lookUp(chip) && info.paramCount == 2);
  return kernel;
}

static void testKernels(const TilusCompiler *compiler) {
  TilusCompiledKernel first = compileNumber(compiler, 7, "sm_80");
  TilusCompiledKernel again = compileNumber(compiler, 7, "sm_80");
  TilusCompiledKernel other = compileNumber(compiler, 7, "sm_90a");
  CHECK(first.cache == TilusCacheMiss && again.cache == TilusCacheHit && other.cache == TilusCacheMiss);
  SAME(again.key, first.key);
  CHECK(strlen(first.key) == TILUS_KERNEL_KEY_DIGITS && strcmp(first.key, other.key) != 0);
  tilusArtifactDestroy(first.artifact);
  tilusArtifactDestroy(again.artifact);
  tilusArtifactDestroy(other.artifact);
}

/* A script of two schedules, whose kernels store their numbers. */
struct Script {
  TilusCompiler *compiler;
  TilusScriptStore *store;
  int transpiled;
};
static const char *const schedules[] = {"block=1", "block=2"};

static TilusError *compileScript(void *userData, const TilusCompileRequest *request,
                                 TilusCompileResult *result) {
  struct Script *script = userData;
  TilusBytes key = {"n", 1};
  bool isFound = false;
  OK(tilusScriptStoreFind(script->store, request->target, key, schedules, 2, result, &isFound));
  if (isFound)
    return NULL;
  TilusStoredKernel stored[2];
  TilusCompiledKernel kernels[2];
  for (int index = 0; index < 2; ++index) {
    ++script->transpiled;
    kernels[index] = compileNumber(script->compiler, index + 1, tilusTargetGetChip(request->target));
    OK(tilusCompileResultAddCandidate(result, kernels[index].artifact, schedules[index],
                                      kernels[index].cache));
    stored[index] = (TilusStoredKernel){schedules[index], kernels[index].key};
    tilusArtifactDestroy(kernels[index].artifact);
  }
  OK(tilusScriptStoreSave(script->store, request->target, key, stored, 2));
  return NULL;
}

static TilusDispatcher *makeScript(struct Script *script, const TilusTuner *tuner) {
  const TilusCallParam params[] = {{"n", TilusParamKindInteger, 16}, {"x", TilusParamKindPointer, 0}};
  TilusDispatcherOptions options = {
      .size = sizeof(options), .compile = compileScript, .userData = script, .tuner = tuner};
  TilusDispatcher *dispatcher = NULL;
  OK(tilusDispatcherCreate("store", params, 2, &options, &dispatcher));
  return dispatcher;
}

static TilusScriptStore *makeStore(const TilusCompiler *compiler, const char *program) {
  TilusScriptIdentity identity = {sizeof(identity), "store", {program, strlen(program)}, {"options", 7}};
  TilusScriptStore *store = NULL;
  OK(tilusScriptStoreCreate(compiler, &identity, &store));
  return store;
}

static void checkSchedules(const TilusInstance *instance) {
  CHECK(tilusInstanceGetCount(instance) == 2);
  for (size_t index = 0; index < 2; ++index) {
    TilusArtifact *artifact = NULL;
    TilusArtifactInfo info = {.size = sizeof(info)};
    OK(tilusInstanceGetArtifact(instance, index, &artifact));
    OK(tilusArtifactGetInfo(artifact, &info));
    SAME(info.schedule, schedules[index]);
    tilusArtifactDestroy(artifact);
  }
}

static void countEntry(void *userData, const uint64_t *key, size_t keyWords, const TilusInstance *instance,
                       size_t candidate) {
  CHECK(keyWords == 2 && key[0] == 16 && key[1] == 32 && candidate == 0 && instance);
  ++*(int *)userData;
}

static void testStore(const TilusCompiler *compiler) {
  static const char *const programs[] = {"program", "program", "other program"};
  static const int transpiled[] = {2, 0, 2};
  TilusValue values[] = {tilusValueInt(32), tilusValueNone()};
  for (int run = 0; run < 3; ++run) {
    struct Script script = {(TilusCompiler *)compiler, makeStore(compiler, programs[run]), 0};
    TilusDispatcher *dispatcher = makeScript(&script, NULL);
    TilusFoundKernel found = {.size = sizeof(found)};
    OK(tilusDispatcherFind(dispatcher, values, 2, lookUp("sm_90"), &found));
    CHECK(found.path == TilusDispatchPathSlow && found.candidate == 0);
    CHECK(script.transpiled == transpiled[run]);
    checkSchedules(found.instance);
    OK(tilusDispatcherFind(dispatcher, values, 2, lookUp("sm_90"), &found));
    CHECK(found.path == TilusDispatchPathTable);
    int entries = 0;
    OK(tilusDispatcherVisitEntries(dispatcher, lookUp("sm_90"), countEntry, &entries));
    OK(tilusDispatcherVisitEntries(dispatcher, lookUp("sm_80"), countEntry, &entries));
    CHECK(entries == 1);
    TilusTargetStats stats = {.size = sizeof(stats)};
    OK(tilusDispatcherGetStats(dispatcher, lookUp("sm_90"), &stats));
    CHECK(stats.slowCalls == 1 && stats.tableHits == 1 && stats.instances == 1 && stats.entries == 1);
    CHECK(run == 0 ? stats.cacheMisses == 2 : stats.cacheHits == 2);
    tilusDispatcherDestroy(dispatcher);
    tilusScriptStoreDestroy(script.store);
  }
}

static void testFolders(const TilusCompiler *compiler) {
  TilusScriptStore *store = makeStore(compiler, "program");
  TilusBlob *paths[2] = {NULL, NULL};
  OK(tilusScriptStoreGetPath(store, lookUp("sm_80"), &paths[0]));
  OK(tilusScriptStoreGetPath(store, lookUp("sm_90"), &paths[1]));
  TilusBytes first = tilusBlobGetBytes(paths[0]), second = tilusBlobGetBytes(paths[1]);
  CHECK(first.size > 0 && (first.size != second.size || memcmp(first.data, second.data, first.size) != 0));
  tilusBlobDestroy(paths[0]);
  tilusBlobDestroy(paths[1]);
  tilusScriptStoreDestroy(store);
  // Nothing is kept without a cache.
  TilusCompiler *plain = makeCompiler("off");
  store = makeStore(plain, "program");
  OK(tilusScriptStoreGetPath(store, lookUp("sm_80"), &paths[0]));
  CHECK(tilusBlobGetBytes(paths[0]).size == 0);
  TilusCompiledKernel kernel = compileNumber(plain, 3, "sm_80");
  CHECK(kernel.cache == TilusCacheUnused && kernel.key[0] == 0);
  tilusArtifactDestroy(kernel.artifact);
  tilusBlobDestroy(paths[0]);
  tilusScriptStoreDestroy(store);
  tilusCompilerDestroy(plain);
}

static void noteReport(void *userData, const TilusTuneReport *report) {
  CHECK(report->size == sizeof(*report) && report->outcomeCount == 2 && report->best < 2);
  CHECK(report->target == lookUp("sm_90a") && strncmp(report->key, "n=32 jit=", 9) == 0);
  for (size_t index = 0; index < 2; ++index) {
    SAME(report->outcomes[index].schedule, schedules[index]);
    CHECK(report->outcomes[index].milliseconds >= 0 && report->outcomes[index].reason[0] == 0);
  }
  ++*(int *)userData;
}

/* The first dispatcher tunes; the second finds the choice on disk. */
static void testTuner(const TilusCompiler *compiler) {
  TilusDriver *driver = loadFake("90");
  TilusDevice *device = openDevice(driver, 0);
  TilusBuffer *buffer = NULL;
  OK(tilusBufferAllocate(device, 256, &buffer));
  TilusValue values[] = {tilusValueInt(32), tilusValuePointer(tilusBufferGetAddress(buffer), 256, 0)};
  TilusCallSite site = {.size = sizeof(site), .device = device};
  int reports = 0;
  for (int run = 0; run < 2; ++run) {
    struct Script script = {(TilusCompiler *)compiler, makeStore(compiler, "tuned program"), 0};
    TilusTunerOptions options = {.size = sizeof(options),
                                 .warmUp = 1,
                                 .repeat = 3,
                                 .store = script.store,
                                 .onReport = noteReport,
                                 .userData = &reports};
    TilusTuner *tuner = NULL;
    uint64_t known = 0, tuned = 0;
    OK(tilusTunerCreate(&options, &tuner));
    TilusDispatcher *dispatcher = makeScript(&script, tuner);
    OK(tilusDispatcherCall(dispatcher, values, 2, &site));
    OK(tilusDispatcherCall(dispatcher, values, 2, &site));
    tilusTunerGetCounts(tuner, &known, &tuned);
    CHECK(known == (uint64_t)run && tuned == 1 - (uint64_t)run && reports == 1);
    CHECK(script.transpiled == (run == 0 ? 2 : 0));
    // The dispatcher keeps the tuner.
    tilusTunerDestroy(tuner);
    tilusDispatcherDestroy(dispatcher);
    tilusScriptStoreDestroy(script.store);
  }
  tilusBufferDestroy(buffer);
  tilusDeviceDestroy(device);
  tilusDriverDestroy(driver);
}

static void testMisuseOfScripts(const TilusCompiler *compiler) {
  const char *text = ", but got null";
  TilusKernelSource *source = NULL;
  TilusScriptStore *store = NULL;
  TilusTuner *tuner = NULL;
  TilusBlob *path = NULL;
  TilusCompiledKernel kernel = {.size = 3};
  bool isFound = true;
  FAILS(tilusKernelSourceParse(NULL, NULL, &source), text);
  FAILS(tilusCompileKernel(compiler, NULL, lookUp("sm_80"), &kernel), text);
  FAILS(tilusScriptStoreCreate(compiler, NULL, &store), text);
  store = makeStore(compiler, "program");
  FAILS(tilusScriptStoreGetPath(store, NULL, &path), text);
  FAILS(tilusScriptStoreFind(store, lookUp("sm_80"), (TilusBytes){"n", 1}, schedules, 2, NULL, &isFound),
        text);
  CHECK(!isFound);
  TilusStoredKernel stored = {"block=1", "no key"};
  FAILS(tilusScriptStoreSave(store, lookUp("sm_80"), (TilusBytes){"n", 1}, &stored, 1),
        "expected the key of a kernel in the cache, but got 'no key'");
  FAILS(tilusTunerCreate(NULL, &tuner), text);
  source = makeSource(1);
  FAILS(tilusCompileKernel(compiler, source, lookUp("sm_80"), &kernel), "TilusCompiledKernel");
  // Options of the first version, which had no tuner.
  TilusDispatcherOptions options = {.size = offsetof(TilusDispatcherOptions, tuner),
                                    .compile = compileScript};
  TilusDispatcher *dispatcher = NULL;
  OK(tilusDispatcherCreate("store", NULL, 0, &options, &dispatcher));
  FAILS(tilusDispatcherFind(dispatcher, NULL, 0, NULL, NULL), "expected a target to compile 'store' for");
  FAILS(tilusDispatcherComputeKey(dispatcher, NULL, 0, NULL), text);
  FAILS(tilusDispatcherVisitEntries(dispatcher, NULL, countEntry, NULL), text);
  tilusDispatcherDestroy(dispatcher);
  tilusKernelSourceDestroy(source);
  tilusScriptStoreDestroy(store);
}

void testScripts(void) {
  char folder[] = "/tmp/tilus-script-XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  TilusCompiler *compiler = makeCompiler(folder);
  testKernels(compiler);
  testStore(compiler);
  testFolders(compiler);
  testTuner(compiler);
  testMisuseOfScripts(compiler);
  tilusCompilerDestroy(compiler);
  char command[64];
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  CHECK(system(command) == 0);
}
