// Umbrella of the dialect's definitions: what tools that read the whole dialect include.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "Tilus/IR/Ops/ControlOps.td"
include "Tilus/IR/Ops/TensorOps.td"
include "Tilus/IR/Ops/MemoryOps.td"
include "Tilus/IR/Ops/MmaOps.td"
include "Tilus/IR/Ops/AsyncOps.td"
include "Tilus/IR/Ops/SyncOps.td"
include "Tilus/IR/Ops/AtomicOps.td"
include "Tilus/IR/Ops/DebugOps.td"
