# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices, slices, shapes, types and repetition of register tiles against numpy, and views that changes make stale."""

import numpy as np
import pytest
from tile_kernels import call, launch, loaded, store
from tilus.dtypes import boolean, float16, float32, int8, int16, int32, uint8, uint32
from tilus.lang.errors import InstructionError


def numbers(shape, dtype="float32"):
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


INDICES = [
    np.index_exp[3], np.index_exp[-1], np.index_exp[:, 5], np.index_exp[:, :, 2], np.index_exp[2, :, 1], np.index_exp[1, 2],
    np.index_exp[:, 3, -4], np.index_exp[...], np.index_exp[..., 1], np.index_exp[1, ..., 1], np.index_exp[0:4, 2, 0:8],
    np.index_exp[1, 2, 3],
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_slices_are_numpys(index):
    x = numbers((4, 6, 8))
    assert np.array_equal(call(lambda t, a: a[index], x, out=[x[index]]), x[index])


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_slices_are_assigned_as_in_numpy(index):
    x = numbers((4, 6, 8))
    source = -numbers(x[index].shape) - 1

    def body(t, a, b):
        a[index] = b
        return a

    expected = x.copy()
    expected[index] = source
    assert np.array_equal(call(body, x, source, out=[x]), expected)


def test_slices_at_indices_of_run_time():
    x = numbers((4, 6))
    out = np.zeros((3, 6), "float32")

    def body(t, px, pout, n, m):
        tile = loaded(t, px, x)
        result = t.register_tensor(dtype=float32, shape=[3, 6])
        result[n] = tile[m]
        result[n + 1, m] = tile[n, n]
        result[2] = tile[:, n].reshape([1, 4])[0, 1]
        store(t, pout, result)

    launch(body, x, out, 0, 3)
    expected = np.zeros((3, 6), "float32")
    expected[0], expected[1, 3], expected[2] = x[3], x[0, 0], x[1, 0]
    assert np.array_equal(out, expected)


def test_slices_are_copies():
    x = numbers((4, 6))

    def body(t, a):
        row = a[1]
        a += 100
        row += 1000
        return [a, row]

    a, row = call(body, x, out=[x, x[1]])
    assert np.array_equal(a, x + 100)
    assert np.array_equal(row, x[1] + 1000)


def test_slices_in_place():
    x = numbers((4, 6))

    def body(t, a):
        a[1] += a[0]
        a[:, 2] *= 3
        a[:, 0] = 7
        return a

    expected = x.copy()
    expected[1] += expected[0]
    expected[:, 2] *= 3
    expected[:, 0] = 7
    assert np.array_equal(call(body, x, out=[x]), expected)


def test_new_axes():
    x = numbers((4, 6))
    got = call(lambda t, a: [a[:, None], a[None], a[2, None, :, None]], x, out=[x[:, None], x[None], x[2, None, :, None]])
    for result, expected in zip(got, [x[:, None], x[None], x[2, None, :, None]]):
        assert np.array_equal(result, expected)


def test_elements_as_scalars():
    x = numbers((2, 3))

    def body(t, a):
        rows = a.tolist()
        total = sum(sum(row[1:]) for row in rows) * a[1, 2].item()
        return t.register_tensor(dtype=float32, shape=[], init=total)

    assert call(body, x, out=[np.zeros((), "float32")]) == x[:, 1:].sum() * 5


def test_elements_are_the_same_for_all_threads():
    x = numbers((256,))
    got = call(lambda t, a: t.register_tensor(dtype=float32, shape=[256], init=a[200].item()), x, out=[x])
    assert np.array_equal(got, np.full(256, 200))


def test_shapes():
    x = numbers((4, 1, 6))
    cases = [
        (lambda t, a: a.reshape([6, 4]), x.reshape(6, 4)), (lambda t, a: a.reshape(2, -1), x.reshape(2, -1)),
        (lambda t, a: t.reshape(a, [3, 8]), x.reshape(3, 8)), (lambda t, a: a.flatten(), x.ravel()),
        (lambda t, a: a.squeeze(1), x[:, 0]), (lambda t, a: t.squeeze(a, dim=-2), x[:, 0]),
        (lambda t, a: a.unsqueeze(0), x[None]), (lambda t, a: t.unsqueeze(a, dim=[0, -1]), x[None, ..., None]),
        (lambda t, a: a.squeeze(1).transpose(), x[:, 0].T), (lambda t, a: t.transpose(a.squeeze([1])), x[:, 0].T),
        (lambda t, a: a.permute(2, 0, 1), x.transpose(2, 0, 1)), (lambda t, a: a.permute([-1, 0, 1]), x.transpose(2, 0, 1)),
        (lambda t, a: a.transpose(0, 2), x.swapaxes(0, 2)), (lambda t, a: a.squeeze().T, x[:, 0].T),
    ]  # fmt: skip
    got = call(lambda t, a: [case(t, a) for case, _ in cases], x, out=[expected for _, expected in cases])
    for result, (_, expected) in zip(got, cases):
        assert np.array_equal(result, expected)


def test_out_takes_a_shape():
    x = numbers((4, 1, 6))

    def body(t, a):
        flat = t.register_tensor(dtype=float32, shape=[4, 6])
        assert t.squeeze(a, dim=1, out=flat) is flat
        wide = t.register_tensor(dtype=float32, shape=[4, 1, 1, 6])
        t.unsqueeze(a, dim=1, out=wide)
        return [flat, wide]

    flat, wide = call(body, x, out=[x[:, 0], x[:, None]])
    assert np.array_equal(flat, x[:, 0])
    assert np.array_equal(wide, x[:, None])


@pytest.mark.parametrize("repeats", [[3], [2, 3], [2, 1, 3]])
def test_repetition(repeats):
    x = numbers((4, 5))
    tiled, spread = np.tile(x, repeats), x.reshape((1,) * (len(repeats) - 2) + x.shape)
    for axis, count in enumerate(repeats, spread.ndim - len(repeats)):
        spread = np.repeat(spread, count, axis)
    got = call(lambda t, a: [t.repeat(a, repeats), t.repeat_interleave(a, repeats)], x, out=[tiled, spread])
    assert np.array_equal(got[0], tiled)
    assert np.array_equal(got[1], spread)


# -- types


def test_conversions():
    x = np.array([1.5, -2.5, 1e6, -1e6, 3.999, np.nan, 70000, 0], "float32")
    kinds = ["int32", "float16", "bool", "float32"]
    got = call(lambda t, a: [a.to(int32), t.cast(a, float16), a.to(boolean), float32(a)], x, out=[np.zeros(8, k) for k in kinds])
    with np.errstate(all="ignore"):
        expected = [np.where(np.isnan(x), 0, x).astype("int32"), x.astype("float16"), x != 0, x]
    for result, value in zip(got, expected):
        assert np.array_equal(result, value, equal_nan=result.dtype.kind == "f")
    i = np.array([-1, 300, 127, -128], "int32")
    got = call(lambda t, a: [a.to(int8), a.to(uint8), a.to(uint32).to(float32)], i, out=[
        i.astype("int8"), i.astype("uint8"), i.astype("float32"),
    ])  # fmt: skip
    for result, value in zip(got, [i.astype("int8"), i.astype("uint8"), i.astype("uint32").astype("float32")]):
        assert np.array_equal(result, value)


def test_conversions_leave_their_source_alone():
    x = np.arange(-128, 128, dtype="int8")
    half, again = call(lambda t, a: [a.to(float16), a], x, out=[x.astype("float16"), x])
    assert np.array_equal(half, x.astype("float16"))
    assert np.array_equal(again, x)


def test_bits_are_read_as_a_type_of_the_same_width():
    x = np.array([1.5, -2.0, np.inf, 0.0], "float32")
    got = call(lambda t, a: [t.view(a, dtype=int32), t.view(a, dtype=uint32)], x, out=[x.view("int32"), x.view("uint32")])
    assert np.array_equal(got[0], x.view("int32"))
    assert np.array_equal(got[1], x.view("uint32"))
    with pytest.raises(InstructionError, match="expected a tile with a layout to view as int16"):
        call(lambda t, a: t.view(a, dtype=int16), x, out=[])


# -- views and changes in place

VIEWS = {
    "transpose": lambda t, a: a.transpose(), "reshape": lambda t, a: a.reshape([6, 4]), "unsqueeze": lambda t, a: a.unsqueeze(0),
    "squeeze": lambda t, a: a.unsqueeze(0).squeeze(0), "view": lambda t, a: t.view(a, dtype=int32),
}  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_refused_once_its_source_has_changed(view):
    def body(t, a):
        v = VIEWS[view](t, a)
        a += 1
        return v + 1

    if view != "squeeze":  # a view of a view that is gone
        with pytest.raises(InstructionError, match="the tile that this one is a view of was changed in place"):
            call(body, numbers((4, 6)), out=[])


@pytest.mark.parametrize("view", ["transpose", "reshape", "unsqueeze", "view"])
def test_a_tile_is_refused_once_a_view_of_it_has_changed(view):
    def body(t, a):
        v = VIEWS[view](t, a)
        v += 1
        return a + 1

    with pytest.raises(InstructionError, match="a view of it .* was changed in place"):
        call(body, numbers((4, 6)), out=[])


def test_views_and_sources_that_are_overwritten_are_good_again():
    x = numbers((4, 6))

    def body(t, a):
        v = a.transpose()
        first = v + 1
        a += 1
        t.assign(v, a.transpose())
        v += 1
        t.assign(a, v.transpose())
        return [a, first]

    a, first = call(body, x, out=[x, x.T])
    assert np.array_equal(a, x + 2)
    assert np.array_equal(first, x.T + 1)


def test_what_cannot_be_indexed_or_shaped_is_refused():
    x = numbers((4, 6))
    cases = [
        (lambda a: a[4], "expected an index of -4 to 3 in dimension 0, but got 4"),
        (lambda a: a[0, 1, 2], r"expected at most 2 indices for shape \(4, 6\), but got 3"),
        (lambda a: a[1:3], "expected a whole dimension ':' or an index in dimension 0, but got a part of it"),
        (lambda a: a[..., ...], "expected at most one '...'"),
        (lambda a: a[1.5], "expected an integer as an index, but got float"),
        (lambda a: a[True], "expected an integer as an index, but got True"),
        (lambda a: a.item(), r"expected a tile of one element for item\(\), but got shape \(4, 6\)"),
        (lambda a: a.reshape([5, 5]), r"expected a shape of 24 elements, but got \(5, 5\) of 25"),
        (lambda a: a.squeeze(0), "expected a dimension of size 1 to squeeze, but got size 4 in dimension 0"),
        (lambda a: a.squeeze(2), "expected dim of -2 to 1, but got 2"),
        (lambda a: a.permute(0, 0), r"expected each of the 2 dimensions once, but got \[0, 0\]"),
        (lambda a: a[0].transpose(), "expected a tile of rank 2 for transpose"),
        (lambda a: a.to(3), "expected a data type such as float16 as dtype, but got 3"),
        (lambda a: a.unsqueeze([0, 0]), "expected each dimension once"),
        (lambda a: a.__setitem__(0, numbers((5,))), "expected a tile, a scalar or a number"),
        (lambda a: a.__setitem__(0, a.to(int32)[0]), "expected a tile of float32 for a slice, but got int32"),
    ]  # fmt: skip
    for case, message in cases:
        with pytest.raises(InstructionError, match=message):
            call(lambda t, a, case=case: case(a), x, out=[])
