// Kernels, their grid, thread groups and what a block knows of its place and its target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_OPS_CONTROLOPS_TD
#define TILUS_IR_OPS_CONTROLOPS_TD

include "Tilus/IR/TilusAttrs.td"
include "Tilus/IR/TilusTypes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"

class Tilus_ControlOp<string mnemonic, list<Trait> traits = []>
    : Tilus_Op<mnemonic, traits # [Tilus_LayoutFree, Tilus_TargetRequirementAny]>;

def Tilus_KernelOp : Tilus_ControlOp<"kernel", [Symbol, IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "kernel of a thread block";
  let description = [{
    A kernel has parameters (scalars and pointers), a number of warps, optionally a cluster shape, a
    `grid` region that computes the numbers of blocks from the parameters on the host, and a body that
    every block executes. The names of the parameters are kept in `param_names`. A parameter may state
    `tilus.divisibility`: that the integer, or the address in bytes, is a multiple of it.

    ```mlir
    tilus.kernel @scale(%n: i32, %s: f32, %x: !tilus.ptr<f32>) warps(4) grid {
      %c1024 = arith.constant 1024 : i32
      %b = arith.ceildivsi %n, %c1024 : i32
      tilus.grid [%b]
    } {
      %c1024 = arith.constant 1024 : i32
      %i = tilus.block_id x
      %o = arith.muli %i, %c1024 : i32
      %g = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
      %t = tilus.load_global %g[%o] : !tilus.global<?xf32> -> tensor<1024xf32>
      %f = tilus.broadcast %s : f32 -> tensor<1024xf32>
      %r = arith.mulf %t, %f : tensor<1024xf32>
      tilus.store_global %r, %g[%o] : tensor<1024xf32>, !tilus.global<?xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    I32Attr:$warps, OptionalAttr<DenseI32ArrayAttr>:$cluster, OptionalAttr<StrArrayAttr>:$param_names,
    OptionalAttr<DictArrayAttr>:$arg_attrs);
  let regions = (region SizedRegion<1>:$grid, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Threads of a block.
    int64_t getNumThreads() { return int64_t(getWarps()) * 32; }
    /// The name of parameter `index` for messages; its number if it has none.
    std::string getParamName(unsigned index);
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    /// An attribute of a parameter, such as `tilus.divisibility`; null if it has none of this name.
    ::mlir::Attribute getParamAttr(unsigned index, ::llvm::StringRef name);
    void setParamAttr(unsigned index, ::llvm::StringRef name, ::mlir::Attribute value);
    /// The alignment in bytes of a pointer, or the divisor of an integer, that the kernel may rely on.
    int64_t getParamDivisibility(unsigned index);

    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName);
  }];
}

def Tilus_GridOp : Tilus_ControlOp<"grid", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "number of blocks along x, y and z";
  let description = [{
    Ends the `grid` region of a kernel. One to three block counts; missing ones are 1. If one is zero or
    negative, nothing is launched.

    ```mlir
    tilus.kernel @k(%m: i32, %n: i32) warps(1) grid {
      tilus.grid [%m, %n]
    } {
    }
    ```
  }];
  let arguments = (ins Variadic<Tilus_IntScalar>:$blocks);
  let assemblyFormat = "custom<Indices>($blocks, type($blocks)) attr-dict";
  let hasVerifier = 1;
}

def Tilus_ReturnOp : Tilus_ControlOp<"return", [Pure, Terminator, ParentOneOf<["KernelOp", "ThreadGroupOp"]>]> {
  let summary = "end of a kernel's body or of a thread group";
  let description = [{
    Implied at the end of the region and not printed.

    ```mlir
    tilus.kernel @k() warps(1) grid {
      %c1 = arith.constant 1 : i32
      tilus.grid [%c1]
    } {
      tilus.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tilus_ExitOp : Tilus_ControlOp<"exit", [MemoryEffects<[MemWrite<Tilus_BarrierState>]>]> {
  let summary = "ends the block, or the thread group that executes it";
  let description = [{
    The threads of the current group stop here; asynchronous copies that they have not waited for are
    dropped. A later thread group of such threads alone executes nothing, and a group of which some threads have
    stopped must not access memory, print or check: which elements the others hold is for layouts to choose.
    Groups that later synchronise with these threads are refused by the hazard checks.

    ```mlir
    tilus.kernel @k(%stop: i1) warps(1) grid {
      %c1 = arith.constant 1 : i32
      tilus.grid [%c1]
    } {
      scf.if %stop {
        tilus.exit
      }
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class Tilus_BlockQueryOp<string mnemonic, string what, string example> : Tilus_ControlOp<mnemonic,
    [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = what;
  let description = "The " # what # [{ along one axis: }] # "`0 <= block_id < grid_dim`.\n\n"
    # "```mlir\ntilus.kernel @k() warps(1) grid {\n  %c1 = arith.constant 1 : i32\n"
    # "  tilus.grid [%c1]\n} {\n  " # example # "\n}\n```\n";
  let arguments = (ins Tilus_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}
def Tilus_BlockIdOp : Tilus_BlockQueryOp<"block_id", "index of the block in the grid", "%i = tilus.block_id x">;
def Tilus_GridDimOp : Tilus_BlockQueryOp<"grid_dim", "number of blocks of the grid", "%n = tilus.grid_dim y">;

def Tilus_ThreadGroupOp : Tilus_ControlOp<"thread_group",
    [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">, NoRegionArguments]> {
  let summary = "part of the block's threads executes a region";
  let description = [{
    Threads `[begin, begin + threads)` of the enclosing group execute the region; the others go on behind
    it. Without `begin` any one part of that size does (one elected thread for `threads(1)`). Tiles of the
    enclosing group are not visible inside, except those that follow from scalars by pure ops, such as
    constants, which the group computes for itself; scalars, views and shared tiles are.

    ```mlir
    tilus.kernel @k(%x: !tilus.ptr<f32>) warps(4) grid {
      %c1 = arith.constant 1 : i32
      tilus.grid [%c1]
    } {
      %c0 = arith.constant 0 : i32
      %g = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<64xf32>
      tilus.thread_group begin(64) threads(64) {
        %t = tilus.load_global %g[%c0] : !tilus.global<64xf32> -> tensor<64xf32>
        tilus.store_global %t, %g[%c0] : tensor<64xf32>, !tilus.global<64xf32>
      }
    }
    ```
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$begin, I32Attr:$threads);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`begin` `(` $begin^ `)`)? `threads` `(` $threads `)` $body attr-dict";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tilus_AssumeOp : Tilus_ControlOp<"assume", [MemoryEffects<[MemWrite<Tilus_HostOutput>]>]> {
  let summary = "states a fact that the compiler may rely on";
  let description = [{
    The condition holds whenever the op is reached. Conjunctions of `x % c == 0` and of comparisons with
    constants sharpen the integer analysis; a parameter that is assumed so at the top of the kernel is so
    everywhere in it. The reference executor reports an assumption that does not hold.

    ```mlir
    tilus.kernel @k(%n: i32) warps(1) grid {
      tilus.grid [%n]
    } {
      %c0 = arith.constant 0 : i32
      %c8 = arith.constant 8 : i32
      %r = arith.remsi %n, %c8 : i32
      %ok = arith.cmpi eq, %r, %c0 : i32
      tilus.assume %ok
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

class Tilus_TargetQueryOp<string mnemonic> : Tilus_ControlOp<mnemonic, [Pure]> {
  let arguments = (ins StrAttr:$name);
  let results = (outs I1:$result);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The answer in code for the target; null is no target.
    bool isTrueFor(const TargetInfo *target);
  }];
}

def Tilus_TargetIsOp : Tilus_TargetQueryOp<"target_is"> {
  let summary = "whether the code is compiled for a chip";
  let description = [{
    True for exactly this chip: `sm_90` is not `sm_90a`. A constant of the compilation, which
    `tilus-fold-target` puts in the op's place; of an `scf.if` on it only the branch that is taken is left,
    and only that one is held against what the target has. Sizes of the grid may depend on it. The reference
    executor answers for the target of the module; without one it is no chip.

    ```mlir
    tilus.kernel @k(%x: !tilus.ptr<i32>) warps(1) grid {
      %c1 = arith.constant 1 : i32
      tilus.grid [%c1]
    } {
      %c0 = arith.constant 0 : i32
      %hopper = tilus.target_is "sm_90a"
      %flag = arith.extui %hopper : i1 to i32
      %view = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<1xi32>
      %tile = tilus.broadcast %flag : i32 -> tensor<1xi32>
      tilus.store_global %tile, %view[%c0] : tensor<1xi32>, !tilus.global<1xi32>
    }
    ```
  }];
}

def Tilus_TargetSupportsOp : Tilus_TargetQueryOp<"target_supports"> {
  let summary = "whether the target of the compilation runs code for a chip, or has a feature";
  let description = [{
    The name is a chip's (a minimum, a family or an exact chip, as its suffix says: `sm_90`, `sm_100f`,
    `sm_90a`) or a feature's, such as `cp_async` or `tma`. A constant of the compilation, as
    `tilus.target_is` is.

    ```mlir
    tilus.kernel @k(%x: !tilus.ptr<f32>) warps(4) grid {
      %c1 = arith.constant 1 : i32
      tilus.grid [%c1]
    } {
      %c0 = arith.constant 0 : i32
      %view = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<512xf32>
      %shared = tilus.alloc_shared : !tilus.shared<512xf32>
      %can_copy = tilus.target_supports "cp_async"
      scf.if %can_copy {
        tilus.copy_async %view[%c0], %shared : !tilus.global<512xf32>, !tilus.shared<512xf32>
        tilus.copy_async.wait_all
      } else {
        %tile = tilus.load_global %view[%c0] : !tilus.global<512xf32> -> tensor<512xf32>
        tilus.store_shared %tile, %shared : tensor<512xf32>, !tilus.shared<512xf32>
      }
    }
    ```
  }];
}

#endif // TILUS_IR_OPS_CONTROLOPS_TD
