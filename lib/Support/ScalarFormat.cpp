// Names, decoding and encoding of element types.
//
// Encoding works on `sign, magnitude * 2^exponent` with an exact 64-bit magnitude, so that a double and a
// 64-bit integer alike are rounded exactly once:
//   1. the exponent of the result's last place follows from the leading bit, or is that of the subnormals;
//   2. the magnitude is shifted there and rounded; a carry moves into the exponent by itself, because codes
//   of
//      one sign are ordered as their values are;
//   3. a code above the largest finite one has overflowed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/ScalarFormat.h"
#include "Tilus/Support/BitAccess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilus {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct NamedFormat {
  llvm::StringLiteral name;
  ScalarFormat format;
};
struct IntegerPrefix {
  llvm::StringLiteral prefix;
  ScalarKind kind;
};
} // namespace

static constexpr NamedFormat namedFormats[] = {
    {"bool", ScalarFormat::getBool()},         {"f64", ScalarFormat::getF64()},
    {"f32", ScalarFormat::getF32()},           {"tf32", ScalarFormat::getTF32()},
    {"f16", ScalarFormat::getF16()},           {"bf16", ScalarFormat::getBF16()},
    {"f8E4M3FN", ScalarFormat::getF8E4M3FN()}, {"f8E5M2", ScalarFormat::getF8E5M2()},
};

/// The first spelling of a kind is the one that is printed.
static constexpr IntegerPrefix integerPrefixes[] = {
    {"i", ScalarKind::Int},
    {"ui", ScalarKind::UInt},
    {"si", ScalarKind::Int},
    {"u", ScalarKind::UInt},
};

/// Parses `f<bits>E<e>M<m>FN` of 3 to 7 bits.
static std::optional<ScalarFormat> parseSmallFloat(llvm::StringRef name) {
  unsigned bits, exponentBits, mantissaBits;
  if (!name.consume_front("f") || name.consumeInteger(10, bits) || !name.consume_front("E") ||
      name.consumeInteger(10, exponentBits) || !name.consume_front("M") ||
      name.consumeInteger(10, mantissaBits) || name != "FN")
    return std::nullopt;
  if (bits < 3 || bits > 7 || exponentBits < 1 || exponentBits > 6 || mantissaBits < 1 || mantissaBits > 6 ||
      bits != 1 + exponentBits + mantissaBits)
    return std::nullopt;
  return ScalarFormat::getSmallFloat(exponentBits, mantissaBits);
}

std::optional<ScalarFormat> ScalarFormat::parse(llvm::StringRef name) {
  for (const NamedFormat &row : namedFormats)
    if (row.name == name)
      return row.format;
  for (const IntegerPrefix &row : integerPrefixes) {
    llvm::StringRef digits = name;
    unsigned bits;
    if (digits.consume_front(row.prefix) && !digits.empty() && digits[0] != '0' && llvm::isDigit(digits[0]) &&
        !digits.getAsInteger(10, bits) && bits <= 64)
      return ScalarFormat{row.kind, uint8_t(bits)};
  }
  return parseSmallFloat(name);
}

std::string ScalarFormat::getName() const {
  for (const NamedFormat &row : namedFormats)
    if (row.format == *this)
      return row.name.str();
  for (const IntegerPrefix &row : integerPrefixes)
    if (row.kind == kind)
      return (row.prefix + llvm::Twine(unsigned(bits))).str();
  return ("f" + llvm::Twine(unsigned(bits)) + "E" + llvm::Twine(unsigned(exponentBits)) + "M" +
          llvm::Twine(unsigned(mantissaBits)) + "FN")
      .str();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The code of the largest finite magnitude of a float type, without the padding below the mantissa.
static uint64_t getMaxFiniteMagnitude(const ScalarFormat &format) {
  uint64_t allOnes = lowBitMask(format.exponentBits + format.mantissaBits);
  switch (format.specials) {
  case SpecialValues::IEEE:
    return allOnes - (uint64_t(1) << format.mantissaBits);
  case SpecialValues::NaNAllOnes:
    return allOnes - 1;
  case SpecialValues::FiniteOnly:
    return allOnes;
  }
  return allOnes;
}

/// The number of bits below the mantissa.
static unsigned getPadding(const ScalarFormat &format) {
  return format.bits - 1 - format.exponentBits - format.mantissaBits;
}

/// Places a sign and a magnitude code.
static uint64_t assemble(const ScalarFormat &format, bool negative, uint64_t magnitudeCode) {
  uint64_t sign = negative ? uint64_t(1) << (format.bits - 1) : 0;
  return sign | (magnitudeCode << getPadding(format));
}

uint64_t ScalarFormat::getMaxCode() const {
  return isFloat() ? assemble(*this, false, getMaxFiniteMagnitude(*this)) : getMaxInt();
}

int64_t ScalarFormat::getMinInt() const {
  return kind == ScalarKind::Int ? signExtend(uint64_t(1) << (bits - 1), bits) : 0;
}

uint64_t ScalarFormat::getMaxInt() const {
  if (kind == ScalarKind::Bool)
    return 1;
  return lowBitMask(kind == ScalarKind::Int ? bits - 1 : bits);
}

bool ScalarFormat::canHoldInt(int64_t value) const {
  return value < 0 ? value >= getMinInt() : canHoldUInt(static_cast<uint64_t>(value));
}

bool ScalarFormat::canHoldUInt(uint64_t value) const {
  return value <= (kind == ScalarKind::Int ? lowBitMask(bits) : getMaxInt());
}

std::optional<uint64_t> ScalarFormat::getStorageBytes(uint64_t count) const {
  uint64_t total;
  if (__builtin_mul_overflow(count, uint64_t(bits), &total))
    return std::nullopt;
  return total / 8 + (total % 8 != 0);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

int64_t ScalarFormat::decodeInt(uint64_t code) const {
  if (kind == ScalarKind::Bool)
    return (code & 0xff) != 0;
  return kind == ScalarKind::Int ? signExtend(code, bits) : static_cast<int64_t>(code & lowBitMask(bits));
}

/// A double NaN with the sign and the payload of a code, the payload aligned at the top.
static double decodeNaN(const ScalarFormat &format, bool negative, uint64_t mantissa) {
  uint64_t payload = mantissa << (52 - format.mantissaBits);
  uint64_t quiet = uint64_t(0x7ff8) << 48;
  return llvm::bit_cast<double>((uint64_t(negative) << 63) | quiet | payload);
}

static double decodeFloat(const ScalarFormat &format, uint64_t code) {
  uint64_t magnitudeCode = (code & lowBitMask(format.bits - 1)) >> getPadding(format);
  bool negative = (code >> (format.bits - 1)) & 1;
  uint64_t mantissa = magnitudeCode & lowBitMask(format.mantissaBits);
  int exponent = static_cast<int>(magnitudeCode >> format.mantissaBits);
  if (magnitudeCode > getMaxFiniteMagnitude(format)) {
    if (format.hasInfinity() && mantissa == 0)
      return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return decodeNaN(format, negative, mantissa);
  }
  uint64_t significand = exponent == 0 ? mantissa : mantissa | (uint64_t(1) << format.mantissaBits);
  int lastPlace = std::max(exponent, 1) - format.getBias() - format.mantissaBits;
  double value = std::ldexp(static_cast<double>(significand), lastPlace);
  return negative ? -value : value;
}

double ScalarFormat::decode(uint64_t code) const {
  if (isFloat())
    return decodeFloat(*this, code);
  int64_t value = decodeInt(code);
  return kind == ScalarKind::UInt ? static_cast<double>(static_cast<uint64_t>(value))
                                  : static_cast<double>(value);
}

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

/// Whether what lies between two magnitudes becomes the lower one.
static bool roundsMagnitudeDown(RoundingMode rounding, bool negative) {
  return rounding == RoundingMode::TowardZero ||
         rounding == (negative ? RoundingMode::Up : RoundingMode::Down);
}

/// Whether what lies between two magnitudes becomes the higher one.
static bool roundsMagnitudeUp(RoundingMode rounding, bool negative) {
  return rounding == (negative ? RoundingMode::Down : RoundingMode::Up);
}

/// `magnitude / 2^shift` rounded to an integer.
static uint64_t shiftRight(uint64_t magnitude, unsigned shift, RoundingMode rounding, bool negative) {
  if (shift == 0)
    return magnitude;
  if (roundsMagnitudeDown(rounding, negative))
    return shift >= 64 ? 0 : magnitude >> shift;
  if (roundsMagnitudeUp(rounding, negative))
    return shift >= 64 ? magnitude != 0 : (magnitude >> shift) + ((magnitude & lowBitMask(shift)) != 0);
  if (shift > 64)
    return 0;
  uint64_t floor = shift == 64 ? 0 : magnitude >> shift;
  uint64_t rest = magnitude & lowBitMask(shift), half = uint64_t(1) << (shift - 1);
  bool up = rest > half || (rest == half && (rounding == RoundingMode::NearestAway || (floor & 1)));
  return floor + up;
}

static uint64_t encodeOverflow(const ScalarFormat &format, bool negative, Overflow overflow) {
  uint64_t largest = getMaxFiniteMagnitude(format);
  // The code after the largest finite one is infinity, or the NaN of a type without infinity.
  bool special = overflow == Overflow::Special && format.specials != SpecialValues::FiniteOnly;
  return assemble(format, negative, special ? largest + 1 : largest);
}

/// Encodes a finite value beyond the largest one of the type.
static uint64_t encodeTooLarge(const ScalarFormat &format, bool negative, Overflow overflow) {
  bool towardZero = roundsMagnitudeDown(format.rounding, negative);
  return encodeOverflow(format, negative, towardZero ? Overflow::Saturate : overflow);
}

/// Encodes `magnitude * 2^exponent`.
static uint64_t encodeExact(const ScalarFormat &format, bool negative, uint64_t magnitude, int exponent,
                            Overflow overflow) {
  if (magnitude == 0)
    return assemble(format, negative, 0);
  int mantissaBits = format.mantissaBits, bias = format.getBias();
  int leading = exponent + 63 - llvm::countl_zero(magnitude);
  // Far out of range, so that the exponent field below cannot run into the sign.
  if (leading > bias + 2)
    return encodeTooLarge(format, negative, overflow);
  int biased = std::max(leading + bias, 1);
  int lastPlace = biased - bias - mantissaBits, shift = lastPlace - exponent;
  uint64_t significand =
      shift >= 0 ? shiftRight(magnitude, shift, format.rounding, negative) : magnitude << -shift;
  // A normal significand carries its leading one into the exponent field; a subnormal one has none.
  uint64_t magnitudeCode = (uint64_t(biased - 1) << mantissaBits) + significand;
  if (magnitudeCode > getMaxFiniteMagnitude(format))
    return encodeTooLarge(format, negative, overflow);
  return assemble(format, negative, magnitudeCode);
}

static uint64_t encodeNaN(const ScalarFormat &format, uint64_t doubleBits) {
  if (format.specials == SpecialValues::FiniteOnly)
    return assemble(format, false, getMaxFiniteMagnitude(format));
  uint64_t allOnes = lowBitMask(format.exponentBits + format.mantissaBits);
  bool negative = doubleBits >> 63;
  if (format.specials == SpecialValues::NaNAllOnes)
    return assemble(format, negative, allOnes);
  uint64_t payload = (doubleBits & lowBitMask(52)) >> (52 - format.mantissaBits);
  uint64_t quiet = uint64_t(1) << (format.mantissaBits - 1);
  return assemble(format, negative, (allOnes & ~lowBitMask(format.mantissaBits)) | quiet | payload);
}

static uint64_t encodeFloat(const ScalarFormat &format, double value, Overflow overflow) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  bool negative = bits >> 63;
  uint64_t mantissa = bits & lowBitMask(52);
  int exponent = (bits >> 52) & 0x7ff;
  if (exponent == 0x7ff)
    return mantissa ? encodeNaN(format, bits) : encodeOverflow(format, negative, overflow);
  uint64_t magnitude = exponent == 0 ? mantissa : mantissa | (uint64_t(1) << 52);
  return encodeExact(format, negative, magnitude, std::max(exponent, 1) - 1075, overflow);
}

/// The value truncated towards zero and clamped to the 64-bit range of the type's signedness, as a bit
/// pattern.
static uint64_t truncateToInteger(const ScalarFormat &format, double value) {
  if (std::isnan(value))
    return 0;
  if (format.kind == ScalarKind::UInt) {
    if (value <= 0)
      return 0;
    return value >= 0x1p64 ? std::numeric_limits<uint64_t>::max() : static_cast<uint64_t>(value);
  }
  if (value >= 0x1p63)
    return std::numeric_limits<int64_t>::max();
  return value < -0x1p63 ? uint64_t(1) << 63 : static_cast<uint64_t>(static_cast<int64_t>(value));
}

uint64_t ScalarFormat::encode(double value, Overflow overflow) const {
  if (isFloat())
    return encodeFloat(*this, value, overflow);
  if (kind == ScalarKind::Bool)
    return value != 0;
  uint64_t truncated = truncateToInteger(*this, value);
  return kind == ScalarKind::UInt ? encodeUInt(truncated, overflow)
                                  : encodeInt(static_cast<int64_t>(truncated), overflow);
}

uint64_t ScalarFormat::encodeInt(int64_t value, Overflow overflow) const {
  if (value >= 0)
    return encodeUInt(static_cast<uint64_t>(value), overflow);
  if (isFloat())
    return encodeExact(*this, true, -static_cast<uint64_t>(value), 0, overflow);
  if (kind == ScalarKind::Bool)
    return 1;
  if (overflow == Overflow::Saturate)
    value = std::max(value, getMinInt());
  return static_cast<uint64_t>(value) & lowBitMask(bits);
}

uint64_t ScalarFormat::encodeUInt(uint64_t value, Overflow overflow) const {
  if (isFloat())
    return encodeExact(*this, false, value, 0, overflow);
  if (kind == ScalarKind::Bool)
    return value != 0;
  if (overflow == Overflow::Saturate)
    value = std::min(value, getMaxInt());
  return value & lowBitMask(bits);
}

//===----------------------------------------------------------------------===//
// DecodeTable
//===----------------------------------------------------------------------===//

llvm::Expected<DecodeTable> DecodeTable::create(ScalarFormat format) {
  if (format.bits > 16)
    return llvm::createStringError("expected a type of at most 16 bits for a decode table, but got '" +
                                   format.getName() + "'");
  std::vector<double> values(size_t(1) << format.bits);
  for (size_t code = 0; code < values.size(); ++code)
    values[code] = format.decode(code);
  return DecodeTable(std::move(values));
}

} // namespace tilus
