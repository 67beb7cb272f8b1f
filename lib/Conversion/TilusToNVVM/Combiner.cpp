// Combining values within a thread, across lanes and across threads, as reductions and scans do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Combiner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Two elements
//===----------------------------------------------------------------------===//

template <typename Op> static Value createBinary(OpBuilder &builder, Location loc, Value a, Value b) {
  return Op::create(builder, loc, a, b);
}

namespace {
/// The operations of a kind; null where the verifier allows none.
struct CombineRow {
  CombineKind kind;
  Value (*onFloats)(OpBuilder &, Location, Value, Value);
  Value (*onIntegers)(OpBuilder &, Location, Value, Value);
  std::optional<NVVM::ReduxKind> redux;
};
} // namespace

static constexpr CombineRow kCombineRows[] = {
    {CombineKind::Add, createBinary<arith::AddFOp>, createBinary<arith::AddIOp>, NVVM::ReduxKind::ADD},
    {CombineKind::Mul, createBinary<arith::MulFOp>, createBinary<arith::MulIOp>, std::nullopt},
    {CombineKind::Max, createBinary<arith::MaximumFOp>, createBinary<arith::MaxSIOp>, NVVM::ReduxKind::MAX},
    {CombineKind::Min, createBinary<arith::MinimumFOp>, createBinary<arith::MinSIOp>, NVVM::ReduxKind::MIN},
    {CombineKind::UMax, nullptr, createBinary<arith::MaxUIOp>, NVVM::ReduxKind::UMAX},
    {CombineKind::UMin, nullptr, createBinary<arith::MinUIOp>, NVVM::ReduxKind::UMIN},
    {CombineKind::MaxNum, createBinary<arith::MaxNumFOp>, nullptr, std::nullopt},
    {CombineKind::MinNum, createBinary<arith::MinNumFOp>, nullptr, std::nullopt},
    {CombineKind::And, nullptr, createBinary<arith::AndIOp>, NVVM::ReduxKind::AND},
    {CombineKind::Or, nullptr, createBinary<arith::OrIOp>, NVVM::ReduxKind::OR},
    {CombineKind::Xor, nullptr, createBinary<arith::XOrIOp>, NVVM::ReduxKind::XOR},
};

static const CombineRow &getRow(CombineKind kind) {
  return *llvm::find_if(kCombineRows, [&](const CombineRow &row) { return row.kind == kind; });
}

Value tilus::createCombine(OpBuilder &builder, Location loc, CombineKind kind, Value a, Value b) {
  const CombineRow &row = getRow(kind);
  return (isa<FloatType>(a.getType()) ? row.onFloats : row.onIntegers)(builder, loc, a, b);
}

static APFloat getFloatIdentity(CombineKind kind, const llvm::fltSemantics &semantics) {
  switch (kind) {
  case CombineKind::Mul:
    return APFloat(semantics, 1);
  case CombineKind::Max:
  case CombineKind::MaxNum:
    return APFloat::getInf(semantics, /*Negative=*/true);
  case CombineKind::Min:
  case CombineKind::MinNum:
    return APFloat::getInf(semantics);
  default:
    // The sum of -0.0 and x is x for each x, 0.0 would lose the sign of -0.0.
    return APFloat::getZero(semantics, /*Negative=*/true);
  }
}

static APInt getIntegerIdentity(CombineKind kind, unsigned bits) {
  switch (kind) {
  case CombineKind::Mul:
    return APInt(bits, 1);
  case CombineKind::Max:
    return APInt::getSignedMinValue(bits);
  case CombineKind::Min:
    return APInt::getSignedMaxValue(bits);
  case CombineKind::UMin:
  case CombineKind::And:
    return APInt::getAllOnes(bits);
  default:
    return APInt::getZero(bits);
  }
}

Value tilus::createIdentity(OpBuilder &builder, Location loc, CombineKind kind, Type type) {
  TypedAttr value;
  if (auto real = dyn_cast<FloatType>(type))
    value = builder.getFloatAttr(type, getFloatIdentity(kind, real.getFloatSemantics()));
  else
    value = builder.getIntegerAttr(type, getIntegerIdentity(kind, type.getIntOrFloatBitWidth()));
  return arith::ConstantOp::create(builder, loc, value);
}

//===----------------------------------------------------------------------===//
// Many elements
//===----------------------------------------------------------------------===//

Value Combiner::createNeutral() {
  if (kind != CombineKind::MaxNum && kind != CombineKind::MinNum)
    return createIdentity(builder, loc, kind, accumulator);
  auto nan = APFloat::getQNaN(cast<FloatType>(accumulator).getFloatSemantics());
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(accumulator, nan));
}

SmallVector<Value> Combiner::widen(ArrayRef<Value> slots) {
  SmallVector<Value> values(slots);
  if (accumulator != element && isa<FloatType>(element))
    for (Value &value : values)
      value = createElementCast(builder, loc, context, value, element, accumulator);
  return values;
}

SmallVector<Value> Combiner::narrow(ArrayRef<Value> values) {
  SmallVector<Value> slots(values);
  if (accumulator != element && isa<FloatType>(element))
    for (Value &slot : slots)
      slot = createElementCast(builder, loc, context, slot, accumulator, element);
  return slots;
}

Value Combiner::fold(SmallVector<Value> values) {
  while (values.size() > 1) {
    size_t half = values.size() / 2;
    for (size_t index = 0; index < half; ++index)
      values[index] = combine(values[2 * index], values[2 * index + 1]);
    if (values.size() % 2)
      values[half++] = values.back();
    values.resize(half);
  }
  return values.front();
}

//===-- Lanes -------------------------------------------------------------===//

/// One instruction for all lanes: integers of at most 32 bits, narrower ones extended as their order wants
/// it.
Value Combiner::redux(Value value, Value members) {
  Type word = builder.getI32Type(), type = value.getType();
  if (type != word) {
    bool isSigned = kind == CombineKind::Max || kind == CombineKind::Min;
    value = isSigned ? arith::ExtSIOp::create(builder, loc, word, value).getResult()
                     : arith::ExtUIOp::create(builder, loc, word, value).getResult();
  }
  value = NVVM::ReduxOp::create(builder, loc, word, value, *getRow(kind).redux, members);
  return type == word ? value : arith::TruncIOp::create(builder, loc, type, value).getResult();
}

SmallVector<Value> Combiner::foldLanes(ArrayRef<Value> values, const ReducePlan &plan) {
  SmallVector<Value> results(values);
  if (plan.lanes.empty())
    return results;
  WarpExchange warp(builder, loc, context, group);
  bool isWord = isa<IntegerType>(accumulator) && accumulator.getIntOrFloatBitWidth() <= 32;
  if (plan.coversWarps && isWord && getRow(kind).redux && context.getTarget().hasFeature(Feature::ReduxInt)) {
    for (Value &value : results)
      value = redux(value, warp.getMembers());
    return results;
  }
  for (const ThreadDigit &digit : plan.lanes)
    for (int64_t step = 1; step < digit.size; step *= 2) {
      Value distance = createI32(builder, loc, step * digit.stride);
      SmallVector<Value> others = warp.shuffle(builder, loc, NVVM::ShflKind::bfly, results, distance);
      for (auto [value, other] : llvm::zip(results, others))
        value = combine(value, other);
    }
  return results;
}

//===-- Scratch -----------------------------------------------------------===//

SmallVector<Value> Combiner::foldScratch(ArrayRef<Value> values, const ReducePlan &plan) {
  if (plan.partners.empty())
    return SmallVector<Value>(values);
  ScratchExchange scratch = getScratch();
  scratch.leave(values, plan.places);
  Value base = scratch.getPlace(plan.places, plan.partners);
  SmallVector<int64_t> offsets{0};
  for (const ThreadDigit &digit : plan.partners) {
    SmallVector<int64_t> inner = offsets;
    for (int64_t value = 1; value < digit.size; ++value)
      for (int64_t offset : inner)
        offsets.push_back(offset + value * digit.placeStride);
  }
  SmallVector<SmallVector<Value>> columns(values.size());
  for (int64_t offset : offsets)
    for (auto [column, value] : llvm::zip(columns, scratch.fetch(base, offset, plan.places, values.size())))
      column.push_back(value);
  SmallVector<Value> results;
  for (SmallVector<Value> &column : columns)
    results.push_back(fold(column));
  return results;
}
