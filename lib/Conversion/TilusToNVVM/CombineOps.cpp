// Lowering of reductions and scans, by the plans of lib/Layout: within the thread, then across lanes by
// shuffles, then across what is left through scratch memory.
//
// Floats narrower than 32 bits are combined in f32. Scans carry for each slot the combination of all elements
// before it in its block (its prefix), and for each block its total; each step merges blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Combiner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <map>

using namespace mlir;
using namespace tilus;

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

namespace {
/// Slots whose elements are one run along the dimension, with other threads' slots between them perhaps, and
/// the combination of the whole run.
struct ScanBlock {
  SmallVector<int64_t> slots;
  Value total;
};

class Scanner : Combiner {
public:
  Scanner(OpBuilder &builder, Location loc, const LoweringContext &context, ScanOp op)
      : Combiner(builder, loc, context, op, op.getKind(), tileOf(op.getSource()).getElementType()),
        isReverse(op.getReverse()), isExclusive(op.getExclusive()) {}

  SmallVector<Value> run(ArrayRef<Value> slots, const ScanPlan &plan);

private:
  void mergeSlots(const ScanStep &step);
  void mergeLanes(const ScanStep &step, bool isLast);
  void mergeScratch(const ScanStep &step);
  void addPrefix(const ScanBlock &block, Value prefix);
  /// The digit of the thread, counted from where the scan begins.
  Value getTurn(const ThreadDigit &digit);
  Value isAtLeast(Value turn, int64_t bound) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, turn,
                                 createI32(builder, loc, bound));
  }
  SmallVector<Value> getTotals() {
    return llvm::to_vector(llvm::map_range(blocks, [](const auto &entry) { return entry.second.total; }));
  }
  SmallVector<Value> finish(ArrayRef<Value> values, const ScanPlan &plan);

  bool isReverse, isExclusive;
  /// By the first slot.
  std::map<int64_t, ScanBlock> blocks;
  /// What comes before each slot within its block; null if nothing does.
  SmallVector<Value> prefixes;
};
} // namespace

void Scanner::addPrefix(const ScanBlock &block, Value prefix) {
  for (int64_t slot : block.slots)
    prefixes[slot] = prefixes[slot] ? combine(prefix, prefixes[slot]) : prefix;
}

Value Scanner::getTurn(const ThreadDigit &digit) {
  Value value = getDigit(digit);
  return isReverse ? arith::SubIOp::create(builder, loc, createI32(builder, loc, digit.size - 1), value)
                   : value;
}

void Scanner::mergeSlots(const ScanStep &step) {
  std::map<int64_t, ScanBlock> merged;
  for (auto &[key, first] : blocks) {
    if (key / step.digit.stride % step.digit.size)
      continue;
    ScanBlock whole;
    for (int64_t turn = 0; turn < step.digit.size; ++turn) {
      int64_t value = isReverse ? step.digit.size - 1 - turn : turn;
      ScanBlock &part = blocks[key + value * step.digit.stride];
      if (whole.total)
        addPrefix(part, whole.total);
      whole.total = whole.total ? combine(whole.total, part.total) : part.total;
      whole.slots.append(part.slots);
    }
    merged[key] = std::move(whole);
  }
  blocks = std::move(merged);
}

void Scanner::mergeLanes(const ScanStep &step, bool isLast) {
  WarpExchange warp(builder, loc, context, group);
  NVVM::ShflKind kind = isReverse ? NVVM::ShflKind::down : NVVM::ShflKind::up;
  Value turn = getTurn(step.digit);
  // Doubling distances: then each lane holds the combination up to itself.
  SmallVector<Value> sums = getTotals();
  for (int64_t distance = 1; distance < step.digit.size; distance *= 2) {
    Value hasOther = isAtLeast(turn, distance);
    SmallVector<Value> others =
        warp.shuffle(builder, loc, kind, sums, createI32(builder, loc, distance * step.digit.stride));
    for (auto [sum, other] : llvm::zip(sums, others))
      sum = arith::SelectOp::create(builder, loc, hasOther, combine(other, sum), sum);
  }
  Value hasBefore = isAtLeast(turn, 1), neutral = createNeutral();
  SmallVector<Value> before =
      warp.shuffle(builder, loc, kind, sums, createI32(builder, loc, step.digit.stride));
  for (auto [entry, value] : llvm::zip(blocks, before))
    addPrefix(entry.second, arith::SelectOp::create(builder, loc, hasBefore, value, neutral));
  if (isLast)
    return;
  // The last lane along the digit has the total.
  Value lane = arith::RemUIOp::create(builder, loc, getThread(), createI32(builder, loc, 32));
  Value left = createI32(builder, loc, step.digit.size - 1);
  left = arith::MulIOp::create(builder, loc, arith::SubIOp::create(builder, loc, left, turn),
                               createI32(builder, loc, step.digit.stride));
  lane = isReverse ? arith::SubIOp::create(builder, loc, lane, left).getResult()
                   : arith::AddIOp::create(builder, loc, lane, left).getResult();
  SmallVector<Value> totals =
      warp.shuffle(builder, loc, NVVM::ShflKind::idx, sums, warp.getLane(builder, loc, lane));
  for (auto [entry, total] : llvm::zip(blocks, totals))
    entry.second.total = total;
}

void Scanner::mergeScratch(const ScanStep &step) {
  int64_t count = blocks.size();
  ScratchExchange scratch = getScratch();
  scratch.leave(getTotals(), step.places, step.scratchBegin);
  Value base = scratch.getPlace(step.places, step.digit), turn = getTurn(step.digit);
  SmallVector<Value> sums(count), before(count, createNeutral());
  for (int64_t at = 0; at < step.digit.size; ++at) {
    int64_t value = isReverse ? step.digit.size - 1 - at : at;
    SmallVector<Value> totals =
        scratch.fetch(base, value * step.digit.placeStride, step.places, count, step.scratchBegin);
    Value isAfter = at ? isAtLeast(turn, at) : Value();
    for (int64_t block = 0; block < count; ++block) {
      if (at)
        before[block] = arith::SelectOp::create(builder, loc, isAfter, sums[block], before[block]);
      sums[block] = at ? combine(sums[block], totals[block]) : totals[block];
    }
  }
  for (auto [entry, prefix, sum] : llvm::zip(blocks, before, sums)) {
    addPrefix(entry.second, prefix);
    entry.second.total = sum;
  }
}

SmallVector<Value> Scanner::finish(ArrayRef<Value> values, const ScanPlan &plan) {
  Value identity = createIdentity(builder, loc, kind, accumulator), isFirst;
  bool isNeutral = kind != CombineKind::MaxNum && kind != CombineKind::MinNum;
  for (const ScanStep &step : plan.steps) {
    if (step.kind == ScanStep::Slots || isNeutral || !isExclusive)
      continue;
    Value isStart = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, getTurn(step.digit),
                                          createI32(builder, loc, 0));
    isFirst = isFirst ? arith::AndIOp::create(builder, loc, isFirst, isStart).getResult() : isStart;
  }
  auto isFirstSlot = [&](int64_t slot) {
    return llvm::all_of(plan.steps, [&](const ScanStep &step) {
      int64_t digit = slot / step.digit.stride % step.digit.size;
      return step.kind != ScanStep::Slots || digit == (isReverse ? step.digit.size - 1 : 0);
    });
  };
  SmallVector<Value> results;
  for (auto [slot, value] : llvm::enumerate(values)) {
    Value prefix = prefixes[slot];
    if (!isExclusive)
      results.push_back(prefix ? combine(prefix, value) : value);
    else if (prefix && isFirst && isFirstSlot(slot))
      results.push_back(arith::SelectOp::create(builder, loc, isFirst, identity, prefix));
    else
      results.push_back(prefix ? prefix : identity);
  }
  return results;
}

SmallVector<Value> Scanner::run(ArrayRef<Value> slots, const ScanPlan &plan) {
  SmallVector<Value> values = widen(slots);
  prefixes.resize(values.size());
  for (auto [slot, value] : llvm::enumerate(values))
    blocks[slot] = {{int64_t(slot)}, value};
  for (const ScanStep &step : plan.steps) {
    if (step.kind == ScanStep::Slots)
      mergeSlots(step);
    else if (step.kind == ScanStep::Lanes)
      mergeLanes(step, &step == &plan.steps.back());
    else
      mergeScratch(step);
  }
  return narrow(finish(values, plan));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
struct ReduceOpLowering : TileLowering<ReduceOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(ReduceOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType source = tileOf(op.getSource()), result = tileOf(op.getResult());
    const RegisterLayout &layout = getTileLayout(source).getLayout();
    int64_t dim = op.getDim();
    RegisterLayout reduced = *layout.reduce({dim}, op.getKeepDim());
    if (reduced != getTileLayout(result).getLayout())
      return op.emitOpError("expected a result in layout ")
             << RegisterLayoutAttr::get(getContext(), reduced) << ", but got " << getTileLayout(result);
    ThreadGroup group = context.getGroup(op);
    ReducePlan plan = planReduce(layout, dim, formsWarps(group.begin, group.count));

    Combiner combiner(rewriter, loc, context, op, op.getKind(), source.getElementType());
    SmallVector<Value> slots = combiner.widen(unpackTile(rewriter, loc, source, adaptor.getSource()));
    SmallVector<SmallVector<Value>> lines(reduced.getNumLocals());
    for (auto [slot, value] : llvm::enumerate(slots)) {
      Extents index = layout.getIndex(0, slot);
      if (op.getKeepDim())
        index[dim] = 0;
      else
        index.erase(index.begin() + dim);
      lines[reduced.getLocal(index)].push_back(value);
    }
    SmallVector<Value> values;
    for (SmallVector<Value> &line : lines)
      values.push_back(combiner.fold(line));
    values = combiner.foldScratch(combiner.foldLanes(values, plan), plan);
    rewriter.replaceOpWithMultiple(op, {packTile(rewriter, loc, result, combiner.narrow(values))});
    return success();
  }
};

struct ScanOpLowering : TileLowering<ScanOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(ScanOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType tile = tileOf(op.getSource());
    ThreadGroup group = context.getGroup(op);
    ScanPlan plan =
        planScan(getTileLayout(tile).getLayout(), op.getDim(), formsWarps(group.begin, group.count));
    SmallVector<Value> slots = unpackTile(rewriter, op.getLoc(), tile, adaptor.getSource());
    Scanner scanner(rewriter, op.getLoc(), context, op);
    rewriter.replaceOpWithMultiple(op, {packTile(rewriter, op.getLoc(), tile, scanner.run(slots, plan))});
    return success();
  }
};
} // namespace

void tilus::populateCombineToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                  const LoweringContext &context) {
  patterns.add<ReduceOpLowering, ScanOpLowering>(converter, patterns.getContext(), context);
}
