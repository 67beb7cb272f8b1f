// One cache under threads and forks: its counters never go back, and a child has all that it needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CacheFixture.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilus;

namespace {
class CacheConcurrencyTest : public CacheFixture {};
} // namespace

TEST_F(CacheConcurrencyTest, CountsWhatWasWaitedForAsAHit) {
  KernelCache first(makeOptions()), second(makeOptions());
  std::atomic<int> stage{0};
  std::thread maker([&] {
    llvm::cantFail(first.getOrCompile(makeKey(1), [&] {
      stage = 1;
      while (stage != 2)
        std::this_thread::yield();
      return makeArtifacts(1);
    }));
  });
  while (stage != 1)
    std::this_thread::yield();
  std::thread waiter(
      [&] { llvm::cantFail(second.getOrCompile(makeKey(1), [] { return makeArtifacts(1); })); });
  // No miss is counted that is taken back later.
  uint64_t misses = 0;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    misses += second.getStats().misses;
  }
  stage = 2;
  maker.join();
  waiter.join();
  EXPECT_EQ(misses, 0u);
  EXPECT_EQ(second.getStats().hits, 1u);
  EXPECT_EQ(second.getStats().misses, 0u);
  EXPECT_EQ(first.getStats().misses, 1u);
}

TEST_F(CacheConcurrencyTest, WorksInAForkedChild) {
  KernelCache cache(makeOptions());
  for (unsigned i : {0, 1})
    cache.put(makeKey(i), makeArtifacts(i));
  std::atomic<bool> isOver{false};
  std::vector<std::thread> busy;
  for (unsigned index = 0; index < 3; ++index)
    busy.emplace_back([&, index] {
      while (!isOver) {
        // Opened anew each time, and read.
        cache.setRoot(makeRoot(index == 0 ? "root" : "other"));
        cache.get(makeKey(index));
      }
    });
  for (int i = 0; i < 40; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(10);
      cache.setRoot(makeRoot());
      _exit(cache.get(makeKey(1)) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  isOver = true;
  for (std::thread &thread : busy)
    thread.join();
}
