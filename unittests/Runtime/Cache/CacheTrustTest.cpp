// Files that another user can have made or changed are refused, in words that say why.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CacheFixture.h"

#include "llvm/ADT/StringExtras.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace tilus;
using testing::HasSubstr;

namespace {
/// A way to poison a cache that holds entry 0.
struct PoisonRow {
  const char *name;
  void (*poison)(const std::string &root, const std::string &entry, CacheOptions &options);
  /// Words of the warning.
  const char *reason;
};

class CacheTrustTest : public CacheFixture, public testing::WithParamInterface<PoisonRow> {};
} // namespace

static const Hash256 secret = Hash256::of("a secret");

static void setMode(const std::string &path, mode_t mode) { ASSERT_EQ(chmod(path.c_str(), mode), 0); }

/// Replaces a file or folder by a symbolic link to it.
static void replaceByLink(const std::string &path) {
  ASSERT_EQ(rename(path.c_str(), (path + ".real").c_str()), 0);
  ASSERT_EQ(symlink((path + ".real").c_str(), path.c_str()), 0);
}

static void replaceByNode(const std::string &path, mode_t kind) {
  unlink(path.c_str());
  ASSERT_EQ(mknod(path.c_str(), kind | 0600, 0), 0);
}

/// Signs entry 0 with another secret than the one of the options.
static void signWith(const std::string &entry, const Hash256 &otherSecret, CacheOptions &options) {
  std::string bytes = readFile(entry);
  writeFile(entry, bytes + llvm::toStringRef(Hash256::authenticate(otherSecret, bytes).bytes).str());
  options.secret = secret;
}

static const PoisonRow rows[] = {
    // The entry's file.
    {"EntrySymlink", [](auto &, auto &entry, auto &) { replaceByLink(entry); }, "a symbolic link"},
    {"EntryDanglingSymlink",
     [](auto &, auto &entry, auto &) {
       replaceByLink(entry);
       unlink((entry + ".real").c_str());
     },
     "a symbolic link"},
    {"EntryHardLink",
     [](auto &, auto &entry, auto &) { ASSERT_EQ(link(entry.c_str(), (entry + ".too").c_str()), 0); },
     "2 hard links"},
    {"EntryGroupCanWrite", [](auto &, auto &entry, auto &) { setMode(entry, 0620); }, "but got 0620"},
    {"EntryOthersCanWrite", [](auto &, auto &entry, auto &) { setMode(entry, 0602); }, "but got 0602"},
    {"EntryAllCanWrite", [](auto &, auto &entry, auto &) { setMode(entry, 0666); }, "but got 0666"},
    {"EntryPipe", [](auto &, auto &entry, auto &) { replaceByNode(entry, S_IFIFO); }, "a pipe"},
    {"EntrySocket", [](auto &, auto &entry, auto &) { replaceByNode(entry, S_IFSOCK); }, "a pipe, socket"},
    {"EntryHuge",
     [](auto &, auto &entry, auto &) { ASSERT_EQ(truncate(entry.c_str(), int64_t(2) << 30), 0); },
     "expected at most 1073741824 bytes"},
    {"EntryFolder",
     [](auto &, auto &entry, auto &) {
       unlink(entry.c_str());
       mkdir(entry.c_str(), 0700);
     },
     "expected a file at"},
    {"EntryOfAnotherKey",
     [](auto &root, auto &entry, auto &) {
       ASSERT_EQ(rename(getEntryPath(root, 1).c_str(), entry.c_str()), 0);
     },
     "the file's name as its key"},
    {"EntryOfAnotherOwner", [](auto &, auto &entry, auto &) { ASSERT_EQ(chown(entry.c_str(), 1, 1), 0); },
     "an owner with user"},
    // The folders.
    {"RootOfAnotherOwner", [](auto &, auto &, auto &options) { ++options.trust.owner; },
     "an owner with user"},
    {"RootGroupCanWrite", [](auto &root, auto &, auto &) { setMode(root, 0770); }, "but got 0770"},
    {"RootOthersCanWrite", [](auto &root, auto &, auto &) { setMode(root, 01702); }, "but got 1702"},
    {"RootSymlink", [](auto &root, auto &, auto &) { replaceByLink(root); }, "a symbolic link"},
    {"RootFile", [](auto &, auto &entry, auto &options) { options.root = entry; }, "expected a folder at"},
    {"KernelsSymlink", [](auto &root, auto &, auto &) { replaceByLink(root + "/kernels"); },
     "a symbolic link"},
    {"KernelsCanBeWritten", [](auto &root, auto &, auto &) { setMode(root + "/kernels", 0777); },
     "but got 0777"},
    {"TemporarySymlink",
     [](auto &root, auto &entry, auto &) {
       unlink(entry.c_str());
       replaceByLink(root + "/tmp");
     },
     "a symbolic link"},
    // With a secret, whose the files are does not count, but who signed them.
    {"Unsigned", [](auto &, auto &, auto &options) { options.secret = secret; }, "signed with the secret"},
    {"SignedWithAnotherSecret",
     [](auto &, auto &entry, auto &options) { signWith(entry, Hash256::of("other"), options); },
     "signed with the secret"},
    {"SignedAndChanged",
     [](auto &, auto &entry, auto &options) {
       signWith(entry, secret, options);
       std::string bytes = readFile(entry);
       bytes[20] ^= 1;
       writeFile(entry, bytes);
     },
     "signed with the secret"},
    {"SignedAndCut",
     [](auto &, auto &entry, auto &options) {
       signWith(entry, secret, options);
       writeFile(entry, readFile(entry).substr(0, 31));
     },
     "signed with the secret"},
};

TEST_P(CacheTrustTest, RefusesPoison) {
  const PoisonRow &row = GetParam();
  if (llvm::StringRef(row.name) == "EntryOfAnotherOwner" && geteuid() != 0)
    GTEST_SKIP() << "only the superuser can give a file away";
  CacheOptions options = makeOptions();
  {
    KernelCache cache(options);
    cache.put(makeKey(0), makeArtifacts(0));
    cache.put(makeKey(1), makeArtifacts(1));
  }
  std::string entry = getEntryPath(0);
  row.poison(makeRoot(), entry, options);
  std::string behindLink = readFile(entry + ".real");

  unsigned compilations = 0;
  llvm::Expected<KernelCache::Artifacts> artifacts =
      KernelCache(options).getOrCompile(makeKey(0), [&]() -> llvm::Expected<KernelCache::Artifacts> {
        ++compilations;
        return makeArtifacts(0);
      });
  ASSERT_TRUE(bool(artifacts)) << llvm::toString(artifacts.takeError());
  EXPECT_TRUE(isRight(*artifacts, 0));
  EXPECT_EQ(compilations, 1u);
  ASSERT_EQ(warnings.size(), 1u) << warnings.back();
  EXPECT_THAT(warnings[0], HasSubstr(row.reason));
  // Nothing was written through a link.
  EXPECT_EQ(readFile(entry + ".real"), behindLink);
}

INSTANTIATE_TEST_SUITE_P(Cases, CacheTrustTest, testing::ValuesIn(rows),
                         [](const auto &info) { return info.param.name; });

TEST_F(CacheTrustTest, TakesWhatTheSecretSigned) {
  CacheOptions options = makeOptions();
  KernelCache(options).put(makeKey(0), makeArtifacts(0));
  signWith(getEntryPath(0), secret, options);
  EXPECT_TRUE(KernelCache(options).get(makeKey(0)));
}
