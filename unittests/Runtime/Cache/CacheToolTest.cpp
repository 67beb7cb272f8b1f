// The program tilus-cache says what a cache holds, finds damage and removes what it is told to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/CacheTool.h"
#include "CacheFixture.h"
#include "Tilus/Runtime/ScriptDirectory.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

using namespace tilus;
using testing::AllOf;
using testing::HasSubstr;

namespace {
/// What a run of the program printed.
struct ToolRun {
  int code;
  std::string out, err;
};

class CacheToolTest : public CacheFixture {
protected:
  ToolRun run(std::vector<llvm::StringRef> words) {
    std::string dir = "--dir=" + makeRoot();
    words.push_back(dir);
    ToolRun result;
    llvm::raw_string_ostream out(result.out), err(result.err);
    result.code = runTilusCache(words, out, err);
    return result;
  }
  void fill(unsigned count) {
    KernelCache cache(makeOptions());
    for (unsigned i = 0; i < count; ++i)
      cache.put(makeKey(i), makeArtifacts(i));
  }
  std::string getHex(unsigned number) { return makeKey(number).toHex(); }
};
} // namespace

TEST_F(CacheToolTest, Lists) {
  fill(3);
  ToolRun text = run({"list"});
  EXPECT_EQ(text.code, 0);
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_THAT(text.out, HasSubstr(getHex(i).substr(0, 16)));
  EXPECT_THAT(text.out, HasSubstr("3 kernels, "));
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(run({"list", "--json"}).out));
  EXPECT_EQ(json.getAsObject()->getArray("entries")->size(), 3u);
  uint64_t bytes = 0;
  for (unsigned i = 0; i < 3; ++i)
    bytes += readFile(getEntryPath(i)).size();
  EXPECT_EQ(json.getAsObject()->getInteger("bytes"), int64_t(bytes));
  EXPECT_EQ(json.getAsObject()->getString("root"), makeRoot());
}

TEST_F(CacheToolTest, TakesAMissingFolderAsEmpty) {
  std::string dir = "--dir=" + makeRoot() + "/missing";
  for (llvm::StringRef command : {"list", "verify", "prune", "clear"}) {
    std::string out, err;
    llvm::raw_string_ostream outStream(out), errStream(err);
    EXPECT_EQ(runTilusCache({command, dir}, outStream, errStream), 0) << err;
    EXPECT_THAT(out, HasSubstr("0 kernels"));
    EXPECT_FALSE(llvm::sys::fs::exists(makeRoot() + "/missing"));
  }
}

TEST_F(CacheToolTest, ShowsAKernelAndAFile) {
  KernelArtifact artifact;
  artifact.entry = "matmul";
  artifact.chip = "sm_90a";
  artifact.blockThreads = 384;
  artifact.registers = 168;
  artifact.params.push_back({"n", KernelParam::Kind::Scalar, ScalarFormat::getInt(32), 16});
  artifact.grid[0] = llvm::cantFail(GridExpr::parse("p0 128 ceildivs", 1));
  KernelCache(makeOptions()).put(makeKey(1), artifact);
  auto isShown =
      AllOf(HasSubstr("matmul for sm_90a"), HasSubstr("p0 128 ceildivs | 1 | 1"), HasSubstr("384 threads"),
            HasSubstr("168, 0 bytes spilled"), HasSubstr("n: i32, divisible by 16"));
  std::string prefix = getHex(1).substr(0, 8), path = getEntryPath(1);
  EXPECT_THAT(run({"show", prefix}).out, isShown);
  EXPECT_THAT(run({"show", path}).out, isShown);
  EXPECT_THAT(run({"show", "zz"}).err, HasSubstr("expected the beginning of one key, but got 'zz'"));
  EXPECT_EQ(run({"show", "zz"}).code, 1);
}

TEST_F(CacheToolTest, FindsAndRepairsDamage) {
  fill(3);
  EXPECT_EQ(run({"verify"}).out, "3 kernels are sound, 0 are not\n");
  writeFile(getEntryPath(1), readFile(getEntryPath(1)) + "x");
  ToolRun found = run({"verify"});
  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.out, AllOf(HasSubstr(getHex(1)), HasSubstr("2 kernels are sound, 1 is not")));
  EXPECT_THAT(run({"list"}).out, HasSubstr("damaged"));
  EXPECT_EQ(run({"verify", "--repair"}).code, 0);
  EXPECT_EQ(run({"verify"}).out, "2 kernels are sound, 0 are not\n");
}

TEST_F(CacheToolTest, RemovesToALimitAndAll) {
  fill(4);
  std::string limit = std::to_string(readFile(getEntryPath(0)).size() + readFile(getEntryPath(1)).size() +
                                     readFile(getEntryPath(2)).size() + readFile(getEntryPath(3)).size() - 1);
  EXPECT_THAT(run({"prune", "--max-bytes", limit}).out, HasSubstr("removed 1 kernel,"));
  EXPECT_THAT(run({"prune", "--max-days=1"}).out, HasSubstr("removed 0 kernels"));
  auto store = std::make_shared<const CacheStore>(llvm::cantFail(CacheStore::open(makeOptions())));
  ScriptDirectory script =
      llvm::cantFail(ScriptDirectory::open(store, {"script", "", "", "", "sm_90", "", ""}));
  llvm::cantFail(script.saveSpecialization({makeKey(0), {}}));
  EXPECT_EQ(countFiles(makeRoot() + "/scripts"), 1u);
  EXPECT_THAT(run({"clear"}).out, HasSubstr("removed 3 kernels"));
  EXPECT_EQ(countFiles(makeRoot() + "/kernels"), 0u);
  EXPECT_EQ(countFiles(makeRoot() + "/scripts"), 0u);
}

TEST_F(CacheToolTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(run({}).err,
              HasSubstr("expected a command (list, show, verify, prune or clear), but got none"));
  EXPECT_THAT(run({"lst"}).err, HasSubstr("but got 'lst'"));
  EXPECT_THAT(run({"show"}).err, HasSubstr("expected 1 words after 'show', but got 0"));
  EXPECT_THAT(run({"list", "--jsn"}).err, HasSubstr("but got '--jsn'"));
  EXPECT_THAT(run({"list", "--json=1"}).err, HasSubstr("but got '--json=1'"));
  EXPECT_THAT(run({"prune", "--max-bytes=many"}).err, HasSubstr("expected '--max-bytes=N', but got 'many'"));
  for (llvm::StringRef command : {"list", "show", "verify", "prune", "clear"})
    EXPECT_THAT(run({"--help"}).out, HasSubstr(("  " + command).str()));
}
