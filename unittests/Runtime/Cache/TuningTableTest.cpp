// A tuning table's text keeps all choices, and is used under its own fingerprint only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/TuningTable.h"

#include "llvm/Support/JSON.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tilus;
using testing::HasSubstr;

static TuningFingerprint makeFingerprint() { return {"sm_90a", "NVIDIA H200", "9.0", "13.0", "0.1.0"}; }

static TuningTable makeTable() {
  TuningTable table(makeFingerprint());
  table.set("m=4096,n=\"é\"", {"abc", 0.1});
  table.set("m=1", {"def", 1e-300});
  return table;
}

static std::string parseError(llvm::StringRef text, const TuningFingerprint &current) {
  llvm::Expected<TuningTable> table = TuningTable::parse(text, current);
  return table ? "" : llvm::toString(table.takeError());
}

TEST(TuningTable, KeepsItsChoices) {
  llvm::Expected<TuningTable> parsed = TuningTable::parse(makeTable().serialize(), makeFingerprint());
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  EXPECT_EQ(parsed->size(), 2u);
  EXPECT_EQ(parsed->find("m=4096,n=\"é\"")->schedule, "abc");
  EXPECT_EQ(parsed->find("m=4096,n=\"é\"")->milliseconds, 0.1);
  EXPECT_EQ(parsed->find("m=1")->milliseconds, 1e-300);
  EXPECT_EQ(parsed->serialize(), makeTable().serialize());
}

TEST(TuningTable, HasTheDocumentedForm) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(makeTable().serialize()));
  const llvm::json::Object *metadata = value.getAsObject()->getObject("metadata");
  EXPECT_EQ(*metadata, (llvm::json::Object{{"version", 1},
                                           {"target", "sm_90a"},
                                           {"gpu", "NVIDIA H200"},
                                           {"compute_capability", "9.0"},
                                           {"cuda", "13.0"},
                                           {"tilus", "0.1.0"}}));
  EXPECT_EQ(value.getAsObject()->getArray("entries")->size(), 2u);
}

TEST(TuningTable, IsIgnoredUnderAnyOtherFingerprint) {
  static constexpr std::string TuningFingerprint::*members[] = {
      &TuningFingerprint::target, &TuningFingerprint::gpu, &TuningFingerprint::computeCapability,
      &TuningFingerprint::cuda, &TuningFingerprint::tilus};
  EXPECT_EQ(parseError(makeTable().serialize(), makeFingerprint()), "");
  for (auto member : members) {
    TuningFingerprint current = makeFingerprint();
    current.*member = "other";
    EXPECT_THAT(parseError(makeTable().serialize(), current), HasSubstr("in the metadata of a tuning table"));
    // A star stands for everything in the file, but not in what is asked for.
    TuningFingerprint any = makeFingerprint();
    any.*member = "*";
    EXPECT_EQ(parseError(TuningTable(any).serialize(), current), "");
    EXPECT_NE(parseError(makeTable().serialize(), any), "");
  }
}

TEST(TuningTable, RefusesDamageOfEveryLength) {
  std::string text = makeTable().serialize();
  for (size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_NE(parseError(llvm::StringRef(text).take_front(length), makeFingerprint()), "") << length;
  for (const char *other : {"[]", "{}", "{\"metadata\":{},\"entries\":[]}", "null", "\xff"})
    EXPECT_NE(parseError(other, makeFingerprint()), "") << other;
  size_t version = text.find("\"version\": 1");
  ASSERT_NE(version, std::string::npos);
  EXPECT_THAT(parseError(text.replace(version, 12, "\"version\": 2"), makeFingerprint()),
              HasSubstr("expected version 1"));
}

TEST(TuningTable, CanAlwaysBeReadBack) {
  TuningTable table(makeFingerprint());
  table.set("a", {"x", std::nan("")});
  table.set("b", {"y", INFINITY});
  EXPECT_EQ(parseError(table.serialize(), makeFingerprint()), "");
}
