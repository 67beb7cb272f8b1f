// Attributes of the dialect: layouts, atoms and the target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_TILUSATTRS_TD
#define TILUS_IR_TILUSATTRS_TD

include "Tilus/IR/TilusBase.td"
include "Tilus/IR/TilusEnums.td"
include "mlir/Dialect/GPU/IR/CompilationAttrInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class Tilus_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tilus_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tilus_RegisterLayoutAttr : Tilus_Attr<"RegisterLayout", "reg",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "how a tile is spread over threads and their registers";
  let description = [{
    `modes` refines `shape`; each mode is either spatial (its digit selects the thread) or local (its
    digit selects the register slot). A negative entry -r in `spatial` replicates over r threads. The
    attribute stores the canonical form, so equal layouts are equal attributes.

    `#tilus.reg<shape = [16, 8], modes = [2, 8, 4, 2], spatial = [1, 2], local = [0, 3]>` is the
    accumulator fragment of an m16n8 matrix instruction.
  }];
  let parameters = (ins AttrParameter<"::tilus::RegisterLayout", "the layout", "const ::tilus::RegisterLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def Tilus_SharedLayoutAttr : Tilus_Attr<"SharedLayout", "smem"> {
  let summary = "where the elements of a tile lie in shared memory";
  let description = [{
    `modes` refines `shape` and `strides` gives each mode's stride in elements; `swizzle = [base,
    bits, shift]` then exclusive-ors `bits` bits of the offset at `base + shift` into those at `base`.

    `#tilus.smem<shape = [8, 64], modes = [8, 64], strides = [64, 1], swizzle = [3, 3, 3]>`
  }];
  let parameters = (ins AttrParameter<"::tilus::SharedLayout", "the layout", "const ::tilus::SharedLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def Tilus_MmaAtomAttr : Tilus_Attr<"MmaAtom", "mma_atom"> {
  let summary = "matrix instruction, a row of the atom table";
  let description = [{
    `#tilus.mma_atom<m16n8k16_f16_f16_f32>` names a row of `Atoms/MmaAtoms.def`; `simt` multiplies
    with scalar instructions.
  }];
  let parameters = (ins StringRefParameter<>:$name);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The row that the attribute names; null for 'simt'.
    const ::tilus::MmaAtom *getAtom() const;
  }];
}

def Tilus_TargetAttr : Tilus_Attr<"Target", "target"> {
  let summary = "what a module is compiled for";
  let description = [{
    `#tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">`, with `features = "+ptx88"` to
    override the features of the chip's row. Carried by `builtin.module` or `gpu.module` as `tilus.target`.
  }];
  let parameters = (ins StringRefParameter<"target triple", "\"nvptx64-nvidia-cuda\"">:$triple,
                        StringRefParameter<"row of the target table">:$chip,
                        StringRefParameter<"subtarget features", "\"\"">:$features);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The chip's row of the target table; never null, the verifier sees to it.
    const ::tilus::TargetInfo *getInfo() const;
  }];
}

def Tilus_DispatchAttr : Tilus_Attr<"Dispatch", "dispatch", [OffloadingTranslationAttrTrait]> {
  let summary = "launches from a gpu.binary by the runtime's dispatcher";
  let description = [{
    An offloading handler: `gpu.binary @kernels <#tilus.dispatch> [...]`, whose objects are artifacts of Tilus
    kernels (`tilus-emit-binary{handler=dispatch}` makes them). The translation to LLVM IR embeds all of them,
    and each `gpu.launch_func` becomes a call of `tilusHostLaunch` (`Tilus-c/Host.h`), which launches the
    object for the chip of the context that the launch runs in.
  }];
}

#endif // TILUS_IR_TILUSATTRS_TD
