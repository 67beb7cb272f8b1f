// Lowering of moves of tiles between layouts, by the plans of lib/Layout: renamed slots, shuffles, or a trip
// through shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilePlans.h"
#include "WarpExchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilus;

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

namespace {
/// Executes the rounds of a plan for one thread.
class RoundEmitter {
public:
  RoundEmitter(OpBuilder &builder, Location loc, const LoweringContext &context, ThreadGroup group)
      : builder(builder), loc(loc), context(context), group(group),
        thread(createThreadId(builder, loc, context, group)) {}

  SmallVector<Value> run(ArrayRef<ConversionRound> rounds, ArrayRef<Value> source, int64_t numResults);

private:
  Value getDigit(const ThreadTerm &term);
  Value evaluate(const ThreadExpr &expr);
  Value choose(const ThreadExpr &slot, ArrayRef<Value> source, size_t term, int64_t base);
  Value chooseDigit(const ThreadTerm &term, int64_t low, int64_t high, function_ref<Value(int64_t)> get);
  void write(const ThreadExpr &slot, Value value, MutableArrayRef<Value> results, size_t term, int64_t base,
             Value condition);
  SmallVector<Value> exchange(ArrayRef<ConversionRound> rounds, ArrayRef<Value> published);

  OpBuilder &builder;
  Location loc;
  const LoweringContext &context;
  ThreadGroup group;
  Value thread;
  /// Digits of the thread id by divisor and modulus.
  llvm::DenseMap<std::pair<int64_t, int64_t>, Value> digits;
};
} // namespace

/// The digit of a term before it is rotated: terms that differ in the rotation share it.
Value RoundEmitter::getDigit(const ThreadTerm &term) {
  Value &digit = digits[{term.div, term.mod}];
  if (!digit)
    digit = createDigit(builder, loc, thread, term.div, term.mod, group.count);
  return digit;
}

Value RoundEmitter::evaluate(const ThreadExpr &expr) {
  Value sum = createI32(builder, loc, expr.constant);
  for (const ThreadTerm &term : expr.terms) {
    Value value = getDigit(term);
    if (term.offset) {
      value = arith::AddIOp::create(builder, loc, value, createI32(builder, loc, term.offset));
      value = arith::RemUIOp::create(builder, loc, value, createI32(builder, loc, term.mod));
    }
    value = builder.createOrFold<arith::MulIOp>(loc, value, createI32(builder, loc, term.scale));
    sum = builder.createOrFold<arith::AddIOp>(loc, sum, value);
  }
  return sum;
}

/// The value for the thread's digit of a term, by halving the range [low, high) of digits before rotation.
Value RoundEmitter::chooseDigit(const ThreadTerm &term, int64_t low, int64_t high,
                                function_ref<Value(int64_t)> get) {
  if (high - low == 1)
    return get((low + term.offset) % term.mod * term.scale);
  int64_t middle = low + llvm::PowerOf2Ceil(high - low) / 2;
  Value below = chooseDigit(term, low, middle, get), above = chooseDigit(term, middle, high, get);
  Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, getDigit(term),
                                        createI32(builder, loc, middle));
  return arith::SelectOp::create(builder, loc, isBelow, below, above);
}

/// The source slot that the expression names.
Value RoundEmitter::choose(const ThreadExpr &slot, ArrayRef<Value> source, size_t term, int64_t base) {
  if (term == slot.terms.size())
    return source[base];
  const ThreadTerm &at = slot.terms[term];
  return chooseDigit(at, 0, at.mod,
                     [&](int64_t part) { return choose(slot, source, term + 1, base + part); });
}

/// Sets the result slot that the expression names: each slot that it may name, where the thread's digits say
/// so.
void RoundEmitter::write(const ThreadExpr &slot, Value value, MutableArrayRef<Value> results, size_t term,
                         int64_t base, Value condition) {
  if (term == slot.terms.size()) {
    // The first round that may write a slot needs no condition: exactly one does.
    Value &result = results[base];
    result = result ? arith::SelectOp::create(builder, loc, condition, value, result).getResult() : value;
    return;
  }
  const ThreadTerm &at = slot.terms[term];
  for (int64_t digit = 0; digit < at.mod; ++digit) {
    Value isDigit = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, getDigit(at),
                                          createI32(builder, loc, digit));
    if (condition)
      isDigit = arith::AndIOp::create(builder, loc, condition, isDigit);
    write(slot, value, results, term + 1, base + (digit + at.offset) % at.mod * at.scale, isDigit);
  }
}

/// Shuffles what is published; rounds with the same source lane share words.
SmallVector<Value> RoundEmitter::exchange(ArrayRef<ConversionRound> rounds, ArrayRef<Value> published) {
  SmallVector<Value> values(published);
  SmallVector<bool> isDone;
  for (const ConversionRound &round : rounds)
    isDone.push_back(round.isLocal);
  if (llvm::all_of(isDone, [](bool done) { return done; }))
    return values;
  WarpExchange warp(builder, loc, context, group);
  for (size_t first = 0; first < rounds.size(); ++first) {
    if (isDone[first])
      continue;
    SmallVector<size_t> members;
    SmallVector<Value> offered;
    for (size_t index = first; index < rounds.size(); ++index) {
      if (isDone[index] || !(rounds[index].sourceLane == rounds[first].sourceLane))
        continue;
      isDone[index] = true;
      members.push_back(index);
      offered.push_back(published[index]);
    }
    Value lane = warp.getLane(builder, loc, evaluate(rounds[first].sourceLane));
    SmallVector<Value> taken = warp.shuffle(builder, loc, NVVM::ShflKind::idx, offered, lane);
    for (auto [index, value] : llvm::zip(members, taken))
      values[index] = value;
  }
  return values;
}

SmallVector<Value> RoundEmitter::run(ArrayRef<ConversionRound> rounds, ArrayRef<Value> source,
                                     int64_t numResults) {
  SmallVector<Value> published, results(numResults);
  for (const ConversionRound &round : rounds)
    published.push_back(choose(round.publishSlot, source, 0, round.publishSlot.constant));
  SmallVector<Value> values = exchange(rounds, published);
  for (auto [round, value] : llvm::zip(rounds, values))
    write(round.writeSlot, value, results, 0, round.writeSlot.constant, Value());
  return results;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {
/// One side of a trip through shared memory.
class StagingSide {
public:
  StagingSide(OpBuilder &builder, Location loc, Value thread, const RegisterLayout &layout,
              const SharedStaging &staging, const StagingAccess &access, Type element, Value scratch)
      : builder(builder), loc(loc), layout(layout), access(access),
        bits(access.vectorSize * staging.storageBits), word(getWordType(builder.getContext(), bits, element)),
        indices(createTileIndices(builder, loc, thread, layout)),
        addresser(getAddresser(staging, element, scratch)) {
    addresser.setThreadIndex(builder, loc, indices.thread, layout.getSpatialDigits());
  }

  void store(ArrayRef<Value> slots, Value mask) {
    forEachAccess([&](Value pointer, ArrayRef<int64_t> accessed) {
      SmallVector<Value> values;
      for (int64_t slot : accessed)
        values.push_back(slots[slot]);
      createStore(builder, loc, pointer, packWords(builder, loc, values, word.getIntOrFloatBitWidth()), mask,
                  CacheHint::Default);
    });
  }

  SmallVector<Value> load(Type slotType) {
    SmallVector<Value> slots(layout.getNumLocals());
    forEachAccess([&](Value pointer, ArrayRef<int64_t> accessed) {
      SmallVector<Value> words = createLoad(builder, loc, pointer, word, bits / word.getIntOrFloatBitWidth(),
                                            Value(), CacheHint::Default);
      SmallVector<Value> values = unpackWords(builder, loc, words, slotType, accessed.size());
      for (auto [slot, value] : llvm::zip(accessed, values))
        slots[slot] = value;
    });
    return slots;
  }

private:
  SharedAddresser getAddresser(const SharedStaging &staging, Type element, Value scratch) {
    MLIRContext *context = builder.getContext();
    auto type =
        SharedType::get(context, layout.getShape(), element, SharedLayoutAttr::get(context, staging.layout));
    return SharedAddresser(builder, loc, type, {scratch, createI32(builder, loc, 0)});
  }

  void forEachAccess(function_ref<void(Value pointer, ArrayRef<int64_t> slots)> act) {
    for (int64_t base = 0; base < layout.getNumLocals(); ++base) {
      if (base / access.slotStride % access.vectorSize)
        continue;
      SmallVector<int64_t> slots;
      for (int64_t index = 0; index < access.vectorSize; ++index)
        slots.push_back(base + index * access.slotStride);
      act(addresser.getPointer(builder, loc, indices.slots[base]), slots);
    }
  }

  OpBuilder &builder;
  Location loc;
  const RegisterLayout &layout;
  const StagingAccess &access;
  int64_t bits;
  Type word;
  TileIndices indices;
  SharedAddresser addresser;
};
} // namespace

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
template <typename Op> struct MoveLowering : TileLowering<Op> {
  using TileLowering<Op>::TileLowering;
  LogicalResult matchAndRewrite(Op op, typename TileLowering<Op>::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType source = tileOf(op.getSource()), result = tileOf(op.getResult());
    ThreadGroup group = this->context.getGroup(op);
    std::optional<ConversionPlan> plan = planTileMove(source, result, formsWarps(group.begin, group.count));
    if (!plan)
      return op.emitOpError("expected tiles of one number of threads, but got ")
             << source << " and " << result;
    if (plan->kind == ConversionKind::Identity) {
      rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(adaptor.getSource())});
      return success();
    }
    SmallVector<Value> slots = unpackTile(rewriter, loc, source, adaptor.getSource());
    if (plan->staging)
      slots = moveThroughShared(op, *plan->staging, slots, rewriter);
    else
      slots = RoundEmitter(rewriter, loc, this->context, group)
                  .run(plan->rounds, slots, getTileLayout(result).getLayout().getNumLocals());
    rewriter.replaceOpWithMultiple(op, {packTile(rewriter, loc, result, slots)});
    return success();
  }

private:
  SmallVector<Value> moveThroughShared(Op op, const SharedStaging &staging, ArrayRef<Value> slots,
                                       ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    RankedTensorType source = tileOf(op.getSource()), result = tileOf(op.getResult());
    RegisterLayout from = getMovedLayout(source, result), to = getMovedLayout(result, source);
    ThreadGroup group = this->context.getGroup(op);
    Value thread = createThreadId(rewriter, loc, this->context, group);
    Value scratch = createScratchPointer(rewriter, loc, op);
    Type element = source.getElementType();
    StagingSide(rewriter, loc, thread, from, staging, staging.store, element, scratch)
        .store(slots, createIsRepresentative(rewriter, loc, thread, from));
    createBarrier(rewriter, loc, this->context, group);
    return StagingSide(rewriter, loc, thread, to, staging, staging.load, element, scratch)
        .load(getSlotType(element));
  }
};
} // namespace

void tilus::populateConvertLayoutToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                        const LoweringContext &context) {
  patterns.add<MoveLowering<ConvertLayoutOp>, MoveLowering<ReshapeOp>>(converter, patterns.getContext(),
                                                                       context);
}
