// The parameters of a kernel family as its callers see them, the values of a call, and the key of a call.
//
// Owns: which calls share compiled code (the JIT key) and which share a tuned choice (the tuning key). It
// does not know targets: a key is looked up in the table of one target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilus {

/// What a value is. Values of different tags are different constants: True, 1 and 1.0 are three.
enum class ValueTag : uint8_t { None, Bool, Int, Float, Pointer, Opaque };

/// One argument of a call: 16 bytes without padding, compared as bytes.
class CallValue {
public:
  /// The number of a device that is not known, and of memory that is the host's.
  static constexpr unsigned unknownDevice = ~0u;
  static constexpr unsigned hostMemory = 254;

  CallValue() = default;
  static CallValue getNone() { return CallValue(0, ValueTag::None); }
  static CallValue getBool(bool value) { return CallValue(value, ValueTag::Bool); }
  static CallValue getInt(int64_t value) { return CallValue(static_cast<uint64_t>(value), ValueTag::Int); }
  static CallValue getFloat(double value);
  /// An address in the memory of a device. `bytes` is the extent of the memory behind it, 0 if not known, at
  /// most 2^48 - 1; `device` the device's number (below 254), `unknownDevice`, or `hostMemory`.
  static CallValue getPointer(uint64_t address, uint64_t bytes = 0, unsigned device = unknownDevice);
  /// A constant that only the front end understands (a string, an element type): a number that stands for it.
  static CallValue getOpaque(uint64_t id) { return CallValue(id, ValueTag::Opaque); }

  ValueTag getTag() const { return static_cast<ValueTag>(packed & 0xff); }
  /// The pattern of 64 bits of the value.
  uint64_t getBits() const { return bits; }
  int64_t getInt() const { return static_cast<int64_t>(bits); }
  double getFloat() const;
  uint64_t getBytes() const { return packed >> 16; }
  /// A number of a device, `unknownDevice` or `hostMemory`.
  unsigned getDevice() const { return static_cast<unsigned>(packed >> 8 & 0xff) - 1; }

  /// The same bits, tag, extent and device.
  bool operator==(const CallValue &other) const { return bits == other.bits && packed == other.packed; }

private:
  CallValue(uint64_t bits, ValueTag tag) : bits(bits), packed(static_cast<uint64_t>(tag)) {}

  uint64_t bits = 0;
  /// The tag in 8 bits, the device's number plus 1 in 8, the extent in 48.
  uint64_t packed = 0;
};

/// One parameter of a call.
struct CallParam {
  enum class Kind : uint8_t {
    Constant, ///< Known at compile time; no parameter of the kernel.
    Integer,  ///< An integer or bool of the kernel.
    Float,    ///< A number of the kernel that is stored as a float.
    Pointer,  ///< An address.
  };

  std::string name;
  Kind kind = Kind::Integer;
  /// The sum of the powers of two (2 to 128) between which the code is specialised, for integers and
  /// pointers: the code may rely on the largest of them that divides the value. With 16, values are multiples
  /// of 16 or anything; with 0 nothing is relied on.
  unsigned divisors = 0;
};

/// The parameters of a kernel family. Immutable.
class CallSignature {
public:
  /// Fails for divisors that are not allowed. `name` is the kernel family's, for errors.
  static llvm::Expected<CallSignature> create(llvm::StringRef name, std::vector<CallParam> params);

  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<CallParam> getParams() const { return params; }
  /// The numbers of the parameters that the kernel takes: all but the constants, in order.
  llvm::ArrayRef<unsigned> getKernelParams() const { return kernelParams; }

  /// Fails, naming the parameter, unless there is a value for each parameter and its tag suits the kind: Bool
  /// and Int for integers; Int and Float for floats; Pointer and None, which is the null pointer, for
  /// pointers; anything for constants.
  llvm::Error check(llvm::ArrayRef<CallValue> args) const;
  /// Fails, naming the arguments, if a pointer is known to lie elsewhere than on device number `device`.
  llvm::Error checkDevice(llvm::ArrayRef<CallValue> args, unsigned device) const;
  /// The device on which the pointers lie; none if they do not say. Fails, naming two arguments, if they lie
  /// on different devices, and naming one that lies in the host's memory.
  llvm::Expected<std::optional<unsigned>> findDevice(llvm::ArrayRef<CallValue> args) const;

  /// The number of words of a key, and of the JIT key at its start.
  unsigned getKeyWords() const { return keyWords; }
  unsigned getJitWords() const { return jitWords; }
  /// Writes the key of a call to `key`, which has getKeyWords() words, and returns its hash. There must be as
  /// many values as parameters. The JIT key holds the constants, by value and tag, and the class of each
  /// specialised parameter; the rest, the tuning key, each integer rounded up to a multiple of
  /// 2^max(bits - 2, 0), where bits is the number of its significant bits. The hash has no promise beyond
  /// this process.
  uint64_t computeKey(llvm::ArrayRef<CallValue> args, llvm::MutableArrayRef<uint64_t> key) const;
  /// What the code may rely on for each parameter: the divisor of its class, 1 where there is none.
  std::vector<uint64_t> computeDivisibility(llvm::ArrayRef<CallValue> args) const;

private:
  CallSignature(llvm::StringRef name, std::vector<CallParam> params);
  llvm::Error describe(unsigned index, const llvm::Twine &rule, const llvm::Twine &actual) const;

  std::string name;
  std::vector<CallParam> params;
  std::vector<unsigned> kernelParams;
  /// The parameters that contribute to each part of the key.
  std::vector<unsigned> constants, specialized, tuned;
  unsigned jitWords = 0;
  unsigned keyWords = 0;
};

} // namespace tilus
