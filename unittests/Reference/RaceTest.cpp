// Planted races on shared memory: each gives exactly one error at the later access, with a note at the
// earlier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HazardCase.h"

using namespace tilus;

namespace {
class RaceTest : public HazardTest {};
} // namespace

TEST_P(RaceTest, IsReportedOnce) { check(); }

static const HazardCase races[] = {
    {"ReadAfterWrite", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>)",
     "9: 'tilus.load_shared' op expected a barrier before element [0] is read, which other threads have "
     "written, but "
     "got none\n8: the element is written here"},
    {"WriteAfterRead", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>
tilus.sync
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>)",
     "11: 'tilus.store_shared' op expected a barrier before element [0] is written, which other threads have "
     "read, "
     "but got none\n10: the element is read here"},
    {"WriteAfterWrite", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>
tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>)",
     "9: 'tilus.store_shared' op expected a barrier before element [0] is written, which other threads have "
     "written, "
     "but got none\n8: the element is written here"},
    {"OverlappingSlices", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%s = tilus.alloc_shared : !tilus.shared<2x64xi32>
%a = tilus.slice_shared %s[%c0] dims [0] : !tilus.shared<2x64xi32> -> !tilus.shared<64xi32>
tilus.store_shared %t, %a : tensor<64xi32>, !tilus.shared<64xi32>
%p = tilus.permute_shared %s [1, 0] : !tilus.shared<2x64xi32> -> !tilus.shared<64x2xi32>
%b = tilus.slice_shared %p[%c0] dims [1] : !tilus.shared<64x2xi32> -> !tilus.shared<64xi32>
%u = tilus.load_shared %b : !tilus.shared<64xi32> -> tensor<64xi32>)",
     "12: 'tilus.load_shared' op expected a barrier before element [0] is read, which other threads have "
     "written, but "
     "got none\n9: the element is written here"},
    {"DisjointSlicesAreFree", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%c1 = arith.constant 1 : i32
%s = tilus.alloc_shared : !tilus.shared<2x64xi32>
%a = tilus.slice_shared %s[%c0] dims [0] : !tilus.shared<2x64xi32> -> !tilus.shared<64xi32>
%b = tilus.slice_shared %s[%c1] dims [0] : !tilus.shared<2x64xi32> -> !tilus.shared<64xi32>
tilus.store_shared %t, %a : tensor<64xi32>, !tilus.shared<64xi32>
tilus.store_shared %t, %b : tensor<64xi32>, !tilus.shared<64xi32>
tilus.sync
%u = tilus.load_shared %s : !tilus.shared<2x64xi32> -> tensor<2x64xi32>)",
     ""},
    {"AcrossTheBackEdge", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
%c1 = arith.constant 1 : i32
%c2 = arith.constant 2 : i32
scf.for %i = %c0 to %c2 step %c1 : i32 {
  tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>
  tilus.sync
  %u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
})",
     "11: 'tilus.store_shared' op expected a barrier before element [0] is written, which other threads have "
     "read, "
     "but got none\n13: the element is read here"},
    {"AllocationInALoop", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%c1 = arith.constant 1 : i32
%c2 = arith.constant 2 : i32
scf.for %i = %c0 to %c2 step %c1 : i32 {
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
  tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>
  tilus.sync
  %u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
})",
     "11: 'tilus.store_shared' op expected a barrier before element [0] is written, which other threads have "
     "read, "
     "but got none\n13: the element is read here"},
    {"PlainReadAfterAtomic", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>
tilus.sync
tilus.atomic add, %s, %t : !tilus.shared<64xi32>, tensor<64xi32>
tilus.atomic add, %s, %t : !tilus.shared<64xi32>, tensor<64xi32>
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>)",
     "12: 'tilus.load_shared' op expected a barrier before element [0] is read, which other threads have "
     "updated, but "
     "got none\n11: the element is updated here"},
    {"ScatterThenRead", R"(%t = tilus.iota dim(0) : tensor<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.store_scatter %s dim(0), %t, %t : !tilus.shared<64xi32>, tensor<64xi32>, tensor<64xi32>
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>)",
     "9: 'tilus.load_shared' op expected a barrier before element [0] is read, which other threads have "
     "written, but "
     "got none\n8: the element is written here"},
    {"BetweenGroups", R"(%s = tilus.alloc_shared : !tilus.shared<32xi32>
tilus.thread_group begin(0) threads(32) {
  %t = tilus.iota dim(0) : tensor<32xi32>
  tilus.store_shared %t, %s : tensor<32xi32>, !tilus.shared<32xi32>
  tilus.sync
}
tilus.thread_group begin(32) threads(32) {
  tilus.sync
  %u = tilus.load_shared %s : !tilus.shared<32xi32> -> tensor<32xi32>
})",
     "14: 'tilus.load_shared' op expected a barrier before element [0] is read, which other threads have "
     "written, but "
     "got none\n9: the element is written here"},
    {"BarrierOfTheBlockOrdersGroups", R"(%s = tilus.alloc_shared : !tilus.shared<32xi32>
tilus.thread_group begin(0) threads(32) {
  %t = tilus.iota dim(0) : tensor<32xi32>
  tilus.store_shared %t, %s : tensor<32xi32>, !tilus.shared<32xi32>
}
tilus.sync
tilus.thread_group begin(32) threads(32) {
  %u = tilus.load_shared %s : !tilus.shared<32xi32> -> tensor<32xi32>
})",
     ""},
    {"OneThreadIsInOrder", R"(tilus.thread_group begin(0) threads(1) {
  %s = tilus.alloc_shared : !tilus.shared<1xi32>
  %t = tilus.iota dim(0) : tensor<1xi32>
  tilus.store_shared %t, %s : tensor<1xi32>, !tilus.shared<1xi32>
  %u = tilus.load_shared %s : !tilus.shared<1xi32> -> tensor<1xi32>
  tilus.store_shared %u, %s : tensor<1xi32>, !tilus.shared<1xi32>
})",
     ""},
    {"HandOverBySemaphore", R"(%s = tilus.alloc_shared : !tilus.shared<32xi32>
%c7 = arith.constant 7 : i32
%v = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<64xi32>
tilus.thread_group begin(32) threads(32) {
  tilus.semaphore_lock %v[%c0], %c7 : !tilus.global<64xi32>
  %u = tilus.load_shared %s : !tilus.shared<32xi32> -> tensor<32xi32>
}
tilus.thread_group begin(0) threads(32) {
  %t = tilus.iota dim(0) : tensor<32xi32>
  tilus.store_shared %t, %s : tensor<32xi32>, !tilus.shared<32xi32>
  tilus.semaphore_release %v[%c0], %c7 : !tilus.global<64xi32>
})",
     ""},
};

static const HazardCase copies[] = {
    {"ReadBeforeTheWait", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
tilus.copy_async.commit_group
tilus.sync
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>)",
     "11: 'tilus.load_shared' op expected a wait for the copy to element [0] before it is read, but got "
     "none\n"
     "8: the element is copied to here"},
    {"WaitForTooFewGroups", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
tilus.copy_async.commit_group
tilus.copy_async.wait_group 1
tilus.sync
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>)",
     "12: 'tilus.load_shared' op expected a wait for the copy to element [0] before it is read, but got "
     "none\n"
     "8: the element is copied to here"},
    {"WaitWithoutABarrier", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
tilus.copy_async.wait_all
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>)",
     "10: 'tilus.load_shared' op expected a barrier before element [0] is read, which other threads have "
     "copied to, "
     "but got none\n8: the element is copied to here"},
    {"WriteUnderACopy", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
%t = tilus.iota dim(0) : tensor<64xi32>
tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
tilus.sync
tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>)",
     "11: 'tilus.store_shared' op expected a wait for the copy to element [0] before it is written, but got "
     "none\n"
     "9: the element is copied to here"},
    {"CopyOverARead", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
tilus.copy_async.wait_all
tilus.sync
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
tilus.copy_async.wait_all)",
     "12: 'tilus.copy_async' op expected a barrier before element [0] is copied to, which other threads have "
     "read, "
     "but got none\n11: the element is read here"},
    {"NeverWaitedFor", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
tilus.copy_async.commit_group)",
     "8: 'tilus.copy_async' op expected a wait for the copy before its threads end, but got none"},
    {"FreedUnderACopy", R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
tilus.free_shared %s : !tilus.shared<64xi32>
tilus.copy_async.wait_all)",
     "9: 'tilus.free_shared' op expected a wait for the copy into the tile before it is freed, but got none\n"
     "8: the copy is issued here"},
    {"AGroupsCopiesAreWaitedForBehindIt",
     R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
%s = tilus.alloc_shared : !tilus.shared<64xi32>
tilus.thread_group begin(0) threads(32) {
  tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
}
tilus.copy_async.wait_all
tilus.sync
%u = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>)",
     ""},
};

INSTANTIATE_TEST_SUITE_P(Races, RaceTest, testing::ValuesIn(races), getHazardName);
INSTANTIATE_TEST_SUITE_P(Copies, RaceTest, testing::ValuesIn(copies), getHazardName);
