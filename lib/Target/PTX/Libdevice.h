//===- Libdevice.h - linking of CUDA's mathematical functions ----------------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the linking of libdevice. Private to the PTX translation.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tilus {

struct PTXOptions;

/// Links what the module calls of libdevice, if it calls any of it. Reports errors on `op`.
mlir::LogicalResult linkLibdevice(llvm::Module &module, const PTXOptions &options, mlir::Operation *op);

} // namespace tilus
