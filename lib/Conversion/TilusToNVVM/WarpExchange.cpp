// Shuffles of values of any element type between the lanes of a warp, and slots as words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WarpExchange.h"
#include "Tilus/Layout/BankConflicts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static Value bitcastTo(OpBuilder &builder, Location loc, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(builder, loc, type, value).getResult();
}

/// Appends the words of one value that is larger than a word.
static void splitWords(OpBuilder &builder, Location loc, Value value, Type word,
                       SmallVectorImpl<Value> &words) {
  int64_t count = value.getType().getIntOrFloatBitWidth() / word.getIntOrFloatBitWidth();
  Value vector = bitcastTo(builder, loc, VectorType::get({count}, word), value);
  for (int64_t index = 0; index < count; ++index)
    words.push_back(LLVM::ExtractElementOp::create(builder, loc, vector, createI32(builder, loc, index)));
}

/// One word of several slots. What is missing must be zero: an undefined part would make the whole word
/// undefined.
static Value joinWord(OpBuilder &builder, Location loc, ArrayRef<Value> slots, Type word) {
  Type slot = slots.front().getType();
  int64_t count = word.getIntOrFloatBitWidth() / slot.getIntOrFloatBitWidth();
  auto type = VectorType::get({count}, slot);
  Value vector = int64_t(slots.size()) == count ? Value(LLVM::PoisonOp::create(builder, loc, type))
                                                : Value(LLVM::ZeroOp::create(builder, loc, type));
  for (auto [index, value] : llvm::enumerate(slots))
    vector = LLVM::InsertElementOp::create(builder, loc, vector, value, createI32(builder, loc, index));
  return bitcastTo(builder, loc, word, vector);
}

SmallVector<Value> tilus::packWords(OpBuilder &builder, Location loc, ArrayRef<Value> slots,
                                    int64_t wordBits) {
  SmallVector<Value> values(slots);
  if (values.front().getType().isInteger(1))
    for (Value &value : values)
      value = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
  int64_t bits = values.front().getType().getIntOrFloatBitWidth();
  Type word = builder.getIntegerType(wordBits);
  SmallVector<Value> words;
  int64_t perWord = std::max<int64_t>(1, wordBits / bits), count = values.size();
  for (int64_t first = 0; first < count; first += perWord) {
    if (bits > wordBits)
      splitWords(builder, loc, values[first], word, words);
    else if (bits == wordBits)
      words.push_back(bitcastTo(builder, loc, word, values[first]));
    else
      words.push_back(
          joinWord(builder, loc, ArrayRef(values).slice(first, std::min(perWord, count - first)), word));
  }
  return words;
}

SmallVector<Value> tilus::unpackWords(OpBuilder &builder, Location loc, ValueRange words, Type slot,
                                      int64_t count) {
  Type stored = slot.isInteger(1) ? Type(builder.getI8Type()) : slot;
  int64_t bits = stored.getIntOrFloatBitWidth(), wordBits = words.front().getType().getIntOrFloatBitWidth();
  SmallVector<Value> slots;
  for (int64_t index = 0; index < count; ++index) {
    Value value;
    if (bits > wordBits) {
      int64_t perSlot = bits / wordBits;
      SmallVector<Value> parts(words.slice(index * perSlot, perSlot));
      value = bitcastTo(builder, loc, stored, joinWord(builder, loc, parts, builder.getIntegerType(bits)));
    } else if (bits == wordBits) {
      value = bitcastTo(builder, loc, stored, words[index]);
    } else {
      int64_t perWord = wordBits / bits;
      Value vector = bitcastTo(builder, loc, VectorType::get({perWord}, stored), words[index / perWord]);
      value = LLVM::ExtractElementOp::create(builder, loc, vector, createI32(builder, loc, index % perWord));
    }
    if (slot.isInteger(1))
      value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                    createConstant(builder, loc, stored, 0));
    slots.push_back(value);
  }
  return slots;
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// The lowest `count` bits.
static int64_t lowBits(int64_t count) { return int32_t(count >= 32 ? ~0u : (1u << count) - 1); }

WarpExchange::WarpExchange(OpBuilder &builder, Location loc, const LoweringContext &context,
                           ThreadGroup group)
    : firstLane(group.begin % kWarpSize) {
  int64_t rest = group.count % kWarpSize;
  if (group.count < kWarpSize) {
    members = createI32(builder, loc, int32_t(uint32_t(lowBits(group.count)) << firstLane));
    return;
  }
  members = createI32(builder, loc, -1);
  if (rest == 0)
    return;
  // The last warp is not whole.
  Value thread = createThreadId(builder, loc, context, group);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, thread,
                                       createI32(builder, loc, group.count - rest));
  members = arith::SelectOp::create(builder, loc, isLast, createI32(builder, loc, lowBits(rest)), members);
}

Value WarpExchange::getLane(OpBuilder &builder, Location loc, Value lane) const {
  return firstLane ? arith::AddIOp::create(builder, loc, lane, createI32(builder, loc, firstLane)).getResult()
                   : lane;
}

SmallVector<Value> WarpExchange::shuffle(OpBuilder &builder, Location loc, NVVM::ShflKind kind,
                                         ArrayRef<Value> values, Value offset) const {
  // 'up' clamps at lane 0 of the warp, the others at lane 31 (PTX ISA, "shfl.sync").
  Value clamp = createI32(builder, loc, kind == NVVM::ShflKind::up ? 0 : kWarpSize - 1);
  SmallVector<Value> words = packWords(builder, loc, values, 32);
  for (Value &word : words)
    word = NVVM::ShflOp::create(builder, loc, word.getType(), members, word, offset, clamp, kind, UnitAttr());
  return unpackWords(builder, loc, words, values.front().getType(), values.size());
}

Value WarpExchange::shuffle(OpBuilder &builder, Location loc, NVVM::ShflKind kind, Value value,
                            int64_t distance) const {
  return shuffle(builder, loc, kind, ArrayRef(value), createI32(builder, loc, distance)).front();
}
