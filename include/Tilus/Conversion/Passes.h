// Conversion passes of the project.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
namespace arith {
class ArithDialect;
} // namespace arith
namespace cf {
class ControlFlowDialect;
} // namespace cf
namespace gpu {
class GPUDialect;
class GPUModuleOp;
} // namespace gpu
namespace LLVM {
class LLVMDialect;
} // namespace LLVM
namespace math {
class MathDialect;
} // namespace math
namespace NVVM {
class NVVMDialect;
} // namespace NVVM
namespace scf {
class SCFDialect;
} // namespace scf
} // namespace mlir

namespace tilus {

#define GEN_PASS_DECL
#include "Tilus/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tilus/Conversion/Passes.h.inc"

} // namespace tilus
