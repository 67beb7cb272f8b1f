// Tests of call values and keys, against their definitions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherFixture.h"

#include "gmock/gmock.h"
#include <cmath>
#include <limits>
#include <random>

using namespace tilus;

static CallSignature sign(std::vector<CallParam> params) {
  return llvm::cantFail(CallSignature::create("f", std::move(params)));
}

static std::vector<uint64_t> keyOf(const CallSignature &signature, llvm::ArrayRef<CallValue> args) {
  std::vector<uint64_t> key(signature.getKeyWords());
  uint64_t hash = signature.computeKey(args, key);
  key.push_back(hash);
  return key;
}

TEST(CallSignature, ConstantsDifferByValueAndType) {
  CallSignature signature = sign({{"c", CallParam::Kind::Constant}});
  double nan = std::numeric_limits<double>::quiet_NaN();
  const CallValue values[] = {CallValue::getNone(),     CallValue::getBool(true), CallValue::getBool(false),
                              CallValue::getInt(1),     CallValue::getInt(0),     CallValue::getInt(-1),
                              CallValue::getFloat(1),   CallValue::getFloat(0),   CallValue::getFloat(-0.0),
                              CallValue::getFloat(nan), CallValue::getOpaque(1),  CallValue::getOpaque(2),
                              CallValue::getPointer(1)};
  for (const CallValue &a : values)
    for (const CallValue &b : values)
      EXPECT_EQ(keyOf(signature, a) == keyOf(signature, b), &a == &b);
  EXPECT_EQ(keyOf(signature, CallValue::getFloat(nan)),
            keyOf(signature, CallValue::getFloat(std::copysign(nan, -1))));
}

TEST(CallSignature, PointersCarryExtentAndDevice) {
  CallValue value = CallValue::getPointer(0xffffffffffffff00, (uint64_t(1) << 48) - 1, 253);
  EXPECT_EQ(value.getBits(), 0xffffffffffffff00);
  EXPECT_EQ(value.getBytes(), (uint64_t(1) << 48) - 1);
  EXPECT_EQ(value.getDevice(), 253u);
  EXPECT_EQ(value.getTag(), ValueTag::Pointer);
  EXPECT_EQ(CallValue::getPointer(8).getDevice(), CallValue::unknownDevice);
  EXPECT_EQ(CallValue::getPointer(8, 0, CallValue::hostMemory).getDevice(), CallValue::hostMemory);
  static_assert(sizeof(CallValue) == 16);
}

/// The definition, without bit tricks.
static int64_t roundedUp(int64_t value) {
  int bits = 0;
  for (uint64_t rest = value < 0 ? -uint64_t(value) : value; rest; rest /= 2)
    ++bits;
  int64_t step = 1;
  for (int i = 0; i < bits - 2; ++i)
    step *= 2;
  __int128 up = __int128(value) + step - 1;
  __int128 quotient = up / step - (up % step < 0);
  return int64_t(quotient * step);
}

TEST(CallSignature, IntegersAreRoundedForTuning) {
  CallSignature signature = sign({{"n", CallParam::Kind::Integer}});
  EXPECT_EQ(roundedUp(4097), 6144);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    int64_t value = i < 4000 ? i - 2000 : int64_t(random()) >> (random() % 63 + 1);
    EXPECT_EQ(int64_t(keyOf(signature, CallValue::getInt(value))[0]), roundedUp(value)) << value;
  }
}

TEST(CallSignature, DivisibilityClasses) {
  CallSignature signature =
      sign({{"n", CallParam::Kind::Integer, 2 | 16}, {"x", CallParam::Kind::Pointer, 16}});
  for (int64_t value = -100; value <= 100; ++value) {
    uint64_t expected = value % 16 == 0 ? 16 : value % 2 == 0 ? 2 : 1;
    CallValue args[] = {CallValue::getInt(value), CallValue::getPointer(uint64_t(value + 100))};
    uint64_t address = (value + 100) % 16 == 0 ? 16 : 1;
    EXPECT_EQ(signature.computeDivisibility(args), (std::vector<uint64_t>{expected, address}));
  }
  EXPECT_EQ(signature.getJitWords(), 1u);
}

TEST(CallSignature, EachPartOfAKeyCounts) {
  // More specialised parameters than fit in a word.
  std::vector<CallParam> params = {{"c", CallParam::Kind::Constant}, {"s", CallParam::Kind::Float}};
  std::vector<CallValue> args = {CallValue::getInt(7), CallValue::getFloat(1)};
  for (int i = 0; i < 19; ++i) {
    params.push_back({"n" + std::to_string(i), CallParam::Kind::Integer, 16});
    args.push_back(CallValue::getInt(160));
  }
  CallSignature signature = sign(params);
  EXPECT_EQ(signature.getJitWords(), 2u + 3u);
  EXPECT_EQ(signature.getKeyWords(), 5u + 19u);
  std::vector<uint64_t> key = keyOf(signature, args);
  args[1] = CallValue::getFloat(2);
  EXPECT_EQ(keyOf(signature, args), key) << "a float is no part of the key";
  for (int i = 0; i < 19; ++i) {
    // 159 and 160 have the same tuning key, 256 and 160 the same class.
    for (auto [value, isJit] : {std::pair(159, true), std::pair(256, false), std::pair(191, true)}) {
      std::vector<CallValue> changed = args;
      changed[2 + i] = CallValue::getInt(value);
      std::vector<uint64_t> other = keyOf(signature, changed);
      EXPECT_NE(other, key);
      EXPECT_EQ(llvm::ArrayRef(other).take_front(5) != llvm::ArrayRef(key).take_front(5), isJit);
    }
  }
}

TEST(CallSignature, DivisorsAreChecked) {
  EXPECT_EQ(
      message(CallSignature::create("f", {{"s", CallParam::Kind::Float, 16}})),
      "expected an integer or a pointer where divisors are given for parameter 's' of 'f', but got a number");
  EXPECT_EQ(
      message(CallSignature::create("f", {{"n", CallParam::Kind::Integer, 256}})),
      "expected divisors that are powers of two from 2 to 128 for parameter 'n' of 'f', but got the sum 256");
}
