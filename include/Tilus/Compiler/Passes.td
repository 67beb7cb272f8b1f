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

def LowerGPUModulesPass : Pass<"tilus-lower-gpu-modules", "::mlir::ModuleOp"> {
  let summary = "lowers kernels within a gpu.module to functions of it";
  let description = [{
    A `gpu.module` may hold kernels of Tilus, in a `builtin.module` within it, beside declarations of them that
    `gpu.launch_func` refers to: `llvm.func @scale(i32, !llvm.ptr) attributes {gpu.kernel}`. The kernels are
    lowered to the LLVM and NVVM dialects and take the place of the declarations, so that `gpu-module-to-binary`
    compiles them. Of several `#nvvm.target`s, they are lowered for the one whose code all others take.
    Launches that state no dynamic shared memory get the kernel's size.
  }];
  let options = [
    Option<"target", "target", "std::string", "", "the chip; one of the gpu.module's own if not given">,
    Option<"fastMath", "fast-math", "bool", "false", "approximate division, square root and functions">,
    Option<"lineInfo", "line-info", "bool", "false", "keep what line tables are made of">
  ];
}

def EmitBinaryPass : Pass<"tilus-emit-binary", "::mlir::ModuleOp"> {
  let summary = "compiles each kernel and puts a gpu.binary in its place";
  let description = [{
    A `tilus.kernel` becomes a `gpu.binary` of its name, and a `gpu.module` with kernels one of the module's
    name, with one object a target, in the order of the targets; without targets, with those of the gpu.module,
    or the one for the module's own. With the handler `dispatch`, the binary's handler is `#tilus.dispatch` and
    its objects are artifacts: code and all that a launch has to know of each kernel. Without, objects are the
    code alone, of one kernel.
  }];
  let options = [
    Option<"handler", "handler", "std::string", "", "who launches: dispatch; MLIR's own if not given">,
    ListOption<"targets", "targets", "std::string", "the chips, for example sm_80,sm_90a">,
    Option<"emitCubin", "cubin", "bool", "true", "objects are cubins; else PTX">,
    Option<"assembler", "assembler", "std::string", "\"auto\"", "who assembles: auto, nvjitlink or ptxas">,
    Option<"optLevel", "opt-level", "int", "3", "optimization level of LLVM and the assembler, 0 to 3">,
    Option<"fastMath", "fast-math", "bool", "false", "approximate division, square root and functions">,
    Option<"lineInfo", "line-info", "bool", "false", "emit line tables">
  ];
}

#endif // TILUS_COMPILER_PASSES_TD
