// Lowering of printing and assertions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementCast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// A slot as C passes it to a function of any arguments: an int, a long long or a double.
static Value promote(OpBuilder &builder, Location loc, const LoweringContext &context, Value slot,
                     Type element, bool isUnsigned) {
  if (isa<LLVM::LLVMPointerType>(slot.getType()))
    return LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), slot);
  if (isa<FloatType>(element))
    return createElementCast(builder, loc, context, slot, element, builder.getF64Type());
  if (slot.getType().isIndex())
    return createIndex64(builder, loc, slot);
  if (slot.getType().getIntOrFloatBitWidth() >= 32)
    return slot;
  Type word = builder.getI32Type();
  return isUnsigned || element.isInteger(1) ? arith::ExtUIOp::create(builder, loc, word, slot).getResult()
                                            : arith::ExtSIOp::create(builder, loc, word, slot).getResult();
}

/// Whether each conversion of a printf format reads its argument without a sign.
static SmallVector<bool> findUnsigned(StringRef format) {
  SmallVector<bool> isUnsigned;
  while (true) {
    size_t percent = format.find('%');
    if (percent == StringRef::npos)
      return isUnsigned;
    format = format.drop_front(percent + 1);
    if (format.consume_front("%"))
      continue;
    format =
        format.drop_while([](char letter) { return StringRef("-+ #0123456789.hlLjzt").contains(letter); });
    isUnsigned.push_back(!format.empty() && StringRef("uxXoc").contains(format.front()));
  }
}

static OpBuilder createLeaderBranch(OpBuilder &builder, Location loc, Value thread) {
  Value isLeader =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, thread, createI32(builder, loc, 0));
  return scf::IfOp::create(builder, loc, isLeader, /*withElseRegion=*/false).getThenBodyBuilder();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
struct PrintfOpLowering : TileLowering<PrintfOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(PrintfOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    OpBuilder body =
        createLeaderBranch(rewriter, loc, createThreadId(rewriter, loc, context, context.getGroup(op)));
    SmallVector<Value> args;
    for (auto [value, arg, isUnsigned] :
         llvm::zip(adaptor.getArgs(), op.getArgs(), findUnsigned(op.getFormat())))
      args.push_back(promote(body, loc, context, value.front(), arg.getType(), isUnsigned));
    gpu::PrintfOp::create(body, loc, op.getFormatAttr(), args);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The elements one after the other: the thread that holds it prints, the others wait.
struct PrintOpLowering : TileLowering<PrintOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(PrintOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tile = cast<RankedTensorType>(op.getValue().getType());
    const RegisterLayout &layout = getTileLayout(tile).getLayout();
    ThreadGroup group = context.getGroup(op);
    Value thread = createThreadId(rewriter, loc, context, group);
    SmallVector<Value> slots = unpackTile(rewriter, loc, tile, adaptor.getValue());
    SmallVector<Value> numbers = createElementNumbers(rewriter, loc, thread, layout);
    Value isFirst = createIsRepresentative(rewriter, loc, thread, layout);

    OpBuilder head = createLeaderBranch(rewriter, loc, thread);
    std::string title = op.getMessage().str() + ": " + formatExtents(tile.getShape()) + "\n";
    gpu::PrintfOp::create(head, loc, title, ValueRange());
    createBarrier(rewriter, loc, context, group);

    Value zero = createI32(rewriter, loc, 0), one = createI32(rewriter, loc, 1);
    auto loop = scf::ForOp::create(rewriter, loc, zero, createI32(rewriter, loc, layout.getSize()), one);
    OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
    Value number = loop.getInductionVar(), value = slots.front(), isHere;
    for (auto [slot, own] : llvm::zip(slots, numbers)) {
      Value isOwn = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::eq, own, number);
      value = arith::SelectOp::create(body, loc, isOwn, slot, value);
      isHere = isHere ? arith::OrIOp::create(body, loc, isHere, isOwn).getResult() : isOwn;
    }
    if (isFirst)
      isHere = arith::AndIOp::create(body, loc, isHere, isFirst);
    OpBuilder printer = scf::IfOp::create(body, loc, isHere, /*withElseRegion=*/false).getThenBodyBuilder();
    printElement(printer, op, number, value);
    createBarrier(body, loc, context, group);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The row-major number of each slot's element.
  static SmallVector<Value> createElementNumbers(OpBuilder &builder, Location loc, Value thread,
                                                 const RegisterLayout &layout) {
    TileIndices indices = createTileIndices(builder, loc, thread, layout);
    Value first = createLinearOffset(builder, loc, SharedLayout::rowMajor(layout.getShape()), indices.thread);
    SmallVector<Value> numbers;
    for (ArrayRef<int64_t> slot : indices.slots)
      numbers.push_back(builder.createOrFold<arith::AddIOp>(
          loc, first, createI32(builder, loc, linearize(slot, layout.getShape()))));
    return numbers;
  }

  /// `message[i, j] = value`.
  void printElement(OpBuilder &builder, PrintOp op, Value number, Value value) const {
    Location loc = op.getLoc();
    auto tile = cast<RankedTensorType>(op.getValue().getType());
    Type element = tile.getElementType();
    std::string format = op.getMessage().str();
    SmallVector<Value> args;
    Extents strides = rowMajorStrides(tile.getShape());
    for (auto [dim, stride] : llvm::enumerate(strides)) {
      format += dim ? ", %d" : "[%d";
      args.push_back(createDigit(builder, loc, number, stride, tile.getDimSize(dim), tile.getNumElements()));
    }
    format += args.empty() ? " = " : "] = ";
    if (element.isInteger(1)) {
      auto branch = scf::IfOp::create(builder, loc, value, /*withElseRegion=*/true);
      OpBuilder ifTrue = branch.getThenBodyBuilder(), ifFalse = branch.getElseBodyBuilder();
      gpu::PrintfOp::create(ifTrue, loc, format + "true\n", args);
      gpu::PrintfOp::create(ifFalse, loc, format + "false\n", args);
      return;
    }
    args.push_back(promote(builder, loc, context, value, element, /*isUnsigned=*/false));
    format += isa<FloatType>(element) ? "%.9g\n" : getSlotBits(element) > 32 ? "%lld\n" : "%d\n";
    gpu::PrintfOp::create(builder, loc, format, args);
  }
};

/// A thread that finds its part false prints and traps; the barrier keeps the others from going on.
struct AssertOpLowering : TileLowering<AssertOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(AssertOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadGroup group = context.getGroup(op);
    Value thread = createThreadId(rewriter, loc, context, group), holds, isSilent;
    if (auto tile = dyn_cast<RankedTensorType>(op.getCondition().getType())) {
      for (Value slot : unpackTile(rewriter, loc, tile, adaptor.getCondition()))
        holds = holds ? arith::AndIOp::create(rewriter, loc, holds, slot).getResult() : slot;
      if (Value isFirst = createIsRepresentative(rewriter, loc, thread, getTileLayout(tile).getLayout()))
        isSilent = arith::XOrIOp::create(rewriter, loc, isFirst,
                                         createConstant(rewriter, loc, isFirst.getType(), 1));
    } else {
      holds = adaptor.getCondition().front();
      isSilent =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, thread, createI32(rewriter, loc, 0));
    }
    if (isSilent)
      holds = arith::OrIOp::create(rewriter, loc, holds, isSilent);
    cf::AssertOp::create(rewriter, loc, holds, op.getMessageAttr());
    createBarrier(rewriter, loc, context, group);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilus::populateDebugToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                const LoweringContext &context) {
  patterns.add<PrintfOpLowering, PrintOpLowering, AssertOpLowering>(converter, patterns.getContext(),
                                                                    context);
}
