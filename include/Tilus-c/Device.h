// The CUDA driver, devices, their memory and streams, and the launching of one kernel.
// The rules on ownership, errors and threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_DEVICE_H
#define TILUS_C_DEVICE_H

#include "Tilus-c/Artifact.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A loaded and initialised driver. The library stays loaded for the rest of the process.
typedef struct TilusDriver TilusDriver;
/// An opened device, with its primary context.
typedef struct TilusDevice TilusDevice;
/// A range of device memory.
typedef struct TilusBuffer TilusBuffer;
/// A stream of one's own.
typedef struct TilusStream TilusStream;
/// A measurement of the time between two points of a stream.
typedef struct TilusTimer TilusTimer;
/// A kernel whose binary is loaded on a device.
typedef struct TilusKernel TilusKernel;
/// The arguments of a loaded kernel, set one by one and used for any number of launches.
typedef struct TilusArguments TilusArguments;

/// Loads the library at `path`. Null: the one that the environment variable TILUS_CUDA_DRIVER names, else
/// libcuda.so.1.
TILUS_C_FALLIBLE TilusError *tilusDriverLoad(const char *path, TilusDriver **result);
TILUS_C_EXPORT const char *tilusDriverGetPath(const TilusDriver *driver);
/// The CUDA version that the driver supports, as 13000 for 13.0.
TILUS_C_EXPORT int tilusDriverGetVersion(const TilusDriver *driver);
TILUS_C_FALLIBLE TilusError *tilusDriverGetDeviceCount(const TilusDriver *driver, unsigned *count);
TILUS_C_EXPORT void tilusDriverDestroy(TilusDriver *driver);

/// Opens a device. Handles of one device that are open at once stand for the same, whatever is kept of it.
TILUS_C_FALLIBLE TilusError *tilusDeviceOpen(const TilusDriver *driver, unsigned ordinal,
                                             TilusDevice **result);
TILUS_C_EXPORT const char *tilusDeviceGetName(const TilusDevice *device);
TILUS_C_EXPORT unsigned tilusDeviceGetOrdinal(const TilusDevice *device);
/// The compute capability. Either result may be null.
TILUS_C_EXPORT void tilusDeviceGetCapability(const TilusDevice *device, int *major, int *minor);
/// The most specific target of the device, which calls have that name none; null if it is not known.
TILUS_C_EXPORT const TilusTarget *tilusDeviceGetDefaultTarget(const TilusDevice *device);
/// An attribute of the device, by its number in the driver's CUdevice_attribute, and its memory in bytes.
TILUS_C_FALLIBLE TilusError *tilusDeviceGetAttribute(const TilusDevice *device, int attribute, int *result);
TILUS_C_FALLIBLE TilusError *tilusDeviceGetTotalMemory(const TilusDevice *device, uint64_t *result);
/// Waits for all work on the device; fails with what failed since the last wait.
TILUS_C_FALLIBLE TilusError *tilusDeviceSynchronize(const TilusDevice *device);
TILUS_C_EXPORT void tilusDeviceDestroy(TilusDevice *device);

/// The most specific of the kernel's artifacts that the device runs. Fails if it runs none, with those there
/// are.
TILUS_C_FALLIBLE TilusError *tilusArtifactFileChoose(const TilusArtifactFile *file, const char *entry,
                                                     const TilusDevice *device, TilusArtifact **result);

/// Memory of `bytes` bytes, whose contents are not known. A buffer of 0 bytes has the address 0.
TILUS_C_FALLIBLE TilusError *tilusBufferAllocate(const TilusDevice *device, uint64_t bytes,
                                                 TilusBuffer **result);
TILUS_C_EXPORT uint64_t tilusBufferGetAddress(const TilusBuffer *buffer);
TILUS_C_EXPORT uint64_t tilusBufferGetBytes(const TilusBuffer *buffer);
/// Copies `size` bytes to or from the start of the buffer and waits until it is done. Fails if it is smaller.
TILUS_C_FALLIBLE TilusError *tilusBufferCopyFrom(TilusBuffer *buffer, const void *source, size_t size);
TILUS_C_FALLIBLE TilusError *tilusBufferCopyTo(const TilusBuffer *buffer, void *target, size_t size);
/// Sets every byte.
TILUS_C_FALLIBLE TilusError *tilusBufferFill(TilusBuffer *buffer, uint8_t value);
TILUS_C_EXPORT void tilusBufferDestroy(TilusBuffer *buffer);

TILUS_C_FALLIBLE TilusError *tilusStreamCreate(const TilusDevice *device, TilusStream **result);
/// The driver's handle, a CUstream: what launches take.
TILUS_C_EXPORT void *tilusStreamGetHandle(const TilusStream *stream);
TILUS_C_FALLIBLE TilusError *tilusStreamSynchronize(const TilusStream *stream);
TILUS_C_EXPORT void tilusStreamDestroy(TilusStream *stream);

TILUS_C_FALLIBLE TilusError *tilusTimerCreate(const TilusDevice *device, TilusTimer **result);
/// Marks the points of a stream, a CUstream or null for the default one.
TILUS_C_FALLIBLE TilusError *tilusTimerStart(TilusTimer *timer, void *stream);
TILUS_C_FALLIBLE TilusError *tilusTimerStop(TilusTimer *timer, void *stream);
/// Waits for the second point; the device's milliseconds between the two.
TILUS_C_FALLIBLE TilusError *tilusTimerGetMilliseconds(const TilusTimer *timer, float *result);
TILUS_C_EXPORT void tilusTimerDestroy(TilusTimer *timer);

/// Loads the artifact's binary on the device. Fails if it cannot run there.
TILUS_C_FALLIBLE TilusError *tilusKernelLoad(const TilusDevice *device, const TilusArtifact *artifact,
                                             TilusKernel **result);
TILUS_C_EXPORT void tilusKernelDestroy(TilusKernel *kernel);

/// Arguments for the kernel, none of which is set.
TILUS_C_FALLIBLE TilusError *tilusArgumentsCreate(const TilusKernel *kernel, TilusArguments **result);
/// Sets parameter number `index`: a pointer; an integer or bool that can hold the value, or a float; a float,
/// to the nearest value; any scalar, by its bits. Fails, naming the parameter, where kind, range or
/// divisibility do not suit.
TILUS_C_FALLIBLE TilusError *tilusArgumentsSetPointer(TilusArguments *arguments, unsigned index,
                                                      uint64_t address);
TILUS_C_FALLIBLE TilusError *tilusArgumentsSetInteger(TilusArguments *arguments, unsigned index,
                                                      int64_t value);
TILUS_C_FALLIBLE TilusError *tilusArgumentsSetFloat(TilusArguments *arguments, unsigned index, double value);
TILUS_C_FALLIBLE TilusError *tilusArgumentsSetCode(TilusArguments *arguments, unsigned index, uint64_t code);
/// The bytes that the kernel needs as workspace number `index`, for the parameters as they are, and whether
/// the workspace has to hold zeros at the first launch. Either result may be null.
TILUS_C_FALLIBLE TilusError *tilusArgumentsGetWorkspace(const TilusArguments *arguments, unsigned index,
                                                        uint64_t *bytes, bool *isClean);
/// Sets the address of a workspace, a multiple of 16.
TILUS_C_FALLIBLE TilusError *tilusArgumentsSetWorkspace(TilusArguments *arguments, unsigned index,
                                                        uint64_t address);
/// The number of blocks in x, y, z for the parameters as they are.
TILUS_C_FALLIBLE TilusError *tilusArgumentsGetGrid(const TilusArguments *arguments, unsigned blocks[3]);
TILUS_C_EXPORT void tilusArgumentsDestroy(TilusArguments *arguments);

/// Launches the kernel on the stream, a CUstream or null for the default one, and returns without waiting.
/// An empty grid launches nothing and succeeds. Fails unless every argument is set, and was made for the
/// kernel.
TILUS_C_FALLIBLE TilusError *tilusKernelLaunch(const TilusKernel *kernel, TilusArguments *arguments,
                                               void *stream);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_DEVICE_H
