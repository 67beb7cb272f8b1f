/* Nulls, wrong sizes, wrong orders: each an error, none a crash.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Check.h"

/* Every getter of a plain value, and every end, takes null. */
static void testNullGetters(void) {
  SAME(tilusErrorGetMessage(NULL), "");
  CHECK(tilusErrorGetDriverCode(NULL) == 0);
  CHECK(tilusBlobGetBytes(NULL).size == 0);
  CHECK(tilusTargetGetChipAt(tilusTargetGetChipCount()) == NULL);
  SAME(tilusTargetGetName(NULL), "");
  SAME(tilusTargetGetChip(NULL), "");
  SAME(tilusTargetGetFeatures(NULL), "");
  SAME(tilusTargetGetTriple(NULL), "");
  CHECK(!tilusTargetSupports(NULL, NULL) && !tilusTargetHasFeature(NULL, NULL));
  CHECK(!tilusTargetCanRunOn(NULL, 9, 0));
  CHECK(tilusArtifactFileGetCount(NULL) == 0);
  CHECK(tilusArtifactGetCubin(NULL).size == 0);
  SAME(tilusDriverGetPath(NULL), "");
  CHECK(tilusDriverGetVersion(NULL) == 0);
  SAME(tilusDeviceGetName(NULL), "");
  CHECK(tilusDeviceGetOrdinal(NULL) == 0 && !tilusDeviceGetDefaultTarget(NULL));
  int major = 1;
  tilusDeviceGetCapability(NULL, &major, NULL);
  CHECK(major == 0);
  CHECK(tilusBufferGetAddress(NULL) == 0 && tilusBufferGetBytes(NULL) == 0);
  CHECK(tilusStreamGetHandle(NULL) == NULL);
  CHECK(tilusInstanceGetCount(NULL) == 0 && !tilusInstanceGetTarget(NULL));
  tilusErrorDestroy(NULL);
  tilusBlobDestroy(NULL);
  tilusArtifactFileDestroy(NULL);
  tilusArtifactDestroy(NULL);
  tilusDriverDestroy(NULL);
  tilusDeviceDestroy(NULL);
  tilusBufferDestroy(NULL);
  tilusStreamDestroy(NULL);
  tilusKernelDestroy(NULL);
  tilusArgumentsDestroy(NULL);
  tilusDispatcherDestroy(NULL);
}

/* Places for results, then the objects that are asked. */
static void testNullArguments(void) {
  const TilusTarget *target;
  TilusArtifactFile *file;
  TilusArtifact *artifact;
  TilusBlob *blob;
  TilusDevice *device;
  TilusBuffer *buffer;
  TilusStream *stream;
  TilusKernel *kernel;
  TilusArguments *arguments;
  unsigned count;
  const char *text = ", but got null";
  FAILS(tilusTargetLookup("sm_90", NULL, NULL), text);
  FAILS(tilusTargetLookup(NULL, NULL, &target), text);
  CHECK(target == NULL);
  FAILS(tilusTargetScopePush(NULL), text);
  FAILS(tilusArtifactFileRead(NULL, &file), text);
  FAILS(tilusArtifactFileRead("x", NULL), text);
  FAILS(tilusArtifactFileParse(NULL, 4, &file), text);
  FAILS(tilusArtifactFileGet(NULL, 0, &artifact), text);
  FAILS(tilusArtifactFileFind(NULL, NULL, NULL, &artifact), text);
  FAILS(tilusArtifactFileChoose(NULL, "x", NULL, &artifact), text);
  FAILS(tilusArtifactsSerialize(NULL, 1, &blob), text);
  FAILS(tilusArtifactGetInfo(NULL, NULL), text);
  FAILS(tilusArtifactGetParam(NULL, 0, NULL), text);
  FAILS(tilusDriverLoad(TILUS_FAKE_CUDA, NULL), text);
  FAILS(tilusDriverGetDeviceCount(NULL, &count), text);
  FAILS(tilusDeviceOpen(NULL, 0, &device), text);
  FAILS(tilusDeviceSynchronize(NULL), text);
  FAILS(tilusBufferAllocate(NULL, 4, &buffer), text);
  FAILS(tilusBufferCopyFrom(NULL, "x", 1), text);
  FAILS(tilusBufferCopyTo(NULL, &count, 4), text);
  FAILS(tilusBufferFill(NULL, 0), text);
  FAILS(tilusStreamCreate(NULL, &stream), text);
  FAILS(tilusStreamSynchronize(NULL), text);
  FAILS(tilusKernelLoad(NULL, NULL, &kernel), text);
  FAILS(tilusArgumentsCreate(NULL, &arguments), text);
  FAILS(tilusArgumentsSetPointer(NULL, 0, 0), text);
  FAILS(tilusArgumentsSetInteger(NULL, 0, 0), text);
  FAILS(tilusArgumentsSetFloat(NULL, 0, 0), text);
  FAILS(tilusArgumentsSetCode(NULL, 0, 0), text);
  FAILS(tilusArgumentsSetWorkspace(NULL, 0, 0), text);
  FAILS(tilusArgumentsGetWorkspace(NULL, 0, NULL, NULL), text);
  FAILS(tilusArgumentsGetGrid(NULL, NULL), text);
  FAILS(tilusKernelLaunch(NULL, NULL, NULL), text);
  FAILS(tilusCompileResultAddFile(NULL, NULL, "x", 1), text);
  FAILS(tilusCompileResultAdd(NULL, NULL), text);
  FAILS(tilusInstanceGetArtifact(NULL, 0, &artifact), text);
  TilusError *error = tilusErrorCreate(NULL);
  CHECK(strstr(tilusErrorGetMessage(error), "got null"));
  tilusErrorDestroy(error);
}

static TilusError *addNothing(void *userData, const TilusCompileRequest *request,
                              TilusCompileResult *result) {
  (void)userData, (void)request, (void)result;
  return NULL;
}

static TilusError *addGarbage(void *userData, const TilusCompileRequest *request,
                              TilusCompileResult *result) {
  (void)userData, (void)request;
  return tilusCompileResultAddFile(result, NULL, "garbage", 7);
}

static TilusError *addOther(void *userData, const TilusCompileRequest *request, TilusCompileResult *result) {
  (void)userData, (void)request;
  TilusArtifactFile *file = NULL;
  TilusArtifact *artifact = NULL;
  OK(tilusArtifactFileRead(TILUS_FAKE_ARTIFACT, &file));
  OK(tilusArtifactFileFind(file, "scale_sm_80", lookUp("sm_80"), &artifact));
  OK(tilusCompileResultAdd(result, artifact));
  tilusArtifactDestroy(artifact);
  tilusArtifactFileDestroy(file);
  return NULL;
}

static void testDispatcherCreation(void) {
  TilusCallParam param = {"n", TilusParamKindInteger, 0};
  TilusDispatcherOptions options = {.size = sizeof(options), .compile = addNothing};
  TilusDispatcher *dispatcher;
  FAILS(tilusDispatcherCreate("f", &param, 1, &options, NULL), "got null");
  FAILS(tilusDispatcherCreate(NULL, &param, 1, &options, &dispatcher), "name of a kernel family");
  FAILS(tilusDispatcherCreate("f", NULL, 1, &options, &dispatcher), "expected parameters");
  FAILS(tilusDispatcherCreate("f", &param, 1, NULL, &dispatcher), "a TilusDispatcherOptions, but got null");
  FAILS(tilusDispatcherCreate("f", &param, (size_t)-1, &options, &dispatcher), "at most 4096 parameters");
  options.size = 8;
  FAILS(tilusDispatcherCreate("f", &param, 1, &options, &dispatcher), "'size' says, but got 8");
  options.size = sizeof(options) + 8;
  FAILS(tilusDispatcherCreate("f", &param, 1, &options, &dispatcher), "'size' says");
  options.size = sizeof(options);
  options.compile = NULL;
  FAILS(tilusDispatcherCreate("f", &param, 1, &options, &dispatcher), "a compile callback, but got null");
  options.compile = addNothing;
  param.kind = (TilusParamKind)77;
  FAILS(tilusDispatcherCreate("f", &param, 1, &options, &dispatcher), "parameter 'n', but got 77");
  param.kind = TilusParamKindInteger;
  param.divisors = 3;
  FAILS(tilusDispatcherCreate("f", &param, 1, &options, &dispatcher), "powers of two");
  param.divisors = 0;
  param.name = NULL;
  FAILS(tilusDispatcherCreate("f", &param, 1, &options, &dispatcher), "the name of a parameter");
  CHECK(dispatcher == NULL);
}

/* What a callback may do wrong is the error of the call. */
static void testCallbacks(void) {
  static const struct {
    TilusCompileCallback compile;
    const char *message;
  } rows[] = {{addNothing, "at least one compiled kernel"},
              {addGarbage, "expected"},
              {addOther, "a kernel compiled for sm_90 of 'f', but got one for sm_80"}};
  TilusCallParam param = {"n", TilusParamKindInteger, 0};
  TilusValue value = tilusValueInt(4);
  for (int row = 0; row < 3; ++row) {
    TilusDispatcherOptions options = {.size = sizeof(options), .compile = rows[row].compile};
    TilusDispatcher *dispatcher = NULL;
    const TilusInstance *instance;
    OK(tilusDispatcherCreate("f", &param, 1, &options, &dispatcher));
    FAILS(tilusDispatcherCompile(dispatcher, &value, 1, lookUp("sm_90"), &instance), rows[row].message);
    CHECK(instance == NULL);
    tilusDispatcherDestroy(dispatcher);
  }
}

static void testCalls(void) {
  TilusDriver *driver = loadFake("90");
  TilusDevice *device = openDevice(driver, 0);
  TilusDispatcher *dispatcher = makeDispatcher();
  TilusCallSite site = {.size = sizeof(site), .device = device};
  TilusValue values[4];
  makeArguments(values, 1, 4096);
  FAILS(tilusDispatcherCall(NULL, values, 4, &site), "a dispatcher, but got null");
  FAILS(tilusDispatcherCall(dispatcher, NULL, 4, &site), "arguments, but got null");
  FAILS(tilusDispatcherCall(dispatcher, values, 4, NULL), "a TilusCallSite, but got null");
  FAILS(tilusDispatcherCall(dispatcher, values, 3, &site), "expected 4 arguments for 'scale', but got 3");
  FAILS(tilusDispatcherCall(dispatcher, values, (size_t)-1, &site), "expected 4 arguments");
  site.size = 0;
  FAILS(tilusDispatcherCall(dispatcher, values, 4, &site), "a TilusCallSite of 32 bytes");
  site.size = sizeof(site);
  site.device = NULL;
  FAILS(tilusDispatcherCall(dispatcher, values, 4, &site), "expected a device for a call of 'scale'");
  site.device = device;
  values[1] = tilusValueFloat(2);
  FAILS(tilusDispatcherCall(dispatcher, values, 4, &site), "an integer for parameter 'n'");
  /* Values that no function made. */
  for (int tag = 6; tag < 256; ++tag) {
    values[1].opaque[1] = (uint64_t)tag;
    FAILS(tilusDispatcherCall(dispatcher, values, 4, &site),
          "expected an integer for parameter 'n' of 'scale'");
  }
  makeArguments(values, 13, 4096);
  FAILS(tilusDispatcherCall(dispatcher, values, 4, &site), "expected luck, but got 13");
  makeArguments(values, 1, 4096);
  site.target = lookUp("sm_100a");
  FAILS(tilusDispatcherCall(dispatcher, values, 4, &site), "but got sm_100a");
  site.target = NULL;
  OK(tilusDispatcherCall(dispatcher, values, 4, &site));
  CHECK(countCalls("cuLaunchKernelEx scale_sm_90a") == 1);
  /* The same once the kernel is in the table. */
  values[1].opaque[1] = 255;
  FAILS(tilusDispatcherCall(dispatcher, values, 4, &site), "but got no value");
  values[1] = tilusValueInt(4096);
  TilusTargetStats stats = {.size = 0};
  FAILS(tilusDispatcherGetStats(dispatcher, lookUp("sm_90a"), &stats), "'size' says, but got 0");
  FAILS(tilusDispatcherGetStats(dispatcher, lookUp("sm_90a"), NULL), "but got null");
  FAILS(tilusDispatcherGetStats(NULL, NULL, &stats), "but got null");
  TilusCallParam param;
  FAILS(tilusDispatcherGetParam(dispatcher, 4, &param), "one of 4 parameters, but got 4");
  FAILS(tilusDispatcherGetParam(dispatcher, 0, NULL), "but got null");
  FAILS(tilusDispatcherGetParam(NULL, 0, &param), "but got null");
  CHECK(tilusDispatcherGetParamCount(NULL) == 0);
  const TilusInstance *instance;
  FAILS(tilusDispatcherCompile(dispatcher, values, 4, NULL, &instance),
        "expected a target to compile 'scale'");
  FAILS(tilusDispatcherCompile(dispatcher, values, 4, NULL, NULL), "but got null");
  tilusDispatcherDestroy(dispatcher);
  tilusDeviceDestroy(device);
  tilusDriverDestroy(driver);
  CHECK(countObjects() == 0);
}

static void testDrivers(void) {
  TilusDriver *driver = NULL;
  FAILS(tilusDriverLoad("/nowhere/libcuda.so", &driver), "/nowhere/libcuda.so");
  CHECK(driver == NULL);
  driver = loadFake("90,80");
  unsigned count = 0;
  OK(tilusDriverGetDeviceCount(driver, &count));
  CHECK(count == 2);
  TilusDevice *device = NULL;
  FAILS(tilusDeviceOpen(driver, 2, &device), "device");
  CHECK(device == NULL);
  device = openDevice(driver, 0);
  TilusBuffer *buffer = NULL;
  TilusError *error = tilusBufferAllocate(device, UINT64_MAX, &buffer);
  CHECK(tilusErrorGetDriverCode(error) == 2 && !buffer);
  tilusErrorDestroy(error);
  tilusDeviceDestroy(device);
  tilusDriverDestroy(driver);
  CHECK(countObjects() == 0);
}

void testMisuse(void) {
  testNullGetters();
  testNullArguments();
  testDispatcherCreation();
  testCallbacks();
  testCalls();
  testDrivers();
  FAILS(tilusTargetScopePop(), "expected a scope of this thread to end, but got none");
}
