// The C API of the runtime: targets, compiled kernels, devices, launches, dispatchers, and what is kept of
// scripts on disk.
//
// The library libTilusRuntime-C.so has it and needs neither LLVM nor MLIR; libTilus-C.so has it beside the
// compiler. A process that has both keeps them apart: objects and targets of one are unknown to the other,
// and what crosses are texts and bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_RUNTIME_H
#define TILUS_C_RUNTIME_H

#include "Tilus-c/Artifact.h"
#include "Tilus-c/Device.h"
#include "Tilus-c/Dispatcher.h"
#include "Tilus-c/Host.h"
#include "Tilus-c/ScriptStore.h"
#include "Tilus-c/Support.h"
#include "Tilus-c/Target.h"
#include "Tilus-c/Tuner.h"

#endif // TILUS_C_RUNTIME_H
