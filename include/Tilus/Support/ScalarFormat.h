// The element types of tiles and kernel parameters as plain data, and exact conversions to and from them.
//
// Owns: what a bit pattern of an element type means, and the one rounding rule into each type. Knows no MLIR.
// Codes are the element's bits in the low end of a uint64_t.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilus {

/// Int is two's complement, also for types without signedness; Bool is one byte that holds 0 or 1.
enum class ScalarKind : uint8_t { Bool, Int, UInt, Float };

/// What the top codes of a floating-point type mean.
enum class SpecialValues : uint8_t {
  IEEE,       ///< The all-ones exponent holds the infinities and the NaNs.
  NaNAllOnes, ///< No infinities; exponent and mantissa all ones is NaN (f8E4M3FN).
  FiniteOnly  ///< Every code is a finite number (the types below 8 bits).
};

/// The rule by which a value between two codes is rounded.
enum class RoundingMode : uint8_t { NearestEven, NearestAway, TowardZero, Down, Up };

/// What happens to a value that the type cannot hold after rounding.
enum class Overflow : uint8_t {
  /// Float: infinity; where the type has none, NaN; where it has neither, the largest finite value. A finite
  /// value that is rounded away from infinity becomes the largest finite value, as in IEEE 754.
  /// Integer: a real value is clamped to 64 bits, then the low bits are kept.
  Special,
  /// The nearest value of the type. NaN stays NaN where the type has it.
  Saturate
};

/// An element type.
///
/// Floats have a sign bit, `exponentBits`, `mantissaBits`, and zero padding below the mantissa up to `bits`
/// (only tf32 has any: 13 bits, which decoding ignores as the hardware does).
/// Rounding into a type is to nearest, ties to even; into tf32 it is to nearest, ties away from zero, which
/// is what the instruction cvt.rna.tf32.f32 does.
struct ScalarFormat {
  ScalarKind kind = ScalarKind::Int;
  uint8_t bits = 32; ///< The width in memory, 1 to 64.
  uint8_t exponentBits = 0;
  uint8_t mantissaBits = 0;
  SpecialValues specials = SpecialValues::IEEE;
  RoundingMode rounding = RoundingMode::NearestEven;

  /// Integers of 1 to 64 bits, and the type of one byte that holds 0 or 1.
  static constexpr ScalarFormat getInt(unsigned bits) { return {ScalarKind::Int, uint8_t(bits)}; }
  static constexpr ScalarFormat getUInt(unsigned bits) { return {ScalarKind::UInt, uint8_t(bits)}; }
  static constexpr ScalarFormat getBool() { return {ScalarKind::Bool, 8}; }
  /// The finite-only float of 1 + `exponentBits` + `mantissaBits` bits, 3 to 7 in all.
  static constexpr ScalarFormat getSmallFloat(unsigned exponentBits, unsigned mantissaBits) {
    return {ScalarKind::Float, uint8_t(1 + exponentBits + mantissaBits), uint8_t(exponentBits),
            uint8_t(mantissaBits), SpecialValues::FiniteOnly};
  }
  static constexpr ScalarFormat getF64() { return {ScalarKind::Float, 64, 11, 52}; }
  static constexpr ScalarFormat getF32() { return {ScalarKind::Float, 32, 8, 23}; }
  static constexpr ScalarFormat getF16() { return {ScalarKind::Float, 16, 5, 10}; }
  static constexpr ScalarFormat getBF16() { return {ScalarKind::Float, 16, 8, 7}; }
  static constexpr ScalarFormat getTF32() {
    return {ScalarKind::Float, 32, 8, 10, SpecialValues::IEEE, RoundingMode::NearestAway};
  }
  static constexpr ScalarFormat getF8E5M2() { return {ScalarKind::Float, 8, 5, 2}; }
  static constexpr ScalarFormat getF8E4M3FN() {
    return {ScalarKind::Float, 8, 4, 3, SpecialValues::NaNAllOnes};
  }

  /// The type of that name, if there is one: `i1` to `i64` (also `si8`), `ui1` to `ui64` (also `u8`), `bool`,
  /// `f16`, `bf16`, `tf32`, `f32`, `f64`, `f8E4M3FN`, `f8E5M2`, and `f<bits>E<e>M<m>FN` for 3 to 7 bits.
  static std::optional<ScalarFormat> parse(llvm::StringRef name);
  /// The name that parse() reads back, spelled as MLIR does where MLIR has the type.
  std::string getName() const;

  bool operator==(const ScalarFormat &other) const {
    return kind == other.kind && bits == other.bits && exponentBits == other.exponentBits &&
           mantissaBits == other.mantissaBits && specials == other.specials && rounding == other.rounding;
  }
  bool operator!=(const ScalarFormat &other) const { return !(*this == other); }

  bool isFloat() const { return kind == ScalarKind::Float; }
  bool isInteger() const { return kind == ScalarKind::Int || kind == ScalarKind::UInt; }
  bool hasInfinity() const { return isFloat() && specials == SpecialValues::IEEE; }
  bool hasNaN() const { return isFloat() && specials != SpecialValues::FiniteOnly; }

  /// The value of a code. Exact, except for integers of more than 53 significant bits: use decodeInt there.
  double decode(uint64_t code) const;
  /// The value of an integer or bool code, sign-extended or zero-extended to 64 bits.
  int64_t decodeInt(uint64_t code) const;

  /// The code nearest to a value, rounded once. A float type keeps the sign and the top payload bits of a NaN
  /// and makes it quiet; a finite-only type turns NaN into its largest value, as the hardware's conversions
  /// do. An integer type truncates towards zero and takes NaN as 0. A bool is 1 unless the value is 0.
  uint64_t encode(double value, Overflow overflow) const;
  uint64_t encodeInt(int64_t value, Overflow overflow) const;
  uint64_t encodeUInt(uint64_t value, Overflow overflow) const;

  /// The code of the largest finite value (1 for bool).
  uint64_t getMaxCode() const;
  /// The range of an integer type as codes of 64 bits: `[getMinInt(), getMaxInt()]`; for ui64 the upper end
  /// is the bit pattern of the unsigned maximum.
  int64_t getMinInt() const;
  uint64_t getMaxInt() const;
  /// Whether an integer or bool type can hold the value. A type of kind Int stands for MLIR's types without
  /// signedness too, so it takes both the signed and the unsigned range.
  bool canHoldInt(int64_t value) const;
  bool canHoldUInt(uint64_t value) const;
  /// Exponent bias of a float type: 2^(exponentBits - 1) - 1.
  int getBias() const { return (1 << (exponentBits - 1)) - 1; }
  /// The bytes that `count` packed elements take, or nothing where the number overflows.
  std::optional<uint64_t> getStorageBytes(uint64_t count) const;
};

/// The values of all codes of a type of at most 16 bits, for bulk decoding.
class DecodeTable {
public:
  /// Fails for a type of more than 16 bits.
  static llvm::Expected<DecodeTable> create(ScalarFormat format);
  /// The value of a code, whose bits above the type's width must be zero.
  double operator[](uint64_t code) const { return values[code]; }

private:
  explicit DecodeTable(std::vector<double> values) : values(std::move(values)) {}
  std::vector<double> values;
};

} // namespace tilus
