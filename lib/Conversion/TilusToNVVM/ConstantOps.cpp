// Lowering of constant tiles: registers that hold the one value, or loads from a table of all elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilus;

/// The bits of an element as registers and memory hold them.
static APInt getStoredBits(Type element, Attribute value) {
  unsigned bits = getSlotBits(element);
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getValue().zextOrTrunc(bits);
  APInt code = cast<FloatAttr>(value).getValue().bitcastToAPInt();
  // tf32 sits at the upper end of its word.
  return code.zextOrTrunc(bits) << (element.isTF32() ? bits - code.getBitWidth() : 0);
}

/// One value for all slots.
static SmallVector<Value> createSplat(OpBuilder &builder, Location loc, RankedTensorType tile,
                                      Attribute value) {
  Type element = tile.getElementType(), slot = getSlotType(element), type = getRegisterType(element);
  APInt bits = getStoredBits(element, value);
  TypedAttr number;
  if (auto real = dyn_cast<FloatType>(slot))
    number = builder.getFloatAttr(slot, APFloat(real.getFloatSemantics(), bits));
  else
    number = builder.getIntegerAttr(slot, bits.trunc(slot.getIntOrFloatBitWidth()));
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, Attribute(number));
  Value constant = arith::ConstantOp::create(builder, loc, number);
  return SmallVector<Value>(getNumRegisters(tile), constant);
}

/// The table of all elements, row-major, in global memory: threads read different elements at once, which
/// constant memory serves one after the other.
static LLVM::GlobalOp createTable(OpBuilder &builder, Operation *op, DenseElementsAttr values) {
  Type element = values.getElementType(), word = builder.getIntegerType(getSlotBits(element));
  SmallVector<APInt> words;
  for (Attribute value : values.getValues<Attribute>())
    words.push_back(getStoredBits(element, value));
  int64_t count = words.size();
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  unsigned suffix = 0;
  SmallString<32> name = SymbolTable::generateSymbolName<32>(
      "tilus_constant",
      [&](StringRef candidate) { return bool(SymbolTable::lookupSymbolIn(module, candidate)); }, suffix);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(builder, op->getLoc(), LLVM::LLVMArrayType::get(word, count),
                                /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                DenseElementsAttr::get(RankedTensorType::get({count}, word), words),
                                /*alignment=*/16, unsigned(NVVM::NVVMMemorySpace::Global));
}

namespace {
struct ConstantOpLowering : TileLowering<arith::ConstantOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(arith::ConstantOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    auto values = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!tile || !values)
      return rewriter.notifyMatchFailure(op, "not a constant tile");
    if (values.isSplat())
      rewriter.replaceOpWithMultiple(
          op, {createSplat(rewriter, op.getLoc(), tile, values.getSplatValue<Attribute>())});
    else
      rewriter.replaceOpWithMultiple(op, {loadTable(op, tile, values, rewriter)});
    return success();
  }

private:
  SmallVector<Value> loadTable(arith::ConstantOp op, RankedTensorType tile, DenseElementsAttr values,
                               ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    const RegisterLayout &layout = getTileLayout(tile).getLayout();
    Value base = LLVM::AddressOfOp::create(rewriter, loc, createTable(rewriter, op, values));
    Value thread = createThreadId(rewriter, loc, context, context.getGroup(op));
    TileIndices indices = createTileIndices(rewriter, loc, thread, layout);
    SharedLayout memory = SharedLayout::rowMajor(tile.getShape());
    int64_t elementBits = getSlotBits(tile.getElementType());
    SlotRuns runs = getSharedRuns(memory, layout, elementBits, /*originDivisibility=*/0);
    int64_t bits = runs.count * elementBits;
    Type word = getWordType(getContext(), bits, tile.getElementType());
    Value start = createElementPointer(
        rewriter, loc, base, createLinearOffset(rewriter, loc, memory, indices.thread), elementBits);
    TileAssembler assembler(tile);
    for (int64_t slot = 0; slot < layout.getNumLocals(); slot += runs.count) {
      Value offset = createI32(rewriter, loc, memory.getLinearOffset(indices.slots[slot]));
      Value pointer = createElementPointer(rewriter, loc, start, offset, elementBits);
      assembler.setWords(rewriter, loc, slot, runs.count,
                         createLoad(rewriter, loc, pointer, word, bits / word.getIntOrFloatBitWidth(),
                                    Value(), CacheHint::Default));
    }
    return assembler.getRegisters(rewriter, loc);
  }
};
} // namespace

void tilus::populateConstantToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                   const LoweringContext &context) {
  patterns.add<ConstantOpLowering>(converter, patterns.getContext(), context);
}
