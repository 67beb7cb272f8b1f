// The dialect, its base classes, type constraints and side-effect resources. Defines no operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_TILUSBASE_TD
#define TILUS_IR_TILUSBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Tilus/IR/Interfaces/TilusInterfaces.td"

def Tilus_Dialect : Dialect {
  let name = "tilus";
  let cppNamespace = "::tilus";
  let summary = "Kernels for a thread block, written on tiles";
  let description = [{
    A kernel is written at the level of a thread block. Its values are tiles: tensors in registers
    (builtin tensors whose encoding is a register layout), shared and global memory. Elementwise
    work is `arith` and `math` on tiles, control flow is `scf`; this dialect adds what they lack.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Names of the discardable attributes that the dialect gives a meaning to.
    static constexpr ::llvm::StringLiteral kTargetAttrName{"tilus.target"};
    static constexpr ::llvm::StringLiteral kDivisibilityAttrName{"tilus.divisibility"};
    static constexpr ::llvm::StringLiteral kSharedBytesAttrName{"tilus.shared_bytes"};
    static constexpr ::llvm::StringLiteral kScratchOffsetAttrName{"tilus.scratch_offset"};
    static constexpr ::llvm::StringLiteral kInBoundsAttrName{"tilus.in_bounds"};
    static constexpr ::llvm::StringLiteral kNonNegativeAttrName{"tilus.non_negative"};
    static constexpr ::llvm::StringLiteral kVectorAttrName{"tilus.vector"};
    static constexpr ::llvm::StringLiteral kVectorDimAttrName{"tilus.vector_dim"};
    static constexpr ::llvm::StringLiteral kMaskVectorAttrName{"tilus.mask_vector"};
    static constexpr ::llvm::StringLiteral kOffsetBitsAttrName{"tilus.offset_bits"};
    static constexpr ::llvm::StringLiteral kUnrollAttrName{"tilus.unroll"};
    /// A loop is unrolled at most so many times.
    static constexpr int64_t kMaxUnroll = 4096;

  private:
    void registerTypes();
    void registerAttributes();
    void registerOps();

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Side-effect resources
//===----------------------------------------------------------------------===//

def Tilus_GlobalMemory : Resource<"::tilus::GlobalMemoryResource">;
def Tilus_SharedMemory : Resource<"::tilus::SharedMemoryResource">;
def Tilus_BarrierState : Resource<"::tilus::BarrierResource">;
def Tilus_AsyncQueue : Resource<"::tilus::AsyncResource">;
def Tilus_HostOutput : Resource<"::tilus::HostOutputResource">;

//===----------------------------------------------------------------------===//
// Type constraints
//===----------------------------------------------------------------------===//

// A register tile: a builtin tensor of rank 0 to 5 with static, positive sizes.
def Tilus_Tile : Type<CPred<"::tilus::isTileType($_self)">,
    "tile (a tensor of rank 0 to 5 with static positive sizes, at most 2^40 elements of a type that '!tilus.ptr' "
    "takes, and no encoding but '#tilus.reg')",
    "::mlir::RankedTensorType">;
def Tilus_BoolTile : Type<And<[Tilus_Tile.predicate,
    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isSignlessInteger(1)">]>,
    "tile of i1", "::mlir::RankedTensorType">;
def Tilus_IntegerTile : Type<And<[Tilus_Tile.predicate,
    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isIntOrIndex()">]>,
    "tile of integers (a tensor of rank 0 to 5 with static positive sizes, at most 2^40 elements, and no encoding "
    "but '#tilus.reg')", "::mlir::RankedTensorType">;
def Tilus_Scalar : Type<CPred<"::tilus::isElementType($_self)">, "scalar of 1 to 64 bits">;
def Tilus_IntScalar : Type<CPred<"$_self.isSignlessInteger() || $_self.isIndex()">, "integer or index">;

//===----------------------------------------------------------------------===//
// Interfaces and traits of the layout and target seams
//===----------------------------------------------------------------------===//

// The op neither takes nor gives tiles, or puts no condition on their layouts.
def Tilus_LayoutFree : NativeOpTrait<"LayoutFree"> { let cppNamespace = "::tilus::OpTrait"; }
// All tiles of the op have one layout.
def Tilus_LayoutSame : NativeOpTrait<"SameLayout"> { let cppNamespace = "::tilus::OpTrait"; }

// The op runs on every chip of the table.
defvar Tilus_TargetRequirementAny = TargetRequirementOpInterface;
// The op states its requirement in C++.
defvar Tilus_TargetRequirementOwn =
    DeclareOpInterfaceMethods<TargetRequirementOpInterface, ["getTargetRequirement"]>;

defvar Tilus_Scratch = DeclareOpInterfaceMethods<ScratchOpInterface>;
defvar Tilus_LayoutOwn = DeclareOpInterfaceMethods<LayoutOpInterface, ["inferLayouts"]>;
// The same, and the op checks that its layouts agree.
defvar Tilus_LayoutOwnChecked = DeclareOpInterfaceMethods<LayoutOpInterface, ["inferLayouts", "verifyLayouts"]>;

// A kernel around the lines of an example, so that it stands alone.
class Tilus_Example<string lines, string params = ""> {
  string text = "\n```mlir\ntilus.kernel @k(" # params # ") warps(4) grid {\n  %c1 = arith.constant 1 : i32\n"
    # "  tilus.grid [%c1]\n} {\n" # lines # "\n}\n```\n";
}

class Tilus_Op<string mnemonic, list<Trait> traits = []> : Op<Tilus_Dialect, mnemonic, traits>;

#endif // TILUS_IR_TILUSBASE_TD
