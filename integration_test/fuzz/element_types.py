# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element types of random kernels: their numbers, their rounding, and their codes in memory.

Owns the exact arithmetic of formats, written against IEEE 754 and the OCP formats and not against lib/Support.
Numbers of every float type are kept in float64, integers (booleans as 0 and 1) in int64 with their sign extended.
"""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class ElementType:
    """An element type. `bits` is the width in memory; a float has `exponent` and `mantissa` bits."""

    name: str
    bits: int
    exponent: int = 0
    mantissa: int = 0
    specials: str = "ieee"  # 'nan': no infinities; 'finite': neither infinities nor NaN
    padding: int = 0  # zero bits below the mantissa

    @property
    def is_float(self):
        return self.exponent > 0

    @property
    def is_bool(self):
        return self.name == "i1"

    @property
    def is_int(self):
        """An integer that arithmetic is done on."""
        return not self.is_float and not self.is_bool

    @property
    def width(self):
        return 1 if self.is_bool else self.bits

    @property
    def bias(self):
        return 2 ** (self.exponent - 1) - 1

    @property
    def largest(self):
        """The largest finite number."""
        top, fraction = self.bias, 2.0 - 2.0**-self.mantissa
        if self.specials == "nan":
            top, fraction = top + 1, 2.0 - 2.0 * 2.0**-self.mantissa
        elif self.specials == "finite":
            top += 1
        return np.ldexp(fraction, top)

    @property
    def digits(self):
        """The number of significant binary digits."""
        return self.mantissa + 1


TYPES = {
    row.name: row
    for row in (
        ElementType("i1", 8),
        ElementType("i4", 4),
        ElementType("i8", 8),
        ElementType("i16", 16),
        ElementType("i32", 32),
        ElementType("i64", 64),
        ElementType("f64", 64, 11, 52),
        ElementType("f32", 32, 8, 23),
        ElementType("tf32", 32, 8, 10, padding=13),
        ElementType("f16", 16, 5, 10),
        ElementType("bf16", 16, 8, 7),
        ElementType("f8E4M3FN", 8, 4, 3, "nan"),
        ElementType("f8E5M2", 8, 5, 2),
    )
}


# Rounding


def spacing(element, values):
    """The distance between neighbouring numbers of a float type at each value."""
    _, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    lowest = 1 - element.bias
    exponent = np.where(values == 0, lowest, np.maximum(exponent - 1, lowest))
    return np.ldexp(1.0, exponent - element.mantissa)


def _round_away(scaled):
    return np.trunc(scaled + np.copysign(0.5, scaled))


ROUNDERS = {
    "nearest_even": np.rint,
    "nearest_away": _round_away,
    "toward_zero": np.trunc,
    "down": np.floor,
    "up": np.ceil,
}


def _overflow(element, values, mode, saturate):
    """What numbers beyond the largest finite one become."""
    toward = {"toward_zero": values != 0, "down": values > 0, "up": values < 0}.get(mode, np.zeros(values.shape, bool))
    special = {"ieee": np.inf, "nan": np.nan, "finite": element.largest}[element.specials]
    if saturate:
        special = element.largest
    # An infinity is no number that rounding moves: only saturation brings it back.
    stays = toward & np.isfinite(values)
    return np.copysign(np.where(stays, element.largest, special), values)


def round_float(element, values, mode=None, saturate=False):
    """Rounds float64 numbers once into a float type."""
    values = np.asarray(values, np.float64)
    if element.name == "f64":
        return values
    if mode is None:
        mode = "nearest_away" if element.name == "tf32" else "nearest_even"
    finite = np.isfinite(values)
    safe = np.where(finite, values, 0.0)
    step = spacing(element, safe)
    rounded = np.copysign(ROUNDERS[mode](safe / step) * step, safe)
    beyond = (np.abs(rounded) > element.largest) | np.isinf(values)
    result = np.where(beyond, _overflow(element, values, mode, saturate), rounded)
    if element.specials == "finite":
        return np.where(np.isnan(values), 0.0, result)
    return np.where(np.isnan(values), np.nan, result)


def wrap_int(element, values):
    """Keeps the low bits of int64 numbers, sign extended."""
    if element.is_bool:
        return np.asarray(values, np.int64) & 1
    shift = np.int64(64 - element.bits)
    return np.left_shift(np.asarray(values, np.int64), shift) >> shift


def as_unsigned(element, values):
    """The numbers read without sign, as uint64."""
    mask = np.uint64((1 << element.width) - 1)
    return np.asarray(values, np.int64).view(np.uint64) & mask


# Codes in memory

_NUMPY_FLOATS = {"f64": np.float64, "f32": np.float32, "tf32": np.float32, "f16": np.float16}
_NUMPY_INTS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def decode_table(element):
    """The numbers of all codes of a float type of 8 or 16 bits."""
    codes = np.arange(2**element.bits, dtype=np.int64)
    magnitude = codes & (2 ** (element.bits - 1) - 1)
    exponent, fraction = magnitude >> element.mantissa, magnitude & (2**element.mantissa - 1)
    significand = np.where(exponent == 0, fraction, fraction + 2**element.mantissa)
    values = np.ldexp(significand.astype(np.float64), np.maximum(exponent, 1) - element.bias - element.mantissa)
    top = 2**element.exponent - 1
    if element.specials == "ieee":
        values = np.where(exponent == top, np.where(fraction == 0, np.inf, np.nan), values)
    elif element.specials == "nan":
        values = np.where((exponent == top) & (fraction == 2**element.mantissa - 1), np.nan, values)
    return np.where(codes >> (element.bits - 1) == 1, -values, values)


def _encode_by_table(element, values):
    half = decode_table(element)[: 2 ** (element.bits - 1)]
    count = int(np.sum(~np.isnan(half)))
    codes = np.searchsorted(half[:count], np.abs(values))
    codes = np.where(np.isnan(values), 2 ** (element.bits - 1) - 1, codes)
    sign = np.where(np.signbit(values) & ~np.isnan(values), 1 << (element.bits - 1), 0)
    return (codes | sign).astype(np.uint16 if element.bits == 16 else np.uint8)


def to_array(element, values):
    """The array of a .npy file for flat values: what tilus-run reads for a pointer to such elements."""
    if element.is_bool:
        return np.asarray(values, bool)
    if element.name in _NUMPY_INTS:
        return np.asarray(values).astype(_NUMPY_INTS[element.name])
    if element.name in _NUMPY_FLOATS:
        return np.asarray(values).astype(_NUMPY_FLOATS[element.name])
    if element.bits >= 8:
        return _encode_by_table(element, values)
    bits = (np.asarray(values, np.int64)[:, None] >> np.arange(element.bits)) & 1
    return np.packbits(bits.reshape(-1).astype(np.uint8), bitorder="little")


def from_array(element, array, count):
    """The values of an array that tilus-run wrote."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if element.bits < 8:
        bits = np.unpackbits(flat, bitorder="little")[: count * element.bits].reshape(count, element.bits)
        return wrap_int(element, (bits.astype(np.int64) << np.arange(element.bits)).sum(axis=1))
    if not element.is_float:
        return flat.astype(np.int64)
    if element.name in _NUMPY_FLOATS:
        return flat.astype(np.float64)
    return decode_table(element)[flat]
