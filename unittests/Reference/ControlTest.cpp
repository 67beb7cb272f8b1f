// Tests of control flow, thread groups, blocks that wait for each other, atomic updates and printing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReferenceFixture.h"

using namespace tilus;

using testing::Each;
using testing::ElementsAre;

/// Lines that store the scalar `%r` (i32) in element `at` of `%out`.
static std::string storeScalar(int at = 0) {
  return "\n%at = arith.constant " + std::to_string(at) +
         " : i32\n%o = tilus.global_view %out : !tilus.ptr<i32> -> !tilus.global<8xi32>\n"
         "%t = tilus.broadcast %r : i32 -> tensor<1xi32>\n"
         "tilus.store_global %t, %o[%at] : tensor<1xi32>, !tilus.global<8xi32>";
}

TEST_F(ReferenceTest, RunsLoopsAndBranches) {
  struct Row {
    const char *lines;
    int32_t expected;
  };
  const Row rows[] = {
      {R"(%c5 = arith.constant 5 : i32
%c2 = arith.constant 2 : i32
%r = scf.for %i = %c0 to %c5 step %c2 iter_args(%s = %c0) -> (i32) : i32 {
  %n = arith.addi %s, %i : i32
  scf.yield %n : i32
})",
       0 + 2 + 4},
      {R"(%a = arith.constant 7 : i32
%b = arith.constant 3 : i32
%c3 = arith.constant 3 : i32
%c1 = arith.constant 1 : i32
%r, %q = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> (i32, i32) : i32 {
  scf.yield %y, %x : i32, i32
})",
       3},
      {R"(%low = arith.constant 250 : i8
%high = arith.constant 255 : i8
%c1 = arith.constant 1 : i8
%one32 = arith.constant 1 : i32
%r = scf.for unsigned %i = %low to %high step %c1 iter_args(%s = %c0) -> (i32) : i8 {
  %n = arith.addi %s, %one32 : i32
  scf.yield %n : i32
})",
       5},
      {R"(%c100 = arith.constant 100 : i32
%c1 = arith.constant 1 : i32
%r = scf.while (%s = %c1) : (i32) -> i32 {
  %more = arith.cmpi slt, %s, %c100 : i32
  scf.condition(%more) %s : i32
} do {
^bb0(%s: i32):
  %d = arith.addi %s, %s : i32
  scf.yield %d : i32
})",
       128},
      {R"(%i = arith.constant 5 : index
%r = scf.index_switch %i -> i32
case 2 {
  scf.yield %c0 : i32
}
case 5 {
  %e = arith.constant 50 : i32
  scf.yield %e : i32
}
default {
  scf.yield %c0 : i32
})",
       50},
      {R"(%f = arith.constant false
%r = scf.if %f -> (i32) {
  scf.yield %c0 : i32
} else {
  %e = arith.constant 9 : i32
  scf.yield %e : i32
})",
       9},
      {R"(%n = arith.constant 100000 : i32
%c1 = arith.constant 1 : i32
%r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
  %x = arith.addi %s, %c1 : i32
  scf.yield %x : i32
})",
       100000},
  };
  for (const Row &row : rows) {
    std::vector<int32_t> out(8);
    ASSERT_TRUE(runBody("%out: !tilus.ptr<i32>", row.lines + storeScalar(), {Arg::buffer(out)}))
        << getError();
    EXPECT_EQ(out[0], row.expected) << row.lines;
  }
}

TEST_F(ReferenceTest, RunsEachBlockOfTheGridInOrder) {
  std::vector<int32_t> out(24, -1);
  ASSERT_TRUE(run(R"(tilus.kernel @k(%n: i32, %out: !tilus.ptr<i32>) warps(1) grid {
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %x = arith.ceildivsi %n, %c3 : i32
  tilus.grid [%x, %c3, %c2]
} {
  %x = tilus.block_id x
  %y = tilus.block_id y
  %z = tilus.block_id z
  %nx = tilus.grid_dim x
  %v = tilus.global_view %out : !tilus.ptr<i32> -> !tilus.global<2x3x4xi32>
  %h = arith.constant 100 : i32
  %a = arith.muli %z, %h : i32
  %b = arith.addi %a, %nx : i32
  %t = tilus.broadcast %b : i32 -> tensor<i32>
  tilus.store_global %t, %v[%z, %y, %x] : tensor<i32>, !tilus.global<2x3x4xi32>
})",
                  {Arg::scalar(11), Arg::buffer(out)}))
      << getError();
  EXPECT_THAT(result.grid, ElementsAre(4, 3, 2));
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(out[i], i / 12 * 100 + 4);
}

// Two groups hand a counter to and fro: they can only end if both go on in turn.
TEST_F(ReferenceTest, RunsThreadGroupsConcurrently) {
  std::vector<int32_t> words(2), out(8);
  std::string group[2];
  for (int id : {0, 1}) {
    std::string mine = std::to_string(id), other = std::to_string(1 - id);
    group[id] = "tilus.thread_group begin(" + std::to_string(64 * id) + R"() threads(64) {
  scf.for %i = %c0 to %c5 step %c1 : i32 {
    %turn = arith.addi %i, )" +
                (id == 0 ? "%c0" : "%c1") + R"( : i32
    tilus.semaphore_lock %w[%c)" +
                mine + "], %" + (id == 0 ? "i" : "turn") + R"( : !tilus.global<2xi32>
    %up = arith.addi %i, %c1 : i32
    tilus.semaphore_release %w[%c)" +
                other + R"(], %up : !tilus.global<2xi32>
  }
}
)";
  }
  std::string body = "%c1 = arith.constant 1 : i32\n%c5 = arith.constant 5 : i32\n"
                     "%w = tilus.global_view %words : !tilus.ptr<i32> -> !tilus.global<2xi32>\n" +
                     group[0] + group[1] + "tilus.sync\n%r = arith.constant 1 : i32" + storeScalar();
  ASSERT_TRUE(
      runBody("%words: !tilus.ptr<i32>, %out: !tilus.ptr<i32>", body, {Arg::buffer(words), Arg::buffer(out)}))
      << getError();
  EXPECT_THAT(words, ElementsAre(5, 5));
  EXPECT_EQ(out[0], 1);
}

// Block i waits for block i + 1: the first can only end after the last.
TEST_F(ReferenceTest, LetsBlocksWaitForLaterBlocks) {
  std::vector<int32_t> order(6, -1);
  ASSERT_TRUE(run(R"(tilus.kernel @k(%n: i32, %out: !tilus.ptr<i32>) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tilus.block_id x
  %next = arith.addi %i, %c1 : i32
  %locks = tilus.alloc_global [%n] : !tilus.global<?xi32>
  %v = tilus.global_view %out [%n] : !tilus.ptr<i32> -> !tilus.global<?xi32>
  %ticket = tilus.alloc_global [] : !tilus.global<1xi32>
  %isLast = arith.cmpi eq, %next, %n : i32
  scf.if %isLast {
  } else {
    tilus.semaphore_lock %locks[%next], %c1 : !tilus.global<?xi32>
  }
  %one = arith.constant dense<1> : tensor<1xi32>
  %t = tilus.atomic add, %ticket[%c0], %one : !tilus.global<1xi32>, tensor<1xi32> -> tensor<1xi32>
  tilus.store_global %t, %v[%i] : tensor<1xi32>, !tilus.global<?xi32>
  tilus.semaphore_release %locks[%i], %c1 : !tilus.global<?xi32>
})",
                  {Arg::scalar(6), Arg::buffer(order)}))
      << getError();
  EXPECT_THAT(order, ElementsAre(5, 4, 3, 2, 1, 0));
}

TEST_F(ReferenceTest, EndsAtAnExit) {
  std::vector<int32_t> out(8, -1);
  std::string body =
      "%stop = arith.constant true\nscf.if %stop {\ntilus.exit\n}\n%r = arith.constant 1 : i32" +
      storeScalar();
  ASSERT_TRUE(runBody("%out: !tilus.ptr<i32>", body, {Arg::buffer(out)})) << getError();
  EXPECT_THAT(out, Each(-1));
}

// Threads that have ended execute nothing any more, and the rest of the block goes on.
TEST_F(ReferenceTest, RunsNothingOnThreadsThatHaveEnded) {
  std::vector<int32_t> out(8, -1);
  std::string view = "%one = arith.constant dense<1> : tensor<1xi32>\n"
                     "%v = tilus.global_view %out : !tilus.ptr<i32> -> !tilus.global<8xi32>\n";
  auto storeIn = [](const char *group, int at) {
    std::string place = "%i" + std::to_string(at);
    return "tilus.thread_group " + std::string(group) + " {\n" + place + " = arith.constant " +
           std::to_string(at) + " : i32\n%t" + std::to_string(at) +
           " = arith.constant dense<1> : tensor<1xi32>\ntilus.store_global %t" + std::to_string(at) +
           ", %v[" + place + "] : tensor<1xi32>, !tilus.global<8xi32>\n}\n";
  };
  std::string exits = "tilus.thread_group begin(0) threads(32) {\ntilus.exit\n}\n";
  // The first warp's threads are gone, also for a group inside a later group; others are there.
  std::string body = view + exits + storeIn("begin(0) threads(32)", 0) + storeIn("threads(16)", 1) +
                     storeIn("begin(32) threads(32)", 2);
  ASSERT_TRUE(runBody("%out: !tilus.ptr<i32>", body, {Arg::buffer(out)})) << getError();
  EXPECT_THAT(out, ElementsAre(-1, -1, 1, -1, -1, -1, -1, -1));
  // Behind groups that have ended all threads of the block nothing is executed.
  std::string all = exits + "tilus.thread_group begin(32) threads(96) {\ntilus.exit\n}\n";
  body = view + all + "tilus.store_global %one, %v[%c0] : tensor<1xi32>, !tilus.global<8xi32>\n";
  out.assign(8, -1);
  ASSERT_TRUE(runBody("%out: !tilus.ptr<i32>", body, {Arg::buffer(out)})) << getError();
  EXPECT_THAT(out, Each(-1));
  // Which elements are those of the threads that are left is for layouts to choose.
  body = view + exits + "tilus.store_global %one, %v[%c0] : tensor<1xi32>, !tilus.global<8xi32>\n";
  EXPECT_FALSE(runBody("%out: !tilus.ptr<i32>", body, {Arg::buffer(out)}));
  EXPECT_THAT(getError(),
              testing::HasSubstr("expected all threads of the group, but got some that have ended"));
  EXPECT_THAT(getError(), testing::HasSubstr("they end here"));
}

TEST_F(ReferenceTest, UpdatesEachPlaceOnce) {
  std::vector<int32_t> x = {10, 20, 30, 40, 0, 0, 0, 0}, bins(4), old(8);
  const char *body = R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<4xi32>
%b = tilus.global_view %bins : !tilus.ptr<i32> -> !tilus.global<4xi32>
%o = tilus.global_view %old : !tilus.ptr<i32> -> !tilus.global<8xi32>
%one = arith.constant dense<1> : tensor<1xi32>
tilus.atomic add, %v[%c0], %one : !tilus.global<4xi32>, tensor<1xi32>
%c3 = arith.constant 3 : i32
%big = arith.constant dense<35> : tensor<8xi32>
%was = tilus.atomic max, %v[%c3], %big : !tilus.global<4xi32>, tensor<8xi32> -> tensor<8xi32>
tilus.store_global %was, %o[%c0] : tensor<8xi32>, !tilus.global<8xi32>
%c1 = arith.constant 1 : i32
%twenty = arith.constant dense<[20, 31]> : tensor<2xi32>
%new = arith.constant dense<99> : tensor<2xi32>
tilus.atomic cas, %v[%c1], %new compare(%twenty : tensor<2xi32>) : !tilus.global<4xi32>, tensor<2xi32>
%i = tilus.iota dim(0) : tensor<256xi32>
%four = arith.constant dense<5> : tensor<256xi32>
%id = arith.remui %i, %four : tensor<256xi32>
%ones = arith.constant dense<1> : tensor<256xi32>
tilus.atomic_scatter add, %b dim(0), %id, %ones : !tilus.global<4xi32>, tensor<256xi32>, tensor<256xi32>)";
  ASSERT_TRUE(runBody("%x: !tilus.ptr<i32>, %bins: !tilus.ptr<i32>, %old: !tilus.ptr<i32>", body,
                      {Arg::buffer(x), Arg::buffer(bins), Arg::buffer(old)}))
      << getError();
  EXPECT_THAT(x, ElementsAre(11, 99, 30, 40, 0, 0, 0, 0));
  EXPECT_THAT(old, ElementsAre(40, 0, 0, 0, 0, 0, 0, 0));
  // Ids of 4 fall outside of the four bins.
  EXPECT_THAT(bins, ElementsAre(52, 51, 51, 51));
}

TEST_F(ReferenceTest, UpdatesSharedTilesAndFloats) {
  std::vector<float> out(4);
  const char *body = R"(%s = tilus.alloc_shared : !tilus.shared<4xf32>
%half = arith.constant dense<0.5> : tensor<4xf32>
%i = arith.constant dense<[3, 3, -1, 4]> : tensor<4xi32>
tilus.store_shared %half, %s : tensor<4xf32>, !tilus.shared<4xf32>
tilus.sync
tilus.atomic add, %s, %half : !tilus.shared<4xf32>, tensor<4xf32>
tilus.atomic_scatter sub, %s dim(0), %i, %half : !tilus.shared<4xf32>, tensor<4xi32>, tensor<4xf32>
tilus.sync
%t = tilus.load_shared %s : !tilus.shared<4xf32> -> tensor<4xf32>
%o = tilus.global_view %out : !tilus.ptr<f32> -> !tilus.global<4xf32>
tilus.store_global %t, %o[%c0] : tensor<4xf32>, !tilus.global<4xf32>)";
  ASSERT_TRUE(runBody("%out: !tilus.ptr<f32>", body, {Arg::buffer(out)})) << getError();
  EXPECT_THAT(out, ElementsAre(1, 1, 1, 0));
}

TEST_F(ReferenceTest, Prints) {
  const char *body = R"(%x = arith.constant 1.5 : f32
%l = arith.constant -3 : i64
tilus.printf "n=%d x=%5.2f u=%u l=%lld 100%% h=%08x\n", %n, %x, %n, %l, %n : i32, f32, i32, i64, i32
%i = tilus.iota dim(1) : tensor<1x2xi8>
tilus.print "i", %i : tensor<1x2xi8>)";
  ASSERT_TRUE(runBody("%n: i32", body, {Arg::scalar(-2)})) << getError();
  EXPECT_EQ(output, "n=-2 x= 1.50 u=4294967294 l=-3 100% h=fffffffe\ni: [1, 2]\ni[0, 0] = 0\ni[0, 1] = 1\n");
}
