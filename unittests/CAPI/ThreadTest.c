/* Threads of C that share a dispatcher, each with scopes of its own; hooks.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { threadCount = 4, callCount = 2000 };

/* What the hooks saw. */
struct Seen {
  atomic_int before, after, lines, wrong;
};

static void noteLaunch(const TilusLaunchInfo *info, struct Seen *seen) {
  char entry[64];
  snprintf(entry, sizeof(entry), "scale_%s", tilusTargetGetChip(info->target));
  if (info->size != sizeof(*info) || strcmp(info->name, "scale") != 0 || strcmp(info->entry, entry) != 0)
    atomic_fetch_add(&seen->wrong, 1);
}

static void before(void *userData, const TilusLaunchInfo *info) {
  struct Seen *seen = userData;
  atomic_fetch_add(&seen->before, 1);
  noteLaunch(info, seen);
  /* A change of the target in a hook is no matter of the launch under way. */
  if (tilusTargetScopePush(lookUp("sm_120")) != NULL)
    atomic_fetch_add(&seen->wrong, 1);
}

static void after(void *userData, const TilusLaunchInfo *info) {
  struct Seen *seen = userData;
  atomic_fetch_add(&seen->after, 1);
  noteLaunch(info, seen);
  if (tilusTargetScopePop() != NULL)
    atomic_fetch_add(&seen->wrong, 1);
}

static void takeLine(void *userData, const char *line) {
  struct Seen *seen = userData;
  atomic_fetch_add(&seen->lines, line[0] != '\0');
}

static TilusError *compile(void *userData, const TilusCompileRequest *request, TilusCompileResult *result) {
  (void)userData;
  TilusArtifactFile *file = NULL;
  TilusArtifact *artifact = NULL;
  char entry[64];
  snprintf(entry, sizeof(entry), "scale_%s", tilusTargetGetChip(request->target));
  TilusError *error = tilusArtifactFileRead(TILUS_FAKE_ARTIFACT, &file);
  if (!error)
    error = tilusArtifactFileFind(file, entry, request->target, &artifact);
  if (!error)
    error = tilusCompileResultAdd(result, artifact);
  tilusArtifactDestroy(artifact);
  tilusArtifactFileDestroy(file);
  return error;
}

struct Worker {
  TilusDispatcher *dispatcher;
  const TilusDevice *device;
  int errors;
};

static void *work(void *data) {
  static const char *const chips[] = {"sm_90a", "sm_90"};
  struct Worker *worker = data;
  TilusCallSite site = {.size = sizeof(site), .device = worker->device};
  for (int call = 0; call < callCount; ++call) {
    TilusValue values[4];
    makeArguments(values, 1, 1024 * (1 + call / 7 % 3));
    TilusError *errors[3] = {tilusTargetScopePush(lookUp(chips[call / 2 % 2])),
                             tilusDispatcherCall(worker->dispatcher, values, 4, &site),
                             tilusTargetScopePop()};
    for (int index = 0; index < 3; ++index) {
      worker->errors += errors[index] != NULL;
      tilusErrorDestroy(errors[index]);
    }
  }
  return NULL;
}

static void runWorkers(TilusDispatcher *dispatcher, const TilusDevice *device) {
  pthread_t threads[threadCount];
  struct Worker workers[threadCount];
  for (int index = 0; index < threadCount; ++index) {
    workers[index].dispatcher = dispatcher;
    workers[index].device = device;
    workers[index].errors = 0;
    CHECK(pthread_create(&threads[index], NULL, work, &workers[index]) == 0);
  }
  for (int index = 0; index < threadCount; ++index) {
    CHECK(pthread_join(threads[index], NULL) == 0);
    CHECK(workers[index].errors == 0);
  }
}

static uint64_t countPaths(const TilusDispatcher *dispatcher) {
  static const char *const chips[] = {"sm_90a", "sm_90"};
  uint64_t sum = 0;
  for (int index = 0; index < 2; ++index) {
    TilusTargetStats stats = {.size = sizeof(stats)};
    OK(tilusDispatcherGetStats(dispatcher, lookUp(chips[index]), &stats));
    CHECK(stats.instances == 1);
    sum += stats.shortcutHits + stats.tableHits + stats.slowCalls;
  }
  return sum;
}

static void testHooks(const TilusDevice *device) {
  const TilusCallParam params[] = {{"c", TilusParamKindConstant, 0},
                                   {"n", TilusParamKindInteger, 0},
                                   {"s", TilusParamKindFloat, 0},
                                   {"x", TilusParamKindPointer, 0}};
  struct Seen seen = {0};
  TilusDispatcherOptions options = {.size = sizeof(options),
                                    .compile = compile,
                                    .beforeLaunch = before,
                                    .afterLaunch = after,
                                    .log = takeLine,
                                    .userData = &seen,
                                    .moduleLimit = 2};
  TilusDispatcher *dispatcher = NULL;
  OK(tilusDispatcherCreate("scale", params, 4, &options, &dispatcher));
  runWorkers(dispatcher, device);
  CHECK(atomic_load(&seen.before) == threadCount * callCount);
  CHECK(atomic_load(&seen.after) == threadCount * callCount);
  CHECK(atomic_load(&seen.lines) == threadCount * callCount);
  CHECK(atomic_load(&seen.wrong) == 0);
  CHECK(countPaths(dispatcher) == threadCount * callCount);
  tilusDispatcherDestroy(dispatcher);
}

void testThreads(void) {
  TilusDriver *driver = loadFake("90");
  TilusDevice *device = openDevice(driver, 0);
  TilusDispatcher *dispatcher = makeDispatcher();
  runWorkers(dispatcher, device);
  CHECK(getCompiles() == 2);
  CHECK(countPaths(dispatcher) == threadCount * callCount);
  CHECK(countCalls("cuLaunchKernelEx scale_") == threadCount * callCount);
  tilusDispatcherDestroy(dispatcher);
  recordCalls(false);
  testHooks(device);
  recordCalls(true);
  tilusDeviceDestroy(device);
  tilusDriverDestroy(driver);
  CHECK(countObjects() == 0);
}
