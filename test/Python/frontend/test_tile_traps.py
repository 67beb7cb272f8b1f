# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases in which compilers of tile programs have gone wrong: right here, or refused in words.

Each is checked against arithmetic on the host; what only shows in code for a GPU is compiled for all chips.
"""

import numpy as np
import pytest
from tile_kernels import CHIPS, build, call, compiled, launch, loaded, store
from tilus import dtypes
from tilus._compiler import ir
from tilus.dtypes import bfloat16, boolean, float8_e4m3, float8_e5m2, float16, float32, int32, uint8
from tilus.lang.errors import InstructionError


def float_of_code(code, e, m, has_infinity, has_nan):
    """The number that a code of one sign bit, e exponent and m mantissa bits stands for."""
    sign = -1.0 if code >> (e + m) else 1.0
    exponent, mantissa = (code >> m) & ((1 << e) - 1), code & ((1 << m) - 1)
    bias = (1 << (e - 1)) - 1
    if has_infinity and exponent == (1 << e) - 1:
        return sign * np.inf if mantissa == 0 else np.nan
    if has_nan and not has_infinity and code & ((1 << (e + m)) - 1) == (1 << (e + m)) - 1:
        return np.nan
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - m)
    return sign * (1 + mantissa / 2.0**m) * 2.0 ** (exponent - bias)


@pytest.mark.parametrize("target", [float16, bfloat16, float32])
def test_all_codes_of_8_bit_floats_keep_their_value(target):
    codes = np.arange(256, dtype="uint8")

    def body(t, a):
        tiles = [t.view(a, dtype=float8_e4m3), t.view(a, dtype=float8_e5m2)]
        return [tile.to(target).to(float32) for tile in tiles]

    e4m3, e5m2 = call(body, codes, out=[np.zeros(256, "float32")] * 2)
    assert np.array_equal(e4m3, [float_of_code(int(c), 4, 3, False, True) for c in codes], equal_nan=True)
    assert np.array_equal(e5m2, [float_of_code(int(c), 5, 2, True, True) for c in codes], equal_nan=True)


def test_conversions_to_8_bit_floats_saturate_and_keep_nan():
    x = np.array([1e9, -1e9, np.inf, -np.inf, np.nan, 448, 465, 57344, 0.3], "float32")

    def body(t, a):
        return [a.to(float8_e4m3).to(float32), a.to(float8_e5m2).to(float32)]

    e4m3, e5m2 = call(body, x, out=[x, x])
    assert np.array_equal(e4m3[:8], [448, -448, 448, -448, np.nan, 448, 448, 448], equal_nan=True)
    assert np.array_equal(e5m2[:6], [57344, -57344, 57344, -57344, np.nan, 448], equal_nan=True)
    assert (e4m3[8], e5m2[8]) == (0.3125, 0.3125)


@pytest.mark.parametrize("name, e, m", [("float4_e2m1", 2, 1), ("float6_e3m2", 3, 2), ("float6_e2m3", 2, 3), ("float5_e2m2", 2, 2), ("float7_e4m2", 4, 2)])
def test_conversions_to_packed_floats_round_to_the_nearest(name, e, m):
    numbers = np.array([float_of_code(code, e, m, False, False) for code in range(1 << (e + m))])
    x = np.concatenate([np.linspace(-1.1, 1.1, 249) * numbers[-1], [np.inf, -np.inf, 0, -0.0, 1e30, -1e30, 1e-30]]).astype("float32")
    got = call(lambda t, a: a.to(getattr(dtypes, name)).to(float32), x, out=[x])
    for value, result in zip(x, got):
        distance = np.abs(numbers - min(abs(float(value)), numbers[-1]))
        nearest = np.flatnonzero(distance == distance.min())
        # Of two at one distance the code with an even mantissa.
        expected = numbers[min(nearest, key=lambda code: code % 2)]
        assert abs(result) == expected and np.signbit(result) == np.signbit(value)


def test_packed_integers_keep_their_source():
    codes = np.arange(-8, 8, dtype="int8")

    def body(t, a):
        nibbles = a.to(dtypes.int4b)
        halves = nibbles.to(float16)
        return [halves, nibbles.to(dtypes.int8), a.to(dtypes.uint4b).to(dtypes.int8), a.to(dtypes.int1b).to(dtypes.int8)]

    halves, again, unsigned, bits = call(body, codes, out=[codes.astype("float16"), codes, codes, codes])
    assert np.array_equal(halves, codes) and np.array_equal(again, codes)
    assert np.array_equal(unsigned, codes % 16)
    assert np.array_equal(bits, -(codes & 1))
    with pytest.raises(InstructionError, match="expected elements that '\\+' combines, but got int1b"):
        call(lambda t, a: a.to(dtypes.int1b) + 1, codes, out=[])


def test_maxima_of_bfloat16_are_its_own():
    x = np.array([-np.inf, -3.3e38, 1], "float32")
    got = call(lambda t, a: [t.max(a.to(bfloat16), dim=0, keepdim=True).to(float32)], x, out=[x[:1]])
    assert got[0] == 1


@pytest.mark.parametrize("index, place", [(3000, 3000 * (1 << 20) + 5), (-1, -(1 << 20) + 5)])
def test_offsets_are_of_64_bits(index, place):
    x, out = np.zeros(64, "float32"), np.zeros(1, "float32")

    def body(t, px, pout, i, rows):
        view = t.global_view(px, dtype=float32, shape=[rows, 1 << 20])
        part = t.global_view(view[i, 5].item_ptr(), dtype=float32, shape=[1])
        store(t, pout, t.load_global(part, offsets=[0], shape=[1]))

    with pytest.raises(ir.MLIRError, match=f"but got element {place}"):
        launch(body, x, out, index, 1 << 20)


@pytest.mark.parametrize("count", [1, 3, 5, 33, 96, 100, 257])
def test_combinations_of_sizes_that_are_no_power_of_two(count):
    x = np.random.default_rng(0).integers(-50, 50, (3, count)).astype("int32")
    functions = [lambda t, a: t.sum(a, dim=1), lambda t, a: t.max(a, dim=-1), lambda t, a: t.cumsum(a, dim=1), lambda t, a: t.sum(a, dim=0)]
    expected = [x.sum(1), x.max(1), x.cumsum(1), x.sum(0)]
    got = call(lambda t, a: [f(t, a) for f in functions], x, out=[e.astype("int32") for e in expected])
    for result, value in zip(got, expected):
        assert np.array_equal(result, value)


def test_combinations_of_odd_sizes_and_groups_compile():
    def body(t, p):
        view = t.global_view(p, dtype=float32, shape=[3, 20])
        for begin, count in [(32, 64), (96, 5)]:
            with t.thread_group(begin, count):
                tile = t.load_global(view, offsets=[0, 0], shape=[3, 20])
                t.store_global(view, t.cumsum(tile, dim=1) + t.max(tile, dim=0) * tile[0, 3].item(), offsets=[0, 0])

    assert [artifact.target for artifact in compiled(body, [~float32])] == CHIPS


@pytest.mark.parametrize("columns", [64, 33, 7])
def test_asynchronous_copies_of_rows_of_any_length(columns):
    x, out = np.arange(5 * columns, dtype="float16").reshape(5, columns), np.zeros((4, columns), "float16")

    def body(t, px, pout, rows, width):
        shared = t.shared_tensor(dtype=float16, shape=[4, columns])
        t.copy_async(t.global_view(px, dtype=float16, shape=[rows, width]), shared, offsets=[2, 1])
        t.copy_async_wait_all()
        t.sync()
        store(t, pout, t.load_shared(shared))

    launch(body, x, out, 5, columns)
    expected = np.zeros((4, columns), "float16")
    expected[:3, :-1] = x[2:, 1:]
    assert np.array_equal(out, expected)
    assert len(compiled(body, [~float16, ~float16, int32, int32])) == len(CHIPS)


def test_parts_of_shared_tiles_in_another_order():
    x, out = np.arange(24, dtype="float32").reshape(2, 3, 4), np.zeros((4, 6, 4), "float32")

    def body(t, px, pout):
        shared = t.shared_tensor(dtype=float32, shape=[4, 6, 4])
        t.store_shared(shared, t.register_tensor(dtype=float32, shape=[4, 6, 4]))
        t.sync()
        tile = loaded(t, px, x)
        t.store_shared(shared, tile[0].transpose(), offsets=[0, 3, 2], dims=[0, 1])
        t.sync()
        t.store_shared(shared, tile[1], offsets=[1, 3, 0], dims=[1, -1])
        t.sync()
        store(t, pout, t.load_shared(shared))

    launch(body, x, out)
    expected = np.zeros((4, 6, 4), "float32")
    expected[:, 3:, 2] = x[0].T
    expected[1, 3:, :] = x[1]
    assert np.array_equal(out, expected)


def test_offsets_by_choice_and_division():
    x, out = np.arange(64, dtype="float32"), np.zeros((3, 4), "float32")

    def body(t, px, pout, n, m):
        from tilus.lang.scalar_math import maximum, minimum, select

        view = t.global_view(px, dtype=float32, shape=[64])
        result = t.register_tensor(dtype=float32, shape=[3, 4])
        for row, offset in enumerate([minimum(n, 8) + m // 3, maximum(m, 3) % 7, select(n > m, n, m)]):
            result[row] = t.load_global(view, offsets=[offset], shape=[4])
        store(t, pout, result)

    launch(body, x, out, 20, 11)
    assert out[:, 0].tolist() == [11, 4, 20]


def test_shared_memory_freed_in_a_branch_is_not_taken_from_under_another():
    from tilus.lang.control_flow import Branches

    x, out = np.arange(32, dtype="float32"), np.zeros(32, "float32")

    def body(t, px, pout, n):
        kept, freed = (t.shared_tensor(dtype=float32, shape=[32]) for _ in range(2))
        tile = loaded(t, px, x)
        t.store_shared(kept, tile)
        t.store_shared(freed, tile * 2)
        t.sync()
        branches = Branches((n > 3).value)
        with branches.side(0):
            t.free_shared(freed)
            other = t.shared_tensor(dtype=float32, shape=[32])
            t.store_shared(other, tile * 0 - 1)
            t.sync()
        branches.finish()
        store(t, pout, t.load_shared(kept))

    for n in (1, 5):
        launch(body, x, out, n)
        assert np.array_equal(out, x)


def test_tiles_of_all_types_are_printed():
    lines = []

    def body(t, p):
        tile = t.load_global(t.global_view(p, dtype=uint8, shape=[2]), offsets=[0], shape=[2])
        for dtype in dtypes.TYPES:
            if dtype is not dtypes.uint64:
                t.print_tensor(dtype.name, tile.to(dtype))
        with pytest.raises(InstructionError, match="expected elements of other types than uint64 to print"):
            t.print_tensor("", tile.to(dtypes.uint64))
        t.print_tensor("large", (tile.to(dtypes.uint32) + 4000000000).reshape([1, 2]))

    launch(body, np.array([0, 1], "uint8"), output=lines.append)
    text = "".join(lines)
    for dtype in dtypes.TYPES:
        one = "true" if dtype is boolean else "-1" if dtype is dtypes.int1b else "1"
        assert dtype is dtypes.uint64 or f"\n{dtype.name}[1] = {one}\n" in text
    assert "large[0, 1] = 4000000001\n" in text


def test_conditions_of_a_row_of_none():
    x = np.zeros((4, 8), bool)
    got = call(lambda t, a: [t.any(a, dim=1), t.all(~a, dim=0), t.any(a)], x, out=[x[:, 0], x[0], x[0, 0]])
    assert not got[0].any() and got[1].all() and not got[2]
    build(lambda t: t.register_tensor(dtype=boolean, shape=[4], init=True), [])
