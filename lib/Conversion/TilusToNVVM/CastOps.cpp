// Lowering of conversions between element types, and of arith and math on floats that the hardware does not
// compute in: 8-bit floats and tf32 are computed in f32 and rounded back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementCast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// tilus.cast
//===----------------------------------------------------------------------===//

/// The rounding of an op, if it states one that is not the type's own.
static std::optional<RoundingMode> getMode(Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return std::nullopt;
  case Rounding::TowardZero:
    return RoundingMode::TowardZero;
  case Rounding::Down:
    return RoundingMode::Down;
  case Rounding::Up:
    return RoundingMode::Up;
  }
  llvm_unreachable("the rounding modes of the dialect are listed above");
}

namespace {
struct CastOpLowering : TileLowering<CastOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(CastOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getSource().getType()),
         result = cast<RankedTensorType>(op.getResult().getType());
    CastOptions options;
    options.rounding = getMode(op.getRounding());
    options.saturates = op.getSaturate();
    options.isSourceUnsigned = op.getUnsignedSource();
    options.isResultUnsigned = op.getUnsignedResult();
    ElementCaster caster(rewriter, op.getLoc(), context, source.getElementType(), result.getElementType(),
                         options);
    SmallVector<Value> slots = unpackTile(rewriter, op.getLoc(), source, adaptor.getSource());
    rewriter.replaceOpWithMultiple(op, {packTile(rewriter, op.getLoc(), result, caster.convert(slots))});
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// arith and math on narrow floats
//===----------------------------------------------------------------------===//

static bool isNarrowFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<Float8E4M3FNType, Float8E5M2Type>(element) || element.isTF32();
}

static RoundingMode getMode(arith::RoundingMode mode) {
  switch (mode) {
  case arith::RoundingMode::to_nearest_even:
    return RoundingMode::NearestEven;
  case arith::RoundingMode::downward:
    return RoundingMode::Down;
  case arith::RoundingMode::upward:
    return RoundingMode::Up;
  case arith::RoundingMode::toward_zero:
    return RoundingMode::TowardZero;
  case arith::RoundingMode::to_nearest_away:
    return RoundingMode::NearestAway;
  }
  llvm_unreachable("the rounding modes of arith are listed above");
}

/// The options of a conversion of arith; none if the op is another.
static std::optional<CastOptions> getCastOptions(Operation *op) {
  if (!isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
           arith::FPToUIOp>(op))
    return std::nullopt;
  CastOptions options;
  options.hasTruth = false;
  options.isSourceUnsigned = isa<arith::UIToFPOp>(op);
  options.isResultUnsigned = isa<arith::FPToUIOp>(op);
  if (auto truncation = dyn_cast<arith::TruncFOp>(op))
    if (std::optional<arith::RoundingMode> mode = truncation.getRoundingmode())
      options.rounding = getMode(*mode);
  return options;
}

namespace {
/// An operand or result as its slots: a tile has many, a scalar one.
struct NarrowFloatLowering : ConversionPattern {
  // Before the pattern that works on storage types as they are.
  NarrowFloatLowering(const TypeConverter &converter, MLIRContext *mlirContext,
                      const LoweringContext &context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/2, mlirContext), context(context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumResults() != 1 ||
        !(llvm::any_of(op->getOperandTypes(), isNarrowFloat) || isNarrowFloat(op->getResult(0).getType())))
      return rewriter.notifyMatchFailure(op, "not an operation of arith or math on 8-bit floats or tf32");
    if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
      return rewriteMove(op, operands, rewriter);
    SmallVector<SmallVector<Value>> arguments;
    for (auto [operand, values] : llvm::zip(op->getOperands(), operands))
      arguments.push_back(unpack(rewriter, op->getLoc(), operand.getType(), values));
    Type type = op->getResult(0).getType();
    std::optional<CastOptions> options = getCastOptions(op);
    SmallVector<Value> slots;
    if (options)
      slots =
          ElementCaster(rewriter, op->getLoc(), context, getElementTypeOrSelf(op->getOperand(0).getType()),
                        getElementTypeOrSelf(type), *options)
              .convert(arguments.front());
    else
      slots = compute(op, arguments, rewriter);
    rewriter.replaceOpWithMultiple(op, {pack(rewriter, op->getLoc(), type, slots)});
    return success();
  }

private:
  static SmallVector<Value> unpack(OpBuilder &builder, Location loc, Type type, ValueRange values) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? unpackTile(builder, loc, tile, values) : SmallVector<Value>(values);
  }
  static SmallVector<Value> pack(OpBuilder &builder, Location loc, Type type, ArrayRef<Value> slots) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? packTile(builder, loc, tile, slots) : SmallVector<Value>(slots);
  }

  /// The op on f32, slot by slot.
  SmallVector<Value> compute(Operation *op, MutableArrayRef<SmallVector<Value>> arguments,
                             ConversionPatternRewriter &rewriter) const {
    Location loc = op->getLoc();
    Type single = rewriter.getF32Type(), element = getElementTypeOrSelf(op->getResult(0).getType());
    for (auto [operand, values] : llvm::zip(op->getOperands(), arguments))
      if (isNarrowFloat(operand.getType()))
        values = ElementCaster(rewriter, loc, context, getElementTypeOrSelf(operand.getType()), single)
                     .convert(values);
    Type resultType = isNarrowFloat(element) ? single : getSlotType(element);
    SmallVector<Value> results;
    for (size_t slot = 0; slot < arguments.front().size(); ++slot) {
      OperationState state(loc, op->getName());
      for (SmallVector<Value> &values : arguments)
        state.addOperands(values[slot]);
      state.addTypes(resultType);
      state.propertiesAttr = op->getPropertiesAsAttribute();
      results.push_back(rewriter.create(state)->getResult(0));
    }
    if (!isNarrowFloat(element))
      return results;
    return ElementCaster(rewriter, loc, context, single, element).convert(results);
  }

  /// What only moves bits: scalars here, tiles by the pattern for storage types.
  LogicalResult rewriteMove(Operation *op, ArrayRef<ValueRange> operands,
                            ConversionPatternRewriter &rewriter) const {
    Type type = op->getResult(0).getType(), slot = getSlotType(type);
    if (isa<RankedTensorType>(type))
      return rewriter.notifyMatchFailure(op, "moves of tiles work on storage types");
    if (isa<arith::SelectOp>(op)) {
      rewriter.replaceOpWithNewOp<arith::SelectOp>(op, operands[0].front(), operands[1].front(),
                                                   operands[2].front());
      return success();
    }
    if (isa<arith::BitcastOp>(op)) {
      if (operands.front().front().getType() != slot)
        return op->emitOpError("expected a cast between types of one storage, but got ")
               << op->getOperand(0).getType() << " and " << type;
      rewriter.replaceOp(op, operands.front().front());
      return success();
    }
    APFloat number = cast<FloatAttr>(cast<arith::ConstantOp>(op).getValue()).getValue();
    TypedAttr value = type.isTF32() ? TypedAttr(rewriter.getF32FloatAttr(number.convertToDouble()))
                                    : TypedAttr(rewriter.getIntegerAttr(slot, number.bitcastToAPInt()));
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }

  const LoweringContext &context;
};
} // namespace

void tilus::populateCastToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                               const LoweringContext &context) {
  patterns.add<CastOpLowering, NarrowFloatLowering>(converter, patterns.getContext(), context);
}
