// Elements of tiles and bulk conversion of their codes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Element.h"

#include "Tilus/IR/TilusTypes.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The format of a float type that has one: IEEE where it has infinities, else by its name.
static std::optional<ScalarFormat> getFloatFormat(Type type) {
  if (auto low = dyn_cast<LowFloatType>(type))
    return ScalarFormat::getSmallFloat(low.getExponent(), low.getMantissa());
  if (isa<Float8E4M3Type>(type))
    return ScalarFormat{ScalarKind::Float, 8, 4, 3};
  if (isa<Float8E3M4Type>(type))
    return ScalarFormat{ScalarKind::Float, 8, 3, 4};
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return ScalarFormat::parse(name);
}

static std::optional<ScalarFormat> getFormat(Type type) {
  if (isa<IndexType>(type))
    return ScalarFormat::getInt(64);
  if (isa<BitType>(type))
    return ScalarFormat::getInt(1);
  if (type.isInteger(1))
    return ScalarFormat::getBool();
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() >= 1 && integer.getWidth() <= 64
               ? std::optional(ScalarFormat::getInt(integer.getWidth()))
               : std::nullopt;
  return isFloatElement(type) ? getFloatFormat(type) : std::nullopt;
}

std::optional<Element> reference::getElement(Type type) {
  std::optional<ScalarFormat> format = getFormat(getElementTypeOrSelf(type));
  if (!format)
    return std::nullopt;
  Element element;
  element.format = *format;
  element.width = format->kind == ScalarKind::Bool ? 1 : format->bits;
  element.bytes = format->bits <= 8 ? 1 : format->bits <= 16 ? 2 : format->bits <= 32 ? 4 : 8;
  return element;
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

template <typename T> static T loadAs(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Calls `body` with a zero of the unsigned type of the container.
template <typename Body> static void withContainer(unsigned bytes, Body body) {
  if (bytes == 1)
    body(uint8_t(0));
  else if (bytes == 2)
    body(uint16_t(0));
  else if (bytes == 4)
    body(uint32_t(0));
  else
    body(uint64_t(0));
}

uint64_t Element::load(const uint8_t *container) const {
  uint64_t code = 0;
  withContainer(bytes, [&](auto zero) { code = loadAs<decltype(zero)>(container); });
  return code;
}

void Element::store(uint8_t *container, uint64_t code) const {
  code &= lowBitMask(width);
  std::memcpy(container, &code, bytes);
}

void reference::decodeInts(const Element &element, const uint8_t *codes, int64_t *values, size_t count,
                           bool isSigned) {
  unsigned shift = isSigned ? 64 - element.width : 0;
  withContainer(element.bytes, [&](auto zero) {
    for (size_t i = 0; i < count; ++i)
      values[i] = int64_t(uint64_t(loadAs<decltype(zero)>(codes + i * sizeof(zero))) << shift) >> shift;
  });
}

void reference::encodeInts(const Element &element, const int64_t *values, uint8_t *codes, size_t count) {
  uint64_t mask = lowBitMask(element.width);
  withContainer(element.bytes, [&](auto zero) {
    for (size_t i = 0; i < count; ++i) {
      auto code = static_cast<decltype(zero)>(uint64_t(values[i]) & mask);
      std::memcpy(codes + i * sizeof(code), &code, sizeof(code));
    }
  });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static bool isF32(const Element &element) { return element.format == ScalarFormat::getF32(); }

/// Widens an f16: the exponent is rebiased by a multiplication, which normalises subnormal numbers too.
static float widenF16(uint16_t code) {
  uint32_t sign = uint32_t(code & 0x8000) << 16, magnitude = uint32_t(code & 0x7fff) << 13;
  if ((code & 0x7c00) == 0x7c00)
    return llvm::bit_cast<float>(sign | 0x7f800000u | magnitude);
  return llvm::bit_cast<float>(sign | llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(magnitude) * 0x1p112f));
}

template <typename Number>
static void decode(const Element &element, const uint8_t *codes, Number *values, size_t count) {
  if (isF32(element)) {
    for (size_t i = 0; i < count; ++i)
      values[i] = loadAs<float>(codes + 4 * i);
  } else if (element.format == ScalarFormat::getF16()) {
    for (size_t i = 0; i < count; ++i)
      values[i] = widenF16(loadAs<uint16_t>(codes + 2 * i));
  } else if (element.format == ScalarFormat::getBF16()) {
    for (size_t i = 0; i < count; ++i)
      values[i] = llvm::bit_cast<float>(uint32_t(loadAs<uint16_t>(codes + 2 * i)) << 16);
  } else {
    for (size_t i = 0; i < count; ++i)
      values[i] = static_cast<Number>(element.format.decode(element.load(codes + i * element.bytes)));
  }
}

void reference::decodeReals(const Element &element, const uint8_t *codes, double *values, size_t count) {
  if (element.width == 64)
    std::memcpy(values, codes, count * sizeof(double));
  else
    decode(element, codes, values, count);
}

void reference::decodeFloats(const Element &element, const uint8_t *codes, float *values, size_t count) {
  decode(element, codes, values, count);
}

void reference::encodeReals(const Element &element, const double *values, uint8_t *codes, size_t count) {
  if (element.width == 64) {
    std::memcpy(codes, values, count * sizeof(double));
  } else if (isF32(element)) {
    for (size_t i = 0; i < count; ++i) {
      float rounded = static_cast<float>(values[i]);
      std::memcpy(codes + 4 * i, &rounded, sizeof(rounded));
    }
  } else {
    for (size_t i = 0; i < count; ++i)
      element.store(codes + i * element.bytes, element.format.encode(values[i], Overflow::Special));
  }
}
