// The passes that compile kernels: their constructors, options and registration.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilus {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Tilus/Compiler/Passes.h.inc"

} // namespace tilus
