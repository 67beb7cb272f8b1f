// Whichever file-system call fails, with whatever error, results are right and at most one warning is given.
// Damage of any kind is noticed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CacheFixture.h"
#include "FaultShim.h"

#include <cerrno>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
struct FaultRow {
  const char *name;
  Fault fault;
  int code;
};

class CacheFaultTest : public CacheFixture, public testing::WithParamInterface<FaultRow> {};

class CacheDamageTest : public CacheFixture {
protected:
  /// Gets entry 0 with a new cache.
  std::optional<KernelCache::Artifacts> get() { return KernelCache(makeOptions()).get(makeKey(0)); }
  /// Puts entry 0, and expects it to be there.
  void mend() {
    KernelCache(makeOptions()).put(makeKey(0), makeArtifacts(0));
    EXPECT_TRUE(get());
  }
};
} // namespace

static constexpr FaultRow faultRows[] = {
    {"ENOSPC", Fault::Fail, ENOSPC}, {"EIO", Fault::Fail, EIO},       {"EROFS", Fault::Fail, EROFS},
    {"EDQUOT", Fault::Fail, EDQUOT}, {"ESTALE", Fault::Fail, ESTALE}, {"EBUSY", Fault::Fail, EBUSY},
    {"EMFILE", Fault::Fail, EMFILE}, {"EINTR", Fault::Fail, EINTR},   {"EACCES", Fault::Fail, EACCES},
    {"ENOENT", Fault::Fail, ENOENT}, {"Short", Fault::Short, 0},
};

TEST_P(CacheFaultTest, WorksOn) {
  long call = 0;
  for (bool isReached = true; isReached;) {
    ++call;
    std::string root = makeRoot(llvm::Twine(call));
    {
      // An entry to read, one to mend, and leftovers to sweep.
      KernelCache cache(makeOptions(root));
      for (unsigned i = 0; i < 3; ++i)
        cache.put(makeKey(i), makeArtifacts(i));
      writeFile(root + "/tmp/leftover", "");
    }
    CacheOptions options = makeOptions(root);
    options.maxBytes = 8000;
    tilusArmFault(GetParam().fault, call, GetParam().code);
    {
      KernelCache cache(options);
      for (unsigned number : {0u, 3u, 3u, 4u, 1u}) {
        llvm::Expected<KernelCache::Artifacts> artifacts =
            cache.getOrCompile(makeKey(number), [&] { return makeArtifacts(number); });
        ASSERT_TRUE(bool(artifacts)) << llvm::toString(artifacts.takeError());
        EXPECT_TRUE(isRight(*artifacts, number));
      }
    }
    isReached = tilusDisarmFault() >= call;
    EXPECT_LE(warnings.size(), 1u) << "call " << call << ": " << warnings.back();
    // A call that is made again, or in parts, is no failure. (Before a folder is opened, the library that
    // makes it gives up.)
    if (GetParam().code == EINTR || GetParam().fault == Fault::Short)
      EXPECT_EQ(warnings.size(), 0u) << "call " << call << ": " << warnings.back();
    warnings.clear();
    // Nothing wrong was left.
    KernelCache after(makeOptions(root));
    for (unsigned number = 0; number < 5; ++number) {
      auto artifacts = after.get(makeKey(number));
      EXPECT_TRUE(!artifacts || isRight(*artifacts, number)) << "call " << call;
    }
    EXPECT_TRUE(warnings.empty()) << warnings.back();
    llvm::sys::fs::remove_directories(root);
  }
  EXPECT_GT(call, 40);
}

INSTANTIATE_TEST_SUITE_P(Errors, CacheFaultTest, testing::ValuesIn(faultRows),
                         [](const auto &info) { return info.param.name; });

TEST_F(CacheDamageTest, ReadsFromADiskThatCannotBeWritten) {
  KernelCache(makeOptions()).put(makeKey(0), makeArtifacts(0));
  unsigned failures = 0;
  bool isReached = true;
  for (long call = 1; isReached; ++call) {
    KernelCache cache(makeOptions());
    ASSERT_TRUE(cache.get(makeKey(0)));
    tilusArmFault(Fault::Fail, call, EROFS);
    cache.put(makeKey(1), makeArtifacts(1));
    isReached = tilusDisarmFault() >= call;
    if (warnings.empty())
      continue;
    ++failures;
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("new kernels are not cached: ")));
    EXPECT_TRUE(cache.get(makeKey(0)));
    cache.put(makeKey(2), makeArtifacts(2));
    EXPECT_FALSE(cache.get(makeKey(2)));
    EXPECT_EQ(warnings.size(), 1u);
    warnings.clear();
  }
  EXPECT_GT(failures, 3u);
}

TEST_F(CacheDamageTest, EveryFlippedByteAndEveryLengthIsRefused) {
  for (unsigned number = 0; number < 20; ++number) {
    std::string bytes = llvm::cantFail(serializeArtifacts({makeKey(number), makeArtifacts(number)}));
    EXPECT_FALSE(llvm::errorToBool(parseArtifacts(bytes).takeError()));
    for (size_t offset = 0; offset < bytes.size(); ++offset) {
      bytes[offset] ^= 1 + offset % 255;
      ASSERT_TRUE(llvm::errorToBool(parseArtifacts(bytes).takeError())) << offset;
      bytes[offset] ^= 1 + offset % 255;
      ASSERT_TRUE(llvm::errorToBool(parseArtifacts(llvm::StringRef(bytes).take_front(offset)).takeError()))
          << offset;
    }
  }
}

TEST_F(CacheDamageTest, DamagedFilesAreSetAside) {
  mend();
  std::string bytes = readFile(getEntryPath(0));
  unsigned trials = 0;
  for (size_t offset = 0; offset < bytes.size(); offset += 7, ++trials) {
    std::string damaged = bytes;
    damaged[offset] ^= 0x40;
    writeFile(getEntryPath(0), trials % 2 ? damaged : bytes.substr(0, offset));
    warnings.clear();
    ASSERT_FALSE(get()) << offset;
    ASSERT_THAT(warnings, ElementsAre(HasSubstr("a cached kernel is compiled again: ")));
    ASSERT_FALSE(llvm::sys::fs::exists(getEntryPath(0)));
  }
  EXPECT_EQ(countFiles(makeRoot() + "/bad"), trials);
  mend();
  EXPECT_EQ(readFile(getEntryPath(0)), bytes);
}

TEST_F(CacheDamageTest, ManyDamagedFilesGiveOneWarning) {
  KernelCache cache(makeOptions());
  for (unsigned i = 0; i < 5; ++i) {
    cache.put(makeKey(i), makeArtifacts(i));
    writeFile(tilus::getEntryPath(makeRoot(), i), "");
    EXPECT_FALSE(cache.get(makeKey(i)));
  }
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_EQ(cache.getStats().refusals, 5u);
}

TEST_F(CacheDamageTest, AFolderInItsPlaceIsSetAside) {
  mend();
  for (bool isEmpty : {true, false}) {
    llvm::sys::fs::remove(getEntryPath(0));
    ASSERT_FALSE(llvm::sys::fs::create_directory(getEntryPath(0)));
    if (!isEmpty)
      writeFile(getEntryPath(0) + "/file", "");
    warnings.clear();
    EXPECT_FALSE(get());
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("expected a file at '")));
    mend();
  }
}

TEST_F(CacheDamageTest, AnotherEntrysFileIsRefused) {
  KernelCache(makeOptions()).put(makeKey(1), makeArtifacts(1));
  mend();
  writeFile(getEntryPath(0), readFile(getEntryPath(1)));
  EXPECT_FALSE(get());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("expected the file's name as its key")));
}
