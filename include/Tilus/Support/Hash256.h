// Hashes of 256 bits, and the hashing of labelled fields.
//
// Owns the one hash function by which files and cache keys are named and checked: BLAKE3.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilus {

/// A hash. Equal hashes stand for equal contents.
struct Hash256 {
  std::array<uint8_t, 32> bytes = {};

  /// The hash of the bytes.
  static Hash256 of(llvm::ArrayRef<uint8_t> data);
  static Hash256 of(llvm::StringRef data);
  /// The hash of the bytes that only who knows the secret can compute.
  static Hash256 authenticate(const Hash256 &secret, llvm::StringRef data);

  /// 64 lower-case hexadecimal digits.
  std::string toHex() const;
  /// Reads what toHex() writes, and nothing else.
  static std::optional<Hash256> parseHex(llvm::StringRef text);

  bool operator==(const Hash256 &other) const { return bytes == other.bytes; }
  bool operator!=(const Hash256 &other) const { return bytes != other.bytes; }
  bool operator<(const Hash256 &other) const { return bytes < other.bytes; }
};

/// Hashes a sequence of fields. Two sequences have one hash only if they have the same labels, the same types
/// and the same values in the same order: lengths are hashed along, so that neighbours never run together.
class FieldHasher {
public:
  FieldHasher &add(llvm::StringRef label, llvm::StringRef value);
  FieldHasher &add(llvm::StringRef label, const char *value) { return add(label, llvm::StringRef(value)); }
  FieldHasher &add(llvm::StringRef label, const std::string &value) {
    return add(label, llvm::StringRef(value));
  }
  FieldHasher &add(llvm::StringRef label, const Hash256 &value);
  FieldHasher &add(llvm::StringRef label, uint64_t value);
  /// The hash of the fields so far.
  Hash256 finish() { return {hasher.final()}; }

private:
  void addField(char type, llvm::StringRef label, llvm::StringRef value);

  llvm::BLAKE3 hasher;
};

} // namespace tilus
