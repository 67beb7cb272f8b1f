/* Calls the function of host.mlir on all devices, and checks which code ran on each.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "run.h"

#include <Tilus-c/Runtime.h>

#include <stdio.h>
#include <stdlib.h>

enum { count = 1000 };

/* What the last launch that failed said. */
static char failure[1024];

static void noteFailure(void *userData, const char *binary, const char *message) {
  (void)userData;
  snprintf(failure, sizeof(failure), "%s: %s", binary, message);
}

static void check(TilusError *error) {
  if (!error)
    return;
  fprintf(stderr, "host: %s\n", tilusErrorGetMessage(error));
  tilusErrorDestroy(error);
  exit(1);
}

/* The marker of the code that runs on the device, of those for sm_80, sm_90a and sm_103a; 0 if none does. */
static int getMarker(const TilusDevice *device) {
  int major, minor;
  tilusDeviceGetCapability(device, &major, &minor);
  if (major == 8)
    return 800;
  return major == 9 && minor == 0 ? 901 : major == 10 && minor == 3 ? 1031 : 0;
}

/* The number of elements that are not what they should be. */
static int countWrong(const TilusDevice *device, RunFunction run, float expected) {
  float values[count];
  TilusBuffer *x;
  TilusStream *stream;
  for (int index = 0; index < count; ++index)
    values[index] = (float)index;
  check(tilusBufferAllocate(device, sizeof(values), &x));
  check(tilusStreamCreate(device, &stream));
  check(tilusBufferCopyFrom(x, values, sizeof(values)));
  run(tilusStreamGetHandle(stream), count, 0.5f, tilusBufferGetAddress(x));
  check(tilusStreamSynchronize(stream));
  check(tilusBufferCopyTo(x, values, sizeof(values)));
  tilusStreamDestroy(stream);
  tilusBufferDestroy(x);
  int wrong = 0;
  for (int index = 0; index < count; ++index)
    wrong += values[index] != (float)index + 0.5f * expected;
  return wrong;
}

static int runOn(const TilusDevice *device, RunFunction run, int values) {
  int marker = getMarker(device);
  failure[0] = 0;
  int wrong = countWrong(device, run, (float)marker);
  printf("device %u, %s: ", tilusDeviceGetOrdinal(device), tilusDeviceGetName(device));
  if (failure[0] || marker == 0) {
    printf("refused: %s\n", failure);
    return marker != 0 || !failure[0];
  }
  if (!values) {
    printf("launched\n");
    return 0;
  }
  if (wrong)
    printf("%d of %d elements are wrong; expected the code %d\n", wrong, count, marker);
  else
    printf("right, by the code %d\n", marker);
  return wrong != 0;
}

int runOnAllDevices(RunFunction run, int values) {
  TilusDriver *driver;
  unsigned devices;
  int bad = 0;
  tilusHostSetErrorHandler(noteFailure, NULL);
  check(tilusDriverLoad(NULL, &driver));
  check(tilusDriverGetDeviceCount(driver, &devices));
  for (unsigned ordinal = 0; ordinal < devices; ++ordinal) {
    TilusDevice *device;
    check(tilusDeviceOpen(driver, ordinal, &device));
    bad |= runOn(device, run, values);
    tilusDeviceDestroy(device);
  }
  tilusDriverDestroy(driver);
  return bad;
}
