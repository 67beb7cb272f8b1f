"""Host tensors: what codes mean, packing, rounding and the tensors made of them, against plain definitions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import fractions
import math

import numpy as np
import pytest

from tilus import codes, dtypes, tensor

FLOATS = [dtype for dtype in dtypes.TYPES if dtype.is_float() and dtype.nbits <= 16]
SMALL_FLOATS = [dtype for dtype in FLOATS if dtype.nbits < 16]
PACKED = [dtype for dtype in dtypes.TYPES if dtype.nbits < 8]


def compute_value(code, dtype):
    """The value of a code of a float type, in exact arithmetic; None for NaN."""
    e, m = dtype.exponent_nbits, dtype.mantissa_nbits
    sign = -1 if code >> (e + m) else 1
    exponent, mantissa = code >> m & ((1 << e) - 1), code & ((1 << m) - 1)
    bias = (1 << (e - 1)) - 1
    if dtype is dtypes.float8_e4m3 and code & 0x7F == 0x7F:
        return None
    if dtype.nbits >= 8 and dtype is not dtypes.float8_e4m3 and exponent == (1 << e) - 1:
        return None if mantissa else sign * math.inf
    scale = fractions.Fraction(2) ** (max(exponent, 1) - bias - m)
    return sign * (mantissa + (1 << m if exponent else 0)) * scale


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_values_of_all_codes(dtype):
    """Each code decodes to its value and that value encodes to the code."""
    all_codes = np.arange(1 << dtype.nbits).astype(codes.get_code_type(dtype))
    values = codes.decode(all_codes, dtype).astype(np.float64)
    step = 1 if dtype.nbits < 16 else 997
    for code in range(0, len(all_codes), step):
        expected = compute_value(code, dtype)
        assert math.isnan(values[code]) if expected is None else values[code] == expected
    usable = ~np.isnan(values) & (np.isfinite(values) | (dtype.nbits == 16))
    assert (codes.encode(values[usable], dtype) == all_codes[usable]).all()


@pytest.mark.parametrize("dtype", SMALL_FLOATS, ids=str)
def test_rounding_is_to_nearest_even(dtype):
    """Random values and the middles between neighbours, against a search through exact values."""
    half = 1 << (dtype.nbits - 1)
    finite = [(compute_value(code, dtype), code) for code in range(half)]
    finite = [(value, code) for value, code in finite if value is not None and value != math.inf]
    largest = finite[-1][0]
    rng = np.random.default_rng(1)
    values = [float(largest) * x for x in rng.uniform(-1, 1, 50)] + [0.0, -0.0]
    for place in rng.integers(0, len(finite) - 1, 50):
        middle = float((finite[place][0] + finite[place + 1][0]) / 2)
        values += [middle, np.nextafter(middle, math.inf), np.nextafter(middle, -math.inf)]
    got = codes.encode(np.array(values), dtype)
    for value, code in zip(values, got):
        exact = abs(fractions.Fraction(value))
        expected = min(finite, key=lambda item: (abs(item[0] - exact), item[1] % 2))[1]
        assert int(code) == expected + (half if math.copysign(1, value) < 0 else 0), value


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_values_that_the_type_has_not(dtype):
    """Beyond the largest: 16 bits go to infinity, the smaller saturate. NaN stays NaN where there is one."""
    large, infinite, nan = codes.decode(codes.encode(np.array([1e30, np.inf, np.nan]), dtype), dtype)
    if dtype.nbits == 16:
        assert infinite == math.inf and (large == math.inf if dtype is dtypes.f16 else math.isfinite(large))
    else:
        values = [compute_value(code, dtype) for code in range(1 << dtype.nbits)]
        assert large == infinite == max(value for value in values if value is not None and value != math.inf)
    assert math.isnan(nan) == (dtype.nbits >= 8)


@pytest.mark.parametrize("dtype", PACKED, ids=str)
@pytest.mark.parametrize("count", [1, 7, 64, 1001])
def test_packing(dtype, count):
    """Element i has the bits from i * width on of a little-endian number."""
    values = np.random.default_rng(count).integers(0, 1 << dtype.nbits, count).astype(np.uint8)
    packed = codes.pack(values, dtype)
    number = sum(int(value) << (dtype.nbits * i) for i, value in enumerate(values))
    assert int.from_bytes(packed.tobytes(), "little") == number and len(packed) == codes.count_bytes(dtype, count)
    assert (codes.unpack(packed, dtype, count) == values).all()


@pytest.mark.parametrize("dtype", [dtype for dtype in dtypes.TYPES if dtype.is_integer()], ids=str)
def test_integers(dtype):
    """Low bits are kept; reals truncate and saturate at 64 bits; NaN is 0."""
    def wrap(value):
        if dtype.is_boolean():
            return int(value != 0)
        value %= 1 << dtype.nbits
        return value - (1 << dtype.nbits) if dtype.is_signed() and value >> (dtype.nbits - 1) else value

    whole = np.array([0, 1, -1, 5, -3, 127, 128, -129, 2**31, -(2**40) - 7])
    assert codes.decode(codes.encode(whole, dtype), dtype).tolist() == [wrap(int(value)) for value in whole]
    real = np.array([0.9, -0.9, 2.5, -2.5, np.nan, -1e30])
    expected = [0, 0, 2, -2, 0, -(2**63)]
    got = codes.decode(codes.encode(real, dtype), dtype).tolist()
    assert got == ([1] * 6 if dtype.is_boolean() else [wrap(value) for value in expected])


def test_rounding_of_16_bits():
    """float16 as numpy does it; bfloat16 as the upper half of a float32 that an integer addition rounds."""
    values = np.random.default_rng(3).standard_normal(2000) * 10.0 ** np.linspace(-9, 6, 2000)
    with np.errstate(over="ignore"):
        assert (codes.encode(values, dtypes.f16) == values.astype(np.float16).view(np.uint16)).all()
    single = values.astype(np.float32)
    bits = single.view(np.uint32).astype(np.uint64)
    assert (codes.encode(single, dtypes.bf16) == (bits + 0x7FFF + (bits >> 16 & 1)) >> 16).all()


def test_tfloat32_rounds_away_from_zero():
    values = np.array([1.0, 1 + 2**-11, -(1 + 2**-11), 1 + 2**-12, np.inf, np.nan], np.float32)
    got = codes.decode(codes.encode(values, dtypes.tfloat32), dtypes.tfloat32)
    assert got[:5].tolist() == [1.0, 1 + 2**-10, -(1 + 2**-10), 1.0, np.inf] and np.isnan(got[5])


def test_tensors():
    made = tensor.full([2, 3], 2.6, dtypes.int4b, device="cpu")
    assert made.numpy().tolist() == [[2, 2, 2], [2, 2, 2]] and made.shape == (2, 3)
    assert tensor.ones([4], dtypes.f4e2m1, device="cpu").numpy().tolist() == [1.0] * 4
    assert tensor.zeros([5], dtypes.u3, device="cpu").numpy().tolist() == [0] * 5
    assert tensor.empty([5], dtypes.f16, device="cpu").shape == (5,)
    drawn = tensor.randint(-4, 4, [1000], dtypes.int3b, device="cpu").numpy()
    assert set(drawn.tolist()) == set(range(-4, 4))
    even = tensor.rand([1000], dtypes.float32, device="cpu").numpy()
    assert 0 <= even.min() and even.max() < 1 and abs(even.mean() - 0.5) < 0.1
    normal = tensor.randn([1000], dtypes.float32, device="cpu").numpy()
    assert abs(normal.mean()) < 0.2 and abs(normal.std() - 1) < 0.2


def test_conversion_and_views():
    source = tensor.from_numpy(np.array([[0.5, -6.0], [1.25, 100.0]], np.float32))
    small = source.to(dtypes.f4e2m1)
    assert small.numpy().tolist() == [[0.5, -6.0], [1.0, 6.0]]  # 1.25 is a tie, 100 is too large
    assert small.to(dtypes.f32).numpy().dtype == np.float32 and small.to(dtypes.f4e2m1) is small
    codes_of = small.view(dtype=dtypes.u4).numpy()
    assert codes_of.tolist() == [[1, 15], [2, 7]]
    assert small.view(dtype=dtypes.u8).shape == (2, 1) and small.view(shape=[4]).shape == (4,)
    copy = source.clone()
    copy[0] = 7
    copy[1, 1] = tensor.full([], 3, dtypes.int8, device="cpu")
    assert copy.numpy().tolist() == [[7, 7], [1.25, 3]] and source.numpy()[0, 0] == 0.5
    assert str(small).startswith("float4_e2m1[2, 2]:") and small.data_ptr() != 0
    bf16 = tensor.full([2], 1 + 2**-9, dtypes.bf16, device="cpu")
    assert bf16.numpy().tolist() == [1.0, 1.0]


def test_arrays_on_the_same_memory():
    """numpy sees the elements where it has the type, else the packed bytes; writes go through."""
    made = tensor.from_numpy(np.zeros([2, 3], np.float32))
    np.asarray(made)[1, 2] = 5
    assert made.numpy()[1, 2] == 5 and not hasattr(made, "__cuda_array_interface__")
    packed = tensor.full([3], 5, dtypes.u4, device="cpu")
    assert np.asarray(packed).tolist() == [0x55, 0x05]


def test_errors():
    packed = tensor.zeros([3], dtypes.u4, device="cpu")
    for call, words in [
        (lambda: packed.view(dtype=dtypes.u8), "rows of whole elements of uint8"),
        (lambda: packed.view(shape=[4]), "as many bits as uint4b"),
        (lambda: tensor.from_numpy(np.zeros([4, 4])[:, ::2]), "a contiguous array"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("shape", [[-1], [-1, -1], [2**70], [2**40, 2**40]])
@pytest.mark.parametrize("make", [tensor.zeros, tensor.ones, tensor.rand, tensor.randn])
def test_a_shape_that_does_not_fit(make, shape):
    with pytest.raises(ValueError, match="expected sizes of at least 0 and fewer than 2\\*\\*60 elements, but got a shape of "):
        make(shape)
