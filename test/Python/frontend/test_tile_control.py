# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thread groups, block indices, assumptions, printing and groups of later chips."""

import numpy as np
import pytest
from tile_kernels import build, launch, loaded, store
from tilus.dtypes import float32, int8, int32, int64, uint8
from tilus.lang.errors import InstructionError
from tilus.lang.instructions import Instructions
from tilus.lang.scalars import Scalar


def test_blocks_know_their_place():
    out = np.zeros((2, 3, 2, 6), "int32")

    def body(t, p):
        view = t.global_view(p, dtype=int32, shape=[2, 3, 2, 6])
        x, y, z = t.blockIdx
        tile = t.register_tensor(dtype=int32, shape=[6])
        for i, number in enumerate([*t.blockIdx.to_tuple(), *t.gridDim]):
            tile[i] = number
        assert len(t.gridDim) == 3
        t.store_global(view, tile, offsets=[x, y, z, 0], dims=[3])

    launch(body, out, blocks=(2, 3, 2))
    for x, y, z in np.ndindex(2, 3, 2):
        assert out[x, y, z].tolist() == [x, y, z, 2, 3, 2]


@pytest.mark.parametrize("begin, count", [(0, 64), (64, 64), (32, 32), (96, 32), (7, 1), (32, 64), (5, 33), (0, 128), (127, 1)])
def test_groups_are_the_threads_that_were_asked_for(begin, count):
    x, out = np.arange(count, dtype="int32"), np.zeros((count,), "int32")

    def body(t, px, pout):
        with t.thread_group(begin, count):
            assert (t.current_thread_begin, t.current_thread_end, t.current_num_threads) == (begin, begin + count, count)
            tile = loaded(t, px, x)
            tile += t.sum(tile, dim=0)
            t.sync()
            store(t, pout, tile)
        assert (t.current_thread_begin, t.current_num_threads) == (0, 128)

    launch(body, x, out)
    assert np.array_equal(out, x + x.sum())


def test_groups_at_the_same_time_do_not_mix():
    x = np.arange(4 * 64, dtype="int32").reshape(4, 64)
    out = np.zeros((4, 64), "int32")

    def body(t, px, pout):
        gx, gout = (t.global_view(p, dtype=int32, shape=[4, 64]) for p in (px, pout))
        for warp in range(4):
            with t.single_warp(warp):
                tile = t.load_global(gx, offsets=[warp, 0], shape=[64], dims=[1])
                t.store_global(gout, t.cumsum(tile, dim=0) + t.max(tile, dim=0), offsets=[warp, 0], dims=[1])

    launch(body, x, out)
    assert np.array_equal(out, x.cumsum(1) + x.max(1, keepdims=True))


def test_groups_within_groups():
    out = np.zeros((4,), "int32")

    def body(t, p):
        view = t.global_view(p, dtype=int32, shape=[4])
        with t.warp_group(2, 2):
            assert t.current_thread_begin == 64
            with t.single_warp(1):
                assert (t.current_thread_begin, t.current_thread_end) == (96, 128)
                with t.single_thread():
                    assert t.current_num_threads == 1
                    t.atomic.global_add(view[0:4], t.register_tensor(dtype=int32, shape=[4], init=lambda i: i + 1))
        with t.thread_group(-1, 32):
            t.atomic.global_add(view, t.register_tensor(dtype=int32, shape=[4], init=10))

    launch(body, out)
    assert out.tolist() == [11, 12, 13, 14]


def test_tiles_that_a_group_assigned_are_refused_outside():
    def body(t, p):
        tile = t.register_tensor(dtype=int32, shape=[4])
        with t.single_warp(0):
            tile += 1
        with pytest.raises(InstructionError, match="but a tile was assigned in a thread group"):
            tile + 1

    build(body, [~int32])


def test_assumptions_and_division():
    out = np.zeros((2, 3), "int64")

    def body(t, p, n, m):
        t.assume(n % 8 == 0)
        t.assume(True)
        tile = t.register_tensor(dtype=int64, shape=[2, 3])
        for row, (a, b) in enumerate([(n, m), (n + 5, 7)]):
            quotient, remainder = t.fast_divmod(a, b)
            assert isinstance(quotient, Scalar)
            tile[row, 0], tile[row, 1] = quotient, remainder
        tile[1, 2] = sum(t.fast_divmod(100, 7))
        store(t, p, tile)

    launch(body, out, 104, 9)
    assert out.tolist() == [[11, 5, 0], [15, 4, 16]]


def test_printing():
    lines = []

    def body(t, p, n):
        view = t.global_view(p, dtype=float32, shape=[2])
        tile = t.load_global(view, offsets=[0], shape=[2])
        t.printf("%d %5.2f|%s|%%|%u %x %lld\n", n, tile[1], "text%", uint8(200), n.to(int8), n.to(int64) << 40)
        t.printf("no arguments\n")
        t.print_tensor("tile: ", tile)
        shared = t.shared_tensor(dtype=float32, shape=[2])
        t.store_shared(shared, tile + 1)
        t.sync()
        t.print_tensor("shared", shared, fmt="%.1f")
        t.print_tensor("global", view)

    launch(body, np.array([1.5, 2.5], "float32"), 7, output=lines.append)
    text = "".join(lines)
    assert "7  2.50|text%|%|200 7 7696581394432\n" in text
    assert "no arguments\n" in text
    for name, first in (("tile: ", "1.5"), ("shared", "2.5"), ("global", "1.5")):
        assert f"{name}[0] = {first}" in text


def test_static_assertions():
    Instructions.static_assert(3 < 4, "fine")
    with pytest.raises(InstructionError, match="static_assert: block is odd"):
        Instructions().static_assert(3 % 2 == 0, "block is odd")


REFUSED = [
    (lambda t, n: t.thread_group(0, 256), "expected threads of the current group of 128, but got threads 0 to 255"),
    (lambda t, n: t.thread_group(96, 64), "expected threads of the current group of 128, but got threads 96 to 159"),
    (lambda t, n: t.thread_group(-2, 4), "expected a thread of the current group or -1 as thread_begin, but got -2"),
    (lambda t, n: t.thread_group(0, 0), "expected at least one thread as num_threads, but got 0"),
    (lambda t, n: t.thread_group(n, 32), "expected an integer known at compile time as thread_begin, but got a value of run time"),
    (lambda t, n: t.single_warp(4), "expected threads of the current group of 128"),
    (lambda t, n: t.single_thread(128), "expected threads of the current group of 128"),
    (lambda t, n: t.warp_group(-1, 1), "expected a warp of the current group, but got -1"),
    (lambda t, n: t.assume(False), "expected an assumption that can hold, but got False"),
    (lambda t, n: t.assume(n), "expected a condition on integers, but got an int32 of run time"),
    (lambda t, n: t.fast_divmod(n, 2.5), "expected an integer as b, but got"),
    (lambda t, n: t.printf("%d"), "expected one argument for each of the 1 conversions of the format, but got 0"),
    (lambda t, n: t.printf("%f", n), "expected a float for '%f', but got an int32 of run time"),
    (lambda t, n: t.printf("%d", 2.5), "expected an integer for '%d', but got 2.5"),
    (lambda t, n: t.printf("%s", n), "expected a text for '%s', but got a value of run time"),
    (lambda t, n: t.print_tensor("n", n), "expected a tensor to print, but got an int32 of run time"),
    (lambda t, n: t.static_assert(n > 3, ""), "expected a condition known at compile time"),
    (lambda t, n: t.annotate_layout(n, None), "expected a register or shared tile, but got an int32 of run time"),
    (lambda t, n: t.tma.global_to_shared(src=1, dst=2), "'tma.global_to_shared' is not supported yet; use copy_async"),
    (lambda t, n: t.mbarrier.alloc(4), "'mbarrier.alloc' is not supported yet"),
    (lambda t, n: t.wgmma.mma(1, 2, 3), "'wgmma.mma' is not supported yet; use dot"),
    (lambda t, n: t.tcgen05.alloc(int8, [128, 64]), "'tcgen05.alloc' is not supported yet"),
    (lambda t, n: t.cluster.blockIdx, "'cluster.blockIdx' is not supported yet"),
    (lambda t, n: t.clc.try_cancel(1, 2, 3), "'clc.try_cancel' is not supported yet"),
    (lambda t, n: t.fence.proxy_async(), "'fence.proxy_async' is not supported yet"),
]  # fmt: skip


@pytest.mark.parametrize("use, message", REFUSED)
def test_wrong_arguments_are_refused(use, message):
    def body(t, n):
        with pytest.raises(InstructionError, match=message):
            use(t, n)

    build(body, [int32])


def test_constants_of_barriers_are_there():
    assert (Instructions.mbarrier.producer_initial_phase, Instructions.mbarrier.consumer_initial_phase) == (1, 0)
