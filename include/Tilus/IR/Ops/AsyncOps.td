// Asynchronous copies from global to shared memory and their groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_OPS_ASYNCOPS_TD
#define TILUS_IR_OPS_ASYNCOPS_TD

include "Tilus/IR/TilusAttrs.td"
include "Tilus/IR/TilusTypes.td"

class Tilus_AsyncOp<string mnemonic, list<Trait> traits = []>
    : Tilus_Op<mnemonic, traits # [Tilus_LayoutFree, Tilus_TargetRequirementOwn]>;

def Tilus_CopyAsyncOp : Tilus_AsyncOp<"copy_async"> {
  let summary = "asynchronous copy of a tile from global to shared memory";
  let description = [{
    The tile has the shape of the shared tile; offsets, `dims` and what lies outside the view are as in
    `load_global`. The shared tile may be read after the copy's group was waited for and the threads
    synchronised. Where the view does not allow 4-byte accesses the copy is made at once.
  }] # Tilus_Example<[{
    %v = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x64xf16>
    %s = tilus.alloc_shared : !tilus.shared<32x64xf16>
    %c0 = arith.constant 0 : i32
    tilus.copy_async %v[%m, %c0], %s : !tilus.global<?x64xf16>, !tilus.shared<32x64xf16>
    tilus.copy_async.commit_group
    tilus.copy_async.wait_group 0
    tilus.sync
    %t = tilus.load_shared %s : !tilus.shared<32x64xf16> -> tensor<32x64xf16>
  }], "%m: i32, %x: !tilus.ptr<f16>">.text;
  let arguments = (ins Arg<Tilus_AnyGlobal, "the view", [MemRead<Tilus_GlobalMemory>]>:$source,
    Variadic<Tilus_IntScalar>:$offsets, Arg<Tilus_AnyShared, "the tile", [MemWrite<Tilus_SharedMemory>, MemWrite<Tilus_AsyncQueue>]>:$dest,
    OptionalAttr<DenseI64ArrayAttr>:$dims,
    DefaultValuedAttr<Tilus_CacheHint, "::tilus::CacheHint::Default">:$cache);
  let assemblyFormat = [{
    $source `` custom<Indices>($offsets, type($offsets)) `,` $dest (`dims` $dims^)? (`cache` `(` $cache^ `)`)? attr-dict
    `:` qualified(type($source)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The view's dimension of each dimension of the tile.
    ::llvm::SmallVector<int64_t> getTileDims();
  }];
}

def Tilus_CommitGroupOp : Tilus_AsyncOp<"copy_async.commit_group", [MemoryEffects<[MemWrite<Tilus_AsyncQueue>]>]> {
  let summary = "closes a group of asynchronous copies";
  let description = [{ The copies since the last group form one; a group may be empty. }]
    # Tilus_Example<"  tilus.copy_async.commit_group">.text;
  let assemblyFormat = "attr-dict";
}

def Tilus_WaitGroupOp : Tilus_AsyncOp<"copy_async.wait_group",
    [MemoryEffects<[MemWrite<Tilus_AsyncQueue>, MemWrite<Tilus_SharedMemory>]>]> {
  let summary = "waits until at most so many groups are open";
  let description = [{
    After it, all groups but the newest `pending` have arrived for the executing threads; for the others
    a `tilus.sync` is needed too.
  }] # Tilus_Example<"  tilus.copy_async.wait_group 1">.text;
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Tilus_WaitAllOp : Tilus_AsyncOp<"copy_async.wait_all",
    [MemoryEffects<[MemWrite<Tilus_AsyncQueue>, MemWrite<Tilus_SharedMemory>]>]> {
  let summary = "waits for all asynchronous copies, those of no group included";
  let description = [{ Like `commit_group` followed by `wait_group 0`. }]
    # Tilus_Example<"  tilus.copy_async.wait_all">.text;
  let assemblyFormat = "attr-dict";
}

#endif // TILUS_IR_OPS_ASYNCOPS_TD
