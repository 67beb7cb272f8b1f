// The controls of the fake CUDA driver, which a test finds by dlsym beside the driver's own functions.
//
// The fake keeps device memory in host memory, checks handles and contexts as the driver does, records every
// call that changes something, and fails on demand. A module image is the text
// `fake <entry> <registers> <local bytes> <static shared bytes> <parameter bytes>...`; PTX text is taken as a
// module with any entry and no parameters. A program other than a test configures it by the environment:
// FAKE_CUDA_DEVICES is the list of capabilities (default "90"), FAKE_CUDA_LOG a file to append the calls to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

extern "C" {
/// Forgets all state; `devices` lists the compute capabilities, as in "90,80".
void fakeCudaReset(const char *devices);
/// Makes the `nth` call (from 1) of `symbol` from now on fail with `code`.
void fakeCudaFail(const char *symbol, int nth, int code);
/// The recorded calls, one a line. Valid until the next call of the fake.
const char *fakeCudaLog();
/// The number of objects alive: contexts, modules, buffers, streams and events together.
int fakeCudaLive();
}
