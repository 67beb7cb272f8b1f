// Conversions of scalars between element types.
//
// Floats up to 32 bits convert through f32, which holds all their values. Into them, a wider source (f64,
// integers of 32 and 64 bits) is first rounded to odd in f32: truncated, with the last bit set where that
// lost something. Rounding the result once more is then the same as rounding the source once, since f32 has
// at least two bits more than each narrower type (Boldo and Melquiond, When double rounding is odd, 2005).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementCast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

ScalarFormat tilus::getFloatFormat(Type type) {
  if (type.isF64())
    return ScalarFormat::getF64();
  if (type.isF32())
    return ScalarFormat::getF32();
  if (type.isTF32())
    return ScalarFormat::getTF32();
  if (type.isF16())
    return ScalarFormat::getF16();
  if (type.isBF16())
    return ScalarFormat::getBF16();
  return isa<Float8E5M2Type>(type) ? ScalarFormat::getF8E5M2() : ScalarFormat::getF8E4M3FN();
}

static bool isFloat(Type type) { return isa<FloatType>(type); }
static bool isF8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

Value ElementCaster::constantF(Type type, double value) {
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
}

Value ElementCaster::intrinsic(StringRef name, Type type, ValueRange operands) {
  auto call =
      LLVM::CallIntrinsicOp::create(builder, loc, type, builder.getStringAttr("llvm.nvvm." + name), operands);
  return call.getResults();
}

RoundingMode ElementCaster::getRounding() const {
  return options.rounding.value_or(getFloatFormat(to).rounding);
}

/// Suffix of the back end's conversions for a rounding mode.
static StringRef getSuffix(RoundingMode mode) {
  switch (mode) {
  case RoundingMode::TowardZero:
    return ".rz";
  case RoundingMode::Down:
    return ".rm";
  case RoundingMode::Up:
    return ".rp";
  default:
    return ".rn";
  }
}

/// A float within the finite range of the result. Then no rounding leaves the range.
Value ElementCaster::saturateFloat(Value value) {
  if (!options.saturates)
    return value;
  double largest = getFloatFormat(to).decode(getFloatFormat(to).getMaxCode());
  value = arith::MinimumFOp::create(builder, loc, value, constantF(value.getType(), largest));
  return arith::MaximumFOp::create(builder, loc, value, constantF(value.getType(), -largest));
}

/// A truncated f32 with the last bit set where something was lost.
Value ElementCaster::makeOdd(Value rounded, Value isInexact) {
  Type word = builder.getI32Type();
  Value bits = arith::BitcastOp::create(builder, loc, word, rounded);
  bits = arith::OrIOp::create(builder, loc, bits, arith::ExtUIOp::create(builder, loc, word, isInexact));
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// An integer within the range of the result; `isUnsigned` says how it is read.
Value ElementCaster::clampInteger(Value value, bool isUnsigned) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth(), resultBits = getSlotType(to).getIntOrFloatBitWidth();
  unsigned magnitude = isUnsigned ? bits : bits - 1;
  unsigned resultMagnitude = options.isResultUnsigned ? resultBits : resultBits - 1;
  if (resultMagnitude < magnitude) {
    Value largest = constant(type, APInt::getLowBitsSet(bits, resultMagnitude).getSExtValue());
    value = isUnsigned ? arith::MinUIOp::create(builder, loc, value, largest).getResult()
                       : arith::MinSIOp::create(builder, loc, value, largest).getResult();
  }
  if (isUnsigned || (!options.isResultUnsigned && resultBits >= bits))
    return value;
  int64_t smallest = options.isResultUnsigned ? 0 : APInt::getSignedMinValue(resultBits).getSExtValue();
  return arith::MaxSIOp::create(builder, loc, value, constant(type, smallest));
}

Value ElementCaster::convertInteger(Value value) {
  Type source = value.getType(), type = getSlotType(to);
  if (options.hasTruth && type.isInteger(1))
    return source == type
               ? value
               : arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, constant(source, 0))
                     .getResult();
  bool isUnsigned = options.isSourceUnsigned || (options.hasTruth && source.isInteger(1));
  if (options.saturates && !source.isInteger(1))
    value = clampInteger(value, isUnsigned);
  unsigned bits = source.getIntOrFloatBitWidth(), resultBits = type.getIntOrFloatBitWidth();
  if (bits == resultBits)
    return value;
  if (bits > resultBits)
    return arith::TruncIOp::create(builder, loc, type, value);
  return isUnsigned ? arith::ExtUIOp::create(builder, loc, type, value).getResult()
                    : arith::ExtSIOp::create(builder, loc, type, value).getResult();
}

// The hardware sticks at the ends of 32 or 64 bits, while the result of arith.fptosi is undefined there. It
// gives 0 for NaN from f32 to 32 bits, else the smallest integer (PTX ISA, "cvt").
Value ElementCaster::floatToInteger(Value value) {
  Type type = getSlotType(to), source = value.getType();
  if (options.hasTruth && type.isInteger(1))
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, value, constantF(source, 0));
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isWide = bits > 32;
  Type wide = builder.getIntegerType(isWide ? 64 : 32);
  std::string name = source.isF64() ? "d2" : "f2";
  name += options.isResultUnsigned ? "u" : "";
  name += isWide ? "ll.rz" : "i.rz";
  Value result = intrinsic(name, wide, value);
  if (isWide || source.isF64()) {
    Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value, value);
    result = arith::SelectOp::create(builder, loc, isNaN, constant(wide, 0), result);
  }
  if (bits == wide.getIntOrFloatBitWidth())
    return result;
  if (options.saturates)
    result = clampInteger(result, options.isResultUnsigned);
  return arith::TruncIOp::create(builder, loc, type, result);
}

/// To f32 or f64 as the result wants; to f32, rounded to odd, if the result is narrower than that.
Value ElementCaster::integerToFloat(Value value) {
  bool isUnsigned = options.isSourceUnsigned || (options.hasTruth && value.getType().isInteger(1));
  Type word = builder.getI32Type(), type = to.isF64() ? to : Type(builder.getF32Type());
  if (value.getType().getIntOrFloatBitWidth() < 32) {
    value = isUnsigned ? arith::ExtUIOp::create(builder, loc, word, value).getResult()
                       : arith::ExtSIOp::create(builder, loc, word, value).getResult();
    return arith::SIToFPOp::create(builder, loc, type, value); // exact
  }
  bool isLong = value.getType() != word, isExact = to.isF64() && !isLong;
  bool isNarrow = !to.isF64() && !to.isF32();
  RoundingMode mode = isNarrow ? RoundingMode::TowardZero : getRounding();
  if (isExact || mode == RoundingMode::NearestEven)
    return isUnsigned ? arith::UIToFPOp::create(builder, loc, type, value).getResult()
                      : arith::SIToFPOp::create(builder, loc, type, value).getResult();
  std::string integer = std::string(isUnsigned ? "u" : "") + (isLong ? "ll" : "i");
  Value result = intrinsic(integer + "2" + (to.isF64() ? "d" : "f") + getSuffix(mode).str(), type, value);
  if (!isNarrow)
    return result;
  Value back = intrinsic("f2" + integer + ".rz", value.getType(), result);
  return makeOdd(result, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, back, value));
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// f8E4M3FN by the exponent of f16: its bits are those of a number 2^8 too small.
static Value widenE4M3(OpBuilder &builder, Location loc, Value slot) {
  Type half = builder.getF16Type(), bits = builder.getI16Type(), single = builder.getF32Type();
  Value wide = arith::ExtUIOp::create(builder, loc, bits, slot);
  Value magnitude = arith::AndIOp::create(builder, loc, wide, createConstant(builder, loc, bits, 0x7f));
  Value sign = arith::AndIOp::create(builder, loc, wide, createConstant(builder, loc, bits, 0x80));
  sign = arith::ShLIOp::create(builder, loc, sign, createConstant(builder, loc, bits, 8));
  Value isNaN = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, magnitude,
                                      createConstant(builder, loc, bits, 0x7f));
  magnitude = arith::ShLIOp::create(builder, loc, magnitude, createConstant(builder, loc, bits, 7));
  magnitude =
      arith::SelectOp::create(builder, loc, isNaN, createConstant(builder, loc, bits, 0x7e00), magnitude);
  Value small =
      arith::BitcastOp::create(builder, loc, half, arith::OrIOp::create(builder, loc, sign, magnitude));
  Value scale = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(256));
  return arith::MulFOp::create(builder, loc, arith::ExtFOp::create(builder, loc, single, small), scale);
}

/// Slots of at most 32 bits as f32.
SmallVector<Value> ElementCaster::widen(ArrayRef<Value> slots) {
  Type half = builder.getF16Type(), single = builder.getF32Type();
  bool hasHardware = context.getTarget().hasFeature(Feature::CvtF8);
  Values values;
  for (size_t index = 0; index < slots.size(); ++index) {
    Value slot = slots[index];
    if (from.isF32()) {
      values.push_back(slot);
    } else if (from.isTF32()) {
      // What memory holds below the mantissa does not count.
      Value bits = arith::BitcastOp::create(builder, loc, builder.getI32Type(), slot);
      bits = arith::AndIOp::create(builder, loc, bits, constant(bits.getType(), int32_t(0xffffe000)));
      values.push_back(arith::BitcastOp::create(builder, loc, single, bits));
    } else if (isa<Float8E5M2Type>(from)) {
      // f8E5M2 is the upper byte of f16.
      Value bits = arith::ExtUIOp::create(builder, loc, builder.getI16Type(), slot);
      bits = arith::ShLIOp::create(builder, loc, bits, constant(bits.getType(), 8));
      bits = arith::BitcastOp::create(builder, loc, half, bits);
      values.push_back(arith::ExtFOp::create(builder, loc, single, bits));
    } else if (isF8(from) && !hasHardware) {
      values.push_back(widenE4M3(builder, loc, slot));
    } else if (isF8(from)) {
      Value pair = LLVM::PoisonOp::create(builder, loc, VectorType::get({2}, builder.getI8Type()));
      size_t next = std::min(index + 1, slots.size() - 1);
      pair = LLVM::InsertElementOp::create(builder, loc, pair, slot, constant(builder.getI32Type(), 0));
      pair =
          LLVM::InsertElementOp::create(builder, loc, pair, slots[next], constant(builder.getI32Type(), 1));
      Value halves = NVVM::ConvertF8x2ToF16x2Op::create(builder, loc, VectorType::get({2}, half), pair,
                                                        /*relu=*/false, from);
      for (int64_t part = 0; part <= int64_t(next - index); ++part) {
        Value value =
            LLVM::ExtractElementOp::create(builder, loc, halves, constant(builder.getI32Type(), part));
        values.push_back(arith::ExtFOp::create(builder, loc, single, value));
      }
      index = next;
    } else {
      values.push_back(arith::ExtFOp::create(builder, loc, single, slot));
    }
  }
  return values;
}

// cvt to 8 bits always saturates. Without saturation, what rounds beyond the largest finite value is
// replaced.
SmallVector<Value> ElementCaster::narrowToF8(ArrayRef<Value> values) {
  Type single = builder.getF32Type(), byte = builder.getI8Type();
  ScalarFormat format = getFloatFormat(to);
  Values slots;
  for (size_t index = 0; index < values.size(); index += 2) {
    size_t next = std::min(index + 1, values.size() - 1);
    Value pair = NVVM::ConvertF32x2ToF8x2Op::create(builder, loc, VectorType::get({2}, byte), values[next],
                                                    values[index], NVVM::FPRoundingMode::RN,
                                                    NVVM::SaturationMode::SATFINITE, /*relu=*/false, to);
    for (size_t part = index; part <= next; ++part)
      slots.push_back(
          LLVM::ExtractElementOp::create(builder, loc, pair, constant(builder.getI32Type(), part - index)));
  }
  if (options.saturates)
    return slots;
  // Half-way above the largest finite value; the tie goes to the even of the two codes.
  uint64_t largest = format.getMaxCode();
  double limit = format.decode(largest), below = format.decode(largest - 1);
  double halfWay = limit + (limit - below) / 2;
  auto predicate = largest % 2 ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OGT;
  for (auto [slot, value] : llvm::zip(slots, values)) {
    Value magnitude = math::AbsFOp::create(builder, loc, value);
    Value isBeyond = arith::CmpFOp::create(builder, loc, predicate, magnitude, constantF(single, halfWay));
    Value sign = arith::AndIOp::create(builder, loc, slot, constant(byte, -128));
    Value special = arith::OrIOp::create(builder, loc, sign, constant(byte, int64_t(largest + 1)));
    slot = arith::SelectOp::create(builder, loc, isBeyond, special, slot);
  }
  return slots;
}

/// From f32 to a narrower float.
SmallVector<Value> ElementCaster::narrow(ArrayRef<Value> values) {
  const TargetInfo &target = context.getTarget();
  RoundingMode mode = getRounding();
  if (isF8(to) && mode == RoundingMode::NearestEven && target.hasFeature(Feature::CvtF8))
    return narrowToF8(values);
  bool isPlain = (to.isF16() || to.isBF16()) && mode == RoundingMode::NearestEven;
  bool isTF32 = to.isTF32() && mode == RoundingMode::NearestAway && target.hasFeature(Feature::CvtTF32);
  Values slots;
  for (Value value : values) {
    value = saturateFloat(value);
    if (isPlain) {
      slots.push_back(arith::TruncFOp::create(builder, loc, to, value));
    } else if (isTF32) {
      // The hardware drops the low bits of a NaN too, which may be all that tells it from infinity.
      Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value, value);
      value = arith::SelectOp::create(builder, loc, isNaN, constantF(value.getType(), NAN), value);
      Value bits = NVVM::ConvertFloatToTF32Op::create(builder, loc, builder.getI32Type(), value,
                                                      NVVM::FPRoundingMode::RNA, NVVM::SaturationMode::NONE,
                                                      /*relu=*/false);
      slots.push_back(arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits));
    } else {
      slots.push_back(narrowInSoftware(value));
    }
  }
  return slots;
}

/// From f64 to f32: as the mode says, or to odd if the result is narrower.
Value ElementCaster::narrowF64(Value value) {
  Type single = builder.getF32Type();
  value = saturateFloat(value);
  RoundingMode mode = to.isF32() ? getRounding() : RoundingMode::TowardZero;
  if (mode == RoundingMode::NearestEven)
    return arith::TruncFOp::create(builder, loc, single, value);
  Value rounded = intrinsic("d2f" + getSuffix(mode).str(), single, value);
  if (to.isF32())
    return rounded;
  Value back = arith::ExtFOp::create(builder, loc, builder.getF64Type(), rounded);
  // An infinity stays one.
  Value isInexact = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE, back, value);
  return makeOdd(rounded, isInexact);
}

SmallVector<Value> ElementCaster::floatToFloat(ArrayRef<Value> slots) {
  Values values(slots);
  if (from.isF64()) {
    for (Value &value : values)
      value = to.isF64() ? saturateFloat(value) : narrowF64(value);
  } else {
    values = widen(slots);
    for (Value &value : values) {
      if (to.isF64())
        value = arith::ExtFOp::create(builder, loc, to, value);
      if (to.isF64() || to.isF32())
        value = saturateFloat(value);
    }
  }
  return to.isF64() || to.isF32() ? values : narrow(values);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementCaster::convert(ArrayRef<Value> slots) {
  if (from == to && !(options.saturates && isFloat(to)) && !isa<IntegerType>(to))
    return Values(slots);
  if (isFloat(from) && isFloat(to))
    return floatToFloat(slots);
  Values values(slots);
  if (isFloat(from) && !from.isF64())
    values = widen(slots);
  for (Value &value : values)
    value = isFloat(from) ? floatToInteger(value)
            : isFloat(to) ? integerToFloat(value)
                          : convertInteger(value);
  return isFloat(to) && !to.isF64() && !to.isF32() ? narrow(values) : values;
}

Value tilus::createElementCast(OpBuilder &builder, Location loc, const LoweringContext &context, Value slot,
                               Type from, Type to) {
  return ElementCaster(builder, loc, context, from, to).convert(slot).front();
}
