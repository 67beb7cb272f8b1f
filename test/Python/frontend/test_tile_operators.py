# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on register tiles against numpy: values, types of results, broadcasting, assignment in place."""

import operator

import numpy as np
import pytest
from tile_kernels import call
from tilus.dtypes import boolean, float16, float32, float64, int8, int32, int64, uint8, uint32
from tilus.lang.errors import InstructionError

FLOATS = ["float16", "float32", "float64"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"]


def values(dtype, shape, seed=0):
    """Values of all signs, without zeros, so small that sums and products stay within 8 bits."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind == "f":
        return rng.uniform(-4, 4, shape).astype(dtype)
    low = 1 if np.dtype(dtype).kind == "u" else -11
    found = rng.integers(low, 11, shape)
    return np.where(found == 0, 5, found).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_arithmetic_of_floats_is_numpys(dtype):
    x, y = values(dtype, (8, 16)), values(dtype, (16,), 1)
    functions = [operator.add, operator.sub, operator.mul, operator.truediv]
    got = call(lambda t, a, b: [f(a, b) for f in functions], x, y, out=[x] * 4)
    for result, f in zip(got, functions):
        assert np.array_equal(result, f(x, y))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floor_division_and_remainder_of_floats_are_pythons(dtype):
    x = np.array([7.5, -7.5, 7.5, -7.5, 1.0, 6.0, -6.0, 0.3, 5.0, -5.0], dtype)
    y = np.array([2.0, 2.0, -2.0, -2.0, 0.1, 3.0, 3.0, 0.1, 0.0, 0.0], dtype)
    quotient, remainder = call(lambda t, a, b: [a // b, a % b], x, y, out=[x, x])
    with np.errstate(all="ignore"):
        assert np.array_equal(quotient, x // y)
        assert np.array_equal(remainder, np.where(y == 0, np.nan, x % y), equal_nan=True)


@pytest.mark.parametrize("dtype", INTS)
def test_arithmetic_of_integers_is_numpys(dtype):
    x, y = values(dtype, (8, 16)), values(dtype, (16,), 1)
    functions = [
        operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.and_, operator.or_, operator.xor,
    ]  # fmt: skip
    got = call(lambda t, a, b: [f(a, b) for f in functions], x, y, out=[x] * len(functions))
    for result, f in zip(got, functions):
        assert np.array_equal(result, f(x, y)), f


def test_single_division_of_integers_truncates():
    x, y = np.array([7, -7, 7, -7, 1], "int32"), np.array([2, 2, -2, -2, 3], "int32")
    assert call(lambda t, a, b: a / b, x, y, out=[x]).tolist() == [3, -3, -3, 3, 0]
    u = np.array([4000000000, 7], "uint32")
    assert call(lambda t, a: a / 2, u, out=[u]).tolist() == [2000000000, 3]


def test_shifts_and_complements():
    x, u = np.array([-9, 5, 1], "int32"), np.array([4000000000, 5, 1], "uint32")
    got = call(lambda t, a, b: [a << 3, a >> 1, ~a, b >> 1, ~b], x, u, out=[x, x, x, u, u])
    for result, expected in zip(got, [x << 3, x >> 1, ~x, u >> 1, ~u]):
        assert np.array_equal(result, expected)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32", "uint8", "bool"])
def test_comparisons_are_numpys(dtype):
    x, y = values(dtype, (64,)), values(dtype, (64,), 1)
    y[:8] = x[:8]
    if dtype == "float32":
        x[8:10] = np.nan
        y[9:11] = np.nan
    if dtype == "uint32":
        x[20:24] = 4000000000
    functions = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
    got = call(lambda t, a, b: [f(a, b) for f in functions], x, y, out=[np.zeros(64, bool)] * 6)
    for result, f in zip(got, functions):
        assert np.array_equal(result, f(x, y)), f


def test_booleans_combine_as_in_numpy():
    x, y = values("bool", (32,)), values("bool", (32,), 1)
    got = call(lambda t, a, b: [a & b, a | b, a ^ b, ~a, a + b, a * b, a.logical_not()], x, y, out=[x] * 7)
    for result, expected in zip(got, [x & y, x | y, x ^ y, ~x, x + y, x * y, ~x]):
        assert np.array_equal(result, expected)
    assert np.array_equal(call(lambda t, a: a + 1, x, out=[np.zeros(32, "int32")]), x + np.int32(1))


def test_unary_operators():
    x, i = values("float32", (16,)), values("int32", (16,))
    got = call(lambda t, a, b: [-a, +a, abs(a), -b, abs(b)], x, i, out=[x, x, x, i, i])
    for result, expected in zip(got, [-x, x, abs(x), -i, abs(i)]):
        assert np.array_equal(result, expected)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7])
def test_powers(exponent):
    x, i, u = values("float64", (16,)), values("int64", (16,)), values("uint64", (16,))
    got = call(lambda t, a, b, c: [a**exponent, b**exponent, c**exponent], x, i, u, out=[x, i, u])
    assert np.allclose(got[0], x**exponent, rtol=1e-14)
    assert np.array_equal(got[1], i**exponent)
    assert np.array_equal(got[2], u**exponent)


def test_powers_of_tiles():
    x, y = np.abs(values("float64", (16,))) + 0.5, values("float64", (16,), 1)
    assert np.allclose(call(lambda t, a, b: a**b, x, y, out=[x]), x**y, rtol=1e-12)


# -- types of results

# What a tile of the first type and the operand give; a number is literal, (type, number) a typed scalar.
PROMOTIONS = [
    (int32, 2.5, float32), (int8, 2.5, float32), (float16, 2.5, float16), (float16, 3, float16), (int8, 3, int8),
    (boolean, 3, int32), (boolean, True, boolean), (int32, True, int32), (float64, 1.5, float64),
    (float16, (float32, 1.5), float16), (int8, (int64, 3), int8), (int32, (float16, 1.5), float16),
    (int32, (float64, 1.5), float64), (boolean, (uint8, 3), uint8), (uint32, (int32, 3), uint32),
]  # fmt: skip


@pytest.mark.parametrize("tile, operand, expected", PROMOTIONS)
def test_scalars_promote_by_kind(tile, operand, expected):
    def body(t, x):
        scalar = operand[0](operand[1]) if isinstance(operand, tuple) else operand
        one = t.register_tensor(dtype=tile, shape=[4], init=1)
        left, right = one + scalar, scalar + one
        assert left.dtype is right.dtype is expected
        return [left.to(float64), right.to(float64)]

    number = operand[1] if isinstance(operand, tuple) else operand
    got = call(body, np.zeros(4, "float32"), out=[np.zeros(4, "float64")] * 2)
    total = True if expected is boolean else 1 + number
    assert np.array_equal(got, np.full((2, 4), float(total)))


@pytest.mark.parametrize("a, b, expected", [
    (int8, int32, int32), (int32, float16, float16), (float16, float32, float32), (uint8, int8, None), (boolean, int8, int8),
])  # fmt: skip
def test_tiles_promote(a, b, expected):
    def body(t, x):
        left, right = (t.register_tensor(dtype=d, shape=[4], init=1) for d in (a, b))
        result = left + right
        assert result.dtype is (right + left).dtype
        assert expected is None or result.dtype is expected
        return result.to(int64)

    assert call(body, np.zeros(4, "float32"), out=[np.zeros(4, "int64")]).tolist() == [2] * 4


def test_comparisons_with_numbers_beyond_the_type():
    x = np.array([-128, 0, 127], "int8")
    i = np.array([16777217, 5, -5], "int32")
    got = call(lambda t, a, b: [a < 300, a > -1000, b > 16777216.5, b == 5.0], x, i, out=[np.zeros(3, bool)] * 4)
    for result, expected in zip(got, [x < 300, x > -1000, i > 16777216.5, i == 5.0]):
        assert np.array_equal(result, expected)


def test_broadcasting():
    x, y, z = values("float32", (8, 1)), values("float32", (4, 1, 16), 1), values("float32", ())
    got = call(lambda t, a, b, c: a * b + c, x, y, z, out=[np.zeros((4, 8, 16), "float32")])
    assert np.array_equal(got, x * y + z)


def test_shapes_that_do_not_broadcast_are_refused():
    with pytest.raises(InstructionError, match=r"expected shapes that broadcast, but got \(8,\) and \(5,\)"):
        call(lambda t, a, b: a + b, values("float32", (8,)), values("float32", (5,)), out=[])


# -- assignment in place


def test_in_place_operators_change_the_tile():
    x, i = values("float32", (8, 16)), values("int32", (16,))

    def body(t, a, b):
        alias = a
        a += b
        a *= 2
        a -= 0.5
        a /= 4
        b //= 3
        b %= 5
        assert alias is a
        return [alias, b]

    got = call(body, x, i, out=[x, i])
    assert np.array_equal(got[0], ((x + i.astype("float32")) * np.float32(2) - np.float32(0.5)) / 4)
    assert np.array_equal(got[1], (i // 3) % 5)


def test_in_place_operators_keep_type_and_shape():
    x, i = values("float32", (16,)), values("int32", (16,))
    with pytest.raises(InstructionError, match="expected a result of int32 to store in place, but got float32"):
        call(lambda t, a: operator.iadd(a, 2.5), i, out=[i])
    with pytest.raises(InstructionError, match=r"expected a tile that stretches to \(16,\), but got \(8, 16\)"):
        call(lambda t, a, b: operator.iadd(a, b), x, values("float32", (8, 16)), out=[x])
    half = values("float16", (16,))
    got = call(lambda t, a, b: operator.iadd(a, b), half, x, out=[half])
    assert np.array_equal(got, (half.astype("float32") + x).astype("float16"))


def test_assign_copies():
    x, y = values("float32", (8, 16)), values("float32", (16,), 1)

    def body(t, a, b):
        c = t.register_tensor(dtype=float32, shape=[8, 16])
        t.assign(c, a)
        a += 1
        d = t.register_tensor(dtype=float32, shape=[8, 16], init=3.0)
        t.assign(d, b)
        return [a, c, d]

    got = call(body, x, y, out=[x] * 3)
    for result, expected in zip(got, [x + 1, x, np.broadcast_to(y, x.shape)]):
        assert np.array_equal(result, expected)
    with pytest.raises(InstructionError, match="expected a tile of float32, but got int32"):
        call(lambda t, a, b: t.assign(a, b), x, values("int32", (8, 16)), out=[])


def test_conditions_that_are_tiles_are_refused():
    for use in (bool, list, lambda a: 1 if a > 0 else 2):
        with pytest.raises(InstructionError, match="but got a tile"):
            call(lambda t, a, use=use: use(a), values("float32", (4,)), out=[])
