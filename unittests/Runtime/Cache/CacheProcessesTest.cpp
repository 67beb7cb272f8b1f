// Many processes that use one folder at a time all get right results, and hardly any work is done twice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CacheFixture.h"

#include <atomic>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilus;

namespace {
/// Counters that processes share.
struct SharedCounters {
  std::atomic<unsigned> compilations;
  std::atomic<unsigned> failures;
};

class CacheProcessesTest : public CacheFixture {};
} // namespace

static constexpr unsigned processCount = 4, keyCount = 16, roundCount = 10;

/// Asks for the keys of one round in an order of the process's own.
static void runRound(KernelCache &cache, unsigned process, unsigned round, SharedCounters &counters) {
  for (unsigned i = 0; i < keyCount; ++i) {
    unsigned key = round * keyCount + (i * (2 * process + 1)) % keyCount;
    llvm::Expected<KernelCache::Artifacts> artifacts =
        cache.getOrCompile(makeKey(key), [&]() -> llvm::Expected<KernelCache::Artifacts> {
          ++counters.compilations;
          std::this_thread::sleep_for(std::chrono::microseconds(500));
          return makeArtifacts(key);
        });
    counters.failures += !artifacts || !isRight(*artifacts, key);
    if (!artifacts)
      llvm::consumeError(artifacts.takeError());
  }
}

TEST_F(CacheProcessesTest, ShareAFolder) {
  void *memory =
      mmap(nullptr, sizeof(SharedCounters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  SharedCounters &counters = *new (memory) SharedCounters();
  std::vector<pid_t> children;
  for (unsigned process = 0; process < processCount; ++process) {
    pid_t child = fork();
    if (child == 0) {
      for (unsigned round = 0; round < roundCount; ++round) {
        KernelCache cache(makeOptions());
        runRound(cache, process, round, counters);
        counters.failures += !warnings.empty();
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
  }
  EXPECT_EQ(counters.failures, 0u);
  EXPECT_GE(counters.compilations, keyCount * roundCount);
  EXPECT_LE(counters.compilations, keyCount * roundCount * 11 / 10);
  for (unsigned key = 0; key < keyCount * roundCount; ++key)
    EXPECT_EQ(readFile(getEntryPath(key)),
              llvm::cantFail(serializeArtifacts({makeKey(key), makeArtifacts(key)})));
  EXPECT_EQ(countFiles(makeRoot() + "/tmp"), 0u);
  munmap(memory, sizeof(SharedCounters));
}
