// Values that threads hand to one another through the scratch memory of an op.
//
// Value v of a place sits at ((v / vector) * places + place) * vector + v % vector, so that neighbouring
// places are neighbours in the banks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchExchange.h"
#include "Tilus/Layout/BankConflicts.h"
#include "WarpExchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilus;

Value tilus::createThreadDigit(OpBuilder &builder, Location loc, const LoweringContext &context,
                               ThreadGroup group, const ThreadDigit &digit) {
  Value thread = createThreadId(builder, loc, context, group);
  return createDigit(builder, loc, thread, digit.stride, digit.size, group.count);
}

ScratchExchange::ScratchExchange(OpBuilder &builder, Location loc, const LoweringContext &context,
                                 Operation *op, Type type)
    : builder(builder), loc(loc), context(context), op(op), group(context.getGroup(op)), type(type),
      word(builder.getIntegerType(type.getIntOrFloatBitWidth() > 32 ? 64 : 32)) {}

int64_t ScratchExchange::getVector(int64_t begin, int64_t count) const {
  int64_t vector = 128 / word.getIntOrFloatBitWidth();
  while (begin % vector || count % vector)
    vector /= 2;
  return vector;
}

Value ScratchExchange::getPlace(const ScratchPlaces &places, ArrayRef<ThreadDigit> others) {
  Value place = createI32(builder, loc, 0);
  for (const ThreadDigit &digit : places.digits) {
    if (llvm::any_of(others, [&](const ThreadDigit &other) { return other.stride == digit.stride; }))
      continue;
    Value value = createThreadDigit(builder, loc, context, group, digit);
    Value part = builder.createOrFold<arith::MulIOp>(loc, value, createI32(builder, loc, digit.placeStride));
    place = builder.createOrFold<arith::AddIOp>(loc, place, part);
  }
  return place;
}

Value ScratchExchange::getPointer(Value place, int64_t constant, int64_t vector) {
  Value scratch = createScratchPointer(builder, loc, op);
  Value offset = builder.createOrFold<arith::MulIOp>(loc, place, createI32(builder, loc, vector));
  Value pointer = createElementPointer(builder, loc, scratch, offset, word.getIntOrFloatBitWidth());
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), word, pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(constant)});
}

void ScratchExchange::leave(ArrayRef<Value> values, const ScratchPlaces &places, int64_t begin) {
  Value place = getPlace(places), isWriter, zero = createI32(builder, loc, 0);
  for (const ThreadDigit &digit : places.silent) {
    Value value = createThreadDigit(builder, loc, context, group, digit);
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value, zero);
    isWriter = isWriter ? arith::AndIOp::create(builder, loc, isWriter, isZero).getResult() : isZero;
  }
  int64_t count = values.size(), vector = getVector(begin, count);
  for (int64_t first = 0; first < count; first += vector) {
    SmallVector<Value> words;
    for (Value value : values.slice(first, vector)) {
      words.append(packWords(builder, loc, value, word.getIntOrFloatBitWidth()));
    }
    createStore(builder, loc, getPointer(place, begin + first * places.count, vector), words, isWriter,
                CacheHint::Default);
  }
  createBarrier(builder, loc, context, group);
}

SmallVector<Value> ScratchExchange::fetch(Value base, int64_t offset, const ScratchPlaces &places,
                                          int64_t count, int64_t begin) {
  int64_t vector = getVector(begin, count);
  SmallVector<Value> values;
  for (int64_t first = 0; first < count; first += vector) {
    Value pointer = getPointer(base, begin + first * places.count + offset * vector, vector);
    for (Value loaded : createLoad(builder, loc, pointer, word, vector, Value(), CacheHint::Default))
      values.append(unpackWords(builder, loc, loaded, type, 1));
  }
  return values;
}

SmallVector<Value> tilus::createReplicas(OpBuilder &builder, Location loc, const LoweringContext &context,
                                         Operation *op, const RegisterLayout &layout,
                                         ArrayRef<Value> values) {
  ThreadGroup group = context.getGroup(op);
  ReplicaPlan plan = planReplicas(layout, formsWarps(group.begin, group.count));
  if (plan.replicas.empty())
    return SmallVector<Value>(values);
  if (!plan.isInWarp) {
    ScratchExchange exchange(builder, loc, context, op, values.front().getType());
    exchange.leave(values, plan.places);
    return exchange.fetch(exchange.getPlace(plan.places), 0, plan.places, values.size());
  }
  WarpExchange warp(builder, loc, context, group);
  Value thread = createThreadId(builder, loc, context, group);
  Value lane = arith::RemUIOp::create(builder, loc, thread, createI32(builder, loc, kWarpSize));
  for (const ThreadDigit &digit : plan.replicas) {
    Value value = createThreadDigit(builder, loc, context, group, digit);
    Value part = builder.createOrFold<arith::MulIOp>(loc, value, createI32(builder, loc, digit.stride));
    lane = arith::SubIOp::create(builder, loc, lane, part);
  }
  return warp.shuffle(builder, loc, NVVM::ShflKind::idx, values, warp.getLane(builder, loc, lane));
}
