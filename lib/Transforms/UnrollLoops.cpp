// tilus-unroll-loops: repeats the bodies of loops that ask for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusOps.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace tilus {
#define GEN_PASS_DEF_UNROLLLOOPSPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

/// The attribute by which the branch of a loop tells LLVM of its wishes.
static constexpr llvm::StringLiteral loopAnnotationName = "loop_annotation";

/// Keeps LLVM from unrolling the loop as it likes.
static void markDone(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  loop->removeAttr(TilusDialect::kUnrollAttrName);
  loop->setAttr(loopAnnotationName, LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {},
                                                                  {}, {}, {}, {}, {}, {}, {}));
}

static Value createConstant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

/// Repeats the body within the loop.
static void repeatBody(scf::ForOp loop, Value step, int64_t count) {
  auto advance = [&](unsigned round, Value index, OpBuilder builder) {
    Location loc = loop.getLoc();
    Value rounds = createConstant(builder, loc, index.getType(), round);
    return builder.createOrFold<arith::AddIOp>(loc, index,
                                               builder.createOrFold<arith::MulIOp>(loc, step, rounds));
  };
  generateUnrolledLoop(loop.getBody(), loop.getInductionVar(), count, advance, nullptr,
                       ValueRange(loop.getRegionIterArgs()), loop.getYieldedValues());
}

/// Puts the body of a loop of one round in the loop's place.
static void replaceByBody(IRRewriter &rewriter, scf::ForOp loop) {
  SmallVector<Value> arguments = {loop.getLowerBound()};
  llvm::append_range(arguments, loop.getInitArgs());
  Operation *yield = loop.getBody()->getTerminator();
  rewriter.inlineBlockBefore(loop.getBody(), loop, arguments);
  rewriter.replaceOp(loop, yield->getOperands());
  rewriter.eraseOp(yield);
}

/// The number of rounds, if it is constant. MLIR's own count takes bounds that are further apart than half of
/// their type's range for empty ones.
static std::optional<uint64_t> countRounds(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return std::nullopt;
  if (loop.getUnsignedCmp() ? lower.uge(upper) : lower.sge(upper))
    return 0;
  return (upper - lower - 1).udiv(step).getZExtValue() + 1;
}

static LogicalResult unrollFully(IRRewriter &rewriter, scf::ForOp loop) {
  std::optional<uint64_t> rounds = countRounds(loop);
  if (!rounds)
    return loop.emitOpError("expected constant bounds and a constant step of a loop that is unrolled fully");
  if (*rounds > TilusDialect::kMaxUnroll)
    return loop.emitOpError("expected at most ")
           << TilusDialect::kMaxUnroll << " rounds of a loop that is unrolled fully, but got " << *rounds;
  if (*rounds == 0) {
    rewriter.replaceOp(loop, loop.getInitArgs());
    return success();
  }
  repeatBody(loop, loop.getStep(), *rounds);
  replaceByBody(rewriter, loop);
  return success();
}

/// What is left behind the last whole chunk, of the numbers between the bounds.
static Value createRest(IRRewriter &rewriter, scf::ForOp loop, Value end, int64_t chunk) {
  Location loc = loop.getLoc();
  Value distance = rewriter.createOrFold<arith::SubIOp>(loc, end, loop.getLowerBound());
  return rewriter.createOrFold<arith::RemUIOp>(loc, distance,
                                               createConstant(rewriter, loc, end.getType(), chunk));
}

static LogicalResult unrollBy(IRRewriter &rewriter, scf::ForOp loop, int64_t factor) {
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  int64_t chunk = 0;
  if (!step || *step <= 0 || llvm::MulOverflow(*step, factor, chunk) || !llvm::isIntN(width, chunk))
    return loop.emitOpError("expected a constant step of a loop that is unrolled, of which ")
           << type << " holds " << factor << " times, but got another";
  rewriter.setInsertionPoint(loop);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  // Without a round the end is the start.
  Value end = loop.getUnsignedCmp() ? rewriter.createOrFold<arith::MaxUIOp>(loc, upper, lower)
                                    : rewriter.createOrFold<arith::MaxSIOp>(loc, upper, lower);
  Value rest = createRest(rewriter, loop, end, chunk);
  Value split = rewriter.createOrFold<arith::SubIOp>(loc, end, rest);
  Value oldStep = loop.getStep();
  if (getConstantIntValue(rest) != 0) {
    rewriter.setInsertionPointAfter(loop);
    auto others = cast<scf::ForOp>(rewriter.clone(*loop));
    rewriter.replaceAllUsesWith(loop.getResults(), others.getResults());
    others.setLowerBound(split);
    others.getInitArgsMutable().assign(loop.getResults());
    if (countRounds(others) == 1)
      replaceByBody(rewriter, others);
  }
  rewriter.setInsertionPoint(loop);
  loop.setUpperBound(split);
  loop.setStep(createConstant(rewriter, loc, type, chunk));
  repeatBody(loop, oldStep, factor);
  return success();
}

static LogicalResult unroll(scf::ForOp loop) {
  IRRewriter rewriter(loop.getContext());
  auto factor = dyn_cast<IntegerAttr>(loop->getAttr(TilusDialect::kUnrollAttrName));
  if (!factor)
    return unrollFully(rewriter, loop);
  std::optional<uint64_t> rounds = countRounds(loop);
  markDone(loop);
  if (factor.getInt() == 1 || llvm::hasSingleElement(*loop.getBody()))
    return success();
  if (rounds && *rounds <= uint64_t(factor.getInt()))
    return unrollFully(rewriter, loop);
  return unrollBy(rewriter, loop, factor.getInt());
}

namespace {
/// What a round of a loop takes of a thread's registers, in bits.
struct RoundSize {
  /// Tiles that are loaded from memory that does not change.
  int64_t fetched = 0;
  /// All tiles that are made; those of functions count several times, for their code is long.
  int64_t made = 0;
};
} // namespace

static RoundSize measureRound(scf::ForOp loop) {
  constexpr int64_t kFunctionWeight = 8;
  RoundSize size;
  loop.getBody()->walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile || !getTileLayout(tile))
        continue;
      int64_t bits = getTileLayout(tile).getLayout().getNumLocals() * getElementBits(tile.getElementType());
      auto load = dyn_cast<LoadGlobalOp>(op);
      size.made += op->getDialect()->getNamespace() == "math" ? bits * kFunctionWeight : bits;
      size.fetched += load && load.getCache() == CacheHint::ReadOnly ? bits : 0;
    }
  });
  return size;
}

/// The assembler moves such loads up into earlier rounds, if it sees several. That pays where a round is
/// short, and few registers hold what it loads.
static void askToFetchAhead(scf::ForOp loop) {
  constexpr int64_t kRounds = 4, kMaxFetched = 16 * 32, kMaxMade = 256 * 32, kMaxStep = 1 << 20;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  Type type = loop.getInductionVar().getType();
  bool isPlain =
      step && *step > 0 && *step <= kMaxStep && (type.isIndex() || type.getIntOrFloatBitWidth() >= 32);
  bool isInnermost =
      !loop.getBody()->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!isPlain || !isInnermost)
    return;
  RoundSize size = measureRound(loop);
  if (size.fetched > 0 && size.fetched <= kMaxFetched && size.made <= kMaxMade)
    loop->setAttr(TilusDialect::kUnrollAttrName, Builder(loop.getContext()).getI64IntegerAttr(kRounds));
}

namespace {
class UnrollLoops : public tilus::impl::UnrollLoopsPassBase<UnrollLoops> {
public:
  using UnrollLoopsPassBase::UnrollLoopsPassBase;
  void runOnOperation() override {
    // Inner loops first, so that the rounds of outer ones have them as they will be.
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (!loop->hasAttr(TilusDialect::kUnrollAttrName))
        askToFetchAhead(loop);
      if (loop->hasAttr(TilusDialect::kUnrollAttrName))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
  }
};
} // namespace
