// Read-modify-write of memory by tiles, and scattered stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_OPS_ATOMICOPS_TD
#define TILUS_IR_OPS_ATOMICOPS_TD

include "Tilus/IR/TilusAttrs.td"
include "Tilus/IR/TilusTypes.td"

class Tilus_AtomicLikeOp<string mnemonic, list<Trait> traits = []>
    : Tilus_Op<mnemonic, traits # [Tilus_LayoutSame, Tilus_TargetRequirementOwn,
        MemoryEffects<[MemRead<Tilus_GlobalMemory>, MemWrite<Tilus_GlobalMemory>,
                       MemRead<Tilus_SharedMemory>, MemWrite<Tilus_SharedMemory>]>]> {
  let hasVerifier = 1;
}

def Tilus_AtomicOp : Tilus_AtomicLikeOp<"atomic", [AttrSizedOperandSegments, Tilus_Scratch]> {
  let summary = "atomic update of each element of a region of memory";
  let description = [{
    Every element of the tile is applied once to its place: in a shared tile of the same shape, or in a
    view at offsets as in `store_global` (elements outside are skipped and read as zero). `cas` takes the
    value to compare with before the new value. The result, if asked for, holds the values before.
    The default scope is the block for shared and the GPU for global memory.
  }] # Tilus_Example<[{
    %v = tilus.global_view %x [%m] : !tilus.ptr<i32> -> !tilus.global<?xi32>
    %one = arith.constant dense<1> : tensor<32xi32>
    tilus.atomic add, %v[%m], %one : !tilus.global<?xi32>, tensor<32xi32>
    %old = tilus.atomic max, %v[%m], %one : !tilus.global<?xi32>, tensor<32xi32> -> tensor<32xi32>
  }], "%m: i32, %x: !tilus.ptr<i32>">.text;
  let arguments = (ins Tilus_AtomicKind:$kind, AnyTypeOf<[Tilus_AnyGlobal, Tilus_AnyShared]>:$dest,
    Variadic<Tilus_IntScalar>:$offsets, Tilus_Tile:$value, Optional<Tilus_Tile>:$compare,
    DefaultValuedAttr<Tilus_MemoryOrder, "::tilus::MemoryOrder::Relaxed">:$order,
    OptionalAttr<Tilus_MemoryScope>:$scope);
  let results = (outs Optional<Tilus_Tile>:$result);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $kind `,` $dest (custom<OptionalIndices>($offsets, type($offsets))^)? `,` $value (`compare` `(` $compare^ `:` qualified(type($compare)) `)`)?
    (`order` `(` $order^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict
    `:` qualified(type($dest)) `,` qualified(type($value)) (`->` qualified(type($result))^)?
  }];
}

def Tilus_AtomicScatterOp : Tilus_AtomicLikeOp<"atomic_scatter", [Tilus_Scratch]> {
  let summary = "atomic update at places given by a tile of indices";
  let description = [{
    Each element of `value` is applied once to `dest[…, index, …]`: the index replaces the coordinate
    along `dim`, the others are those of the element. Indices outside the destination are skipped.
  }] # Tilus_Example<[{
    %v = tilus.global_view %x [%m] : !tilus.ptr<i32> -> !tilus.global<?xi32>
    %i = tilus.iota dim(0) : tensor<32xi32>
    %one = arith.constant dense<1> : tensor<32xi32>
    tilus.atomic_scatter add, %v dim(0), %i, %one : !tilus.global<?xi32>, tensor<32xi32>, tensor<32xi32>
  }], "%m: i32, %x: !tilus.ptr<i32>">.text;
  let arguments = (ins Tilus_AtomicKind:$kind, AnyTypeOf<[Tilus_AnyGlobal, Tilus_AnyShared]>:$dest, I64Attr:$dim,
    Tilus_IntegerTile:$indices, Tilus_Tile:$value,
    DefaultValuedAttr<Tilus_MemoryOrder, "::tilus::MemoryOrder::Relaxed">:$order,
    OptionalAttr<Tilus_MemoryScope>:$scope);
  let results = (outs Optional<Tilus_Tile>:$result);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $kind `,` $dest `dim` `(` $dim `)` `,` $indices `,` $value (`order` `(` $order^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict
    `:` qualified(type($dest)) `,` qualified(type($indices)) `,` qualified(type($value)) (`->` qualified(type($result))^)?
  }];
}

def Tilus_StoreScatterOp : Tilus_AtomicLikeOp<"store_scatter"> {
  let summary = "stores at places given by a tile of indices";
  let description = [{
    Like `atomic_scatter` with a plain store: where indices repeat, one of the values stays.
  }] # Tilus_Example<[{
    %s = tilus.alloc_shared : !tilus.shared<32xi32>
    %i = tilus.iota dim(0) : tensor<32xi32>
    tilus.store_scatter %s dim(0), %i, %i : !tilus.shared<32xi32>, tensor<32xi32>, tensor<32xi32>
  }]>.text;
  let arguments = (ins AnyTypeOf<[Tilus_AnyGlobal, Tilus_AnyShared]>:$dest, I64Attr:$dim, Tilus_IntegerTile:$indices,
                       Tilus_Tile:$value);
  let assemblyFormat = [{
    $dest `dim` `(` $dim `)` `,` $indices `,` $value attr-dict `:` qualified(type($dest)) `,` qualified(type($indices)) `,` qualified(type($value))
  }];
}

#endif // TILUS_IR_OPS_ATOMICOPS_TD
