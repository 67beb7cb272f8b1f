/* Targets, artifacts, launches and dispatchers as a program in C uses them.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Check.h"

static void testTargets(void) {
  CHECK(tilusRuntimeGetVersion() == TILUS_RUNTIME_C_API_VERSION);
  SAME(tilusGetVersionString(), TILUS_TEST_VERSION);
  const TilusTarget *base = lookUp("sm_90"), *exact = lookUp("sm_90a");
  CHECK(base != exact && base == lookUp("nvgpu/sm90"));
  SAME(tilusTargetGetName(exact), "sm_90a");
  SAME(tilusTargetGetTriple(exact), "nvptx64-nvidia-cuda");
  const TilusTarget *featured = NULL;
  OK(tilusTargetLookup("sm_90a", "+ptx88", &featured));
  SAME(tilusTargetGetName(featured), "sm_90a,+ptx88");
  SAME(tilusTargetGetFeatures(featured), "+ptx88");
  FAILS(tilusTargetLookup("sm_91", NULL, &featured), "did you mean 'sm_90'?");
  FAILS(tilusTargetLookup("sm_90a", "nonsense,,\n", &featured), "such as '+ptx88'");
  FAILS(tilusTargetLookup("sm_90a", "+ptx88,-ptx86", &featured), "but got '-ptx86'");
  CHECK(tilusTargetSupports(exact, base) && !tilusTargetSupports(base, exact));
  CHECK(tilusTargetCanRunOn(exact, 9, 0) && !tilusTargetCanRunOn(exact, 10, 0));
  CHECK(tilusTargetHasFeature(exact, "ldmatrix") && !tilusTargetHasFeature(exact, "no such"));
  size_t found = 0;
  for (size_t index = 0; index < tilusTargetGetChipCount(); ++index)
    found += strcmp(tilusTargetGetChipAt(index), "sm_103a") == 0;
  CHECK(found == 1);
  OK(tilusTargetScopePush(base));
  OK(tilusTargetScopePush(exact));
  CHECK(tilusTargetGetCurrent() == exact);
  OK(tilusTargetScopePop());
  CHECK(tilusTargetGetCurrent() == base);
  OK(tilusTargetScopePop());
  CHECK(tilusTargetGetCurrent() == NULL);
}

static void testInfo(const TilusArtifact *artifact) {
  TilusArtifactInfo info = {.size = sizeof(info)};
  OK(tilusArtifactGetInfo(artifact, &info));
  SAME(info.entry, "reduce_sm_90a");
  SAME(info.chip, "sm_90a");
  CHECK(info.target == lookUp("sm_90a"));
  CHECK(info.blockThreads == 128 && info.cluster[2] == 1 && info.paramCount == 3 && info.workspaceCount == 1);
  CHECK(info.cubin.size == tilusArtifactGetCubin(artifact).size && info.cubin.size > 4);
  CHECK(memcmp(info.cubin.data, "fake", 4) == 0);
  SAME(info.tilusVersion, "0.1.0");
  TilusParamInfo param = {.size = sizeof(param)};
  OK(tilusArtifactGetParam(artifact, 2, &param));
  SAME(param.name, "x");
  SAME(param.type, "f32");
  CHECK(param.isPointer && param.bits == 32 && param.divisibility == 16);
  FAILS(tilusArtifactGetParam(artifact, 3, &param), "the number of one of 3 parameters, but got 3");
  param.size = 4;
  FAILS(tilusArtifactGetParam(artifact, 2, &param), "'size' says, but got 4");
}

void testArtifacts(void) {
  testTargets();
  TilusArtifactFile *file = NULL;
  TilusArtifact *artifact = NULL;
  OK(tilusArtifactFileRead(TILUS_FAKE_ARTIFACT, &file));
  CHECK(tilusArtifactFileGetCount(file) == 12);
  FAILS(tilusArtifactFileGet(file, 12, &artifact), "one of 12 artifacts, but got 12");
  FAILS(tilusArtifactFileFind(file, "scale_sm_90", lookUp("sm_120a"), &artifact),
        "'reduce_sm_90a' for sm_90a");
  OK(tilusArtifactFileFind(file, "reduce_sm_90a", lookUp("sm_90a"), &artifact));
  /* The artifact outlives its file. */
  tilusArtifactFileDestroy(file);
  testInfo(artifact);
  TilusBlob *blob = NULL;
  const TilusArtifact *list[] = {artifact, artifact};
  OK(tilusArtifactsSerialize(list, 2, &blob));
  TilusBytes bytes = tilusBlobGetBytes(blob);
  OK(tilusArtifactFileParse(bytes.data, bytes.size, &file));
  CHECK(tilusArtifactFileGetCount(file) == 2);
  tilusArtifactFileDestroy(file);
  for (size_t size = 0; size < bytes.size; size += 7) {
    FAILS(tilusArtifactFileParse(bytes.data, size, &file), "expected");
    CHECK(file == NULL);
  }
  tilusBlobDestroy(blob);
  tilusArtifactDestroy(artifact);
}

void testLaunch(void) {
  TilusDriver *driver = loadFake("90");
  TilusDevice *device = openDevice(driver, 0);
  TilusArtifactFile *file = NULL;
  TilusArtifact *artifact = NULL;
  OK(tilusArtifactFileRead(TILUS_FAKE_ARTIFACT, &file));
  OK(tilusArtifactFileFind(file, NULL, lookUp("sm_103a"), &artifact));
  TilusKernel *kernel = NULL;
  FAILS(tilusKernelLoad(device, artifact, &kernel), "sm_103a");
  tilusArtifactDestroy(artifact);
  OK(tilusArtifactFileChoose(file, "increment", device, &artifact));
  TilusArtifactInfo info = {.size = sizeof(info)};
  OK(tilusArtifactGetInfo(artifact, &info));
  SAME(info.chip, "sm_90a");
  tilusArtifactDestroy(artifact);
  FAILS(tilusArtifactFileChoose(file, "decrement", device, &artifact), "decrement");
  OK(tilusArtifactFileFind(file, "reduce_sm_90a", tilusDeviceGetDefaultTarget(device), &artifact));
  OK(tilusKernelLoad(device, artifact, &kernel));
  TilusArguments *arguments = NULL;
  OK(tilusArgumentsCreate(kernel, &arguments));
  TilusBuffer *buffer = NULL, *workspace = NULL;
  OK(tilusBufferAllocate(device, 16, &buffer));
  CHECK(tilusBufferGetBytes(buffer) == 16);
  OK(tilusBufferCopyFrom(buffer, "0123456789abcdef", 16));
  char text[17] = {0};
  OK(tilusBufferCopyTo(buffer, text, 16));
  SAME(text, "0123456789abcdef");
  FAILS(tilusBufferCopyTo(buffer, text, 17), "16");
  FAILS(tilusKernelLaunch(kernel, arguments, NULL), "'n'");
  OK(tilusArgumentsSetInteger(arguments, 0, 3000));
  FAILS(tilusArgumentsSetInteger(arguments, 0, INT64_C(1) << 40), "'n'");
  FAILS(tilusArgumentsSetFloat(arguments, 7, 1),
        "one of the 3 parameters of kernel 'reduce_sm_90a', but got 7");
  OK(tilusArgumentsSetFloat(arguments, 1, 0.5));
  FAILS(tilusArgumentsSetPointer(arguments, 2, 8), "'x'");
  OK(tilusArgumentsSetPointer(arguments, 2, tilusBufferGetAddress(buffer)));
  uint64_t bytes = 0;
  bool isClean = false;
  OK(tilusArgumentsGetWorkspace(arguments, 0, &bytes, &isClean));
  CHECK(bytes == 12000 && isClean);
  FAILS(tilusArgumentsGetWorkspace(arguments, 1, &bytes, &isClean), "one of 1 workspaces, but got 1");
  OK(tilusBufferAllocate(device, bytes, &workspace));
  OK(tilusBufferFill(workspace, 0));
  OK(tilusArgumentsSetWorkspace(arguments, 0, tilusBufferGetAddress(workspace)));
  unsigned blocks[3] = {0};
  OK(tilusArgumentsGetGrid(arguments, blocks));
  CHECK(blocks[0] == 3 && blocks[1] == 1 && blocks[2] == 1);
  TilusStream *stream = NULL;
  OK(tilusStreamCreate(device, &stream));
  /* What is used keeps alive what it was made from. */
  tilusDriverDestroy(driver);
  tilusDeviceDestroy(device);
  tilusArtifactFileDestroy(file);
  tilusArtifactDestroy(artifact);
  OK(tilusKernelLaunch(kernel, arguments, tilusStreamGetHandle(stream)));
  OK(tilusStreamSynchronize(stream));
  CHECK(countCalls("cuLaunchKernelEx reduce_sm_90a") == 1);
  tilusKernelDestroy(kernel);
  tilusArgumentsDestroy(arguments);
  tilusBufferDestroy(workspace);
  tilusBufferDestroy(buffer);
  tilusStreamDestroy(stream);
  CHECK(countObjects() == 0);
}

static void testInstances(TilusDispatcher *dispatcher) {
  static const char *const scopes[] = {"sm_90a", "sm_103a", "sm_90a", "sm_90", "sm_103a"};
  const TilusInstance *instances[5];
  TilusValue values[4];
  makeArguments(values, 2, 4096);
  int before = getCompiles();
  for (int index = 0; index < 5; ++index) {
    OK(tilusTargetScopePush(lookUp(scopes[index])));
    OK(tilusDispatcherCompile(dispatcher, values, 4, NULL, &instances[index]));
    OK(tilusTargetScopePop());
    CHECK(tilusInstanceGetTarget(instances[index]) == lookUp(scopes[index]));
  }
  CHECK(getCompiles() == before + 3 && instances[0] == instances[2] && instances[1] == instances[4]);
  CHECK(tilusInstanceGetCount(instances[1]) == 1);
  TilusArtifact *artifact = NULL;
  FAILS(tilusInstanceGetArtifact(instances[1], 1, &artifact), "one of 1 candidates, but got 1");
  OK(tilusInstanceGetArtifact(instances[1], 0, &artifact));
  TilusArtifactInfo info = {.size = sizeof(info)};
  OK(tilusArtifactGetInfo(artifact, &info));
  SAME(info.entry, "scale_sm_103a");
  tilusArtifactDestroy(artifact);
}

void testDispatcher(void) {
  TilusDriver *driver = loadFake("90");
  TilusDevice *device = openDevice(driver, 0);
  TilusDispatcher *dispatcher = makeDispatcher();
  TilusCallSite site = {.size = sizeof(site), .device = device};
  TilusValue values[4];
  makeArguments(values, 1, 4096);
  OK(tilusDispatcherCall(dispatcher, values, 4, &site));
  OK(tilusTargetScopePush(lookUp("sm_90")));
  OK(tilusDispatcherCall(dispatcher, values, 4, &site));
  OK(tilusTargetScopePop());
  OK(tilusDispatcherCall(dispatcher, values, 4, &site));
  OK(tilusDispatcherCall(dispatcher, values, 4, &site));
  CHECK(countCalls("cuLaunchKernelEx scale_sm_90a ") == 3);
  CHECK(countCalls("cuLaunchKernelEx scale_sm_90 ") == 1);
  CHECK(getCompiles() == 2);
  makeArguments(values, 1, 0);
  OK(tilusDispatcherCall(dispatcher, values, 4, &site));
  CHECK(countCalls("cuLaunchKernelEx") == 4);
  TilusTargetStats stats = {.size = sizeof(stats)};
  OK(tilusDispatcherGetStats(dispatcher, lookUp("sm_90a"), &stats));
  CHECK(stats.instances == 1 && stats.entries == 2 && stats.shortcutHits == 1 && stats.tableHits == 1);
  CHECK(stats.slowCalls == 2);
  OK(tilusDispatcherGetStats(dispatcher, lookUp("sm_120"), &stats));
  CHECK(stats.instances == 0 && stats.slowCalls == 0);
  site.target = lookUp("sm_80");
  FAILS(tilusDispatcherCall(dispatcher, values, 4, &site),
        "but got a cubin for sm_80; compile it for sm_90a");
  testInstances(dispatcher);
  /* The dispatcher keeps its devices open. */
  tilusDeviceDestroy(device);
  tilusDriverDestroy(driver);
  tilusDispatcherDestroy(dispatcher);
  CHECK(countObjects() == 0);
}

/* A device that is opened anew for each call is the same: nothing piles up. */
void testReopening(void) {
  TilusDriver *driver = loadFake("90");
  TilusDispatcher *dispatcher = makeDispatcher();
  TilusValue values[4];
  makeArguments(values, 1, 4096);
  for (int round = 0; round < 50; ++round) {
    TilusDevice *first = openDevice(driver, 0), *second = openDevice(driver, 0);
    TilusCallSite site = {.size = sizeof(site), .device = round % 2 ? first : second};
    OK(tilusDispatcherCall(dispatcher, values, 4, &site));
    tilusDeviceDestroy(first);
    tilusDeviceDestroy(second);
  }
  CHECK(countCalls("cuModuleLoad") == 1 && countCalls("cuLaunchKernelEx") == 50);
  TilusTargetStats stats = {.size = sizeof(stats)};
  OK(tilusDispatcherGetStats(dispatcher, lookUp("sm_90a"), &stats));
  CHECK(stats.shortcutHits == 49 && stats.slowCalls == 1);
  tilusDispatcherDestroy(dispatcher);
  CHECK(countObjects() == 0);
  tilusDriverDestroy(driver);
  CHECK(countObjects() == 0);
}
