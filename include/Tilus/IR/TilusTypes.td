// Types of the dialect: pointers, views of global memory, handles to shared memory, low-precision elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_TILUSTYPES_TD
#define TILUS_IR_TILUSTYPES_TD

include "Tilus/IR/TilusBase.td"

class Tilus_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tilus_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tilus_PtrType : Tilus_Type<"Ptr", "ptr"> {
  let summary = "pointer to elements in global memory";
  let description = [{
    A 64-bit address in global memory. Kernel parameters of this type are taken to be aligned to 16
    bytes unless the attribute `tilus.divisibility` of the parameter states another alignment in bytes.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def Tilus_GlobalType : Tilus_Type<"Global", "global"> {
  let summary = "strided view of global memory";
  let description = [{
    Sizes and strides, in elements, are static or dynamic (`?`). Without strides the view is row-major
    and dense: `!tilus.global<?x128xf16>`; with them: `!tilus.global<?x128xf16, strides = [?, 1]>`.
    Elements narrower than a byte are packed, little end first; `i1` is a boolean of one byte.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        OptionalArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// The stride of each dimension in elements, those of a row-major view included;
    /// ShapedType::kDynamic where it is not static.
    ::llvm::SmallVector<int64_t> getStaticStrides() const;
    int64_t getNumDynamicSizes() const;
    int64_t getNumDynamicStrides() const;
  }];
}

def Tilus_SharedType : Tilus_Type<"Shared", "shared"> {
  let summary = "handle to a tile in shared memory";
  let description = [{
    `!tilus.shared<64x32xf16>`, or with the layout in memory once it is known or pinned:
    `!tilus.shared<64x32xf16, #tilus.smem<…>>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        OptionalParameter<"::tilus::SharedLayoutAttr">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getNumElements() const;
    SharedType withLayout(::tilus::SharedLayoutAttr layout) const {
      return get(getContext(), getShape(), getElementType(), layout);
    }
  }];
}

def Tilus_FloatType : Tilus_Type<"LowFloat", "float"> {
  let summary = "low-precision float of 3 to 8 bits";
  let description = [{
    A float of one sign bit, `exponent` and `mantissa` bits, without infinities and NaN, for the
    formats that MLIR lacks: `!tilus.float<4, 2>` has 7 bits. The bias is 2^(exponent-1) - 1.
  }];
  let parameters = (ins "unsigned":$exponent, "unsigned":$mantissa);
  let assemblyFormat = "`<` $exponent `,` $mantissa `>`";
  let genVerifyDecl = 1;
}

def Tilus_BitType : Tilus_Type<"Bit", "bit"> {
  let summary = "one-bit integer, packed";
  let description = [{ An integer of one bit, eight to a byte. The builtin `i1` is the boolean, one byte in memory. }];
}

def Tilus_AnyGlobal : Type<Tilus_GlobalType.predicate, "view of global memory", "::tilus::GlobalType">;
def Tilus_AnyShared : Type<Tilus_SharedType.predicate, "shared tile", "::tilus::SharedType">;
def Tilus_AnyPtr : Type<Tilus_PtrType.predicate, "pointer", "::tilus::PtrType">;

#endif // TILUS_IR_TILUSTYPES_TD
