// A cache gives what was put, or nothing; it follows its options; it keeps to its limits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CacheFixture.h"

#include <cstdlib>
#include <sys/stat.h>
#include <thread>
#include <utime.h>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
class KernelCacheTest : public CacheFixture {
protected:
  /// Makes an entry look as if it was last used that long ago.
  void setAge(unsigned number, time_t seconds) {
    utimbuf times = {time(nullptr) - seconds, time(nullptr) - seconds};
    ASSERT_EQ(utime(getEntryPath(number).c_str(), &times), 0);
  }
  void fill(KernelCache &cache, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      cache.put(makeKey(i), makeArtifacts(i));
  }
  bool has(unsigned number) { return llvm::sys::fs::exists(getEntryPath(number)); }
};

/// Sets environment variables for a test.
class Environment {
public:
  ~Environment() {
    for (const auto &[name, value] : saved)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  void set(const std::string &name, std::optional<std::string> value) {
    const char *old = getenv(name.c_str());
    saved.emplace(saved.begin(), name, old ? std::optional<std::string>(old) : std::nullopt);
    value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

private:
  std::vector<std::pair<std::string, std::optional<std::string>>> saved;
};
} // namespace

TEST_F(KernelCacheTest, GivesWhatWasPut) {
  {
    KernelCache cache(makeOptions());
    EXPECT_FALSE(llvm::sys::fs::exists(makeRoot()));
    EXPECT_FALSE(cache.get(makeKey(1)));
    fill(cache, 5);
  }
  KernelCache cache(makeOptions());
  for (unsigned i = 0; i < 5; ++i) {
    auto artifacts = cache.get(makeKey(i));
    ASSERT_TRUE(artifacts);
    EXPECT_TRUE(isRight(*artifacts, i));
  }
  EXPECT_FALSE(cache.get(makeKey(5)));
  CacheStats stats = cache.getStats();
  EXPECT_EQ(stats.hits, 5u);
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_THAT(warnings, ElementsAre());
  EXPECT_EQ(countFiles(makeRoot() + "/tmp"), 0u);
}

TEST_F(KernelCacheTest, IsClosedToOthers) {
  umask(0);
  KernelCache cache(makeOptions());
  fill(cache, 1);
  umask(022);
  struct stat status;
  ASSERT_EQ(stat(makeRoot().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
  ASSERT_EQ(stat(getEntryPath(0).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(KernelCacheTest, WritesTheSameBytesForTheSameKey) {
  KernelCache cache(makeOptions());
  fill(cache, 1);
  std::string first = readFile(getEntryPath(0));
  fill(cache, 1);
  EXPECT_EQ(first, readFile(getEntryPath(0)));
}

TEST_F(KernelCacheTest, CompilesOnceAndNotOnFailure) {
  KernelCache cache(makeOptions());
  unsigned compiled = 0;
  auto compile = [&]() -> llvm::Expected<KernelCache::Artifacts> {
    if (++compiled == 1)
      return llvm::createStringError("no luck");
    return makeArtifacts(7);
  };
  EXPECT_EQ(llvm::toString(cache.getOrCompile(makeKey(7), compile).takeError()), "no luck");
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_TRUE(isRight(llvm::cantFail(cache.getOrCompile(makeKey(7), compile)), 7));
  EXPECT_EQ(compiled, 2u);
}

TEST_F(KernelCacheTest, ThreadsCompileAKeyOnce) {
  KernelCache cache(makeOptions());
  std::atomic<unsigned> compiled = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (unsigned key = 0; key < 10; ++key)
        wrong += !isRight(llvm::cantFail(cache.getOrCompile(makeKey(key),
                                                            [&]() -> llvm::Expected<KernelCache::Artifacts> {
                                                              ++compiled;
                                                              return makeArtifacts(key);
                                                            })),
                          key);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(compiled, 10u);
}

TEST_F(KernelCacheTest, DoesNotWaitForeverForAnotherCompilation) {
  CacheOptions options = makeOptions();
  options.lockPatience = std::chrono::milliseconds(20);
  KernelCache cache(options);
  auto lock = cache.getStore()->lock(makeKey(1), std::chrono::milliseconds(0));
  ASSERT_TRUE(lock);
  EXPECT_FALSE(cache.getStore()->lock(makeKey(1), std::chrono::milliseconds(5)));
  EXPECT_TRUE(isRight(llvm::cantFail(cache.getOrCompile(makeKey(1), [] { return makeArtifacts(1); })), 1));
}

TEST_F(KernelCacheTest, ChangesItsRootAtOnce) {
  KernelCache cache(makeOptions());
  fill(cache, 1);
  cache.setRoot(makeRoot("other"));
  EXPECT_FALSE(cache.get(makeKey(0)));
  cache.put(makeKey(1), makeArtifacts(1));
  EXPECT_TRUE(llvm::sys::fs::exists(tilus::getEntryPath(makeRoot("other"), 1)));
  cache.setRoot(makeRoot());
  EXPECT_TRUE(cache.get(makeKey(0)));
  EXPECT_FALSE(cache.get(makeKey(1)));
  // A folder that cannot be used turns it off, the next one on again.
  writeFile(makeRoot("file"), "");
  cache.setRoot(makeRoot("file"));
  EXPECT_FALSE(cache.get(makeKey(0)));
  EXPECT_NE(cache.getStats().offReason, "");
  cache.setRoot(makeRoot());
  EXPECT_TRUE(cache.get(makeKey(0)));
  EXPECT_EQ(cache.getStats().offReason, "");
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(KernelCacheTest, MakesARemovedFolderAgain) {
  KernelCache cache(makeOptions());
  fill(cache, 1);
  llvm::sys::fs::remove_directories(makeRoot());
  EXPECT_FALSE(cache.get(makeKey(0)));
  fill(cache, 1);
  EXPECT_TRUE(cache.get(makeKey(0)));
  EXPECT_THAT(warnings, ElementsAre());
}

TEST_F(KernelCacheTest, RemovesWhatWasNotUsedForLongest) {
  KernelCache(makeOptions()).put(makeKey(9), makeArtifacts(9));
  CacheOptions options = makeOptions();
  fill(*std::make_unique<KernelCache>(options), 4);
  uint64_t bytes = 0;
  for (unsigned i = 0; i < 4; ++i) {
    setAge(i, 100000 * (i + 1));
    bytes += readFile(getEntryPath(i)).size();
  }
  setAge(9, 3000000);
  // Using entry 3 makes it the youngest.
  EXPECT_TRUE(KernelCache(options).get(makeKey(3)));
  options.maxBytes = bytes;
  options.maxAge = std::chrono::seconds(250000);
  KernelCache(options).put(makeKey(0), makeArtifacts(0));
  EXPECT_TRUE(has(0) && has(1) && has(3));
  EXPECT_FALSE(has(2) || has(9));
  options.maxAge = std::chrono::seconds(0);
  options.maxBytes = readFile(getEntryPath(0)).size() + readFile(getEntryPath(3)).size();
  KernelCache(options).put(makeKey(0), makeArtifacts(0));
  EXPECT_TRUE(has(0) && has(3));
  EXPECT_FALSE(has(1));
  EXPECT_THAT(warnings, ElementsAre());
}

TEST_F(KernelCacheTest, SweepsLeftoversOfDeadProcesses) {
  std::string folder = makeRoot() + "/tmp/";
  KernelCache(makeOptions()).put(makeKey(0), makeArtifacts(0));
  std::string mine = TrustedFolder::makeTemporaryName(), host = mine.substr(0, mine.find('-'));
  // The greatest number that the system gives to a process is 2^22.
  struct Row {
    std::string name;
    time_t age;
    bool isKept;
  } rows[] = {{mine, 4000, true},
              {host + "-4194304-1-1", 4000, false},
              {host + "-4194304-1-2", 3000, true},
              {"0123456789abcdef-4194304-1-1", 4000, true},
              {mine + "0", 90000, false},
              {"0123456789abcdef-1-1-1", 90000, false},
              // What is not of the form of such a name is somebody else's.
              {"elsewhere-1-1-1", 90000, true},
              {host + "-4194304-1", 90000, true},
              {host + "-4194304-1-1-1", 90000, true},
              {host + "-4194304-1-x", 90000, true},
              {"notes", 90000, true}};
  for (const Row &row : rows) {
    writeFile(folder + row.name, "part");
    utimbuf times = {time(nullptr) - row.age, time(nullptr) - row.age};
    ASSERT_EQ(utime((folder + row.name).c_str(), &times), 0);
  }
  EXPECT_TRUE(KernelCache(makeOptions()).get(makeKey(0)));
  for (const Row &row : rows)
    EXPECT_EQ(llvm::sys::fs::exists(folder + row.name), row.isKept) << row.name;
}

TEST_F(KernelCacheTest, KeepsWhatTheFormatCannotHoldOut) {
  KernelCache cache(makeOptions());
  KernelArtifact artifact;
  artifact.entry = "\xff";
  cache.put(makeKey(0), artifact);
  EXPECT_FALSE(cache.get(makeKey(0)));
  fill(cache, 1);
  EXPECT_TRUE(cache.get(makeKey(0)));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("expected UTF-8")));
}

TEST_F(KernelCacheTest, FollowsTheEnvironment) {
  Environment environment;
  for (const char *name : {"TILUS_CACHE", "TILUS_CACHE_DIR", "TILUS_CACHE_BYTES", "TILUS_CACHE_SECRET"})
    environment.set(name, std::nullopt);
  environment.set("HOME", "/home/someone");
  environment.set("XDG_CACHE_HOME", std::nullopt);
  EXPECT_EQ(llvm::cantFail(CacheOptions::fromEnvironment()).root, "/home/someone/.cache/tilus");
  environment.set("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(llvm::cantFail(CacheOptions::fromEnvironment()).root, "/home/someone/.cache/tilus");
  environment.set("XDG_CACHE_HOME", "/xdg");
  EXPECT_EQ(llvm::cantFail(CacheOptions::fromEnvironment()).root, "/xdg/tilus");
  environment.set("TILUS_CACHE_DIR", "here");
  environment.set("TILUS_CACHE_BYTES", "5");
  CacheOptions options = llvm::cantFail(CacheOptions::fromEnvironment());
  EXPECT_EQ(options.root, "here");
  EXPECT_EQ(options.maxBytes, 5u);
  environment.set("TILUS_CACHE", "off");
  EXPECT_FALSE(llvm::cantFail(CacheOptions::fromEnvironment()).isEnabled);
  environment.set("TILUS_CACHE", "of");
  EXPECT_EQ(llvm::toString(CacheOptions::fromEnvironment().takeError()),
            "expected 'on' or 'off' for TILUS_CACHE, but got 'of'");
  environment.set("TILUS_CACHE", std::nullopt);
  environment.set("TILUS_CACHE_BYTES", "5 GB");
  EXPECT_THAT(llvm::toString(CacheOptions::fromEnvironment().takeError()), HasSubstr("'5 GB'"));
}

TEST_F(KernelCacheTest, WorksWithoutAPlace) {
  KernelCache homeless(makeOptions(""));
  CacheOptions options = makeOptions();
  options.isEnabled = false;
  KernelCache disabled(options);
  for (KernelCache *cache : {&homeless, &disabled})
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_TRUE(
          isRight(llvm::cantFail(cache->getOrCompile(makeKey(1), [] { return makeArtifacts(1); })), 1));
      EXPECT_FALSE(cache->get(makeKey(1)));
    }
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("no HOME")));
  EXPECT_FALSE(llvm::sys::fs::exists(makeRoot()));
}

TEST_F(KernelCacheTest, SharesWithWhoHasTheSecret) {
  std::string path = makeRoot("secret");
  writeFile(path, "sixteen bytes or more");
  Environment environment;
  for (const char *name : {"TILUS_CACHE", "TILUS_CACHE_BYTES"})
    environment.set(name, std::nullopt);
  environment.set("TILUS_CACHE_DIR", makeRoot());
  environment.set("TILUS_CACHE_SECRET", path);
  EXPECT_THAT(llvm::toString(CacheOptions::fromEnvironment().takeError()), HasSubstr("mode 0600"));
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  CacheOptions options = llvm::cantFail(CacheOptions::fromEnvironment());
  ASSERT_TRUE(options.secret);
  KernelCache cache(options);
  fill(cache, 1);
  EXPECT_TRUE(cache.get(makeKey(0)));
  // Whose files they are does not matter then.
  options.trust.owner += 1;
  ASSERT_EQ(chmod(getEntryPath(0).c_str(), 0666), 0);
  EXPECT_TRUE(KernelCache(options).get(makeKey(0)));
  options.secret = Hash256::of("another secret");
  EXPECT_FALSE(KernelCache(options).get(makeKey(0)));
  writeFile(path, "short");
  EXPECT_THAT(llvm::toString(CacheOptions::fromEnvironment().takeError()), HasSubstr("at least 16 bytes"));
}
