# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic updates of all element types on the CPU reference against numpy."""

import numpy as np
import pytest
from tile_kernels import build, compiled, launch, loaded, store
from tilus.dtypes import bfloat16, float16, float32, int8, int32, uint32
from tilus.lang.errors import InstructionError

INTS = ["int32", "uint32", "int64", "uint64"]
FUNCTIONS = {
    "add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum, "exch": lambda a, b: b, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


def values(dtype, shape, seed):
    if np.dtype(dtype).kind == "f":
        return np.random.default_rng(seed).integers(-8, 8, shape).astype(dtype)
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max, shape, dtype=dtype)


# Each operation with the types that it has.
UPDATES = [(op, dtype) for op in FUNCTIONS for dtype in INTS]
UPDATES += [(op, dtype) for op in ("add", "sub") for dtype in ("float16", "float32", "float64")]
UPDATES += [("exch", "float32"), ("exch", "float64")]


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("op, dtype", UPDATES)
def test_updates(space, op, dtype):
    x, y = values(dtype, (4, 8), 0), values(dtype, (4, 8), 1)
    old, new = np.zeros_like(x), x.copy()

    def body(t, px, py, pold):
        tile = loaded(t, py, y)
        update = getattr(t.atomic, f"{space}_{op}")
        if space == "global":
            dst = t.global_view(px, dtype=tile.dtype, shape=[4, 8])
            store(t, pold, update(dst, tile))
            return
        dst = t.shared_tensor(dtype=tile.dtype, shape=[4, 8])
        t.store_shared(dst, loaded(t, px, x))
        t.sync()
        before = t.register_tensor(dtype=tile.dtype, shape=[4, 8])
        assert update(dst, tile, sem="acq_rel", scope="cta", output=before) is before
        t.sync()
        store(t, pold, before)
        store(t, px, t.load_shared(dst))

    launch(body, new, y, old)
    assert np.array_equal(old, x)
    assert np.array_equal(new, FUNCTIONS[op](x, y).astype(dtype))


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("space", ["global", "shared"])
def test_compare_and_swap(space, dtype):
    x, y = values(dtype, (32,), 0), values(dtype, (32,), 1)
    guess = np.where(np.arange(32) % 3 == 0, x, y)
    old, new = np.zeros_like(x), x.copy()

    def body(t, px, py, pg, pold):
        compare, tile = loaded(t, pg, guess), loaded(t, py, y)
        dst = t.global_view(px, dtype=tile.dtype, shape=[32])
        if space == "shared":
            dst = t.shared_tensor(dtype=tile.dtype, shape=[32])
            t.store_shared(dst, loaded(t, px, x))
            t.sync()
        store(t, pold, getattr(t.atomic, f"{space}_cas")(dst, compare, tile))
        if space == "shared":
            t.sync()
            store(t, px, t.load_shared(dst))

    launch(body, new, y, guess, old)
    assert np.array_equal(old, x)
    assert np.array_equal(new, np.where(x == guess, y, x))


@pytest.mark.parametrize("op", ["add", "sub", "min", "max", "and", "or", "xor"])
@pytest.mark.parametrize("dtype", ["int32", "uint32"])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_scattered_updates(space, op, dtype):
    x, y = values(dtype, (4, 8), 0), values(dtype, (6, 8), 1)
    index = np.broadcast_to(np.array([3, 0, 3, 1, 9, -1], "int32")[:, None], (6, 8)).copy()
    new = x.copy()

    def body(t, px, py, pi):
        indices, tile = loaded(t, pi, index), loaded(t, py, y)
        dst = t.global_view(px, dtype=tile.dtype, shape=[4, 8])
        if space == "shared":
            dst = t.shared_tensor(dtype=tile.dtype, shape=[4, 8])
            t.store_shared(dst, loaded(t, px, x))
            t.sync()
        getattr(t.atomic, f"{space}_scatter_{op}")(dst, dim=0, indices=indices, values=tile)
        if space == "shared":
            t.sync()
            store(t, px, t.load_shared(dst))

    launch(body, new, y, index)
    expected = x.copy()
    for row, place in enumerate(index[:, 0]):
        if 0 <= place < 4:
            expected[place] = FUNCTIONS[op](expected[place], y[row]).astype(dtype)
    assert np.array_equal(new, expected)


def test_each_element_is_applied_once_whatever_its_layout():
    counts = np.zeros((1,), "int32")

    def body(t, p):
        one = t.register_tensor(dtype=int32, shape=[1], init=1)
        t.atomic.global_add(t.global_view(p, dtype=int32, shape=[1]), one)

    launch(body, counts, blocks=(5,))
    assert counts[0] == 5


def test_updates_outside_and_of_slices():
    x, out = np.zeros((4, 8), "int32"), np.zeros((8,), "int32")

    def body(t, p, pout, rows):
        view = t.global_view(p, dtype=int32, shape=[rows, 8])
        one = t.register_tensor(dtype=int32, shape=[8, 8], init=lambda i, j: i * 8 + j)
        t.atomic.global_add(view, one)
        store(t, pout, t.atomic.global_add(view[2], one[0]))
        t.atomic.global_max(view[:, 3], one[:, 0])

    launch(body, x, out, 3)
    expected = np.zeros((4, 8), "int32")
    expected[:3] = np.arange(24).reshape(3, 8)
    row = expected[2].copy()
    expected[2] += np.arange(8)
    expected[:3, 3] = np.maximum(expected[:3, 3], np.arange(3) * 8)
    assert np.array_equal(x, expected)
    assert np.array_equal(out, row)


def test_results_that_nobody_reads_are_no_trouble_on_a_gpu():
    def body(t, p, q):
        dst = t.global_view(p, dtype=int32, shape=[64])
        one = t.register_tensor(dtype=int32, shape=[64], init=1)
        t.atomic.global_exch(dst, one)
        t.atomic.global_cas(dst, one, one + 1)
        t.atomic.global_scatter_add(dst, dim=0, indices=one, values=one)
        floats = t.global_view(q, dtype=float32, shape=[64])
        t.atomic.global_add(floats, one.to(float32))

    for artifact in compiled(body, [~int32, ~float32]):
        assert len(artifact.cubin) > 1000


REFUSED = [
    (lambda t, d, x: t.atomic.global_add(d, x.to(uint32)), "expected values of int32, but got uint32"),
    (lambda t, d, x: t.atomic.global_add(d, x[0]), "expected values of the rank of dst 2, but got 1"),
    (lambda t, d, x: t.atomic.global_add(d, x.reshape([8, 4])), "expected values of the size of dst, 4, in dimension 0, but got 8"),
    (lambda t, d, x: t.atomic.shared_add(d, x), "expected a shared tile as dst, but got a global tensor"),
    (lambda t, d, x: t.atomic.global_add(d, x, sem="strong"), "expected one of 'relaxed', .* as sem, but got 'strong'"),
    (lambda t, d, x: t.atomic.global_add(d, x, scope="grid"), "expected one of 'cta', .* as scope, but got 'grid'"),
    (lambda t, d, x: t.atomic.global_scatter_add(d, dim=2, indices=x, values=x), "expected dim of -2 to 1, but got 2"),
    (lambda t, d, x: t.atomic.global_scatter_add(d, dim=0, indices=x[0], values=x), "expected indices of the shape of values"),
]  # fmt: skip


@pytest.mark.parametrize("use, message", REFUSED)
def test_wrong_arguments_are_refused(use, message):
    def body(t, p):
        view = t.global_view(p, dtype=int32, shape=[4, 8])
        with pytest.raises(InstructionError, match=message):
            use(t, view, t.load_global(view, offsets=[0, 0], shape=[4, 8]))

    build(body, [~int32])


@pytest.mark.parametrize("dtype, op", [(float32, "max"), (float16, "exch"), (bfloat16, "min"), (int8, "add")])
def test_types_that_no_chip_updates_are_refused(dtype, op):
    def body(t, p):
        view = t.global_view(p, dtype=dtype, shape=[8])
        with pytest.raises(InstructionError, match=f"expected integers of 32 or 64 bits .*but got '{op}' on {dtype.name}"):
            getattr(t.atomic, f"global_{op}")(view, t.load_global(view, offsets=[0], shape=[8]))

    build(body, [~dtype])


