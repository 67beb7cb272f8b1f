// Barriers among threads and semaphores among blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_OPS_SYNCOPS_TD
#define TILUS_IR_OPS_SYNCOPS_TD

include "Tilus/IR/TilusAttrs.td"
include "Tilus/IR/TilusTypes.td"

class Tilus_SyncLikeOp<string mnemonic, list<Trait> traits = []>
    : Tilus_Op<mnemonic, traits # [Tilus_LayoutFree, Tilus_TargetRequirementAny]>;

def Tilus_SyncOp : Tilus_SyncLikeOp<"sync", [MemoryEffects<[MemWrite<Tilus_BarrierState>,
    MemRead<Tilus_SharedMemory>, MemWrite<Tilus_SharedMemory>, MemRead<Tilus_GlobalMemory>, MemWrite<Tilus_GlobalMemory>]>]> {
  let summary = "barrier of the current thread group";
  let description = [{
    All threads of the group arrive before any goes on; what they wrote to shared and global memory is
    then seen by all of them.
  }] # Tilus_Example<"  tilus.sync">.text;
  let assemblyFormat = "attr-dict";
}

def Tilus_SemaphoreLockOp : Tilus_SyncLikeOp<"semaphore_lock", [MemoryEffects<[MemWrite<Tilus_BarrierState>,
    MemRead<Tilus_GlobalMemory>, MemWrite<Tilus_GlobalMemory>]>]> {
  let summary = "waits until a word of global memory has a value";
  let description = [{
    Spins until the word at the offsets of the view equals `value`, with acquire semantics at the scope of
    the GPU, for all threads of the group.
  }] # Tilus_Example<[{
    %v = tilus.global_view %x [%m] : !tilus.ptr<i32> -> !tilus.global<?xi32>
    tilus.semaphore_lock %v[%m], %n : !tilus.global<?xi32>
  }], "%m: i32, %n: i32, %x: !tilus.ptr<i32>">.text;
  let arguments = (ins Tilus_AnyGlobal:$semaphore, Variadic<Tilus_IntScalar>:$offsets, I32:$value);
  let assemblyFormat = "$semaphore `` custom<Indices>($offsets, type($offsets)) `,` $value attr-dict `:` qualified(type($semaphore))";
  let hasVerifier = 1;
}

def Tilus_SemaphoreReleaseOp : Tilus_SyncLikeOp<"semaphore_release", [MemoryEffects<[MemWrite<Tilus_BarrierState>,
    MemRead<Tilus_GlobalMemory>, MemWrite<Tilus_GlobalMemory>]>]> {
  let summary = "gives a word of global memory a value";
  let description = [{
    First the threads of the group synchronise, then one of them stores `value` with release semantics at
    the scope of the GPU: what any of them wrote before is seen by who locks on that value.
  }] # Tilus_Example<[{
    %v = tilus.global_view %x [%m] : !tilus.ptr<i32> -> !tilus.global<?xi32>
    tilus.semaphore_release %v[%m], %n : !tilus.global<?xi32>
  }], "%m: i32, %n: i32, %x: !tilus.ptr<i32>">.text;
  let arguments = (ins Tilus_AnyGlobal:$semaphore, Variadic<Tilus_IntScalar>:$offsets, I32:$value);
  let assemblyFormat = "$semaphore `` custom<Indices>($offsets, type($offsets)) `,` $value attr-dict `:` qualified(type($semaphore))";
  let hasVerifier = 1;
}

#endif // TILUS_IR_OPS_SYNCOPS_TD
