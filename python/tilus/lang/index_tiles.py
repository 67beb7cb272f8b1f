# Python's words on tiles of indices, as functions that `register_tensor` calls with them may use.
#
# Such a function is written as for one element: `and`, `or`, conditional expressions, min and math.exp are computed for
# each element. On other tiles these words are refused, for there they would not mean what they say.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions and functions of indices."""

from __future__ import annotations

import builtins
import math
from typing import Any, Callable, Optional

from tilus.dtypes import DataType, boolean, float32, int32, int64
from tilus.lang import tile_ops
from tilus.lang.emit import emit, i64, tile_type
from tilus.lang.tensors import RegisterTensor


def index_tile(dim: int, shape: tuple) -> RegisterTensor:
    """The index of each element along a dimension; it combines with scalars as an int32 scalar does."""
    return _indices(emit("tilus.iota", [], tile_type(int32, shape), dim=i64(dim)), int32)


def _indices(value: Any, dtype: DataType) -> RegisterTensor:
    tile = RegisterTensor(value, dtype)
    tile.is_index = True
    return tile


def is_index_tile(value: Any) -> bool:
    """Whether a value is a tile that a function of indices computes with."""
    return isinstance(value, RegisterTensor) and value.is_index


def _truth(value: Any) -> Any:
    if isinstance(value, RegisterTensor):
        return _indices(tile_ops.truth_value(value), boolean)
    from tilus.lang.scalar_math import truth
    from tilus.lang.scalars import Scalar

    return truth(value) if isinstance(value, Scalar) else bool(value)


def junction(a: Any, b: Any, is_and: bool) -> Any:
    """`a and b`, `a or b` of each element, as a boolean."""
    a, b = _truth(a), _truth(b)
    return a & b if is_and else a | b


def choose(condition: RegisterTensor, a: Any, b: Any) -> RegisterTensor:
    """`a if condition else b` of each element."""
    from tilus.lang.instructions.elementwise import ElementwiseInstructions

    result = ElementwiseInstructions().where(_truth(condition), a, b)
    result.is_index = True
    return result


def _extreme(op: str) -> Callable:
    def function(*values: Any) -> RegisterTensor:
        values = tuple(values[0]) if len(values) == 1 and isinstance(values[0], (list, tuple)) else values
        result = values[0]
        for value in values[1:]:
            if isinstance(result, RegisterTensor) or isinstance(value, RegisterTensor):
                found, dtype, _ = tile_ops.binary_value(op, result, value)
                result = _indices(found, dtype)
            else:
                result = (builtins.max if op == "max" else builtins.min)(result, value)
        return result

    return function


def _to_int(x: RegisterTensor) -> RegisterTensor:
    if x.dtype.is_integer() and not x.dtype.is_boolean():
        return x
    dtype = int64 if x.dtype.nbits > 32 else int32
    return _indices(tile_ops.cast_value(x.value, x.dtype, dtype), dtype)


def _to_float(x: RegisterTensor) -> RegisterTensor:
    return x if x.dtype.is_float() else _indices(tile_ops.cast_value(x.value, x.dtype, float32), float32)


def _math(name: str) -> Callable:
    def function(x: RegisterTensor) -> RegisterTensor:
        if name in ("floor", "ceil", "trunc") and x.dtype.is_integer():
            return x
        x = _to_float(x)
        if name in ("isnan", "isinf"):
            return _indices(tile_ops.predicate_value(name, x), boolean)
        return _indices(tile_ops.unary_value("abs" if name == "fabs" else name, x), x.dtype)

    return function


_BUILTINS: dict = {
    builtins.min: _extreme("min"),
    builtins.max: _extreme("max"),
    builtins.int: _to_int,
    builtins.float: _to_float,
    builtins.bool: _truth,
    builtins.round: lambda x: x if x.dtype.is_integer() else _to_int(_math("round")(x)),
}


def function_of(callee: Any) -> Optional[Callable]:
    """What a builtin or a function of `math` does with indices; None if it has no meaning of its own there."""
    try:
        found = _BUILTINS.get(callee)
    except TypeError:
        return None
    name = getattr(callee, "__name__", "")
    known = name in tile_ops.MATH_OPS or name in ("isnan", "isinf", "fabs")
    if found is None and known and getattr(math, name, None) is callee:
        found = _math(name)
    return found
