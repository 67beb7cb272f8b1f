// Hashing with BLAKE3, and the text form of hashes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/Hash256.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

namespace tilus {

Hash256 Hash256::of(llvm::ArrayRef<uint8_t> data) { return {llvm::BLAKE3::hash(data)}; }

Hash256 Hash256::of(llvm::StringRef data) { return of(llvm::arrayRefFromStringRef(data)); }

Hash256 Hash256::authenticate(const Hash256 &secret, llvm::StringRef data) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init_keyed(&hasher, secret.bytes.data());
  llvm_blake3_hasher_update(&hasher, data.data(), data.size());
  Hash256 result;
  llvm_blake3_hasher_finalize(&hasher, result.bytes.data(), result.bytes.size());
  return result;
}

std::string Hash256::toHex() const { return llvm::toHex(bytes, /*LowerCase=*/true); }

std::optional<Hash256> Hash256::parseHex(llvm::StringRef text) {
  Hash256 result;
  std::string decoded;
  if (text.size() != 2 * result.bytes.size() || !llvm::tryGetFromHex(text, decoded))
    return std::nullopt;
  llvm::copy(decoded, result.bytes.begin());
  if (result.toHex() != text)
    return std::nullopt;
  return result;
}

void FieldHasher::addField(char type, llvm::StringRef label, llvm::StringRef value) {
  uint8_t lengths[17] = {static_cast<uint8_t>(type)};
  llvm::support::endian::write64le(lengths + 1, label.size());
  llvm::support::endian::write64le(lengths + 9, value.size());
  hasher.update(llvm::ArrayRef<uint8_t>(lengths));
  hasher.update(label);
  hasher.update(value);
}

FieldHasher &FieldHasher::add(llvm::StringRef label, llvm::StringRef value) {
  addField('s', label, value);
  return *this;
}

FieldHasher &FieldHasher::add(llvm::StringRef label, const Hash256 &value) {
  addField('h', label, llvm::toStringRef(value.bytes));
  return *this;
}

FieldHasher &FieldHasher::add(llvm::StringRef label, uint64_t value) {
  char bytes[8];
  llvm::support::endian::write64le(bytes, value);
  addField('u', label, llvm::StringRef(bytes, sizeof(bytes)));
  return *this;
}

} // namespace tilus
