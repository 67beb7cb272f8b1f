// Operations on register tiles that arith and math lack: making, reshaping, combining and converting them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_OPS_TENSOROPS_TD
#define TILUS_IR_OPS_TENSOROPS_TD

include "Tilus/IR/TilusAttrs.td"
include "Tilus/IR/TilusTypes.td"

class Tilus_TensorOp<string mnemonic, list<Trait> traits = []>
    : Tilus_Op<mnemonic, traits # [Pure, Tilus_TargetRequirementAny]>;

def Tilus_BroadcastOp : Tilus_TensorOp<"broadcast", [Tilus_LayoutOwnChecked]> {
  let summary = "a scalar, or a tile with dimensions of size 1, stretched to a shape";
  let description = [{
    Shapes are aligned at the last dimension; a dimension of size 1 stretches, missing leading dimensions
    are added.
  }] # Tilus_Example<[{
    %one = arith.constant 1.0 : f32
    %row = tilus.broadcast %one : f32 -> tensor<1x32xf32>
    %all = tilus.broadcast %row : tensor<1x32xf32> -> tensor<64x32xf32>
  }]>.text;
  let arguments = (ins AnyTypeOf<[Tilus_Scalar, Tilus_Tile]>:$source);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tilus_IotaOp : Tilus_TensorOp<"iota", [Tilus_LayoutOwn]> {
  let summary = "each element is its own index along one dimension";
  let description = [{ Integer tile with element `[i0, i1, …]` equal to `i_dim`, wrapped to the element type. }]
    # Tilus_Example<"  %i = tilus.iota dim(1) : tensor<4x32xi32>">.text;
  let arguments = (ins I64Attr:$dim);
  let results = (outs Tilus_IntegerTile:$result);
  let assemblyFormat = "`dim` `(` $dim `)` attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Tilus_ReshapeOp : Tilus_TensorOp<"reshape", [Tilus_LayoutOwn, Tilus_Scratch]> {
  let summary = "row-major reshape";
  let description = [{
    Keeps the row-major order of the elements; squeezes and unsqueezes dimensions of size 1 as well. It costs
    nothing where the layouts of both tiles are one distribution of that order, else as much as
    `convert_layout`.
  }] # Tilus_Example<[{
    %i = tilus.iota dim(0) : tensor<64xi32>
    %m = tilus.reshape %i : tensor<64xi32> -> tensor<4x1x16xi32>
  }]>.text;
  let arguments = (ins Tilus_Tile:$source);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tilus_TransposeOp : Tilus_TensorOp<"transpose", [Tilus_LayoutOwnChecked]> {
  let summary = "permutation of the dimensions";
  let description = [{ Dimension `i` of the result is dimension `permutation[i]` of the source. Moves no data. }]
    # Tilus_Example<[{
    %i = tilus.iota dim(1) : tensor<8x16xi32>
    %t = tilus.transpose %i [1, 0] : tensor<8x16xi32> -> tensor<16x8xi32>
  }]>.text;
  let arguments = (ins Tilus_Tile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tilus_ReduceOp : Tilus_TensorOp<"reduce", [Tilus_LayoutOwnChecked, Tilus_Scratch]> {
  let summary = "reduction along one dimension";
  let description = [{
    The dimension vanishes from the shape, or becomes 1 with `keep_dim`. `max` and `min` give NaN if any
    element is NaN (`maxnum`, `minnum` do not) and are signed on integers; of a row of -inf the maximum is
    -inf. Floats are combined in an unspecified order, in f32 if narrower.
  }] # Tilus_Example<[{
    %i = tilus.iota dim(1) : tensor<4x32xi32>
    %s = tilus.reduce add, %i dim(1) : tensor<4x32xi32> -> tensor<4xi32>
  }]>.text;
  let arguments = (ins Tilus_CombineKind:$kind, Tilus_Tile:$source, I64Attr:$dim, UnitAttr:$keep_dim);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = [{
    $kind `,` $source `dim` `(` $dim `)` (`keep_dim` $keep_dim^)? attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tilus_ScanOp : Tilus_TensorOp<"scan", [Tilus_LayoutSame, Tilus_Scratch,
    AllTypesMatch<["source", "result"]>]> {
  let summary = "prefix combination along one dimension";
  let description = [{
    Element i of the result combines elements 0 to i of the source along the dimension, with
    `exclusive` 0 to i-1 (element 0 is the identity), with `reverse` from the other end.
  }] # Tilus_Example<[{
    %i = tilus.iota dim(1) : tensor<4x32xi32>
    %s = tilus.scan add, %i dim(1) exclusive : tensor<4x32xi32>
  }]>.text;
  let arguments = (ins Tilus_CombineKind:$kind, Tilus_Tile:$source, I64Attr:$dim,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = [{
    $kind `,` $source `dim` `(` $dim `)` (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` qualified(type($source))
  }];
  let hasVerifier = 1;
}

def Tilus_ExtractSliceOp : Tilus_TensorOp<"extract_slice", [Tilus_LayoutOwnChecked]> {
  let summary = "sub-tile at an index";
  let description = [{
    Each dimension in `dims` is indexed by its offset and vanishes; the others are kept whole. An offset
    outside the tile gives zeros.
  }] # Tilus_Example<[{
    %c3 = arith.constant 3 : i32
    %i = tilus.iota dim(1) : tensor<4x32xi32>
    %r = tilus.extract_slice %i[%c3] dims [0] : tensor<4x32xi32> -> tensor<32xi32>
  }]>.text;
  let arguments = (ins Tilus_Tile:$source, Variadic<Tilus_IntScalar>:$offsets, DenseI64ArrayAttr:$dims);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = [{
    $source `` custom<Indices>($offsets, type($offsets)) `dims` $dims attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tilus_InsertSliceOp : Tilus_TensorOp<"insert_slice", [Tilus_LayoutOwnChecked,
    AllTypesMatch<["dest", "result"]>]> {
  let summary = "tile with a sub-tile replaced";
  let description = [{
    The inverse of `extract_slice`: the result is `dest` with the sub-tile at the offsets replaced by
    `source`. An offset outside the tile changes nothing.
  }] # Tilus_Example<[{
    %c3 = arith.constant 3 : i32
    %i = tilus.iota dim(1) : tensor<4x32xi32>
    %r = tilus.iota dim(0) : tensor<32xi32>
    %j = tilus.insert_slice %r, %i[%c3] dims [0] : tensor<32xi32>, tensor<4x32xi32>
  }]>.text;
  let arguments = (ins Tilus_Tile:$source, Tilus_Tile:$dest, Variadic<Tilus_IntScalar>:$offsets,
                       DenseI64ArrayAttr:$dims);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = [{
    $source `,` $dest `` custom<Indices>($offsets, type($offsets)) `dims` $dims attr-dict `:` qualified(type($source)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def Tilus_ExtractOp : Tilus_TensorOp<"extract", [Tilus_LayoutOwn,
    TypesMatchWith<"result is an element of the source", "source", "result",
                   "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "the value of a tile of one element";
  let description = [{ Every thread of the group gets the value. }] # Tilus_Example<[{
    %i = tilus.iota dim(0) : tensor<32xi32>
    %s = tilus.reduce add, %i dim(0) : tensor<32xi32> -> tensor<i32>
    %v = tilus.extract %s : tensor<i32>
  }]>.text;
  let arguments = (ins Tilus_Tile:$source);
  let results = (outs Tilus_Scalar:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tilus_CastOp : Tilus_TensorOp<"cast", [Tilus_LayoutSame]> {
  let summary = "conversion of elements with stated rounding and saturation";
  let description = [{
    Converts between any two element types. Floats round to nearest even unless `rounding` says
    otherwise (it also applies to floats from integers; integers from floats truncate). Without
    `saturate` a float out of range becomes infinity, or NaN where the type has no infinity; with it, the
    largest finite value. Types without NaN always saturate, and NaN becomes zero in them. Integers out of
    range wrap, with `saturate` they stick at the ends of the range; NaN becomes 0; a float out of the range
    of 32 bits (64 bits for a 64-bit result) saturates to that before it wraps. `unsigned_source` and
    `unsigned_result` say how integers are read. A boolean is 0 or 1; a value becomes true if it is not 0.
  }] # Tilus_Example<[{
    %c = arith.constant dense<448.0> : tensor<32xf32>
    %f = tilus.cast %c saturate : tensor<32xf32> -> tensor<32xf8E4M3FN>
  }]>.text;
  let arguments = (ins Tilus_Tile:$source,
    DefaultValuedAttr<Tilus_Rounding, "::tilus::Rounding::NearestEven">:$rounding,
    UnitAttr:$saturate, UnitAttr:$unsigned_source, UnitAttr:$unsigned_result);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = [{
    $source (`rounding` `(` $rounding^ `)`)? (`saturate` $saturate^)? (`unsigned_source` $unsigned_source^)?
    (`unsigned_result` $unsigned_result^)? attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tilus_ViewOp : Tilus_TensorOp<"view", [Tilus_LayoutFree]> {
  let summary = "the same registers read as another tile";
  let description = [{
    Reinterprets the bits that each thread holds: both tiles must carry layouts with the same number of
    threads and the same number of bits a thread. Slot 0 is at the little end.
  }] # Tilus_Example<[{
    %i = tilus.iota dim(0) : tensor<256xi16>
    %p = tilus.convert_layout %i : tensor<256xi16> -> tensor<256xi16, #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>>
    %v = tilus.view %p : tensor<256xi16, #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>>
      -> tensor<128xi32, #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>>
  }]>.text;
  let arguments = (ins Tilus_Tile:$source);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Tilus_ConvertLayoutOp : Tilus_TensorOp<"convert_layout", [Tilus_LayoutFree, Tilus_Scratch]> {
  let summary = "the same tile in another layout";
  let description = [{
    Written by hand it pins a layout: from a tile without a layout to one with it, and back. Inference
    inserts it where layouts disagree. It costs nothing, warp shuffles, or a trip through shared memory.
  }] # Tilus_Example<[{
    %i = tilus.iota dim(0) : tensor<256xi32>
    %p = tilus.convert_layout %i : tensor<256xi32> -> tensor<256xi32, #tilus.reg<shape = [256], modes = [2, 128], spatial = [1], local = [0]>>
  }]>.text;
  let arguments = (ins Tilus_Tile:$source);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tilus_RandomOp : Tilus_TensorOp<"random", [Tilus_LayoutOwnChecked]> {
  let summary = "random words of a counter";
  let description = [{
    Philox 4x32 of ten rounds (or `rounds`): the counter is `(offset, 0, 0, 0)` and the key the 64-bit
    seed. The result has a leading dimension of 4, the words of each counter. Words are the same on every
    target (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011).
  }] # Tilus_Example<[{
    %seed = arith.constant 42 : i64
    %i = tilus.iota dim(0) : tensor<32xi32>
    %w = tilus.random %seed, %i : tensor<32xi32> -> tensor<4x32xi32>
  }]>.text;
  let arguments = (ins I64:$seed, Tilus_IntegerTile:$offset, DefaultValuedAttr<I32Attr, "10">:$rounds);
  let results = (outs Tilus_IntegerTile:$result);
  let assemblyFormat = "$seed `,` $offset (`rounds` `(` $rounds^ `)`)? attr-dict `:` qualified(type($offset)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

#endif // TILUS_IR_OPS_TENSOROPS_TD
