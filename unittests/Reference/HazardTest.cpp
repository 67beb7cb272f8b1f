// Planted faults in the use of memory and in control flow: each gives exactly one error at the operation at
// fault.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HazardCase.h"

using namespace tilus;

namespace {
class FaultTest : public HazardTest {};
} // namespace

TEST_P(FaultTest, IsReportedOnce) { check(); }

static const HazardCase memory[] = {
    {"Uninitialized", R"(%s = tilus.alloc_shared : !tilus.shared<64xi32>
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>)",
     "7: 'tilus.load_shared' op expected shared memory that was written, but got element [0] that never was\n"
     "6: the tile is allocated here"},
    {"PartlyUninitialized", R"(%s = tilus.alloc_shared : !tilus.shared<2x64xi32>
%t = tilus.iota dim(0) : tensor<64xi32>
%a = tilus.slice_shared %s[%c0] dims [0] : !tilus.shared<2x64xi32> -> !tilus.shared<64xi32>
tilus.store_shared %t, %a : tensor<64xi32>, !tilus.shared<64xi32>
tilus.sync
%u = tilus.load_shared %s : !tilus.shared<2x64xi32> -> tensor<2x64xi32>)",
     "11: 'tilus.load_shared' op expected shared memory that was written, but got element [1, 0] that never "
     "was\n"
     "6: the tile is allocated here"},
    {"AtomicOnUninitialized", R"(%s = tilus.alloc_shared : !tilus.shared<64xi32>
%t = tilus.iota dim(0) : tensor<64xi32>
tilus.atomic add, %s, %t : !tilus.shared<64xi32>, tensor<64xi32>)",
     "8: 'tilus.atomic' op expected shared memory that was written, but got element [0] that never was\n"
     "6: the tile is allocated here"},
    {"UseAfterFree", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.free_shared %s : !tilus.shared<64xi32>
tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>)",
     "9: 'tilus.store_shared' op expected a shared tile that is allocated, but got one that was freed\n"
     "8: the tile is freed here\n7: the tile is allocated here"},
    {"FreedTwice", R"(%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.free_shared %s : !tilus.shared<64xi32>
tilus.free_shared %s : !tilus.shared<64xi32>)",
     "8: 'tilus.free_shared' op expected a shared tile that is allocated, but got one that was freed\n"
     "7: the tile is freed here\n6: the tile is allocated here"},
    {"LoadBehindTheBuffer", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
%t = tilus.load_global %v[%c0] : !tilus.global<128xi32> -> tensor<128xi32>)",
     "7: 'tilus.load_global' op expected accesses within the 64 elements of parameter 'x', but got element "
     "127"},
    {"StoreBeforeTheBuffer",
     R"(%v = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<8xi32, strides = [-1]>
%t = tilus.iota dim(0) : tensor<8xi32>
tilus.store_global %t, %v[%c0] : tensor<8xi32>, !tilus.global<8xi32, strides = [-1]>)",
     "8: 'tilus.store_global' op expected accesses within the 64 elements of parameter 'y', but got element "
     "-7"},
    {"CopyBehindTheBuffer", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
%s = tilus.alloc_shared : !tilus.shared<128xi32>
tilus.copy_async %v[%c0], %s : !tilus.global<128xi32>, !tilus.shared<128xi32>)",
     "8: 'tilus.copy_async' op expected accesses within the 64 elements of parameter 'x', but got element "
     "127"},
    {"ScatterBehindTheBuffer", R"(%v = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<128xi32>
%t = tilus.iota dim(0) : tensor<128xi32>
tilus.store_scatter %v dim(0), %t, %t : !tilus.global<128xi32>, tensor<128xi32>, tensor<128xi32>)",
     "8: 'tilus.store_scatter' op expected accesses within the 64 elements of parameter 'y', but got element "
     "64"},
    {"SliceOutside", R"(%s = tilus.alloc_shared : !tilus.shared<2x64xi32>
%c2 = arith.constant 2 : i32
%a = tilus.slice_shared %s[%c2] dims [0] : !tilus.shared<2x64xi32> -> !tilus.shared<64xi32>)",
     "8: 'tilus.slice_shared' op expected an offset of 0 to 1 in dimension 0, but got 2"},
    {"WorkspaceLeftDirty", R"(%w = tilus.alloc_global [] clean : !tilus.global<64xi32>
%t = tilus.iota dim(0) : tensor<64xi32>
tilus.store_global %t, %w[%c0] : tensor<64xi32>, !tilus.global<64xi32>)",
     "6: 'tilus.alloc_global' op expected the kernel to leave zeros in a clean workspace, but got 1 in byte "
     "4"},
    {"WrongInBounds", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%c1 = arith.constant 1 : i32
%t = tilus.load_global %v[%c1] {tilus.in_bounds = array<i1: true>} : !tilus.global<64xi32> -> tensor<64xi32>)",
     "8: 'tilus.load_global' op expected the tile within dimension 0 of the view, as 'tilus.in_bounds' says, "
     "but got "
     "elements 1 to 64 of 64"},
    {"WrongVector", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%c2 = arith.constant 2 : i32
%t = tilus.load_global %v[%c2] {tilus.vector = 4 : i64, tilus.vector_dim = 0 : i64} : !tilus.global<64xi32> -> tensor<16xi32>)",
     "8: 'tilus.load_global' op expected rows that begin at multiples of 4 elements, as 'tilus.vector' says, "
     "but got "
     "a tile at element 2"},
    {"WrongMask", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<62xi32>
%t = tilus.load_global %v[%c0] {tilus.vector = 4 : i64, tilus.vector_dim = 0 : i64, tilus.mask_vector = 4 : i64} : !tilus.global<62xi32> -> tensor<64xi32>)",
     "7: 'tilus.load_global' op expected groups of 4 elements wholly inside or outside of the view, as "
     "'tilus.mask_vector' says, but got offset 0 in a size of 62"},
};

static const HazardCase progress[] = {
    {"LockThatNobodyReleases", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%c7 = arith.constant 7 : i32
tilus.semaphore_lock %v[%c0], %c7 : !tilus.global<64xi32>)",
     "8: 'tilus.semaphore_lock' op expected a thread group or block that can go on, but all of them wait\n"
     "8: threads 0 to 127 of block (0, 0, 0) wait here"},
    {"GroupsThatWaitForEachOther", R"(%v = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<64xi32>
%c1 = arith.constant 1 : i32
tilus.thread_group begin(0) threads(64) {
  tilus.semaphore_lock %v[%c0], %c1 : !tilus.global<64xi32>
  tilus.semaphore_release %v[%c1], %c1 : !tilus.global<64xi32>
}
tilus.thread_group begin(64) threads(64) {
  tilus.semaphore_lock %v[%c1], %c1 : !tilus.global<64xi32>
  tilus.semaphore_release %v[%c0], %c1 : !tilus.global<64xi32>
}
tilus.sync)",
     "9: 'tilus.semaphore_lock' op expected a thread group or block that can go on, but all of them wait\n"
     "16: threads 0 to 127 of block (0, 0, 0) wait here\n"
     "9: threads 0 to 63 of block (0, 0, 0) wait here\n"
     "13: threads 64 to 127 of block (0, 0, 0) wait here"},
    {"BarrierWithThreadsThatEnded", R"(tilus.thread_group begin(0) threads(32) {
  tilus.exit
}
tilus.sync)",
     "9: 'tilus.sync' op expected all threads of the group, but got some that have ended\n7: they end here"},
    {"StepOfZero", R"(%step = tilus.block_id x
scf.for %i = %c0 to %c0 step %step : i32 {
})",
     "7: 'scf.for' op expected a positive step, but got 0"},
    {"AssumptionThatDoesNotHold", R"(%f = arith.constant false
tilus.assume %f)",
     "7: 'tilus.assume' op expected the assumption to hold, but got false"},
    {"AssertionThatFails", R"(%i = tilus.iota dim(0) : tensor<4xi32>
%c2 = arith.constant dense<2> : tensor<4xi32>
%ok = arith.cmpi slt, %i, %c2 : tensor<4xi32>
tilus.assert %ok, "i is small" : tensor<4xi1>)",
     "9: 'tilus.assert' op expected the assertion to hold, but got false in element [2]: i is small"},
    {"OperationThatIsNotKnown", "gpu.barrier",
     "6: expected an operation that the reference executes, but got 'gpu.barrier'"},
};

INSTANTIATE_TEST_SUITE_P(Memory, FaultTest, testing::ValuesIn(memory), getHazardName);
INSTANTIATE_TEST_SUITE_P(Progress, FaultTest, testing::ValuesIn(progress), getHazardName);

TEST_F(ReferenceTest, EndsAfterTheNumberOfStepsThatIsAllowed) {
  options.maxSteps = 100;
  EXPECT_FALSE(runBody(
      "", "scf.while : () -> () {\n%t = arith.constant true\nscf.condition(%t)\n} do {\nscf.yield\n}", {}));
  EXPECT_EQ(getError(),
            "7: 'arith.constant' op expected the launch to end within 100 operations, but got here after "
            "as many");
}

TEST_F(ReferenceTest, ChecksArgumentsAgainstTheParameters) {
  EXPECT_FALSE(runBody("%n: i32 {tilus.divisibility = 8 : i32}", "", {Arg::scalar(12)}));
  EXPECT_EQ(getError(), "1: 'tilus.kernel' op expected a multiple of 8 for parameter 'n', but got 12");
  EXPECT_FALSE(runBody("%n: i32", "", {}));
  EXPECT_EQ(getError(), "1: 'tilus.kernel' op expected one argument for each of the 1 parameters, but got 0");
}
