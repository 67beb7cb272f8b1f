// Conversion passes of the project.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_CONVERSION_PASSES_TD
#define TILUS_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTilusToNVVMPass : Pass<"convert-tilus-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "lower tile kernels to what each thread executes";
  let description = [{
    Each `tilus.kernel` becomes a `gpu.module` with one kernel function. A tile becomes the registers
    that a thread holds of it, packed to 32 bits; scalars, arith on scalars and scf stay as they are for
    the standard conversions behind this pass. Expects the phase `memory`: layouts, atoms, places in
    shared memory and barriers are settled.
  }];
  let options = [
    Option<"fastMath", "fast-math", "bool", "false", "approximate division, square root and exponentials">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def LowerThreadsPass : Pass<"tilus-lower-threads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lower what each thread executes to the LLVM and NVVM dialects";
  let description = [{
    Structured control flow becomes branches; arith, math and what else there is on scalars become ops of LLVM
    and NVVM, and functions of libdevice where LLVM has none. The time that it takes grows with the code as the
    code does. It leaves casts for `reconcile-unrealized-casts`.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // TILUS_CONVERSION_PASSES_TD
