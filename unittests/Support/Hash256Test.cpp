// Hashes agree with BLAKE3's published values, and fields never run together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/Hash256.h"

#include "gtest/gtest.h"
#include <set>

using namespace tilus;

TEST(Hash256, IsBLAKE3) {
  // The hashes of the empty input and of "abc" in the test vectors of BLAKE3.
  EXPECT_EQ(Hash256::of("").toHex(), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  EXPECT_EQ(Hash256::of("abc").toHex(), "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
}

TEST(Hash256, ReadsItsTextAndNothingElse) {
  Hash256 hash = Hash256::of("a");
  std::string hex = hash.toHex();
  EXPECT_EQ(Hash256::parseHex(hex), hash);
  for (std::string text :
       {std::string(), hex + "0", hex.substr(1), llvm::StringRef(hex).upper(), "g" + hex.substr(1)})
    EXPECT_FALSE(Hash256::parseHex(text)) << text;
}

TEST(Hash256, AuthenticatesBySecret) {
  Hash256 secret = Hash256::of("secret"), other = Hash256::of("other");
  EXPECT_EQ(Hash256::authenticate(secret, "x"), Hash256::authenticate(secret, "x"));
  EXPECT_NE(Hash256::authenticate(secret, "x"), Hash256::authenticate(other, "x"));
  EXPECT_NE(Hash256::authenticate(secret, "x"), Hash256::authenticate(secret, "y"));
  EXPECT_NE(Hash256::authenticate(secret, "x"), Hash256::of("x"));
}

TEST(FieldHasher, TellsSequencesApart) {
  std::set<Hash256> hashes = {
      FieldHasher().finish(),
      FieldHasher().add("a", "bc").finish(),
      FieldHasher().add("ab", "c").finish(),
      FieldHasher().add("a", "b").add("c", "").finish(),
      FieldHasher().add("a", "b").add("", "c").finish(),
      FieldHasher().add("c", "").add("a", "b").finish(),
      FieldHasher().add("a", uint64_t(1)).finish(),
      FieldHasher().add("a", llvm::StringRef("\1\0\0\0\0\0\0\0", 8)).finish(),
      FieldHasher().add("a", Hash256()).finish(),
      FieldHasher().add("a", std::string(32, '\0')).finish(),
  };
  EXPECT_EQ(hashes.size(), 10u);
}
