# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of elements, choices, reductions, scans, products and random numbers against numpy."""

import math

import numpy as np
import pytest
from tile_kernels import call
from tilus.dtypes import bfloat16, boolean, float16, float32, float64, int8, int32, int64, tf32
from tilus.lang.errors import InstructionError

POSITIVE = np.random.default_rng(0).uniform(0.05, 4, (8, 16)).astype("float32")
SIGNED = np.random.default_rng(1).uniform(-4, 4, (8, 16)).astype("float32")

FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "square": np.square, "abs": np.abs, "floor": np.floor,
    "ceil": np.ceil, "trunc": np.trunc, "round": np.round, "erf": np.vectorize(math.erf),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_numpys(name):
    for dtype, error in (("float64", 1e-13), ("float32", 2e-6), ("float16", 2e-3)):
        x = (POSITIVE if name in ("log", "log2", "sqrt", "rsqrt") else SIGNED).astype(dtype)
        got = call(lambda t, a: getattr(t, name)(a), x, out=[x])
        assert np.allclose(got, FUNCTIONS[name](x.astype("float64")), rtol=error, atol=error)


def test_halves_round_to_even_in_every_float_type():
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.49], "float32")
    got = call(lambda t, a: [t.round(a), t.round(a.to(float16)).to(float32), t.round(a.to(bfloat16)).to(float32)], x, out=[x] * 3)
    for result in got:
        assert np.array_equal(result, [0, 2, 2, 0, -2, -2, 3])


def test_functions_write_to_out():
    def body(t, a):
        result = t.register_tensor(dtype=float32, shape=[8, 16])
        alias = result
        assert t.exp(a, out=result) is result
        t.add(result, 1.0, out=result)
        t.where(a > 0, a, alias, out=a)
        return [result, a]

    got = call(body, SIGNED, out=[SIGNED] * 2)
    assert np.allclose(got[0], np.exp(SIGNED) + 1, rtol=1e-6)
    assert np.allclose(got[1], np.where(SIGNED > 0, SIGNED, np.exp(SIGNED) + 1), rtol=1e-6)


def test_maxima_keep_nan():
    x = np.array([1, np.nan, -np.inf, 3], "float32")
    y = np.array([np.nan, 2, -np.inf, 5], "float32")
    got = call(lambda t, a, b: [t.maximum(a, b), t.minimum(a, b), t.clip(a, -1.0, 2.0), t.max(a, dim=0, keepdim=True)], x, y, out=[
        x, x, x, x[:1],
    ])  # fmt: skip
    for result, expected in zip(got, [np.maximum(x, y), np.minimum(x, y), np.clip(x, -1, 2), np.max(x, keepdims=True)]):
        assert np.array_equal(result, expected, equal_nan=True)


def test_clip_with_bounds_the_wrong_way_round_gives_the_upper_one():
    x = np.array([0, 5, 10], "float32")
    assert call(lambda t, a: t.clip(a, 7.0, 3), x, out=[x]).tolist() == [3, 3, 3]


def test_nan_and_infinity_are_found():
    x = np.array([1, np.nan, -np.inf, np.inf], "float32")
    got = call(lambda t, a: [t.isnan(a), t.isinf(a)], x, out=[np.zeros(4, bool)] * 2)
    assert np.array_equal(got[0], np.isnan(x))
    assert np.array_equal(got[1], np.isinf(x))


def test_where_promotes_and_broadcasts():
    x, i = SIGNED, np.arange(16, dtype="int32")

    def body(t, a, b):
        mask = a > 0
        halves = t.where(mask, a.to(float16), 2.5)
        assert halves.dtype is float16
        assert t.where(mask, 1.5, -1e6).dtype is float32
        assert t.where(mask, 1, -2).dtype is int32
        assert t.where(mask, True, False).dtype is boolean
        assert t.where(mask, b, 0.5).dtype is float32
        return [t.where(mask, b, a), t.where(b < 8, 1.0, a), t.where(mask, x=0.0, y=-1e6)]

    got = call(body, x, i, out=[x] * 3)
    for result, expected in zip(got, [np.where(x > 0, i, x), np.where(i < 8, 1, x), np.where(x > 0, 0, np.float32(-1e6))]):
        assert np.array_equal(result, expected.astype("float32"))


def test_tiles_from_functions_of_their_indices():
    def body(t):
        tiles = [
            t.register_tensor(dtype=float32, shape=[8, 16], init=lambda i, j: i * 2.5 + j // 3),
            t.register_tensor(dtype=boolean, shape=[8, 16], init=lambda i, j: (i + 1 >= j) & (j != 4)),
            t.register_tensor(dtype=int64, shape=[8, 16], init=lambda i, j: i + int64(1 << 40)),
            t.register_tensor(dtype=float16, shape=[8, 16], init=float("-inf")),
            t.register_tensor(dtype=int32, shape=[8, 16]),
        ]
        return tiles

    i, j = np.mgrid[:8, :16]
    expected = [i * 2.5 + j // 3, (i + 1 >= j) & (j != 4), i + (1 << 40), np.full((8, 16), -np.inf), np.zeros((8, 16))]
    kinds = ["float32", "bool", "int64", "float16", "int32"]
    got = call(body, out=[np.zeros((8, 16), kind) for kind in kinds])
    for result, value in zip(got, expected):
        assert np.array_equal(result, value)


# -- reductions and scans


@pytest.mark.parametrize("dim", [0, 1, -1, (0, 2), (-1, 0), None])
@pytest.mark.parametrize("keepdim", [False, True])
def test_reductions(dim, keepdim):
    x = np.random.default_rng(2).integers(-9, 9, (4, 6, 8)).astype("int32")
    functions = {"sum": np.sum, "max": np.max, "min": np.min}
    expected = [f(x, axis=dim, keepdims=keepdim).astype("int32") for f in functions.values()]
    got = call(lambda t, a: [getattr(t, name)(a, dim=dim, keepdim=keepdim) for name in functions], x, out=expected)
    for result, value in zip(got, expected):
        assert np.array_equal(result, value)


def test_reductions_of_other_types():
    u = np.array([[1, 4000000000], [7, 3]], "uint32")
    b = np.array([[True, False], [True, True]])
    h = np.array([[1.5, 2.5], [-3, 4]], "float16")
    got = call(
        lambda t, x, y, z: [t.max(x, dim=1), t.min(x, dim=1), t.any(y, dim=1), t.all(y, dim=1), t.sum(y, dim=1), t.max(y, dim=0),
                            t.sum(z, dim=0), t.prod(z, dim=0)],
        u, b, h, out=[u[0], u[0], b[0], b[0], np.zeros(2, "int32"), b[0], h[0], h[0]],
    )  # fmt: skip
    expected = [u.max(1), u.min(1), b.any(1), b.all(1), b.sum(1), b.max(0), h.sum(0), h.prod(0)]
    for result, value in zip(got, expected):
        assert np.array_equal(result, value)


def test_rows_without_finite_elements():
    x = np.array([[-np.inf] * 32, [np.inf] * 32], "float32")
    got = call(lambda t, a: [t.max(a, dim=1), t.min(a, dim=1)], x, out=[x[:, 0]] * 2)
    assert np.array_equal(got[0], x.max(1))
    assert np.array_equal(got[1], x.min(1))


@pytest.mark.parametrize("op, f", [
    ("add", np.cumsum), ("mul", np.cumprod), ("max", np.maximum.accumulate), ("min", np.minimum.accumulate),
    ("and", np.bitwise_and.accumulate), ("or", np.bitwise_or.accumulate), ("xor", np.bitwise_xor.accumulate),
])  # fmt: skip
@pytest.mark.parametrize("axis", [0, -1])
def test_scans(op, f, axis):
    x = np.random.default_rng(3).integers(1, 4, (6, 10)).astype("int32")
    identity = {"add": 0, "mul": 1, "max": -(2**31), "min": 2**31 - 1, "and": -1, "or": 0, "xor": 0}[op]
    got = call(lambda t, a: [t.scan(a, dim=axis, op=op), t.scan(a, dim=axis, op=op, exclusive=True)], x, out=[x, x])
    inclusive = f(x, axis=axis)
    assert np.array_equal(got[0], inclusive)
    exclusive = np.roll(inclusive, 1, axis)
    exclusive[(0, slice(None)) if axis == 0 else (slice(None), 0)] = identity
    assert np.array_equal(got[1], exclusive)


def test_scans_write_to_their_source():
    x = np.arange(12, dtype="float32").reshape(3, 4)

    def body(t, a):
        t.cumsum(a, dim=1, out=a)
        return [a, t.cumprod(a, dim=-2)]

    got = call(body, x, out=[x, x])
    assert np.array_equal(got[0], x.cumsum(1))
    assert np.array_equal(got[1], x.cumsum(1).cumprod(0))


# -- products

PRODUCTS = [
    ("float16", float16, float32, 1e-3), ("float16", float16, float16, 2e-2), ("float32", float32, float32, 1e-5),
    ("float64", float64, float64, 1e-12), ("float32", tf32, float32, 2e-2), ("float32", bfloat16, float32, 1e-1),
    ("float64", float64, float64, 1e-12),
]  # fmt: skip


@pytest.mark.parametrize("memory, operand, acc, error", PRODUCTS)
@pytest.mark.parametrize("m, n, k", [(1, 8, 16), (17, 5, 33)])
def test_products_of_floats(memory, operand, acc, error, m, n, k):
    rng = np.random.default_rng(4)
    a, b = rng.uniform(-1, 1, (m, k)).astype(memory), rng.uniform(-1, 1, (k, n)).astype(memory)

    def body(t, x, y):
        first = t.dot(x.to(operand), y.to(operand), acc_dtype=acc)
        second = t.dot(x.to(operand), y.to(operand), first)
        t.dot(x.to(operand), y.to(operand), second, out=second)
        return [first.to(float64), second.to(float64)]

    once = a.astype("float64") @ b.astype("float64")
    got = call(body, a, b, out=[np.zeros((m, n))] * 2)
    assert np.allclose(got[0], once, atol=error)
    assert np.allclose(got[1], 3 * once, atol=3 * error)


@pytest.mark.parametrize("a_dtype, b_dtype", [("int8", "int8"), ("uint8", "int8"), ("int8", "uint8"), ("uint8", "uint8"), ("int32", "int32")])
def test_products_of_integers(a_dtype, b_dtype):
    rng = np.random.default_rng(5)
    info = [np.iinfo(d) if d != "int32" else np.iinfo("int8") for d in (a_dtype, b_dtype)]
    a = rng.integers(info[0].min, info[0].max + 1, (17, 32)).astype(a_dtype)
    b = rng.integers(info[1].min, info[1].max + 1, (32, 9)).astype(b_dtype)
    got = call(lambda t, x, y: t.dot(x, y, acc_dtype=int32), a, b, out=[np.zeros((17, 9), "int32")])
    assert np.array_equal(got, a.astype("int64") @ b.astype("int64"))


# -- random numbers


def philox(seed, offsets, rounds=10):
    """Philox 4x32 of Salmon et al. in Python's integers."""
    words = []
    for offset in offsets:
        counter, key = [int(offset), 0, 0, 0], [seed & 0xFFFFFFFF, seed >> 32]
        for _ in range(rounds):
            high, low = divmod(0xCD9E8D57 * counter[2], 1 << 32), divmod(0xD2511F53 * counter[0], 1 << 32)
            counter = [high[0] ^ counter[1] ^ key[0], high[1], low[0] ^ counter[3] ^ key[1], low[1]]
            key = [(key[0] + 0x9E3779B9) % (1 << 32), (key[1] + 0xBB67AE85) % (1 << 32)]
        words.append(counter)
    return np.array(words, "uint32").T


@pytest.mark.parametrize("rounds", [10, 7, 1])
def test_random_words_are_philoxs(rounds):
    offsets = np.array([0, 1, 2, 77, 2**32 - 1], "uint32")
    seed = 0x123456789ABCDEF
    got = call(lambda t, o: [*t.randint4x(seed, o, rounds), t.randint(seed, o, n_rounds=rounds)], offsets, out=[offsets] * 5)
    expected = philox(seed, offsets, rounds)
    assert np.array_equal(np.array(got[:4]), expected)
    assert np.array_equal(got[4], expected[0])


def test_random_floats():
    offsets = np.arange(4096, dtype="uint32").reshape(64, 64)
    uniform, normal = call(lambda t, o: [t.rand(42, o), t.randn(42, o)], offsets, out=[np.zeros((64, 64), "float32")] * 2)
    words = philox(42, offsets.ravel()).view("int32").astype("int64")
    numbers = np.where(words < 0, -words - 1, words).astype("float32") * np.float32(4.6566127342e-10)
    assert np.array_equal(uniform.ravel(), numbers[0])
    first = np.maximum(numbers[0], np.float32(1e-7)).astype("float64")
    expected = np.sqrt(-2 * np.log(first)) * np.cos(2 * np.pi * numbers[1].astype("float64"))
    assert np.allclose(normal.ravel(), expected, atol=2e-5)
    assert uniform.min() >= 0 and uniform.max() < 1


REFUSED = [
    (lambda t, a, i: t.exp(i), "expected a tile of floats for 'exp', but got int32"),
    (lambda t, a, i: t.log(3.0), "expected a register tile as x, but got 3.0"),
    (lambda t, a, i: t.exp(a, out=i), r"expected out of float32\[8, 16\], but got int32\[8, 16\]"),
    (lambda t, a, i: t.where(a, a, a), "expected booleans as condition, but got float32"),
    (lambda t, a, i: t.any(i), "expected a tile of booleans, but got int32"),
    (lambda t, a, i: t.sum(a, dim=2), "expected dim of -2 to 1, but got 2"),
    (lambda t, a, i: t.sum(a, dim=[0, -2]), "expected each dimension once as dim"),
    (lambda t, a, i: t.scan(a, dim=0, op="avg"), "expected one of 'add', 'mul'.* as op, but got 'avg'"),
    (lambda t, a, i: t.scan(a, dim=0, op="xor"), "expected integers or booleans for a scan with 'xor', but got float32"),
    (lambda t, a, i: t.dot(a, a, acc_dtype=float32), r"expected a and b that agree on k, but got \(8, 16\) and \(8, 16\)"),
    (lambda t, a, i: t.dot(a, a.transpose()), "expected c or acc_dtype, but got neither"),
    (lambda t, a, i: t.dot(a, a.transpose(), acc_dtype=float16), "expected floats of one type .* but got float32 · float32 in float16"),
    (lambda t, a, i: t.dot(a[0], a, acc_dtype=float32), r"expected a of rank 2, but got shape \(16,\)"),
    (lambda t, a, i: a & a, "expected integers or booleans for '&', but got float32"),
    (lambda t, a, i: t.register_tensor(dtype=int8, shape=[4], init=300), "expected a number from -128 to 127 for int8, but got 300"),
    (lambda t, a, i: t.register_tensor(dtype=int8, shape=[4, 0]), r"expected positive sizes as shape, but got \(4, 0\)"),
    (lambda t, a, i: t.register_tensor(dtype="f32", shape=[4]), "expected a data type such as float16 as dtype, but got 'f32'"),
    (lambda t, a, i: t.rand(1, a), "expected offsets of uint32, but got float32"),
    (lambda t, a, i: t.rand(1, i, n_rounds=0), "expected at least one round as n_rounds, but got 0"),
    (lambda t, a, i: t.maximum(1, 2), "expected a register tile as lhs or rhs of maximum"),
]  # fmt: skip


@pytest.mark.parametrize("use, message", REFUSED)
def test_wrong_arguments_are_refused(use, message):
    with pytest.raises(InstructionError, match=message):
        call(lambda t, a, i: use(t, a, i), SIGNED, np.zeros((8, 16), "int32"), out=[])


