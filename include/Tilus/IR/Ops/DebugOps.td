// Printing and assertions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_OPS_DEBUGOPS_TD
#define TILUS_IR_OPS_DEBUGOPS_TD

include "Tilus/IR/TilusAttrs.td"
include "Tilus/IR/TilusTypes.td"

class Tilus_DebugOp<string mnemonic, list<Trait> traits = []>
    : Tilus_Op<mnemonic, traits # [Tilus_TargetRequirementAny, MemoryEffects<[MemWrite<Tilus_HostOutput>]>]> {
  let hasVerifier = 1;
}

def Tilus_PrintfOp : Tilus_DebugOp<"printf", [Tilus_LayoutFree]> {
  let summary = "formatted print of scalars";
  let description = [{
    One thread of the group prints. The format is that of C's printf with one conversion for each scalar:
    `%d`, `%u`, `%x` and the like for integers (`%lld` above 32 bits), `%f`, `%g`, `%e` for floats, `%p` for
    pointers.
  }] # Tilus_Example<"  tilus.printf \"n = %d\\n\", %n : i32", "%n: i32">.text;
  let arguments = (ins StrAttr:$format, Variadic<AnyTypeOf<[Tilus_Scalar, Tilus_AnyPtr]>>:$args);
  let assemblyFormat = "$format (`,` $args^ `:` qualified(type($args)))? attr-dict";
}

def Tilus_PrintOp : Tilus_DebugOp<"print", [Tilus_LayoutFree]> {
  let summary = "prints a tile in index order";
  let description = [{ Prints the message, the shape and every element, one line an element: `message[i, j] = value`. }]
    # Tilus_Example<[{
    %i = tilus.iota dim(0) : tensor<4xi32>
    tilus.print "i", %i : tensor<4xi32>
  }]>.text;
  let arguments = (ins StrAttr:$message, Tilus_Tile:$value);
  let assemblyFormat = "$message `,` $value attr-dict `:` qualified(type($value))";
}

def Tilus_AssertOp : Tilus_DebugOp<"assert", [Tilus_LayoutFree]> {
  let summary = "stops the kernel unless a condition holds";
  let description = [{
    The condition is a boolean or a tile of booleans that must all be true. On failure the message and the
    place in the source are printed and the kernel is stopped.
  }] # Tilus_Example<"  tilus.assert %ok, \"n must be even\" : i1", "%ok: i1">.text;
  let arguments = (ins AnyTypeOf<[I1, Tilus_BoolTile]>:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` qualified(type($condition))";
  let hasVerifier = 0;
}

#endif // TILUS_IR_OPS_DEBUGOPS_TD
