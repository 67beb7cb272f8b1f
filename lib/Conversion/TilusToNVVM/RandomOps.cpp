// Lowering of random words: Philox 4x32 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011,
// section 4), each thread for its own counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <array>

using namespace mlir;
using namespace tilus;

using Words = std::array<Value, 4>;

static Value createXor(OpBuilder &builder, Location loc, Value a, Value b, Value c) {
  return arith::XOrIOp::create(builder, loc, arith::XOrIOp::create(builder, loc, a, b), c);
}

/// The upper word of a product. As the product of wider integers it would be computed in 64 bits.
static Value createHigh(OpBuilder &builder, Location loc, Value a, Value b) {
  auto name = builder.getStringAttr("llvm.nvvm.mulhi.ui");
  return LLVM::CallIntrinsicOp::create(builder, loc, a.getType(), name, ValueRange{a, b}).getResults();
}

/// One round with this key.
static Words createRound(OpBuilder &builder, Location loc, const Words &counter, Value key0, Value key1) {
  Value multiplier0 = createI32(builder, loc, int32_t(0xD2511F53)),
        multiplier1 = createI32(builder, loc, int32_t(0xCD9E8D57));
  Value evenHigh = createHigh(builder, loc, multiplier0, counter[0]),
        oddHigh = createHigh(builder, loc, multiplier1, counter[2]);
  return {createXor(builder, loc, oddHigh, counter[1], key0),
          arith::MulIOp::create(builder, loc, multiplier1, counter[2]),
          createXor(builder, loc, evenHigh, counter[3], key1),
          arith::MulIOp::create(builder, loc, multiplier0, counter[0])};
}

/// The keys of all rounds, which do not depend on the counter.
static SmallVector<std::pair<Value, Value>> createKeys(OpBuilder &builder, Location loc, Value seed,
                                                       int64_t rounds) {
  Type word = builder.getI32Type();
  Value key0 = arith::TruncIOp::create(builder, loc, word, seed);
  Value high = arith::ShRUIOp::create(builder, loc, seed, createI64(builder, loc, 32));
  Value key1 = arith::TruncIOp::create(builder, loc, word, high);
  SmallVector<std::pair<Value, Value>> keys;
  for (int64_t round = 0; round < rounds; ++round) {
    keys.push_back({key0, key1});
    key0 = arith::AddIOp::create(builder, loc, key0, createI32(builder, loc, int32_t(0x9E3779B9)));
    key1 = arith::AddIOp::create(builder, loc, key1, createI32(builder, loc, int32_t(0xBB67AE85)));
  }
  return keys;
}

namespace {
struct RandomOpLowering : TileLowering<RandomOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(RandomOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto offsets = cast<RankedTensorType>(op.getOffset().getType()),
         result = cast<RankedTensorType>(op.getResult().getType());
    const RegisterLayout &from = getTileLayout(offsets).getLayout(), &to = getTileLayout(result).getLayout();
    RegisterLayout expected = RegisterLayout::local({4}).concat(from);
    if (to != expected)
      return op.emitOpError("expected a result with the layout ")
             << RegisterLayoutAttr::get(getContext(), expected) << ", but got " << getTileLayout(result);
    auto keys = createKeys(rewriter, loc, adaptor.getSeed().front(), op.getRounds());
    Value zero = createI32(rewriter, loc, 0);
    SmallVector<Value> slots(to.getNumLocals());
    for (auto [slot, offset] : llvm::enumerate(unpackTile(rewriter, loc, offsets, adaptor.getOffset()))) {
      Words words{offset, zero, zero, zero};
      for (auto [key0, key1] : keys)
        words = createRound(rewriter, loc, words, key0, key1);
      // The words are the outermost digit of the result's slot.
      for (int64_t word = 0; word < 4; ++word)
        slots[word * from.getNumLocals() + slot] = words[word];
    }
    rewriter.replaceOpWithMultiple(op, {packTile(rewriter, loc, result, slots)});
    return success();
  }
};
} // namespace

void tilus::populateRandomToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                 const LoweringContext &context) {
  patterns.add<RandomOpLowering>(converter, patterns.getContext(), context);
}
