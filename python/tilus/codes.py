# Numbers as codes: what the bits of each data type mean, in numpy.
#
# Owns packing, decoding and the one rounding into each type on the host. A code is the bits of an element at the low
# end of an unsigned integer. The rules are those of the compiler's
# ScalarFormat.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packing elements of 1 to 64 bits into bytes, and converting between their codes and numbers."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tilus import dtypes
from tilus.dtypes import DataType

_UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
_EXACT = {dtypes.float64: np.float64, dtypes.float32: np.float32, dtypes.tfloat32: np.float32, dtypes.float16: np.float16}


def get_code_type(dtype: DataType) -> Any:
    """numpy's unsigned integer that holds a code."""
    return _UNSIGNED[max(8, dtype.nbits)]


def count_bytes(dtype: DataType, count: int) -> int:
    """The bytes of packed elements."""
    return (count * dtype.nbits + 7) // 8


def pack(codes: np.ndarray, dtype: DataType) -> np.ndarray:
    """Bytes of packed codes: element i has the bits from i * width on of the little-endian string of bits."""
    flat = np.ascontiguousarray(codes, dtype=get_code_type(dtype)).reshape(-1)
    width = dtype.nbits
    if width >= 8:
        return flat.view(np.uint8)
    if 8 % width == 0:
        share = 8 // width
        padded = np.zeros(-(-flat.size // share) * share, np.uint8)
        padded[: flat.size] = flat
        groups = padded.reshape(-1, share)
        result = np.zeros(len(groups), np.uint8)
        for place in range(share):
            result |= groups[:, place] << np.uint8(place * width)
        return result
    bits = np.unpackbits(flat[:, None], axis=1, count=width, bitorder="little")
    return np.packbits(bits.reshape(-1), bitorder="little")


def unpack(data: np.ndarray, dtype: DataType, count: int) -> np.ndarray:
    """The codes of `count` packed elements."""
    data = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    width = dtype.nbits
    if width >= 8:
        return data[: count * width // 8].view(get_code_type(dtype))
    if 8 % width == 0:
        mask = np.uint8((1 << width) - 1)
        places = [(data >> np.uint8(place * width)) & mask for place in range(8 // width)]
        return np.stack(places, axis=1).reshape(-1)[:count]
    bits = np.unpackbits(data, bitorder="little")[: count * width].reshape(count, width)
    return np.packbits(bits, axis=1, bitorder="little").reshape(-1)


@functools.cache
def _float_table(dtype: DataType) -> np.ndarray:
    """The values of all codes of a float type of at most 16 bits."""
    exponent_bits, mantissa_bits = dtype.exponent_nbits, dtype.mantissa_nbits
    codes = np.arange(1 << dtype.nbits)
    exponent = codes >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = codes & ((1 << mantissa_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    significand = np.where(exponent == 0, mantissa, mantissa + (1 << mantissa_bits)).astype(np.float64)
    values = np.ldexp(significand, np.maximum(exponent, 1) - bias - mantissa_bits)
    if dtype is dtypes.float8_e4m3:
        values[(codes & 0x7F) == 0x7F] = np.nan
    elif dtype.nbits >= 8:
        top = exponent == (1 << exponent_bits) - 1
        values[top] = np.where(mantissa[top] == 0, np.inf, np.nan)
    return np.where(codes >> (dtype.nbits - 1), -values, values)


def decode(codes: np.ndarray, dtype: DataType) -> np.ndarray:
    """The numbers of codes: integers as int64 (uint64 for that type), floats as float32 or float64."""
    if dtype.is_float():
        exact = _EXACT.get(dtype)
        if exact is not None:
            return codes.view(exact)
        return _float_table(dtype).astype(np.float32)[codes]
    if dtype.is_boolean():
        return (codes != 0).astype(np.int64)
    if dtype.is_unsigned():
        return codes if dtype.nbits == 64 else codes.astype(np.int64)
    shift = np.int64(64 - dtype.nbits)
    return (codes.astype(np.uint64).view(np.int64) << shift) >> shift


def _encode_integer(values: np.ndarray, dtype: DataType) -> np.ndarray:
    """Reals truncate, saturate at 64 bits and are 0 for NaN; then the low bits are kept."""
    if dtype.is_boolean():
        return (values != 0).astype(np.uint8)
    if values.dtype.kind == "f":
        real = np.nan_to_num(np.trunc(values.astype(np.float64)), nan=0.0, posinf=np.inf, neginf=-np.inf)
        whole = np.empty(real.shape, np.uint64)
        above = real >= 2.0**63
        low = np.clip(np.where(above, 0.0, real), -(2.0**63), None).astype(np.int64).view(np.uint64)
        top = np.uint64(2**64 - 1) if dtype.is_unsigned() and dtype.nbits == 64 else np.uint64(2**63 - 1)
        in_range = above & (real < 2.0**64) & bool(dtype.is_unsigned() and dtype.nbits == 64)
        whole = np.where(above, top, low)
        if in_range.any():
            whole[in_range] = real[in_range].astype(np.uint64)
        values = whole
    codes = np.ascontiguousarray(values)
    codes = codes.astype(np.int64).view(np.uint64) if codes.dtype.kind in "ib" else codes.astype(np.uint64)
    return (codes & np.uint64((1 << dtype.nbits) - 1)).astype(get_code_type(dtype))


def _encode_small_float(values: np.ndarray, dtype: DataType) -> np.ndarray:
    """Nearest, ties to the even code. Types below 16 bits saturate; a type without NaN takes it as the largest value."""
    half = 1 << (dtype.nbits - 1)
    table = _float_table(dtype)[:half]
    finite = table[np.isfinite(table)]
    magnitude = np.abs(values.astype(np.float64))
    middles = (finite[:-1] + finite[1:]) / 2
    below = np.searchsorted(middles, magnitude, side="left")
    above = np.searchsorted(middles, magnitude, side="right")
    codes = np.where(below % 2 == 0, below, above)
    if dtype.nbits >= 16:
        step = finite[-1] - finite[-2]
        codes = np.where(magnitude >= finite[-1] + step / 2, len(finite), codes)
    is_nan = np.isnan(values)
    if is_nan.any():
        codes = np.where(is_nan, half - 1 if np.isnan(table).any() else len(finite) - 1, codes)
    return (codes + np.where(np.signbit(values), half, 0)).astype(get_code_type(dtype))


def _round_to_tf32(values: np.ndarray) -> np.ndarray:
    """Nearest, ties away from zero, with 13 low bits that are zero."""
    bits = values.view(np.uint32)
    rounded = (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(values), rounded, bits & np.uint32(0xFFFFE000) | np.where(np.isnan(values), 0x400000, 0))


def encode(values: np.ndarray, dtype: DataType) -> np.ndarray:
    """The codes of numbers, rounded once."""
    values = np.asarray(values)
    return _encode(values, dtype).reshape(values.shape)


def _encode(values: np.ndarray, dtype: DataType) -> np.ndarray:
    if not dtype.is_float():
        return _encode_integer(values, dtype)
    if values.dtype.kind == "b":
        values = values.astype(np.int64)
    exact = _EXACT.get(dtype)
    if exact is None:
        return _encode_small_float(values.astype(np.float64), dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.ascontiguousarray(values.astype(exact))
    if dtype is dtypes.tfloat32:
        return _round_to_tf32(rounded).astype(np.uint32)
    return rounded.view(get_code_type(dtype))
