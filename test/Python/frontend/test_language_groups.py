# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars that thread groups assign: each group has its own, as threads have their own registers."""

import numpy as np
import pytest
from language import Kernel, run_kernel
from tilus.dtypes import int32
from tilus.lang.classes import Class
from tilus.lang.errors import TilusProgramError
from tilus.lang.transpiler import transpile


class Ring(Class):
    """A stage and a phase, as pipelines have them."""

    def __init__(self, stages: int):
        self.stages = stages
        self.stage: int32 = 0
        self.phase: int32 = 1

    def advance(self):
        self.stage = (self.stage + 1) % self.stages
        self.phase = self.phase ^ (self.stage == 0)


class Groups(Kernel):
    def store(self, p, index, value):
        view = self.global_view(p, dtype=int32, shape=[64])
        self.store_global(view, self.register_tensor(dtype=int32, shape=[1], init=value), offsets=[index])

    def __call__(self, n: int32, p: ~int32):
        self.attrs.warps = 4
        self.attrs.blocks = 1
        self.body(n, p)


class OwnLoops(Groups):
    """Two groups advance one object, each in a loop of its own, from the same start."""

    def body(self, n, p):
        ring = Ring(3)
        ring.advance()
        with self.single_warp(0):
            for i in range(n):
                ring.advance()
                self.store(p, i, ring.stage * 10 + ring.phase)
        with self.warp_group(2, 2):
            self.store(p, 20, ring.stage)
            for i in range(2 * n):
                ring.advance()
            self.store(p, 21, ring.stage)
            with self.single_warp(1):
                ring.advance()
                self.store(p, 22, ring.stage)


def test_groups_with_loops_of_their_own():
    n, out = 5, np.zeros(64, np.int32)
    run_kernel(OwnLoops(), OwnLoops.__call__, [n, out])
    stage, phase, expected = 1, 1, []
    for _ in range(n):
        stage = (stage + 1) % 3
        phase ^= stage == 0
        expected.append(stage * 10 + phase)
    assert list(out[:n]) == expected
    assert list(out[20:23]) == [1, (1 + 2 * n) % 3, (1 + 2 * n + 1) % 3]


class InBranchOfLoop(Groups):
    """A group of a branch of a loop carries its scalar from round to round; another one has what was before."""

    def body(self, n, p):
        ring = Ring(2)
        i: int32 = 0
        while True:
            if n > 2:
                with self.single_warp(1):
                    self.store(p, i, ring.stage * 10 + ring.phase)
                    ring.advance()
            i += 1
            if i == n:
                break
        with self.single_warp(0):
            self.store(p, 40, ring.stage * 10 + ring.phase)
        with self.single_warp(1):
            self.store(p, 41, ring.stage * 10 + ring.phase)


@pytest.mark.parametrize("n", [2, 5])
def test_group_in_branch_of_loop(n):
    out = np.full(64, -1, np.int32)
    run_kernel(InBranchOfLoop(), InBranchOfLoop.__call__, [n, out])
    stage, phase, expected = 0, 1, []
    for _ in range(n if n > 2 else 0):
        expected.append(stage * 10 + phase)
        stage = (stage + 1) % 2
        phase ^= stage == 0
    assert list(out[: len(expected)]) == expected
    assert out[40] == 1 and out[41] == stage * 10 + phase


class AssignedAgainByAll(Groups):
    """What all threads assign afterwards, all of them have."""

    def body(self, n, p):
        x: int32 = 1
        with self.single_warp(0):
            x = n
            self.store(p, 0, x)
        with self.single_warp(1):
            self.store(p, 1, x)
        x = 7
        with self.single_warp(0):
            self.store(p, 2, x)
        with self.thread_group(0, 128):
            x += n
        self.store(p, 3, x)


def test_what_all_threads_assign():
    out = np.zeros(64, np.int32)
    run_kernel(AssignedAgainByAll(), AssignedAgainByAll.__call__, [9, out])
    assert list(out[:4]) == [9, 1, 7, 16]


class ReadByAll(Groups):
    def body(self, n, p):
        x: int32 = 1
        with self.single_warp(0):
            x += 1
        self.store(p, 0, x)


class ReadByAllInNextRound(Groups):
    def body(self, n, p):
        x: int32 = 1
        for i in range(n):
            self.store(p, i, x)
            with self.single_warp(0):
                x += 1


class ReadByOverlapping(Groups):
    def body(self, n, p):
        x: int32 = 1
        with self.single_warp(0):
            x += 1
        with self.warp_group(0, 2):
            self.store(p, 0, x)


class ReadByElected(Groups):
    def body(self, n, p):
        x: int32 = 1
        with self.single_thread():
            x += 1
        with self.single_warp(0):
            self.store(p, 0, x)


class TwoGroupsInLoop(Groups):
    def body(self, n, p):
        x: int32 = 1
        for i in range(n):
            with self.single_warp(0):
                x += 1
                self.store(p, i, x)
            with self.single_warp(1):
                x += 2
                self.store(p, 32 + i, x)


class FromWhatGroupLoads(Groups):
    def body(self, n, p):
        x: int32 = 1
        with self.single_warp(0):
            x = self.global_view(p, dtype=int32, shape=[64])[0].item()
        with self.single_warp(0):
            self.store(p, 0, x)


@pytest.mark.parametrize("script, message", [
    (ReadByAll, "'x' was assigned in a thread group, which has it alone"),
    (ReadByAllInNextRound, "'x' was assigned in a thread group, which has it alone"),
    (ReadByOverlapping, "'x' was assigned in a thread group, which has it alone"),
    (ReadByElected, "'x' was assigned in a thread group, which has it alone"),
    (TwoGroupsInLoop, "'x' was assigned in a thread group, which has it alone"),
    (FromWhatGroupLoads, "'x' follows from what only the group has"),
])  # fmt: skip
def test_what_has_no_one_value_is_refused(script, message):
    with pytest.raises(TilusProgramError, match=message) as caught:
        transpile(script(), script.__call__)
    assert caught.value.file == __file__ and caught.value.advice
