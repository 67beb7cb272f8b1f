// The passes that compile, rather than change, kernels; and the one that chooses the target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_COMPILER_PASSES_TD
#define TILUS_COMPILER_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachTargetPass : Pass<"tilus-attach-target", "::mlir::ModuleOp"> {
  let summary = "sets the target of a module";
  let description = [{
    Sets `tilus.target` to the chip's row of the target table, whatever it was before. Without a chip the
    module stays as it is.
  }];
  let options = [Option<"chip", "chip", "std::string", "", "the chip, for example sm_90a">];
}

def EmitBinaryPass : Pass<"tilus-emit-binary", "::mlir::ModuleOp"> {
  let summary = "compiles each kernel and puts a gpu.binary in its place";
  let description = [{
    A `tilus.kernel` becomes a `gpu.binary` of its name with one object a target, in the order of the
    targets; without targets, with one for the module's own.
  }];
  let options = [
    ListOption<"targets", "targets", "std::string", "the chips, for example sm_80,sm_90a">,
    Option<"emitCubin", "cubin", "bool", "true", "objects are cubins; else PTX">,
    Option<"assembler", "assembler", "std::string", "\"auto\"", "who assembles: auto, nvjitlink or ptxas">,
    Option<"optLevel", "opt-level", "int", "3", "optimization level of LLVM and the assembler, 0 to 3">,
    Option<"fastMath", "fast-math", "bool", "false", "approximate division, square root and functions">,
    Option<"lineInfo", "line-info", "bool", "false", "emit line tables">
  ];
}

#endif // TILUS_COMPILER_PASSES_TD
