# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What only kernels have: their return, their grid, thread groups, assertions and texts; and chips that compile them."""

import re

import numpy as np
import pytest
from language import Kernel, run_kernel
from tilus import _compiler
from tilus._compiler import ir
from tilus.dtypes import float32, int32
from tilus.lang.errors import TilusProgramError
from tilus.lang.transpiler import transpile

CHIPS = ["sm_80", "sm_90a", "sm_103a"]


class Storing(Kernel):
    """A kernel of eight blocks, whose result is an array of 64 numbers."""

    blocks = 8

    def begin(self):
        self.attrs.blocks = self.blocks
        self.attrs.warps = 4

    def store(self, p, index, value):
        view = self.global_view(p, dtype=int32, shape=[64])
        self.store_global(view, self.register_tensor(dtype=int32, shape=[1], init=value), offsets=[index])

    def run(self, *arguments, compiles=True, output=None):
        """The array that the kernel stores; the kernel compiles for all chips."""
        out = np.full(64, -1, np.int32)
        module = transpile(self, type(self).__call__)
        _compiler.Reference(module).run([*arguments, out], check_hazards=True, output=output)
        if compiles:
            assert len(_compiler.Compiler(cache="off").compile(module, CHIPS)) == len(CHIPS)
        return out


class EarlyReturn(Storing):
    def __call__(self, n: int32, p: ~int32):
        self.begin()
        block = self.blockIdx.x
        if block > n:
            return
        self.store(p, block, 1)
        for i in range(10):
            if i > block:
                self.store(p, 8 + block, i)
                return
            while True:
                if i + block == 7:
                    self.store(p, 16 + block, i)
                    return
                break
        self.store(p, 24 + block, 99)


def test_return_ends_the_block():
    n = 4
    expected = np.full(64, -1)
    for block in range(8):
        if block > n:
            continue
        expected[block] = 1
        for i in range(10):
            if i > block:
                expected[8 + block] = i
                break
            if i + block == 7:
                expected[16 + block] = i
                break
        else:
            expected[24 + block] = 99
    np.testing.assert_array_equal(EarlyReturn().run(n), expected)


class Groups(Storing):
    blocks = 1

    def __call__(self, n: int32, p: ~int32):
        self.begin()
        phase: int32 = 0
        for i in range(n):
            with self.single_thread(0):
                self.store(p, i, phase)
                phase = (phase + 2) % 5
            with self.single_warp(2), self.single_thread(5) as inner:
                self.store(p, 32 + i, i * inner.count + self.current_thread_begin)
        with self.single_warp(3):
            for i in range(n):
                if i == 2:
                    return
                self.store(p, 40 + i, i)
            self.store(p, 50, n)
        with self.single_thread(0):
            self.store(p, 63, phase)


def test_thread_groups_keep_their_scalars():
    out = Groups().run(4)
    assert list(out[:4]) == [0, 2, 4, 1] and out[63] == 3
    assert list(out[32:36]) == [69, 70, 71, 72] and list(out[40:44]) == [0, 1, -1, -1] and out[50] == -1
    assert Groups().run(2, compiles=False)[50] == 2


class MovedPointers(Storing):
    blocks = 1

    def __call__(self, n: int32, p: ~int32):
        self.begin()
        q = p + 3
        for i in range(n):
            self.store(q, 0, i)
            q = q + 4 if i == 1 else q + 2
        if n > 3:
            q = q + 1
        self.store(q - 1, 0, 77)


@pytest.mark.parametrize("n", [0, 3, 5])
def test_moved_pointers(n):
    expected, at = np.full(64, -1), 3
    for i in range(n):
        expected[at] = i
        at += 4 if i == 1 else 2
    expected[at + (n > 3) - 1] = 77
    np.testing.assert_array_equal(MovedPointers().run(n), expected)


class Grid(Storing):
    def __call__(self, n: int32, m: int32, p: ~int32):
        self.attrs.warps = 1
        rows = min((n + 3) // 4, 5) if n > m else -(-n // 2)
        columns = max(m % 3, 1)
        self.attrs.blocks = rows, columns
        self.store(p, self.blockIdx.x * columns + self.blockIdx.y, rows)


@pytest.mark.parametrize("n, m", [(9, 2), (30, 4), (3, 7), (0, 0), (-8, 5)])
def test_grid_follows_from_parameters(n, m):
    rows = min((n + 3) // 4, 5) if n > m else -(-n // 2)
    count = max(rows, 0) * max(m % 3, 1)
    out = Grid().run(n, m, compiles=False)
    assert (out == rows).sum() == count and (out == -1).sum() == 64 - count


class GuardedGrid(Storing):
    """The host computes both sides of a branch, and divides by zero in none of them."""

    def __call__(self, n: int32, m: int32, p: ~int32):
        self.attrs.warps = 1
        rows = 3
        if m != 0:
            rows = n // m
            if n > 5:
                rows = rows + self.remainder(n, m)
        self.attrs.blocks = rows if n < 60 else 1
        self.store(p, self.blockIdx.x, rows)

    def remainder(self, n, m):
        if m < 0:
            return 1
        return n % m


@pytest.mark.parametrize("n, m", [(9, 2), (4, 0), (50, -1), (12, 5), (3, 2)])
def test_grid_with_branches(n, m):
    rows = 3 if m == 0 else n // m + (0 if n <= 5 else 1 if m < 0 else n % m)
    out = GuardedGrid().run(n, m)
    assert (out == rows).sum() == max(rows, 0) and (out == -1).sum() == 64 - max(rows, 0)


class Texts(Storing):
    blocks = 1

    def __call__(self, n: int32, x: float32, p: ~int32):
        self.begin()
        name = "n"
        self.static_assert(True, f"never {n}")
        self.printf(f"{name} = {n:4d}, 100% of {x:.2f}|{n + 1:x}|{2 * 3}|{self.blocks:02d}\n")
        self.printf("%d and %s\n", n, name)
        assert n > 3, f"expected more than {3}, but got {n}"
        self.store(p, 0, 1)


def test_texts():
    printed = []
    assert Texts().run(7, 2.5, output=printed.append)[0] == 1
    assert "".join(printed) == "n =    7, 100% of 2.50|8|6|01\n7 and n\n"


def test_assertion_of_run_time():
    with pytest.raises(ir.MLIRError, match=re.escape("expected more than 3, but got {n}")) as caught:
        Texts().run(2, 2.5, output=lambda text: None)
    place = caught.value.diagnostics[0]
    assert place.file == __file__ and place.line == Texts.__call__.__code__.co_firstlineno + 6


class Unset(Kernel):
    def __call__(self, n: int32):
        self.attrs.warps = 4


class Unannotated(Kernel):
    def __call__(self, n):
        self.attrs.warps = 4


@pytest.mark.parametrize("script, message", [
    (Unset, "expected the numbers of blocks, but self.attrs.blocks is not set"),
    (Unannotated, "expected a type for parameter 'n', but got none"),
])  # fmt: skip
def test_what_a_kernel_needs(script, message):
    with pytest.raises(TilusProgramError, match=re.escape(message)) as caught:
        transpile(script(), script.__call__)
    assert caught.value.line == script.__call__.__code__.co_firstlineno and caught.value.advice


class Squares(Kernel):
    def __call__(self, p: ~float32):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        view = self.global_view(p, dtype=float32, shape=[8])
        for i in self.range(2, 8, 3, unroll="all"):
            self.static_assert(isinstance(i, int), "a constant index")
            self.store_global(view, self.register_tensor(dtype=float32, shape=[1], init=i * i), offsets=[i])
        for i in self.range(0, 8, 2, unroll=2):
            self.store_global(view, self.register_tensor(dtype=float32, shape=[1], init=-1.0), offsets=[i])


def test_unrolled_ranges():
    out = np.zeros(8, np.float32)
    run_kernel(Squares(), Squares.__call__, [out])
    np.testing.assert_array_equal(out, [-1, 0, -1, 0, -1, 25, -1, 0])


class Unrolled(Kernel):
    """Stores `end` numbers, in a loop with a barrier, which LLVM does not unroll by itself."""

    end = None

    def __init__(self, unroll):
        super().__init__()
        self.unroll = unroll

    def __call__(self, n: int32, p: ~int32):
        self.attrs.blocks = 1
        self.attrs.warps = 4
        view = self.global_view(p, dtype=int32, shape=[64])
        for i in self.range(n if self.end is None else self.end, unroll=self.unroll):
            self.sync()
            self.store_global(view, self.register_tensor(dtype=int32, shape=[1], init=i * i), offsets=[i])


class UnrolledSix(Unrolled):
    end = 6


@pytest.mark.parametrize(
    "cls, unroll, stores",
    [(Unrolled, None, 1), (Unrolled, 1, 1), (Unrolled, 4, 5), (UnrolledSix, 3, 3), (UnrolledSix, 5, 6), (UnrolledSix, 8, 6),
     (UnrolledSix, "all", 6), (UnrolledSix, True, 6)],
)  # fmt: skip
def test_loops_are_unrolled_in_the_code(cls, unroll, stores):
    module = transpile(cls(unroll), cls.__call__)
    for artifact in _compiler.Compiler(cache="off").compile(module, CHIPS):
        assert len(re.findall(r"\bst\.global", artifact.ptx)) == stores
    for n in range(10) if cls is Unrolled else [6]:
        out = np.full(64, -1, np.int32)
        run_kernel(cls(unroll), cls.__call__, [n, out])
        np.testing.assert_array_equal(out[: n + 1], [*(i * i for i in range(n)), -1])


@pytest.mark.parametrize("unroll", [0, -1, 5000, "full", 1.0])
def test_wrong_unrolling(unroll):
    with pytest.raises(TilusProgramError, match="expected None, a number from 1 to 4096 or 'all' for unroll"):
        transpile(Unrolled(unroll), Unrolled.__call__)
