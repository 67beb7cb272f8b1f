// Depths of brackets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/Nesting.h"

#include "gtest/gtest.h"

using namespace tilus;

static std::string repeat(llvm::StringRef text, unsigned count) {
  std::string result;
  for (unsigned index = 0; index < count; ++index)
    result += text;
  return result;
}

TEST(NestingTest, FindsTheFirstBracketThatIsTooDeep) {
  for (const char *bracket : {"(", "[", "{", "<"}) {
    EXPECT_EQ(findDeepNesting(repeat(bracket, kMostNesting)), std::nullopt) << bracket;
    EXPECT_EQ(findDeepNesting(repeat(bracket, kMostNesting + 5)), size_t(kMostNesting)) << bracket;
  }
  EXPECT_EQ(findDeepNesting(repeat("{(", kMostNesting)), size_t(kMostNesting));
}

TEST(NestingTest, CountsWhatIsOpenAtOneTime) {
  EXPECT_EQ(findDeepNesting(repeat("module { f(<[]>) }\n", 3 * kMostNesting)), std::nullopt);
  EXPECT_EQ(findDeepNesting(repeat(") -> (", 3 * kMostNesting)), std::nullopt);
  // Closing brackets without open ones make no room.
  EXPECT_EQ(findDeepNesting("}}}" + repeat("{", kMostNesting + 1)), size_t(kMostNesting + 3));
  // The arrow of a function closes nothing.
  EXPECT_EQ(findDeepNesting(repeat("<->", kMostNesting + 1)), size_t(3 * kMostNesting));
}

TEST(NestingTest, PassesOverStringsCommentsAndBytecode) {
  EXPECT_EQ(
      findDeepNesting("\"" + repeat("(", 2 * kMostNesting) + "\\\"" + repeat("(", 2 * kMostNesting) + "\""),
      std::nullopt);
  EXPECT_EQ(findDeepNesting("// " + repeat("(", 2 * kMostNesting)), std::nullopt);
  EXPECT_EQ(findDeepNesting("// (\n" + repeat("(", kMostNesting + 1)), size_t(kMostNesting + 5));
  EXPECT_EQ(findDeepNesting("ML\xefR" + repeat("(", 2 * kMostNesting)), std::nullopt);
  EXPECT_EQ(findDeepNesting("\"open"), std::nullopt);
  EXPECT_EQ(findDeepNesting(""), std::nullopt);
}
