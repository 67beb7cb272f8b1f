/* What the tests of the C API share.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Check.h"

#include <dlfcn.h>
#include <stdatomic.h>

int failures = 0;
static void *fake;
static atomic_int compiles;

void checkTrue(const char *file, int line, bool holds, const char *condition) {
  if (holds)
    return;
  ++failures;
  fprintf(stderr, "%s:%d: expected %s\n", file, line, condition);
}

void checkError(const char *file, int line, TilusError *error, const char *text) {
  const char *message = tilusErrorGetMessage(error);
  bool holds = text ? error && strstr(message, text) : !error;
  if (!holds) {
    ++failures;
    fprintf(stderr, "%s:%d: expected %s, but got '%s'\n", file, line, text ? text : "success",
            error ? message : "success");
  }
  tilusErrorDestroy(error);
}

void checkSame(const char *file, int line, const char *actual, const char *expected) {
  if (strcmp(actual, expected) == 0)
    return;
  ++failures;
  fprintf(stderr, "%s:%d: expected '%s', but got '%s'\n", file, line, expected, actual);
}

TilusDriver *loadFake(const char *capabilities) {
  void (*reset)(const char *) = (void (*)(const char *))dlsym(fake, "fakeCudaReset");
  reset(capabilities);
  TilusDriver *driver = NULL;
  OK(tilusDriverLoad(TILUS_FAKE_CUDA, &driver));
  return driver;
}

TilusDevice *openDevice(const TilusDriver *driver, unsigned ordinal) {
  TilusDevice *device = NULL;
  OK(tilusDeviceOpen(driver, ordinal, &device));
  return device;
}

const TilusTarget *lookUp(const char *chip) {
  const TilusTarget *target = NULL;
  OK(tilusTargetLookup(chip, NULL, &target));
  return target;
}

int countCalls(const char *text) {
  const char *(*getLog)(void) = (const char *(*)(void))dlsym(fake, "fakeCudaLog");
  int count = 0;
  for (const char *at = strstr(getLog(), text); at; at = strstr(at + 1, text))
    ++count;
  return count;
}

int countObjects(void) {
  int (*getLive)(void) = (int (*)(void))dlsym(fake, "fakeCudaLive");
  return getLive();
}

void recordCalls(bool isOn) {
  void (*record)(bool) = (void (*)(bool))dlsym(fake, "fakeCudaRecord");
  record(isOn);
}

static TilusError *compile(void *userData, const TilusCompileRequest *request, TilusCompileResult *result) {
  (void)userData;
  atomic_fetch_add(&compiles, 1);
  CHECK(request->size == sizeof(TilusCompileRequest) && request->argumentCount == 4);
  if (tilusValueGetBits(request->arguments[0]) == 13)
    return tilusErrorCreate("expected luck, but got 13");
  char entry[64];
  snprintf(entry, sizeof(entry), "scale_%s", tilusTargetGetChip(request->target));
  TilusArtifactFile *file = NULL;
  TilusError *error = tilusArtifactFileRead(TILUS_FAKE_ARTIFACT, &file);
  TilusArtifact *artifact = NULL;
  if (!error)
    error = tilusArtifactFileFind(file, entry, request->target, &artifact);
  /* Through the bytes of a file of one artifact. */
  TilusBlob *blob = NULL;
  const TilusArtifact *list[] = {artifact};
  if (!error)
    error = tilusArtifactsSerialize(list, 1, &blob);
  TilusBytes bytes = tilusBlobGetBytes(blob);
  if (!error)
    error = tilusCompileResultAddFile(result, entry, bytes.data, bytes.size);
  tilusBlobDestroy(blob);
  tilusArtifactDestroy(artifact);
  tilusArtifactFileDestroy(file);
  return error;
}

int getCompiles(void) { return atomic_load(&compiles); }

TilusDispatcher *makeDispatcher(void) {
  const TilusCallParam params[] = {{"c", TilusParamKindConstant, 0},
                                   {"n", TilusParamKindInteger, 0},
                                   {"s", TilusParamKindFloat, 0},
                                   {"x", TilusParamKindPointer, 0}};
  TilusDispatcherOptions options = {.size = sizeof(options), .compile = compile};
  TilusDispatcher *dispatcher = NULL;
  atomic_store(&compiles, 0);
  OK(tilusDispatcherCreate("scale", params, 4, &options, &dispatcher));
  return dispatcher;
}

void makeArguments(TilusValue values[4], int64_t constant, int64_t n) {
  values[0] = tilusValueInt(constant);
  values[1] = tilusValueInt(n);
  values[2] = tilusValueFloat(1.5);
  values[3] = tilusValuePointer(0x1000, 0, TILUS_DEVICE_UNKNOWN);
}

int runTests(const struct Test *tests, size_t count) {
  fake = dlopen(TILUS_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  if (!fake) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  for (size_t index = 0; index < count; ++index) {
    int before = failures;
    tests[index].run();
    printf("%s: %s\n", tests[index].name, failures == before ? "passed" : "FAILED");
  }
  return failures ? 1 : 0;
}
