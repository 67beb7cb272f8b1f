// What the cache has not written stays, whatever folder it is told to use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CacheFixture.h"
#include "Tilus/Runtime/ScriptDirectory.h"

#include <sys/stat.h>
#include <thread>
#include <utime.h>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {
class CacheForeignTest : public CacheFixture {
protected:
  /// Makes a file of somebody else, last used so long ago that any sweep would take it.
  void plant(const std::string &name) {
    fs::path path = fs::path(makeRoot()) / name;
    fs::create_directories(path.parent_path());
    writeFile(path.string(), "of " + name);
    utimbuf times = {time(nullptr) - 100 * 24 * 3600, time(nullptr) - 100 * 24 * 3600};
    ASSERT_EQ(utime(path.c_str(), &times), 0);
    planted.push_back(name);
  }
  /// The planted files that are gone or changed.
  std::vector<std::string> findHarmed() {
    std::vector<std::string> harmed;
    for (const std::string &name : planted)
      if (readFile(makeRoot() + "/" + name) != "of " + name)
        harmed.push_back(name);
    return harmed;
  }
  /// All that removes anything: opening, evicting, pruning and clearing.
  void workAndClear() {
    CacheOptions options = makeOptions();
    options.maxBytes = 1000;
    KernelCache cache(options);
    for (unsigned i = 0; i < 3; ++i)
      cache.put(makeKey(i), makeArtifacts(i));
    std::shared_ptr<const CacheStore> store = cache.getStore();
    ASSERT_TRUE(store);
    llvm::cantFail(store->prune(0, std::chrono::seconds(1)));
    llvm::cantFail(store->clear());
    llvm::cantFail(CacheStore::open(options));
  }

  std::vector<std::string> planted;
};
} // namespace

/// Names that a project may have beside and in folders of the same names as the cache's.
static const char *const foreignNames[] = {
    "tmp/notes.txt",        "tmp/a-1-1-1",  "bad/kept",        "locks/front", "scripts/run.sh",
    "scripts/build/all.sh", "kernels/a.cu", "kernels/b.tilus", "README",      "tools/hammer.py"};

TEST_F(CacheForeignTest, LeavesAFolderOfOthersAlone) {
  for (const char *name : foreignNames)
    plant(name);
  workAndClear();
  EXPECT_THAT(findHarmed(), ElementsAre());
  EXPECT_THAT(warnings, ElementsAre());
  // It works in a folder of its own there.
  KernelCache(makeOptions()).put(makeKey(7), makeArtifacts(7));
  EXPECT_TRUE(fs::exists(tilus::getEntryPath(makeRoot() + "/tilus", 7)));
  EXPECT_FALSE(fs::exists(getEntryPath(7)));
  EXPECT_TRUE(KernelCache(makeOptions()).get(makeKey(7)));
}

TEST_F(CacheForeignTest, LeavesFilesOfOthersInTheCacheAlone) {
  KernelCache(makeOptions()).put(makeKey(9), makeArtifacts(9));
  ASSERT_TRUE(fs::exists(getEntryPath(9)));
  for (const char *name : foreignNames)
    plant(name);
  // Names of a folder's own form that hold what somebody else wrote.
  std::string key = makeKey(1).toHex();
  plant("scripts/mine-sm_90a-" + key + "/tuning.json");
  plant("scripts/mine-sm_90a-" + key + "/notes");
  plant("bad/" + key + "-" + TrustedFolder::makeTemporaryName() + "/work");
  workAndClear();
  EXPECT_THAT(findHarmed(), ElementsAre());
  EXPECT_FALSE(fs::exists(getEntryPath(9)));
  EXPECT_FALSE(fs::exists(makeRoot() + "/tilus"));
}

TEST_F(CacheForeignTest, ClearsWhatIsItsOwn) {
  CacheOptions options = makeOptions();
  auto store = std::make_shared<const CacheStore>(llvm::cantFail(CacheStore::open(options)));
  ScriptIdentity identity;
  identity.name = "scale";
  identity.chip = "sm_90a";
  ScriptDirectory script = llvm::cantFail(ScriptDirectory::open(store, identity));
  llvm::cantFail(script.saveSpecialization({makeKey(1), {{"", makeKey(2)}}}));
  TuningFingerprint fingerprint = {"sm_90a", "GPU", "9.0", "13.0", "0.1"};
  llvm::cantFail(script.saveTuning(TuningTable(fingerprint)));
  KernelCache(options).put(makeKey(0), makeArtifacts(0));
  llvm::cantFail(store->setAside(makeKey(0)));
  ASSERT_TRUE(store->lock(makeKey(3), std::chrono::milliseconds(0)));
  ASSERT_GT(countFiles(script.getPath()), 2u);
  ASSERT_EQ(countFiles(makeRoot("root/bad")), 1u);
  llvm::cantFail(store->clear());
  for (const char *folder : {"scripts", "bad", "locks", "kernels"})
    EXPECT_EQ(countFiles(makeRoot("root/") + folder), 0u) << folder;
}

TEST_F(CacheForeignTest, RefusesWhereItsOwnFolderIsTaken) {
  plant("README");
  plant("tilus/main.c");
  CacheOptions options = makeOptions();
  KernelCache cache(options);
  cache.put(makeKey(0), makeArtifacts(0));
  EXPECT_FALSE(cache.get(makeKey(0)));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("root/tilus', which holds something else; name another folder"));
  EXPECT_THAT(findHarmed(), ElementsAre());
  EXPECT_FALSE(fs::exists(makeRoot() + "/kernels") || fs::exists(makeRoot() + "/tilus/kernels"));
}

TEST_F(CacheForeignTest, ProcessesThatBeginTogetherAgree) {
  for (unsigned round = 0; round < 50; ++round) {
    std::string root = makeRoot("r" + llvm::Twine(round));
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        CacheOptions options;
        options.root = root;
        KernelCache(options).put(makeKey(i), makeArtifacts(i));
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(countFiles(root + "/kernels"), 4u) << round;
    EXPECT_FALSE(fs::exists(root + "/tilus")) << round;
  }
}
