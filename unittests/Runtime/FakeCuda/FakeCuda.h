// The controls of the fake CUDA driver, which a test finds by dlsym beside the driver's own functions.
//
// The fake keeps device memory in host memory, checks handles and contexts as the driver does, records every
// call that changes something, and fails on demand. Work is done when it is launched, but the time that it
// took, a fault of it and its hanging show only where the driver would show them: at events and at waits.
// A module image is the text `fake <entry> <registers> <local bytes> <static shared bytes> <parameter
// bytes>... [chip=sm_90a] [<effect>...]`, which loads only where a binary of the chip would; PTX text is
// taken as a module with any entry and no parameters, and so is a cubin, which loads only where its chip's
// do. Effects are for programs whose process a test cannot reach: `add=<k>` adds k to each 32-bit integer at
// parameter 0, as many as the 64-bit parameter 1 says; `ms=<t>` takes that device time; `fault=<code>`
// faults; `hang=1` never ends; `exit=<status>` ends the process, and `kill=<n>` sends it a signal. A program
// other than a test configures it by the environment: FAKE_CUDA_DEVICES is the list of capabilities (default
// "90"), FAKE_CUDA_LOG a file to append the calls to. After a fork of a process that has called cuInit, the
// child gets CUDA_ERROR_NOT_INITIALIZED from all calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

extern "C" {

/// A launch, as a fake kernel sees it.
struct FakeLaunch {
  const char *entry;
  /// The text of the module's image.
  const char *image;
  int device;
  /// The driver's handle, null for the default stream.
  const void *stream;
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  /// The address of each parameter's value, as many as the image has parameters.
  void *const *params;
  int paramCount;

  /// What the kernel sets: the device time that it takes, the code of a fault (which the next wait returns,
  /// and all calls of the context from then on), and whether it never ends.
  double milliseconds;
  int fault;
  bool hangs;
};

/// What the fake writes to the first bytes of a tensor's descriptor.
struct FakeTensorMap {
  unsigned long long address, shape[5], strides[5];
  unsigned short box[5];
  unsigned char elementStrides[5];
  unsigned char rank, element, interleave, swizzle, promotion, fill;
};

/// The code of a kernel. It runs on the launching thread, outside the fake's lock.
using FakeKernel = void (*)(void *context, FakeLaunch *launch);

/// Forgets all state; `devices` lists the compute capabilities, as in "90,80". Nothing may be in a call.
void fakeCudaReset(const char *devices);
/// Makes the `nth` call (from 1) of `symbol` from now on fail with `code`.
void fakeCudaFail(const char *symbol, int nth, int code);
/// Makes each call of `symbol` take that long, without holding up other threads.
void fakeCudaDelay(const char *symbol, int microseconds);
/// Gives the kernels of that entry a code.
void fakeCudaKernel(const char *entry, FakeKernel kernel, void *context);
/// Ends all kernels that hang.
void fakeCudaRelease();

/// Switches the recording of calls; it is on after a reset. A launch that is not recorded, has no code, no
/// delay and no failure ordered, and no capture beside it, costs a few nanoseconds and takes no lock.
void fakeCudaRecord(bool isOn);
/// The recorded calls, one a line. Valid until the next call of the fake.
const char *fakeCudaLog();
/// What the calls did that the driver need not notice, one a line: a module unloaded while a launch of it was
/// under way, while a launch of it was in a capture, or beside a capture by a thread that had not said that
/// it does not interfere. Valid until the next call of the fake.
const char *fakeCudaViolations();
/// The number of objects alive: contexts, modules, buffers of both memories, streams, events and graphs
/// together.
int fakeCudaLive();
/// The bytes of device memory that are allocated on all devices.
unsigned long long fakeCudaBytes();
/// The bytes that were copied from devices since the reset, to page-locked memory or to other memory.
unsigned long long fakeCudaBytesToHost(bool isPageLocked);
}
