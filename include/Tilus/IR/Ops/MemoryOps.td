// Views of global memory, tiles in shared memory, and the loads and stores between them and registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_OPS_MEMORYOPS_TD
#define TILUS_IR_OPS_MEMORYOPS_TD

include "Tilus/IR/TilusAttrs.td"
include "Tilus/IR/TilusTypes.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class Tilus_MemoryOp<string mnemonic, list<Trait> traits = []>
    : Tilus_Op<mnemonic, traits # [Tilus_TargetRequirementAny]>;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Tilus_GlobalViewOp : Tilus_MemoryOp<"global_view",
    [Pure, Tilus_LayoutFree, AttrSizedOperandSegments]> {
  let summary = "typed strided view of a pointer";
  let description = [{
    Takes one integer for each dynamic size of the type, and one for each dynamic stride, in elements.
    A view may be empty.
  }] # Tilus_Example<[{
    %v = tilus.global_view %x [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
    %s = tilus.global_view %x [%m] strides [%n] : !tilus.ptr<f16> -> !tilus.global<?x64xf16, strides = [?, 1]>
  }], "%m: i32, %n: i32, %x: !tilus.ptr<f16>">.text;
  let arguments = (ins Tilus_AnyPtr:$base, Variadic<Tilus_IntScalar>:$sizes, Variadic<Tilus_IntScalar>:$strides);
  let results = (outs Tilus_AnyGlobal:$result);
  let assemblyFormat = [{
    $base (custom<OptionalIndices>($sizes, type($sizes))^)? (`strides` custom<Indices>($strides, type($strides))^)? attr-dict
    `:` qualified(type($base)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tilus_SliceGlobalOp : Tilus_MemoryOp<"slice_global", [Pure, Tilus_LayoutFree]> {
  let summary = "view of a view at an index";
  let description = [{
    Each dimension in `dims` is indexed by its offset and vanishes; the others are kept whole. The offsets
    are not checked against the sizes.
  }] # Tilus_Example<[{
    %v = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x64xf16>
    %c3 = arith.constant 3 : i32
    %r = tilus.slice_global %v[%c3] dims [0] : !tilus.global<?x64xf16> -> !tilus.global<64xf16>
  }], "%m: i32, %x: !tilus.ptr<f16>">.text;
  let arguments = (ins Tilus_AnyGlobal:$source, Variadic<Tilus_IntScalar>:$offsets, DenseI64ArrayAttr:$dims);
  let results = (outs Tilus_AnyGlobal:$result);
  let assemblyFormat = [{
    $source `` custom<Indices>($offsets, type($offsets)) `dims` $dims attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tilus_ElementPointerOp : Tilus_MemoryOp<"element_pointer", [Pure, Tilus_LayoutFree,
    TypesMatchWith<"result points to elements of the view", "view", "result",
                   "::tilus::PtrType::get($_self.getContext(), ::llvm::cast<::tilus::GlobalType>($_self).getElementType())">]> {
  let summary = "address of an element of a view";
  let description = [{ One offset for each dimension of the view, in elements; they are not checked against the sizes. }]
    # Tilus_Example<[{
    %v = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x64xf16>
    %c3 = arith.constant 3 : i32
    %p = tilus.element_pointer %v[%c3, %m] : !tilus.global<?x64xf16>
  }], "%m: i32, %x: !tilus.ptr<f16>">.text;
  let arguments = (ins Tilus_AnyGlobal:$view, Variadic<Tilus_IntScalar>:$offsets);
  let results = (outs Tilus_AnyPtr:$result);
  let assemblyFormat = "$view `` custom<Indices>($offsets, type($offsets)) attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

def Tilus_PointerCastOp : Tilus_MemoryOp<"pointer_cast", [Pure, Tilus_LayoutFree]> {
  let summary = "the same address, of elements of another type";
  let description = [{ Accesses through the result must be aligned to its elements. }] # Tilus_Example<[{
    %p = tilus.pointer_cast %x : !tilus.ptr<i8> -> !tilus.ptr<f16>
    %v = tilus.global_view %p [%m] : !tilus.ptr<f16> -> !tilus.global<?xf16>
  }], "%m: i32, %x: !tilus.ptr<i8>">.text;
  let arguments = (ins Tilus_AnyPtr:$source);
  let results = (outs Tilus_AnyPtr:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasFolder = 1;
}

def Tilus_AllocGlobalOp : Tilus_MemoryOp<"alloc_global", [Tilus_LayoutFree, HasParent<"KernelOp">]> {
  let summary = "workspace in global memory for the whole grid";
  let description = [{
    One row-major buffer, seen by all blocks of the launch; sizes are computed from the kernel's
    parameters. With `clean` it holds zeros at the start, and the kernel must leave zeros behind.
  }] # Tilus_Example<[{
    %locks = tilus.alloc_global [%m] clean : !tilus.global<?xi32>
  }], "%m: i32">.text;
  let arguments = (ins Variadic<Tilus_IntScalar>:$sizes, UnitAttr:$clean);
  let results = (outs Res<Tilus_AnyGlobal, "the workspace", [MemAlloc<Tilus_GlobalMemory>]>:$result);
  let assemblyFormat = [{
    custom<Indices>($sizes, type($sizes)) (`clean` $clean^)? attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

// Offsets: one for each dimension of the view, in elements. dims: the view's dimension of each of the tile's;
// the last ones, in order, if absent.
def Tilus_LoadGlobalOp : Tilus_MemoryOp<"load_global", [Tilus_LayoutOwn]> {
  let summary = "tile from global memory";
  let description = [{
    Element `[j0, j1, …]` of the tile is the view's element at the offsets, moved by `j_k` along the
    view's dimension `dims[k]` (the last dimensions in order without `dims`). Outside the view: zero.
  }] # Tilus_Example<[{
    %v = tilus.global_view %x [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
    %t = tilus.load_global %v[%m, %n] : !tilus.global<?x?xf16> -> tensor<64x32xf16>
    %u = tilus.load_global %v[%m, %n] dims [0] cache(streaming) : !tilus.global<?x?xf16> -> tensor<64xf16>
  }], "%m: i32, %n: i32, %x: !tilus.ptr<f16>">.text;
  let arguments = (ins Arg<Tilus_AnyGlobal, "the view", [MemRead<Tilus_GlobalMemory>]>:$source,
    Variadic<Tilus_IntScalar>:$offsets, OptionalAttr<DenseI64ArrayAttr>:$dims,
    DefaultValuedAttr<Tilus_CacheHint, "::tilus::CacheHint::Default">:$cache);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = [{
    $source `` custom<Indices>($offsets, type($offsets)) (`dims` $dims^)? (`cache` `(` $cache^ `)`)? attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The view's dimension of each dimension of the tile.
    ::llvm::SmallVector<int64_t> getTileDims();
  }];
}

def Tilus_StoreGlobalOp : Tilus_MemoryOp<"store_global", [Tilus_LayoutOwn]> {
  let summary = "tile to global memory";
  let description = [{ The inverse of `load_global`: elements that fall outside the view are not stored. }]
    # Tilus_Example<[{
    %v = tilus.global_view %x [%m] : !tilus.ptr<i32> -> !tilus.global<?xi32>
    %t = tilus.iota dim(0) : tensor<64xi32>
    tilus.store_global %t, %v[%m] : tensor<64xi32>, !tilus.global<?xi32>
  }], "%m: i32, %x: !tilus.ptr<i32>">.text;
  let arguments = (ins Tilus_Tile:$value, Arg<Tilus_AnyGlobal, "the view", [MemWrite<Tilus_GlobalMemory>]>:$dest,
    Variadic<Tilus_IntScalar>:$offsets, OptionalAttr<DenseI64ArrayAttr>:$dims,
    DefaultValuedAttr<Tilus_CacheHint, "::tilus::CacheHint::Default">:$cache);
  let assemblyFormat = [{
    $value `,` $dest `` custom<Indices>($offsets, type($offsets)) (`dims` $dims^)? (`cache` `(` $cache^ `)`)? attr-dict
    `:` qualified(type($value)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The view's dimension of each dimension of the tile.
    ::llvm::SmallVector<int64_t> getTileDims();
  }];
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def Tilus_AllocSharedOp : Tilus_MemoryOp<"alloc_shared", [Tilus_LayoutFree]> {
  let summary = "tile in shared memory";
  let description = [{
    Undefined content. Its place is chosen by the shared-memory plan, which lets allocations overlap that
    are never live together; `offset` is that place in bytes.
  }] # Tilus_Example<"  %s = tilus.alloc_shared : !tilus.shared<64x32xf16>">.text;
  let arguments = (ins OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$offset);
  let results = (outs Res<Tilus_AnyShared, "the tile", [MemAlloc<Tilus_SharedMemory>]>:$result);
  let assemblyFormat = "(`offset` `(` $offset^ `)`)? attr-dict `:` qualified(type($result))";
}

def Tilus_FreeSharedOp : Tilus_MemoryOp<"free_shared", [Tilus_LayoutFree]> {
  let summary = "end of the life of a shared tile";
  let description = [{ The tile must not be used afterwards on any path. Without it the tile lives as long as it is used. }]
    # Tilus_Example<[{
    %s = tilus.alloc_shared : !tilus.shared<64x32xf16>
    tilus.free_shared %s : !tilus.shared<64x32xf16>
  }]>.text;
  let arguments = (ins Arg<Tilus_AnyShared, "an allocation", [MemFree<Tilus_SharedMemory>]>:$source);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def Tilus_SliceSharedOp : Tilus_MemoryOp<"slice_shared", [Pure, Tilus_LayoutFree]> {
  let summary = "part of a shared tile at an index";
  let description = [{ Each dimension in `dims` is indexed by its offset and vanishes; the others are kept whole. }]
    # Tilus_Example<[{
    %s = tilus.alloc_shared : !tilus.shared<3x64x32xf16>
    %c1 = arith.constant 1 : i32
    %t = tilus.slice_shared %s[%c1] dims [0] : !tilus.shared<3x64x32xf16> -> !tilus.shared<64x32xf16>
  }]>.text;
  let arguments = (ins Tilus_AnyShared:$source, Variadic<Tilus_IntScalar>:$offsets, DenseI64ArrayAttr:$dims);
  let results = (outs Tilus_AnyShared:$result);
  let assemblyFormat = [{
    $source `` custom<Indices>($offsets, type($offsets)) `dims` $dims attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tilus_ReshapeSharedOp : Tilus_MemoryOp<"reshape_shared", [Pure, Tilus_LayoutFree]> {
  let summary = "row-major reshape of a shared tile";
  let description = [{ The same elements under another shape; moves no data. }] # Tilus_Example<[{
    %s = tilus.alloc_shared : !tilus.shared<64x32xf16>
    %t = tilus.reshape_shared %s : !tilus.shared<64x32xf16> -> !tilus.shared<2048xf16>
  }]>.text;
  let arguments = (ins Tilus_AnyShared:$source);
  let results = (outs Tilus_AnyShared:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Tilus_PermuteSharedOp : Tilus_MemoryOp<"permute_shared", [Pure, Tilus_LayoutFree]> {
  let summary = "permutation of the dimensions of a shared tile";
  let description = [{ Dimension `i` of the result is dimension `permutation[i]` of the source; moves no data. }]
    # Tilus_Example<[{
    %s = tilus.alloc_shared : !tilus.shared<64x32xf16>
    %t = tilus.permute_shared %s [1, 0] : !tilus.shared<64x32xf16> -> !tilus.shared<32x64xf16>
  }]>.text;
  let arguments = (ins Tilus_AnyShared:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tilus_AnyShared:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Tilus_LoadSharedOp : Tilus_MemoryOp<"load_shared", [Tilus_LayoutOwn]> {
  let summary = "tile from shared memory";
  let description = [{
    `access` is the instruction that `tilus-select-atoms` chose. Whether the stores of other threads are
    seen is decided by `tilus.sync`.
  }] # Tilus_Example<[{
    %s = tilus.alloc_shared : !tilus.shared<64xi32>
    %i = tilus.iota dim(0) : tensor<64xi32>
    tilus.store_shared %i, %s : tensor<64xi32>, !tilus.shared<64xi32>
    tilus.sync
    %t = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
  }]>.text;
  let arguments = (ins Arg<Tilus_AnyShared, "the tile", [MemRead<Tilus_SharedMemory>]>:$source,
    DefaultValuedAttr<Tilus_SharedAccess, "::tilus::SharedAccess::Vector">:$access);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = "$source (`access` `(` $access^ `)`)? attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Tilus_StoreSharedOp : Tilus_MemoryOp<"store_shared", [Tilus_LayoutOwn]> {
  let summary = "tile to shared memory";
  let description = [{ The inverse of `load_shared`. }] # Tilus_Example<[{
    %s = tilus.alloc_shared : !tilus.shared<64xi32>
    %i = tilus.iota dim(0) : tensor<64xi32>
    tilus.store_shared %i, %s : tensor<64xi32>, !tilus.shared<64xi32>
  }]>.text;
  let arguments = (ins Tilus_Tile:$value, Arg<Tilus_AnyShared, "the tile", [MemWrite<Tilus_SharedMemory>]>:$dest,
    DefaultValuedAttr<Tilus_SharedAccess, "::tilus::SharedAccess::Vector">:$access);
  let assemblyFormat = "$value `,` $dest (`access` `(` $access^ `)`)? attr-dict `:` qualified(type($value)) `,` qualified(type($dest))";
  let hasVerifier = 1;
}

#endif // TILUS_IR_OPS_MEMORYOPS_TD
