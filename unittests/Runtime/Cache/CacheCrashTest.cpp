// A process that is killed at any of its file-system calls leaves a cache that is right: what was there is
// there, what was being written is there or is not, and the next process works as if nothing had happened.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CacheFixture.h"
#include "FaultShim.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilus;

namespace {
/// An operation that is killed, and what it may take away.
struct CrashRow {
  const char *name;
  /// Entries that are there before.
  unsigned before;
  /// The entry that the operation writes, removes or mends.
  unsigned target;
  /// The limit on bytes, which makes a put remove other entries.
  uint64_t maxBytes;
  void (*operation)(KernelCache &cache, unsigned target);
  /// The target's entry is damaged before.
  bool isDamaged = false;
};

class CacheCrashTest : public CacheFixture, public testing::WithParamInterface<CrashRow> {
protected:
  /// Runs the operation in a child that is killed at the call; whether the child came to its end.
  bool runKilled(const CrashRow &row, llvm::StringRef root, long call) {
    pid_t child = fork();
    if (child == 0) {
      CacheOptions options = makeOptions(root);
      options.maxBytes = row.maxBytes;
      tilusArmFault(Fault::Kill, call, 0);
      KernelCache cache(options);
      row.operation(cache, row.target);
      tilusDisarmFault();
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    bool hasEnded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    EXPECT_TRUE(hasEnded || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) << status;
    return hasEnded;
  }

  /// Checks all entries as a new process sees them.
  void check(const CrashRow &row, llvm::StringRef root) {
    KernelCache cache(makeOptions(root));
    unsigned lost = 0;
    for (unsigned i = 0; i <= row.before; ++i) {
      auto artifacts = cache.get(makeKey(i));
      ASSERT_TRUE(!artifacts || isRight(*artifacts, i)) << i;
      lost += !artifacts && i < row.before;
    }
    if (row.maxBytes > 1000000)
      EXPECT_LE(lost, row.target < row.before ? 1u : 0u);
    EXPECT_EQ(cache.getStats().offReason, "");
    cache.put(makeKey(row.target), makeArtifacts(row.target));
    EXPECT_TRUE(cache.get(makeKey(row.target)));
  }
};
} // namespace

TEST_P(CacheCrashTest, LeavesARightCache) {
  const CrashRow &row = GetParam();
  long calls = 0;
  for (unsigned repeat = 0; repeat < 3; ++repeat) {
    bool hasEnded = false;
    for (long call = 1; !hasEnded; ++call) {
      std::string root = makeRoot(llvm::Twine(repeat) + "-" + llvm::Twine(call));
      {
        KernelCache cache(makeOptions(root));
        for (unsigned i = 0; i < row.before; ++i)
          cache.put(makeKey(i), makeArtifacts(i));
      }
      if (row.isDamaged)
        writeFile(tilus::getEntryPath(root, row.target), "damaged");
      hasEnded = runKilled(row, root, call);
      check(row, root);
      // The one damaged file is the one that the operation is about to mend.
      ASSERT_LE(warnings.size(), row.isDamaged ? 1u : 0u) << warnings[0] << " after call " << call;
      warnings.clear();
      llvm::sys::fs::remove_directories(root);
      calls = call;
    }
  }
  // The operation makes calls that the shim sees.
  EXPECT_GT(calls, 8);
}

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

static void put(KernelCache &cache, unsigned target) { cache.put(makeKey(target), makeArtifacts(target)); }

static void compile(KernelCache &cache, unsigned target) {
  llvm::cantFail(cache.getOrCompile(makeKey(target), [&] { return makeArtifacts(target); }));
}

static constexpr CrashRow rows[] = {
    {"Put", 2, 2, 1 << 30, put},         {"PutAgain", 2, 1, 1 << 30, put},
    {"Compile", 2, 2, 1 << 30, compile}, {"Mend", 2, 1, 1 << 30, compile, true},
    {"Evict", 5, 5, 3000, put},
};

INSTANTIATE_TEST_SUITE_P(Operations, CacheCrashTest, testing::ValuesIn(rows),
                         [](const auto &info) { return info.param.name; });
