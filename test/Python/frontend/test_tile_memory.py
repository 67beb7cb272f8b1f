# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views, loads, stores, shared tiles, asynchronous copies, pointers and semaphores on the CPU reference against numpy."""

import numpy as np
import pytest
from tile_kernels import build, execute, launch, loaded, store
from tilus.dtypes import float16, float32, int32, int64, uint8, uint32, void_p
from tilus.lang.control_flow import ForLoop
from tilus.lang.errors import InstructionError, TilusProgramError
from tilus.lang.scalars import as_scalar


def numbers(shape, dtype="float32"):
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


@pytest.mark.parametrize("dims", [[0, 1], [1, 0], [0, 2], [2, 0], [1], [-1], [0], []])
def test_tiles_extend_along_any_dimensions_in_any_order(dims):
    x, y = numbers((4, 5, 6)), np.zeros((4, 5, 6), "float32")
    offsets, shape = [1, 2, 3], [3, 2][: len(dims)]
    places = [dim % 3 for dim in dims]

    def body(t, px, py):
        gx, gy = (t.global_view(p, dtype=float32, shape=[4, 5, 6]) for p in (px, py))
        tile = t.load_global(gx, offsets=offsets, shape=shape, dims=dims)
        t.store_global(gy, tile + 1, offsets=offsets, dims=dims)

    launch(body, x, y)
    expected = np.zeros_like(y)
    for index in np.ndindex(*shape):
        place = list(offsets)
        for dim, i in zip(places, index):
            place[dim] += i
        if all(p < size for p, size in zip(place, x.shape)):
            expected[tuple(place)] = x[tuple(place)] + 1
    assert np.array_equal(y, expected)


def test_what_lies_outside_is_zero_and_stays():
    x, y = numbers((5, 7)) + 1, np.full((5, 7), -1, "float32")
    seen = np.zeros((8, 8), "float32")

    def body(t, px, py, ps, m, n, i, j):
        gx, gy = (t.global_view(p, dtype=float32, shape=[m, n]) for p in (px, py))
        tile = t.load_global(gx, offsets=[i, j], shape=[8, 8])
        store(t, ps, tile)
        t.store_global(gy, tile * 2, offsets=[i, j])

    launch(body, x, y, seen, 5, 7, -2, 3)
    expected = np.zeros((8, 8), "float32")
    expected[2:7, :4] = x[:, 3:]
    assert np.array_equal(seen, expected)
    assert np.array_equal(y[:, 3:], 2 * x[:, 3:])
    assert np.all(y[:, :3] == -1)


def test_strides():
    x, out = numbers((6, 8)), np.zeros((3, 4), "float32")

    def body(t, px, pout, stride):
        view = t.global_view(px, dtype=float32, shape=[3, 4], strides=[stride * 2, 2])
        store(t, pout, t.load_global(view, offsets=[0, 0], shape=[3, 4]))

    launch(body, x, out, 8)
    assert np.array_equal(out, x[::2, ::2])


def test_slices_of_views():
    x = numbers((4, 5, 6))
    out = np.zeros((2, 5), "float32")

    def body(t, px, pout, i):
        view = t.global_view(px, dtype=float32, shape=[4, 5, 6])
        part = view[i, :, 2]
        assert part.shape == (5,)
        result = t.register_tensor(dtype=float32, shape=[2, 5])
        result[0] = t.load_global(part, offsets=[0], shape=[5])
        t.store_global(view[0][:, -1], result[0], offsets=[0])
        result[1, 0] = view[i, 3, i + 1].item()
        result[1, 1] = view[i + 7, 3, 3].item()
        store(t, pout, result)

    before = x.copy()
    launch(body, x, out, 2)
    assert np.array_equal(out[0], before[2, :, 2])
    assert out[1].tolist() == [before[2, 3, 3], 0, 0, 0, 0]
    assert np.array_equal(x[0, :, 5], before[2, :, 2])


def test_offsets_of_all_integer_types():
    x, out = numbers((64,)), np.zeros((3, 4), "float32")

    def body(t, px, pout, n):
        view = t.global_view(px, dtype=float32, shape=[64])
        result = t.register_tensor(dtype=float32, shape=[3, 4])
        tile = t.register_tensor(dtype=int32, shape=[1], init=8)
        for row, offset in enumerate([n.to(int64), n.to(uint8), tile]):
            result[row] = t.load_global(view, offsets=[offset], shape=[4])
        store(t, pout, result)

    launch(body, x, out, 12)
    assert np.array_equal(out, [x[12:16], x[12:16], x[8:12]])


def test_views_of_more_than_four_billion_elements():
    def body(t, px, pout, i):
        view = t.global_view(px, dtype=float32, shape=[1 << 20, 1 << 20])
        tile = t.load_global(view, offsets=[i * 0, 5], shape=[1, 4])
        store(t, pout, tile)
        with pytest.raises(InstructionError):
            t.load_global(view, offsets=[0], shape=[4])

    x, out = numbers((64,)), np.zeros((1, 4), "float32")
    launch(body, x, out, 3)
    assert np.array_equal(out[0], x[5:9])


# -- shared memory


def test_shared_tiles():
    x, out = numbers((8, 12)), np.zeros((12, 8), "float32")

    def body(t, px, pout):
        shared = t.shared_tensor(dtype=float32, shape=[2, 8, 12])
        assert (shared.shape, shared.size, shared.nbytes, shared.dtype) == ((2, 8, 12), 192, 768, float32)
        t.store_shared(shared[1], loaded(t, px, x))
        t.sync()
        flipped = t.load_shared(shared[1].transpose())
        t.store_shared(t.reshape_shared(shared[0], [12, 8]), flipped)
        t.sync()
        result = t.register_tensor(dtype=float32, shape=[12, 8])
        assert t.load_shared(t.reshape_shared(shared, [2, 12, 8])[0], out=result) is result
        result += shared[1, 0, 3].item() + t.load_shared(shared.permute([1, 0, 2])[2, 1])[4].item()
        store(t, pout, result)
        t.free_shared(shared)

    launch(body, x, out)
    assert np.array_equal(out, x.T + x[0, 3] + x[2, 4])


def test_parts_of_shared_tiles():
    x, out = numbers((4, 6)), np.zeros((8, 12), "float32")

    def body(t, px, pout):
        shared = t.shared_tensor(dtype=float32, shape=[8, 12])
        tile = loaded(t, px, x)
        t.store_shared(shared, t.register_tensor(dtype=float32, shape=[8, 12]))
        t.sync()
        t.store_shared(shared, tile, offsets=[4, 6])
        t.store_shared(shared, tile[0] + 100, offsets=[1, 0], dims=[1])
        t.store_shared(shared, tile[1] + 200, offsets=[2, 6], dims=[1])
        t.sync()
        store(t, pout, t.load_shared(shared))

    launch(body, x, out)
    expected = np.zeros((8, 12), "float32")
    expected[4:, 6:], expected[1, :6], expected[2, 6:] = x, x[0] + 100, x[1] + 200
    assert np.array_equal(out, expected)


def test_asynchronous_copies():
    x, out = numbers((5, 40, 3), "float16"), np.zeros((4, 32), "float16")

    def body(t, px, pout, rows):
        view = t.global_view(px, dtype=float16, shape=[rows, 40, 3])
        shared = t.shared_tensor(dtype=float16, shape=[2, 4, 32])
        t.copy_async(view, shared[0], offsets=[2, 16, 1], dims=[0, 1], evict="evict_first")
        t.copy_async_commit_group()
        t.copy_async(src=view, dst=shared[1], offsets=[0, 0, 0], dims=[0, 1], evict="evict_normal", check_bounds=False)
        t.copy_async_commit_group()
        t.copy_async_wait_group(1)
        t.sync()
        store(t, pout, t.load_shared(shared[0]))
        t.copy_async_wait_all()

    launch(body, x, out, 5)
    expected = np.zeros((4, 32), "float16")
    expected[:3, :24] = x[2:, 16:, 1]
    assert np.array_equal(out, expected)


def test_scattered_stores():
    indices = np.array([3, 0, 7, 5], "int32")
    values = numbers((2, 4)) + 1
    out, gathered = np.zeros((2, 8), "float32"), np.zeros((2, 8), "float32")

    def body(t, pi, pv, pout, pg):
        index = t.register_tensor(dtype=int32, shape=[2, 4])
        t.assign(index, loaded(t, pi, indices))
        tile = loaded(t, pv, values)
        view = t.global_view(pout, dtype=float32, shape=[2, 8])
        t.store_global_scatter(view, dim=-1, indices=index, values=tile)
        shared = t.shared_tensor(dtype=float32, shape=[2, 8])
        t.store_shared(shared, t.register_tensor(dtype=float32, shape=[2, 8]))
        t.sync()
        t.store_shared_scatter(shared, dim=1, indices=index.to(uint32), values=tile)
        t.sync()
        store(t, pg, t.load_shared(shared))

    launch(body, indices, values, out, gathered)
    expected = np.zeros((2, 8), "float32")
    expected[:, indices] = values
    assert np.array_equal(out, expected)
    assert np.array_equal(gathered, expected)


# -- pointers


def test_pointers_to_elements_and_pointers_of_unknown_type():
    x, out = numbers((8, 8)), np.zeros((3, 4), "float32")

    def body(t, px, pout, i):
        view = t.global_view(px, dtype=float32, shape=[8, 8])
        result = t.register_tensor(dtype=float32, shape=[3, 4])
        for row, pointer in enumerate([view[i, 3].item_ptr(), px + 5, px + i + 1]):
            part = t.global_view(pointer, dtype=float32, shape=[4])
            result[row] = t.load_global(part, offsets=[0], shape=[4])
        store(t, pout, result)

    launch(body, x, out, 2)
    assert np.array_equal(out, [x[2, 3:7], x.ravel()[5:9], x.ravel()[3:7]])
    words = numbers((4,), "int32")

    def reinterpret(t, p):
        view = t.global_view(p, dtype=uint32, shape=[4])
        t.store_global(view, t.load_global(view, offsets=[0], shape=[4]) + 1, offsets=[0])

    module = build(reinterpret, [void_p])


    execute(module, [words])
    assert words.tolist() == [1, 2, 3, 4]


def test_workspaces_and_semaphores():
    out = np.zeros(1, "int32")

    def body(t, pout, n):
        locks = t.global_tensor(int32, [n, 2], requires_clean=True)
        sums = t.global_tensor(dtype=int32, shape=[4], requires_clean=False)
        assert locks.dtype is int32
        turn = locks[1, 1].item_ptr()
        t.lock_semaphore(turn, value=t.blockIdx.x)
        one = t.register_tensor(dtype=int32, shape=[1], init=t.blockIdx.x + 1)
        view = t.global_view(pout, dtype=int32, shape=[1])
        t.store_global(view, t.load_global(view, offsets=[0], shape=[1]) * 10 + one, offsets=[0])
        t.store_global(sums, one, offsets=[0])
        t.release_semaphore(turn, (t.blockIdx.x + 1) % t.gridDim.x)

    launch(body, out, 3, blocks=(4,))
    assert out[0] == 1234


def test_workspaces_in_branches_and_loops_stand_at_the_top():
    def body(t, p, n):
        loop = ForLoop(as_scalar(0), n, as_scalar(1))
        with loop.body() as i:
            sums = t.global_tensor(dtype=int32, shape=[n * 2, 4], requires_clean=False)
            t.store_global(sums, t.register_tensor(dtype=int32, shape=[4], init=i), offsets=[i, 0], dims=[1])
        loop.finish()
        store(t, p, t.load_global(sums, offsets=[1, 0], shape=[4], dims=[1]))

    out = np.zeros(4, "int32")
    module = launch(body, out, 3)
    assert out.tolist() == [1] * 4
    alloc = next(op for op in module.operation.walk() if op.name == "tilus.alloc_global")
    assert alloc.parent.name == "tilus.kernel"


@pytest.mark.parametrize("size, message", [
    (lambda t, i: i + 1, "but got a value that a loop changes"), (lambda t, i: t.gridDim.x, "but got 'tilus.grid_dim'"),
])  # fmt: skip
def test_workspaces_of_sizes_that_the_host_does_not_know_are_refused(size, message):
    def body(t, n):
        loop = ForLoop(as_scalar(0), n, as_scalar(1))
        with loop.body() as i:
            t.global_tensor(dtype=int32, shape=[size(t, i)], requires_clean=False)
        loop.finish()

    with pytest.raises(TilusProgramError, match=message):
        build(body, [int32])
