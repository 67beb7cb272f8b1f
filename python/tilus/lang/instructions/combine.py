# Reductions and scans of register tiles.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions along dimensions and prefix scans."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from tilus.dtypes import DataType, boolean, int32
from tilus.lang import tile_ops
from tilus.lang.emit import UNIT, emit, i32, i64, tile_type
from tilus.lang.errors import InstructionError
from tilus.lang.instructions.base import InstructionGroup, check_choice, check_tile, finish
from tilus.lang.tensors import RegisterTensor

Dims = Union[int, Sequence[int], None]

_KINDS = ("add", "mul", "max", "min", "umax", "umin", "maxnum", "minnum", "and", "or", "xor")
_SCANS = ("add", "mul", "max", "min", "and", "or", "xor")


def _kind(op: str, dtype: DataType) -> str:
    if dtype.is_boolean():
        op = {"max": "or", "min": "and"}.get(op, op)
    if op in ("max", "min") and dtype.is_integer() and dtype.is_unsigned():
        op = f"u{op}"
    return i32(_KINDS.index(op))


def _work_value(x: RegisterTensor, op: str) -> tuple:
    """The tile's value and type for a combination: booleans are counted as int32."""
    dtype = int32 if x.dtype.is_boolean() and op in ("add", "mul") else x.dtype
    work = tile_ops.compute_dtype(dtype, op)
    return tile_ops.cast_value(x.value, x.dtype, work), work, dtype


def _check_dims(dim: Dims, rank: int) -> list:
    if dim is None:
        return list(range(rank))
    dims = [dim] if isinstance(dim, int) else list(dim)
    found = [tile_ops.normalize_dim(d, rank) for d in dims]
    if len(set(found)) != len(found):
        raise InstructionError(f"expected each dimension once as dim, but got {dims}")
    return found


class CombineInstructions(InstructionGroup):
    """Reductions and scans. Negative dimensions count from the back; NaN stays NaN in maxima and minima."""

    def _reduce(self, x: RegisterTensor, *, dim: Dims = None, keepdim: bool, op: str, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        check_tile(x, "x")
        value, work, dtype = _work_value(x, op)
        shape = list(x.shape)
        for d in sorted(_check_dims(dim, len(shape)), reverse=True):
            shape[d : d + 1] = [1] if keepdim else []
            attributes = {"keep_dim": UNIT} if keepdim else {}
            value = emit("tilus.reduce", [value], tile_type(work, shape), kind=_kind(op, work), dim=i64(d), **attributes)
        return finish(tile_ops.cast_value(value, work, dtype), dtype, out)

    def sum(self, x: RegisterTensor, *, dim: Dims = None, keepdim: bool = False, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """Sums along dimensions, along all without `dim`. Booleans are counted as int32."""
        return self._reduce(x, dim=dim, keepdim=keepdim, op="add", out=out)

    def prod(self, x: RegisterTensor, *, dim: Dims = None, keepdim: bool = False, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """Products along dimensions."""
        return self._reduce(x, dim=dim, keepdim=keepdim, op="mul", out=out)

    def max(self, x: RegisterTensor, *, dim: Dims = None, keepdim: bool = False, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """The largest elements along dimensions."""
        return self._reduce(x, dim=dim, keepdim=keepdim, op="max", out=out)

    def min(self, x: RegisterTensor, *, dim: Dims = None, keepdim: bool = False, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """The smallest elements along dimensions."""
        return self._reduce(x, dim=dim, keepdim=keepdim, op="min", out=out)

    def any(self, x: RegisterTensor, *, dim: Dims = None, keepdim: bool = False, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """Whether any element along dimensions is true."""
        return self._reduce(_check_booleans(x), dim=dim, keepdim=keepdim, op="or", out=out)

    def all(self, x: RegisterTensor, *, dim: Dims = None, keepdim: bool = False, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """Whether all elements along dimensions are true."""
        return self._reduce(_check_booleans(x), dim=dim, keepdim=keepdim, op="and", out=out)

    def scan(self, x: RegisterTensor, *, dim: int, op: str, exclusive: bool = False, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """The prefix combinations along a dimension: element i combines elements 0 to i, or 0 to i - 1 if exclusive."""
        check_tile(x, "x")
        check_choice(op, _SCANS, "op")
        if op in ("and", "or", "xor") and x.dtype.is_float():
            raise InstructionError(f"expected integers or booleans for a scan with '{op}', but got {x.dtype.name}")
        value, work, dtype = _work_value(x, op)
        attributes = {"exclusive": UNIT} if exclusive else {}
        place = i64(tile_ops.normalize_dim(dim, x.ndim))
        value = emit("tilus.scan", [value], tile_type(work, x.shape), kind=_kind(op, work), dim=place, **attributes)
        return finish(tile_ops.cast_value(value, work, dtype), dtype, out)

    def cumsum(self, x: RegisterTensor, *, dim: int, exclusive: bool = False, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """The prefix sums along a dimension."""
        return self.scan(x, dim=dim, op="add", exclusive=exclusive, out=out)

    def cumprod(self, x: RegisterTensor, *, dim: int, exclusive: bool = False, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """The prefix products along a dimension."""
        return self.scan(x, dim=dim, op="mul", exclusive=exclusive, out=out)


def _check_booleans(x: Any) -> RegisterTensor:
    if check_tile(x, "x").dtype is not boolean:
        raise InstructionError(f"expected a tile of booleans, but got {x.dtype.name}", "compare it with 0 first")
    return x
