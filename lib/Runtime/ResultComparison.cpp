// Comparing of results element by element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/ResultComparison.h"
#include "Tilus/Support/BitAccess.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilus {

double getTolerance(const ScalarFormat &format) {
  int bits = format.mantissaBits;
  return std::ldexp(1.0, bits <= 12 ? 2 - bits : -(bits + 1) / 2);
}

namespace {
/// The values of a buffer's elements. The common types of whole bytes are read without bit arithmetic.
class ElementReader {
public:
  ElementReader(llvm::ArrayRef<uint8_t> bytes, const ScalarFormat &format, const DecodeTable *table)
      : bytes(bytes), format(format), table(table) {}

  double operator[](uint64_t index) const {
    if (format.bits == 32 && format.mantissaBits == 23)
      return load<float>(index);
    if (format.bits == 64)
      return load<double>(index);
    uint64_t code = format.bits == 16  ? load<uint16_t>(index)
                    : format.bits == 8 ? bytes[index]
                                       : readElement(bytes, index * format.bits, format.bits);
    return table ? (*table)[code] : format.decode(code);
  }

private:
  template <typename T> T load(uint64_t index) const {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }

  llvm::ArrayRef<uint8_t> bytes;
  const ScalarFormat &format;
  const DecodeTable *table;
};
} // namespace

static std::string describeDifference(uint64_t index, const std::string &actual,
                                      const std::string &expected) {
  return "element " + std::to_string(index) + " is " + actual + ", not " + expected;
}

static std::string print(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
  return text;
}

/// The first integer that differs; there is one.
static std::string findInteger(llvm::ArrayRef<uint8_t> actual, llvm::ArrayRef<uint8_t> expected,
                               const ScalarFormat &format) {
  uint64_t byte = std::mismatch(actual.begin(), actual.end(), expected.begin()).first - actual.begin();
  uint64_t index = byte * 8 / format.bits;
  while (readElement(actual, index * format.bits, format.bits) ==
         readElement(expected, index * format.bits, format.bits))
    ++index;
  const auto text = [&](llvm::ArrayRef<uint8_t> bytes) {
    return std::to_string(format.decodeInt(readElement(bytes, index * format.bits, format.bits)));
  };
  return describeDifference(index, text(actual), text(expected));
}

namespace {
/// The two results of a kernel and what they were made from.
struct FloatBuffers {
  ElementReader actual, expected, before;
  uint64_t count;
};
} // namespace

/// The median magnitude of the values that changed, of about `samples` elements. Robust against single large
/// values (masks, memory that nobody wrote), beside which every other value would count as rounding error.
static double computeMagnitude(const FloatBuffers &buffers, uint64_t samples) {
  std::vector<double> magnitudes;
  const auto isNumber = [](double value) { return std::isfinite(value) && value != 0; };
  for (uint64_t i = 0, step = std::max<uint64_t>(1, buffers.count / samples); i < buffers.count; i += step)
    for (double value : {buffers.actual[i], buffers.expected[i]})
      if (value != buffers.before[i] && isNumber(value))
        magnitudes.push_back(std::fabs(value));
  if (magnitudes.empty())
    return 0;
  auto middle = magnitudes.begin() + magnitudes.size() / 2;
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return *middle;
}

static std::optional<std::string> compareFloats(const FloatBuffers &buffers, double tolerance) {
  constexpr uint64_t samples = 4096;
  double typical = computeMagnitude(buffers, samples);
  if (typical == 0)
    typical = computeMagnitude(buffers, buffers.count);
  for (uint64_t i = 0; i < buffers.count; ++i) {
    double a = buffers.actual[i], b = buffers.expected[i];
    // Nearly all; false where one is not finite.
    if (std::fabs(a - b) <= tolerance * typical)
      continue;
    double bound = tolerance * std::max({std::fabs(a), std::fabs(b), typical});
    bool isClose = std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) <= bound
                                                        : a == b || (std::isnan(a) && std::isnan(b));
    if (!isClose)
      return describeDifference(i, print(a), print(b));
  }
  return std::nullopt;
}

std::optional<std::string> compareElements(llvm::ArrayRef<uint8_t> actual, llvm::ArrayRef<uint8_t> expected,
                                           llvm::ArrayRef<uint8_t> before, const ScalarFormat &format) {
  if (actual == expected)
    return std::nullopt;
  if (!format.isFloat())
    return findInteger(actual, expected, format);
  std::optional<DecodeTable> table;
  if (format.bits <= 16) {
    llvm::Expected<DecodeTable> made = DecodeTable::create(format);
    if (!made)
      return llvm::toString(made.takeError());
    table = std::move(*made);
  }
  const auto read = [&](llvm::ArrayRef<uint8_t> bytes) {
    return ElementReader(bytes, format, table ? &*table : nullptr);
  };
  return compareFloats({read(actual), read(expected), read(before), actual.size() * 8 / format.bits},
                       getTolerance(format));
}

} // namespace tilus
