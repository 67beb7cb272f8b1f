// Lowering of arith and math on tiles: the same op on each register, or on each slot where registers are
// packed differently.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilus;

static RankedTensorType tileOf(Type type) { return dyn_cast<RankedTensorType>(type); }

/// The same operation on other operands.
static Value cloneOn(OpBuilder &builder, Operation *op, ValueRange operands, Type resultType) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(resultType);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return builder.create(state)->getResult(0);
}

/// Whether the operation must not see the undefined slots at the end of a tile: a division by one is
/// undefined behaviour for all.
static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

/// Whether registers of the op can be combined whole: all tiles pack their slots alike, and the op works on
/// vectors of that type in the back end. The functions of math are scalar.
static bool worksOnRegisters(Operation *op, ArrayRef<RankedTensorType> tiles) {
  int64_t packed = getSlotsPerRegister(tiles.front().getElementType());
  bool isAlike = llvm::all_of(
      tiles, [&](RankedTensorType tile) { return getSlotsPerRegister(tile.getElementType()) == packed; });
  if (!isAlike || packed == 1)
    return isAlike;
  return (isa<arith::ArithDialect>(op->getDialect()) || isa<math::FmaOp>(op)) && !isa<arith::BitcastOp>(op) &&
         !isDivision(op);
}

namespace {
/// A choice between pointers or views: between each of their parts.
struct HandleSelectLowering : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<PtrType, GlobalType, SharedType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "the result is neither a pointer nor a view");
    SmallVector<Value> parts;
    for (auto [chosen, other] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(
          arith::SelectOp::create(rewriter, op.getLoc(), adaptor.getCondition().front(), chosen, other));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// Any elementwise op of arith or math whose result is a tile. Scalar operands (the condition of a select)
/// serve all.
struct ElementwiseLowering : ConversionPattern {
  ElementwiseLowering(const TypeConverter &converter, MLIRContext *mlirContext)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, mlirContext) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumResults() != 1 ||
        isa<arith::ConstantOp>(op))
      return rewriter.notifyMatchFailure(op, "not an elementwise operation of arith or math");
    RankedTensorType result = tileOf(op->getResult(0).getType());
    if (!result)
      return rewriter.notifyMatchFailure(op, "the result is not a tile");
    SmallVector<RankedTensorType> tiles{result};
    for (Value operand : op->getOperands())
      if (RankedTensorType tile = tileOf(operand.getType()))
        tiles.push_back(tile);
    bool isWhole = worksOnRegisters(op, tiles);

    SmallVector<SmallVector<Value>> parts;
    for (auto [operand, values] : llvm::zip(op->getOperands(), operands)) {
      RankedTensorType tile = tileOf(operand.getType());
      parts.push_back(tile && !isWhole ? unpackTile(rewriter, op->getLoc(), tile, values)
                                       : SmallVector<Value>(values));
    }
    Type type = isWhole ? getRegisterType(result.getElementType()) : getSlotType(result.getElementType());
    int64_t count = isWhole ? getNumRegisters(result) : getTileLayout(result).getLayout().getNumLocals();
    SmallVector<Value> results;
    for (int64_t index = 0; index < count; ++index) {
      SmallVector<Value> arguments;
      for (auto [operand, values] : llvm::zip(op->getOperands(), parts))
        arguments.push_back(tileOf(operand.getType()) ? values[index] : values.front());
      results.push_back(createElement(rewriter, op, arguments, type, tiles));
    }
    if (!isWhole)
      results = packTile(rewriter, op->getLoc(), result, results);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// One element or register. Types that the storage type does not compute in (8-bit floats, index) need
  /// care.
  static Value createElement(ConversionPatternRewriter &rewriter, Operation *op, ArrayRef<Value> arguments,
                             Type type, ArrayRef<RankedTensorType>) {
    // Moves between index and i64 or i32 are conversions between integers once index is i64.
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      unsigned from = arguments[0].getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
      if (from == to)
        return arguments[0];
      if (from > to)
        return arith::TruncIOp::create(rewriter, op->getLoc(), type, arguments[0]);
      if (isa<arith::IndexCastOp>(op))
        return arith::ExtSIOp::create(rewriter, op->getLoc(), type, arguments[0]);
      return arith::ExtUIOp::create(rewriter, op->getLoc(), type, arguments[0]);
    }
    if (isa<arith::BitcastOp>(op) && arguments[0].getType() == type)
      return arguments[0];
    return cloneOn(rewriter, op, arguments, type);
  }
};

} // namespace

void tilus::populateElementwiseToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                      const LoweringContext &context) {
  patterns.add<ElementwiseLowering, HandleSelectLowering>(converter, patterns.getContext());
}
