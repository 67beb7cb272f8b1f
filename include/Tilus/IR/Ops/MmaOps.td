// Matrix products on register tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_OPS_MMAOPS_TD
#define TILUS_IR_OPS_MMAOPS_TD

include "Tilus/IR/TilusAttrs.td"
include "Tilus/IR/TilusTypes.td"

def Tilus_MmaOp : Tilus_Op<"mma", [Pure, Tilus_LayoutOwn, Tilus_TargetRequirementOwn, Tilus_Scratch,
    TypesMatchWith<"result has the type of the accumulator", "acc", "result", "$_self">]> {
  let summary = "matrix product and sum";
  let description = [{
    `result[m, n] = Σ_k a[m, k] · b[k, n] + acc[m, n]` for any sizes. `tilus-select-atoms` chooses the
    instruction, `atom`; where the hardware has none for the types or sizes, scalar instructions multiply.
    Integers of 8 bits are signed unless `unsigned_a`, `unsigned_b`. f32 operands are multiplied in f32; for
    the tensor cores cast them to tf32.

    The order of the sum is not defined. A product with an accumulator of zeros is accumulated on the tile that
    it is added to, if the sum is of integers, or of f32 or f64 and allows contraction; one of 8-bit floats is not.
  }] # Tilus_Example<[{
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = arith.constant dense<1.0> : tensor<64x32xf16>
    %b = arith.constant dense<1.0> : tensor<32x64xf16>
    %d = tilus.mma %a, %b, %z : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  }]>.text;
  let arguments = (ins Tilus_Tile:$a, Tilus_Tile:$b, Tilus_Tile:$acc, OptionalAttr<Tilus_MmaAtomAttr>:$atom,
                       UnitAttr:$unsigned_a, UnitAttr:$unsigned_b);
  let results = (outs Tilus_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`unsigned_a` $unsigned_a^)? (`unsigned_b` $unsigned_b^)? (`atom` `(` $atom^ `)`)? attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($acc))
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

#endif // TILUS_IR_OPS_MMAOPS_TD
