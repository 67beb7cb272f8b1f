/* Launches the kernel `increment` of a file of compiled kernels on the first device: x[i] += 1 for i < n.

     increment <file.tilus>
   The file holds the kernel for one or many chips; the one for the device is chosen.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <Tilus-c/Runtime.h>

#include <stdio.h>
#include <stdlib.h>

enum { count = 1000 };

/* The simplest way to treat errors: the program ends with the first one. */
static void check(TilusError *error) {
  if (!error)
    return;
  fprintf(stderr, "increment: %s\n", tilusErrorGetMessage(error));
  tilusErrorDestroy(error);
  exit(1);
}

/* A call that names the target, the device and the kernel's parameters. */
static void launch(const TilusDevice *device, const TilusArtifact *artifact, const TilusBuffer *x) {
  TilusKernel *kernel;
  TilusArguments *arguments;
  check(tilusKernelLoad(device, artifact, &kernel));
  check(tilusArgumentsCreate(kernel, &arguments));
  check(tilusArgumentsSetPointer(arguments, 0, tilusBufferGetAddress(x)));
  check(tilusArgumentsSetInteger(arguments, 1, count));
  check(tilusKernelLaunch(kernel, arguments, NULL));
  check(tilusDeviceSynchronize(device));
  tilusArgumentsDestroy(arguments);
  tilusKernelDestroy(kernel);
}

/* The number of elements that are not what they should be. */
static int run(const TilusDevice *device, const TilusArtifact *artifact) {
  int32_t values[count];
  for (int index = 0; index < count; ++index)
    values[index] = index * index;
  TilusBuffer *x;
  check(tilusBufferAllocate(device, sizeof(values), &x));
  check(tilusBufferCopyFrom(x, values, sizeof(values)));
  launch(device, artifact, x);
  check(tilusBufferCopyTo(x, values, sizeof(values)));
  tilusBufferDestroy(x);
  int wrong = 0;
  for (int index = 0; index < count; ++index)
    wrong += values[index] != index * index + 1;
  return wrong;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: increment <file.tilus>\n");
    return 2;
  }
  if (tilusRuntimeGetVersion() < TILUS_RUNTIME_C_API_VERSION) {
    fprintf(stderr, "increment: the library is older than the headers\n");
    return 1;
  }
  TilusDriver *driver;
  TilusDevice *device;
  TilusArtifactFile *file;
  TilusArtifact *artifact;
  check(tilusDriverLoad(NULL, &driver));
  check(tilusDeviceOpen(driver, 0, &device));
  check(tilusArtifactFileRead(argv[1], &file));
  check(tilusArtifactFileChoose(file, "increment", device, &artifact));
  TilusArtifactInfo info = {.size = sizeof(info)};
  check(tilusArtifactGetInfo(artifact, &info));

  int wrong = run(device, artifact);
  printf("increment for %s on '%s': %d of %d wrong\n", info.chip, tilusDeviceGetName(device), wrong, count);

  tilusArtifactDestroy(artifact);
  tilusArtifactFileDestroy(file);
  tilusDeviceDestroy(device);
  tilusDriverDestroy(driver);
  return wrong != 0;
}
