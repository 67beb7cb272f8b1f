// The passes on the dialect: their constructors, options and registration (registerTilusTransformsPasses).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace tilus {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Tilus/Transforms/Passes.h.inc"

} // namespace tilus
