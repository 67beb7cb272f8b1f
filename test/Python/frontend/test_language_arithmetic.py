# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars of all types: operators, conversions and functions of kernels against Python and numpy."""

import itertools
import math

import numpy as np
import pytest
import tilus
from language import Kernel, check, evaluate, methods_of, run_kernel
from tilus.dtypes import (
    boolean,
    dtype_to_numpy,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    promote_type,
    uint8,
    uint16,
    uint32,
    uint64,
)

EDGES = [-(2**31), -(2**31) + 1, -100, -17, -8, -7, -5, -3, -1, 0, 1, 2, 3, 7, 8, 64, 99, 2**31 - 1]
INTEGERS = [int8, int16, int32, int64, uint8, uint16, uint32, uint64]


class Floor:
    """`//` and `%` round down, whatever is known of the signs."""

    def by_constants(self, a, b):
        return a // 7 + a % 7 * 3 + a // 8 * 5 + a % 8 + a // -3 + a % -5 + b * 0

    def of_constants(self, a, b):
        return (100 // b + 100 % b * 7 + -100 // b + -100 % b) if b != 0 else 0

    def of_variables(self, a, b):
        return (a // b) * 3 + a % b if b != 0 else 5

    def of_indices(self, a, b):
        total = 0
        for i in range(a % 9):
            total += i // 3 * 10 + i % 3 + (i - 4) // 3 + (i - 4) % 3
        return total

    def ring(self, a, b):
        stage = 0
        total = 0
        for _ in range(abs(a) % 11):
            total = total * 3 % 1009 + stage
            stage = (stage + 1) % 3
        return total

    def ring_from_a_parameter(self, a, b):
        stage = b
        total = 0
        for _ in range(7):
            total = total * 3 % 1009 + stage
            stage = (stage - 2) % 5
        return total

    def countdown(self, a, b):
        total = 0
        for i in range(5, -4, -2):
            total += i // 2 + i % 2 * 10
        return total + a


@pytest.mark.parametrize("name", methods_of(Floor))
def test_floor(name):
    pairs = [(a, b) for a in EDGES[1:-1] for b in EDGES if abs(b) < 200]
    check(Floor, name, pairs)


class Floats:
    def floor_and_modulo(self, a, b):
        x, y = a * 0.75, b * 0.5
        return x // y * 8 + x % y if y != 0 else 0.5

    def mixed(self, a, b):
        return (a / 4.0 + b) * 2 - a / 2.0

    def powers(self, a, b):
        return (a * 0.5) ** 3 + 2.0 ** (b * 0.25)

    def functions(self, a, b):
        x = abs(a) + 0.5
        return math.sqrt(x) + math.exp(-x) + math.log(x) + math.sin(x) + math.tanh(b * 0.1) + math.atan2(x, 2.0)

    def extremes(self, a, b):
        return max(a * 0.5, b) + min(a, b * 0.25, 3.0)

    def rounding(self, a, b):
        x = a * 0.25
        return math.floor(x) + math.ceil(x) * 2 + math.trunc(x) * 4 + math.fabs(x)

    def number_tests(self, a, b):
        return (1.0 if math.isnan(a * 1.0) else 0.5) + (2.0 if math.isinf(b * 1.0) else 0.25)


@pytest.mark.parametrize("name", methods_of(Floats))
def test_floats(name):
    pairs = [(a, b) for a in (-9, -2, 0, 1, 6, 13) for b in (-7, -1, 2, 5, 11)]
    expected = np.array([getattr(Floats(), name)(a, b) for a, b in pairs], np.float32)
    # Single precision and the machine's functions: a few units in the last place.
    np.testing.assert_allclose(evaluate(Floats, name, pairs, float32), expected, rtol=3e-6, atol=1e-6)


class Conversion(Kernel):
    """Converts a number of one type to another."""

    def __init__(self, source, target):
        super().__init__()
        self.source, self.target = source, target

    def __call__(self, n: int, x: ~uint8, y: ~uint8):
        self.attrs.warps = 1
        self.attrs.blocks = n
        block = self.blockIdx.x
        value = self.global_view(x.to(~self.source), dtype=self.source, shape=[n])[block].item()
        out = self.global_view(y.to(~self.target), dtype=self.target, shape=[n])
        self.store_global(
            out, self.register_tensor(dtype=self.target, shape=[1], init=value.to(self.target)), offsets=[block]
        )


@pytest.mark.parametrize("source", [*INTEGERS, float16, float32, float64, boolean], ids=str)
@pytest.mark.parametrize("target", [*INTEGERS, float16, float32, float64, boolean], ids=str)
def test_conversion(source, target):
    numbers = [0, 1, 2, 100] if not source.is_boolean() else [0, 1]
    if not source.is_unsigned():
        numbers += [-1, -3, -128]
    if source.is_integer() and not source.is_boolean():
        numbers += list(source.limits)
    elif source.is_float():
        numbers += [0.5, 2.5, 99.75] + ([-2.5] if not target.is_unsigned() else [])
        numbers = [x for x in numbers if x >= 0 or not target.is_unsigned()]
    x = np.array(numbers, dtype_to_numpy(source))
    y = np.zeros(len(x), dtype_to_numpy(target))
    run_kernel(Conversion(source, target), Conversion.__call__, [x.view(np.uint8), y.view(np.uint8)], constants={"n": len(x)})
    with np.errstate(over="ignore", invalid="ignore"):
        expected = x.astype(y.dtype)
    if source.is_float() and target.is_integer() and not target.is_boolean() and target.nbits < 32:
        expected = x.astype(np.int64).astype(y.dtype)  # wraps, where numpy leaves it to the machine
    np.testing.assert_array_equal(y, expected)


def test_promotion_keeps_values():
    for a, b in itertools.product(INTEGERS, INTEGERS):
        result = promote_type(a, b)
        assert result is promote_type(b, a)
        if 64 not in (a.nbits, b.nbits) or a.kind == b.kind:
            assert result.limits[0] <= min(a.limits[0], b.limits[0]) and max(a.limits[1], b.limits[1]) <= result.limits[1]
        else:
            assert result is int64
        assert promote_type(a, float16) is promote_type(float16, a) is float16
        assert promote_type(boolean, a) is a


class Wide(Kernel):
    """Offsets beyond 32 bits."""

    def __call__(self, n: int64, m: uint32, p: ~int64):
        self.attrs.warps = 1
        self.attrs.blocks = 1
        results = [n * 3 + 1, m + 1, m * 2 - 5, n // 7, n % 7, -n // 1000, (n << 3) ^ 5, n if n > m else 0]
        view = self.global_view(p, dtype=int64, shape=[8])
        for i, result in enumerate(results):
            self.store_global(view, self.register_tensor(dtype=int64, shape=[1], init=result), offsets=[i])


def test_wide_integers():
    n, m = 10**12 + 5, 2**32 - 2
    out = np.zeros(8, np.int64)
    run_kernel(Wide(), Wide.__call__, [n, m, out])
    expected = [n * 3 + 1, m + 1, m * 2 - 5, n // 7, n % 7, -n // 1000, (n << 3) ^ 5, n]
    np.testing.assert_array_equal(out, expected)


def test_the_least_integer_is_its_own_absolute_value():
    class Absolute(tilus.Script):
        def __call__(self, a: int32, p: ~int32):
            self.attrs.warps = 1
            self.attrs.blocks = [1]
            g = self.global_view(p, dtype=int32, shape=[2])
            self.store_global(g, self.register_tensor(dtype=int32, shape=[1], init=abs(a) % 5), offsets=[0])
            self.store_global(g, self.register_tensor(dtype=int32, shape=[1], init=abs(a) // 5), offsets=[1])

    for a in (-(2**31), -7, 7):
        with np.errstate(over="ignore"):
            size = np.abs(np.array([a], np.int32))
        found = np.zeros(2, np.int32)
        Absolute()(a, found)
        assert found.tolist() == [int((size % 5)[0]), int((size // 5)[0])]
