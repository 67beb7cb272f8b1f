// Values of calls and their keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/CallSignature.h"

#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

namespace tilus {

using Kind = CallParam::Kind;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

CallValue CallValue::getFloat(double value) {
  // A NaN equals itself, whatever its sign and payload.
  if (std::isnan(value))
    value = std::numeric_limits<double>::quiet_NaN();
  return CallValue(llvm::bit_cast<uint64_t>(value), ValueTag::Float);
}

double CallValue::getFloat() const { return llvm::bit_cast<double>(bits); }

CallValue CallValue::getPointer(uint64_t address, uint64_t bytes, unsigned device) {
  CallValue value(address, ValueTag::Pointer);
  value.packed |= uint64_t((device + 1) & 0xff) << 8 | bytes << 16;
  return value;
}

static llvm::StringRef describeTag(ValueTag tag) {
  static constexpr llvm::StringLiteral names[] = {"none",          "a bool",    "an integer",
                                                  "a real number", "a pointer", "an opaque constant"};
  unsigned index = static_cast<unsigned>(tag);
  return index < std::size(names) ? llvm::StringRef(names[index]) : "no value";
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

namespace {
/// What a kind of parameter takes: a bit for each tag.
struct KindRow {
  llvm::StringLiteral expected;
  unsigned tags;
};
} // namespace

static constexpr unsigned bit(ValueTag tag) { return 1u << static_cast<unsigned>(tag); }

static constexpr KindRow kindRows[] = {
    {"a constant", ~0u},
    {"an integer", bit(ValueTag::Bool) | bit(ValueTag::Int)},
    {"a number", bit(ValueTag::Int) | bit(ValueTag::Float)},
    {"a pointer", bit(ValueTag::None) | bit(ValueTag::Pointer)},
};

static constexpr unsigned divisorBits = 254;

CallSignature::CallSignature(llvm::StringRef name, std::vector<CallParam> list)
    : name(name), params(std::move(list)) {
  for (unsigned index = 0; index < params.size(); ++index) {
    const CallParam &param = params[index];
    (param.kind == Kind::Constant ? constants : kernelParams).push_back(index);
    if (param.kind == Kind::Integer)
      tuned.push_back(index);
    if (param.divisors != 0)
      specialized.push_back(index);
  }
  jitWords = 2 * constants.size() + (specialized.size() + 7) / 8;
  keyWords = jitWords + tuned.size();
}

llvm::Expected<CallSignature> CallSignature::create(llvm::StringRef name, std::vector<CallParam> params) {
  CallSignature signature(name, std::move(params));
  for (unsigned index : signature.specialized) {
    const CallParam &param = signature.params[index];
    if (param.kind != Kind::Integer && param.kind != Kind::Pointer)
      return signature.describe(index, "an integer or a pointer where divisors are given",
                                kindRows[static_cast<unsigned>(param.kind)].expected);
    if ((param.divisors & ~divisorBits) != 0)
      return signature.describe(index, "divisors that are powers of two from 2 to 128",
                                "the sum " + llvm::Twine(param.divisors));
  }
  return std::move(signature);
}

llvm::Error CallSignature::describe(unsigned index, const llvm::Twine &rule,
                                    const llvm::Twine &actual) const {
  return llvm::createStringError("expected " + rule + " for parameter '" + params[index].name + "' of '" +
                                 name + "', but got " + actual);
}

llvm::Error CallSignature::check(llvm::ArrayRef<CallValue> args) const {
  if (args.size() != params.size())
    return llvm::createStringError("expected " + llvm::Twine(params.size()) + " arguments for '" + name +
                                   "', but got " + llvm::Twine(args.size()));
  for (unsigned index = 0; index < args.size(); ++index) {
    const KindRow &row = kindRows[static_cast<unsigned>(params[index].kind)];
    // Values that come from C may have any tag.
    if (args[index].getTag() > ValueTag::Opaque || (row.tags & bit(args[index].getTag())) == 0)
      return describe(index, row.expected, describeTag(args[index].getTag()));
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<unsigned>> CallSignature::findDevice(llvm::ArrayRef<CallValue> args) const {
  std::optional<unsigned> first;
  for (unsigned index : kernelParams) {
    unsigned device = args[index].getDevice();
    if (device == CallValue::unknownDevice)
      continue;
    if (device == CallValue::hostMemory)
      return describe(index, "a pointer to the memory of a device", "one to the memory of the host");
    if (first && args[*first].getDevice() != device)
      return describe(index,
                      "a pointer to device " + llvm::Twine(args[*first].getDevice()) + " like parameter '" +
                          params[*first].name + "'",
                      "one to device " + llvm::Twine(device));
    if (!first)
      first = index;
  }
  if (!first)
    return std::optional<unsigned>();
  return std::optional<unsigned>(args[*first].getDevice());
}

llvm::Error CallSignature::checkDevice(llvm::ArrayRef<CallValue> args, unsigned device) const {
  for (unsigned index : kernelParams) {
    unsigned own = args[index].getDevice();
    if (own == device || own == CallValue::unknownDevice)
      continue;
    // Two arguments that disagree with one another are the better explanation.
    if (llvm::Expected<std::optional<unsigned>> found = findDevice(args); !found)
      return found.takeError();
    return describe(index, "a pointer to device " + llvm::Twine(device) + ", on which the call runs,",
                    "one to device " + llvm::Twine(own));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// The largest of the divisors that divides the value; 1 if none does. 0 is a multiple of all.
static uint64_t classify(uint64_t value, unsigned divisors) {
  uint64_t powers = (value ^ (value - 1)) & divisors;
  return powers ? llvm::bit_floor(powers) : 1;
}

/// The value rounded up to a multiple of 2^max(bits - 2, 0), modulo 2^64.
static uint64_t roundForTuning(int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  unsigned bits = llvm::bit_width(magnitude);
  uint64_t mask = bits > 2 ? (uint64_t(1) << (bits - 2)) - 1 : 0;
  return (static_cast<uint64_t>(value) + mask) & ~mask;
}

/// Mixes 128 bits to 64 by the halves of a product.
static uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 product =
      static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd6e8feb86659fd93);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

static uint64_t hashWords(llvm::ArrayRef<uint64_t> words) {
  uint64_t hash = words.size();
  size_t index = 0;
  for (; index + 1 < words.size(); index += 2)
    hash = mix(hash ^ words[index], words[index + 1]);
  if (index < words.size())
    hash = mix(hash, words[index]);
  return mix(hash, 0);
}

uint64_t CallSignature::computeKey(llvm::ArrayRef<CallValue> args,
                                   llvm::MutableArrayRef<uint64_t> key) const {
  uint64_t *word = key.data();
  for (unsigned index : constants) {
    *word++ = args[index].getBits();
    *word++ = static_cast<uint64_t>(args[index].getTag());
  }
  for (unsigned position = 0; position < specialized.size(); ++position) {
    unsigned index = specialized[position], shift = position % 8 * 8;
    uint64_t divisor = classify(args[index].getBits(), params[index].divisors);
    *word = (shift == 0 ? 0 : *word) | divisor << shift;
    if (shift == 56 || position + 1 == specialized.size())
      ++word;
  }
  for (unsigned index : tuned)
    *word++ = roundForTuning(args[index].getInt());
  return hashWords(key);
}

std::vector<uint64_t> CallSignature::computeDivisibility(llvm::ArrayRef<CallValue> args) const {
  std::vector<uint64_t> divisibility(params.size(), 1);
  for (unsigned index : specialized)
    divisibility[index] = classify(args[index].getBits(), params[index].divisors);
  return divisibility;
}

} // namespace tilus
