# Operators on tiles: the type and shape of a result, and the operations that compute it.
#
# Owns promotion, broadcasting, and the choice of arith and math operations by element type. What a tile is, and its
# methods, are in tensors.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators on tiles.

Types follow numpy where scripts can tell: two tiles combine by the promotion of their types; a Python number takes the
tile's type, unless it is a float and the tile holds integers (then the result is float32); a typed scalar takes the
tile's type if it is of the same kind (boolean, integer, float) or a lower one, else both are promoted. Comparisons with
typed scalars promote both. `/` divides integers with truncation, `//` and `%` round down as Python's do.
"""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Union

from tilus.dtypes import DataType, boolean, float32, float64, int32, int64, promote_type, tf32
from tilus.lang.errors import InstructionError, brief
from tilus.lang.emit import UNIT, constant, contraction, emit, i64, tile_type
from tilus.lang.scalars import Constant, Scalar, host_number

Number = Union[bool, int, float]

COMPARISONS = {"eq": (0, 0, 1), "ne": (1, 1, 13), "lt": (2, 6, 4), "le": (3, 7, 5), "gt": (4, 8, 2), "ge": (5, 9, 3)}
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**", "and": "&", "or": "|",
    "xor": "^", "shl": "<<", "shr": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_BITWISE = ("and", "or", "xor", "shl", "shr")
_FLOAT_OPS = {
    "add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "div": "arith.divf", "max": "arith.maximumf",
    "min": "arith.minimumf", "pow": "math.powf",
}  # fmt: skip
_INT_OPS = {
    "add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli", "and": "arith.andi", "or": "arith.ori",
    "xor": "arith.xori", "shl": "arith.shli",
}  # fmt: skip
_SIGNED_OPS = {
    "div": "arith.divsi", "floordiv": "arith.floordivsi", "max": "arith.maxsi", "min": "arith.minsi", "shr": "arith.shrsi",
}  # fmt: skip
_UNSIGNED_OPS = {
    "div": "arith.divui", "floordiv": "arith.divui", "mod": "arith.remui", "max": "arith.maxui", "min": "arith.minui",
    "shr": "arith.shrui",
}  # fmt: skip
_BOOL_OPS = {"add": "arith.ori", "mul": "arith.andi", "max": "arith.ori", "min": "arith.andi"}


def _symbol(op: str) -> str:
    return _SYMBOLS.get(op, op)


# -- shapes


def broadcast_shapes(*shapes: Sequence[int]) -> tuple:
    """The shape to which all stretch, as numpy has it."""
    rank = max((len(shape) for shape in shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for dim, size in enumerate(shape, rank - len(shape)):
            if size != 1 and result[dim] not in (1, size):
                text = " and ".join(str(tuple(s)) for s in shapes)
                raise InstructionError(f"expected shapes that broadcast, but got {text}")
            result[dim] = size if size != 1 else result[dim]
    return tuple(result)


def normalize_dim(dim: int, rank: int, what: str = "dim") -> int:
    """A dimension counted from the front; negative ones count from the back."""
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise InstructionError(f"expected an integer as {what}, but got {dim!r}")
    if not -rank <= dim < rank:
        limits = f"{-rank} to {rank - 1}" if rank else "none, for the tile has no dimensions"
        raise InstructionError(f"expected {what} of {limits}, but got {dim}")
    return dim % rank


def check_shape(shape: Any, what: str = "shape") -> tuple:
    """A static shape of rank 0 to 5."""
    if isinstance(shape, int) and not isinstance(shape, bool):
        shape = (shape,)
    if not isinstance(shape, (list, tuple)):
        raise InstructionError(f"expected a list of sizes as {what}, but got {shape!r}")
    for size in shape:
        if isinstance(size, bool) or not isinstance(size, int):
            got = "a value known at run time only" if isinstance(size, Scalar) else repr(size)
            raise InstructionError(f"expected sizes known at compile time as {what}, but got {got}; annotate the parameter as int")
        if size < 1:
            raise InstructionError(f"expected positive sizes as {what}, but got ({', '.join(map(brief, shape))})")
    if len(shape) > 5:
        raise InstructionError(f"expected at most 5 dimensions as {what}, but got {len(shape)}")
    return tuple(shape)


# -- operands


def is_tile(x: Any) -> bool:
    from tilus.lang.tensors import RegisterTensor

    return isinstance(x, RegisterTensor)


def check_operand(x: Any, what: str) -> Any:
    """A tile, a scalar or a Python number, of which numpy's become Python's."""
    from tilus.lang.tensors import GlobalTensor, SharedTensor

    if isinstance(x, Scalar) and x.dtype.is_pointer():
        raise InstructionError(f"expected a tile, a scalar or a number as {what}, but got a pointer")
    if is_tile(x) or isinstance(x, Scalar):
        return x
    number = host_number(x)
    if number is not None:
        return number
    if isinstance(x, SharedTensor):
        raise InstructionError(f"expected a register tile as {what}, but got a shared one; load it with load_shared first")
    if isinstance(x, GlobalTensor):
        raise InstructionError(f"expected a register tile as {what}, but got a global one; load it with load_global first")
    raise InstructionError(f"expected a tile, a scalar or a number as {what}, but got {type(x).__name__}")


def kind_rank(dtype: DataType) -> int:
    """Booleans are below integers, these below floats."""
    return 2 if dtype.is_float() else 0 if dtype.is_boolean() else 1


def _promote(a: DataType, b: DataType, op: str) -> DataType:
    try:
        return promote_type(a, b)
    except TypeError as error:
        raise InstructionError(f"operator '{_symbol(op)}': {error}") from None


def _number_dtype(number: Number, tile: DataType, op: str) -> DataType:
    if isinstance(number, bool):
        return tile
    if isinstance(number, float):
        if tile.is_float():
            return tile
        return float64 if op in COMPARISONS and tile.nbits >= 32 else float32
    if tile.is_boolean():
        return int32
    if tile.is_integer() and not tile.limits[0] <= number <= tile.limits[1] and op in COMPARISONS:
        return promote_type(tile, int32 if -(1 << 31) <= number < 1 << 31 else int64)
    return tile


def _pair_dtype(tile: Any, other: Any, op: str) -> DataType:
    if isinstance(other, (bool, int, float)):
        return _number_dtype(other, tile.dtype, op)
    if is_tile(other) or op in COMPARISONS or tile.is_index:
        return _promote(tile.dtype, other.dtype, op)
    if kind_rank(other.dtype) <= kind_rank(tile.dtype):
        return tile.dtype
    return _promote(tile.dtype, other.dtype, op)


def combined_dtype(a: Any, b: Any, op: str) -> DataType:
    """The type in which two operands, one of them a tile at least, are combined."""
    return _pair_dtype(a, b, op) if is_tile(a) else _pair_dtype(b, a, op)


def operand_value(x: Any, dtype: DataType, shape: Sequence[int]) -> Any:
    """The operand as a tile's value of this type and shape."""
    if is_tile(x):
        return broadcast_value(cast_value(x.value, x.dtype, dtype), dtype, x.shape, shape)
    scalar = x.to(dtype) if isinstance(x, Scalar) else Constant(x, dtype)
    return emit("tilus.broadcast", [scalar.value], tile_type(dtype, shape))


def converted_operand(x: Any, dtype: DataType, shape: Sequence[int], what: str = "the source") -> Any:
    """What is assigned to a tile, as a value of its type and shape."""
    x = check_operand(x, what)
    if is_tile(x) and broadcast_shapes(x.shape, shape) != tuple(shape):
        raise InstructionError(f"expected {what} to stretch to {tuple(shape)}, but got shape {x.shape}")
    return operand_value(x, dtype, shape)


def broadcast_value(value: Any, dtype: DataType, shape: Sequence[int], target: Sequence[int]) -> Any:
    if tuple(shape) == tuple(target):
        return value
    return emit("tilus.broadcast", [value], tile_type(dtype, target))


# -- conversions


def cast_value(value: Any, source: DataType, target: DataType) -> Any:
    """The tile's value converted: to nearest even, floats of 8 bits and less saturate, integers wrap."""
    if source is target or (source.mlir == target.mlir and source.kind != "boolean"):
        return value
    attributes = {}
    if source.is_integer() and source.is_unsigned():
        attributes["unsigned_source"] = UNIT
    if target.is_integer() and target.is_unsigned():
        attributes["unsigned_result"] = UNIT
    if target.is_float() and target.nbits <= 8:
        attributes["saturate"] = UNIT
    return emit("tilus.cast", [value], tile_type(target, value.type.shape), **attributes)


def compute_dtype(dtype: DataType, op: str) -> DataType:
    """The type in which elements of a type are computed: floats that only matrix instructions know, in float32."""
    if dtype.mlir.startswith("!tilus") or (dtype.is_float() and dtype.nbits < 8):
        raise InstructionError(f"expected elements that '{_symbol(op)}' combines, but got {dtype.name}; convert them with .to(…) first")
    return float32 if dtype is tf32 or (dtype.is_float() and dtype.nbits == 8) else dtype


# -- arithmetic on values of one type


def _predicate(op: str, column: int) -> str:
    return i64(COMPARISONS[op][column])


def _python_mod(a: Any, b: Any, type_: Any) -> tuple:
    """C's remainder of floats, and whether it needs one more divisor to have the divisor's sign."""
    zero = emit("tilus.broadcast", [constant(0.0, _float_of(type_))], type_)
    remainder = emit("arith.remf", [a, b], type_)
    i1 = tile_type(boolean, type_.shape)
    is_left = emit("arith.cmpf", [remainder, zero], i1, predicate=_predicate("ne", 2))
    negative_r = emit("arith.cmpf", [remainder, zero], i1, predicate=_predicate("lt", 2))
    negative_b = emit("arith.cmpf", [b, zero], i1, predicate=_predicate("lt", 2))
    differs = emit("arith.xori", [negative_r, negative_b], i1)
    return remainder, emit("arith.andi", [is_left, differs], i1)


def _float_of(type_: Any) -> DataType:
    from tilus.dtypes import sname2dtype

    return sname2dtype[str(type_.element_type)]


def _float_mod(a: Any, b: Any, type_: Any) -> Any:
    remainder, needs_one = _python_mod(a, b, type_)
    more = emit("arith.addf", [remainder, b], type_)
    return emit("arith.select", [needs_one, more, remainder], type_)


def _float_floordiv(a: Any, b: Any, type_: Any) -> Any:
    """The floor of the exact quotient, which the rounded quotient may lie above; by zero, the quotient itself."""
    remainder, needs_one = _python_mod(a, b, type_)
    one, half, zero = (emit("tilus.broadcast", [constant(v, _float_of(type_))], type_) for v in (1.0, 0.5, 0.0))
    i1 = tile_type(boolean, type_.shape)
    exact = emit("arith.divf", [emit("arith.subf", [a, remainder], type_), b], type_)
    lower = emit("arith.select", [needs_one, emit("arith.subf", [exact, one], type_), exact], type_)
    floor = emit("math.floor", [lower], type_)
    rest = emit("arith.subf", [lower, floor], type_)
    is_below = emit("arith.cmpf", [rest, half], i1, predicate=_predicate("gt", 2))
    floor = emit("arith.select", [is_below, emit("arith.addf", [floor, one], type_), floor], type_)
    by_zero = emit("arith.cmpf", [b, zero], i1, predicate=_predicate("eq", 2))
    return emit("arith.select", [by_zero, emit("arith.divf", [a, b], type_), floor], type_)


def _signed_mod(a: Any, b: Any, type_: Any) -> Any:
    quotient = emit("arith.floordivsi", [a, b], type_)
    return emit("arith.subi", [a, emit("arith.muli", [quotient, b], type_)], type_)


def _power(base: Any, exponent: int, dtype: DataType) -> Any:
    """A power of a constant exponent: square, and multiply where a bit is set."""
    if exponent == 0:
        return emit("tilus.broadcast", [constant(1, dtype)], base.type)
    result = None
    for bit in f"{exponent:b}":
        result = arith("mul", result, result, dtype) if result is not None else None
        if bit == "1":
            result = base if result is None else arith("mul", result, base, dtype)
    return result


def arith(op: str, a: Any, b: Any, dtype: DataType) -> Any:
    """Combines two values of tiles of one type and shape."""
    type_ = tile_type(dtype, a.type.shape)
    if op in COMPARISONS:
        name = "arith.cmpf" if dtype.is_float() else "arith.cmpi"
        column = 2 if dtype.is_float() else 1 if dtype.is_unsigned() else 0
        return emit(name, [a, b], tile_type(boolean, a.type.shape), predicate=_predicate(op, column))
    if dtype.is_float():
        if op in ("mod", "floordiv"):
            return (_float_mod if op == "mod" else _float_floordiv)(a, b, type_)
        if op in _BITWISE:
            raise InstructionError(f"expected integers or booleans for '{_symbol(op)}', but got {dtype.name}")
        return emit(_FLOAT_OPS[op], [a, b], type_, **contraction(op))
    if op == "pow" and (dtype.is_boolean() or dtype.is_unsigned()):
        raise InstructionError(f"expected floats, signed integers or a constant exponent of 0 to 16 for '**', but got {dtype.name}")
    if op == "pow":
        return emit("math.ipowi", [a, b], type_)
    if dtype.is_boolean():
        name = _BOOL_OPS.get(op) or (_INT_OPS.get(op) if op in ("and", "or", "xor") else None)
        if name is None:
            raise InstructionError(f"expected numbers for '{_symbol(op)}', but got booleans; convert them with .to(int32) first")
        return emit(name, [a, b], type_)
    if op == "mod" and dtype.is_signed():
        return _signed_mod(a, b, type_)
    name = _INT_OPS.get(op) or (_SIGNED_OPS if dtype.is_signed() else _UNSIGNED_OPS)[op]
    return emit(name, [a, b], type_)


def binary_value(op: str, a: Any, b: Any) -> tuple:
    """The value, type and shape of `a op b`."""
    a = check_operand(a, f"the left operand of '{_symbol(op)}'")
    b = check_operand(b, f"the right operand of '{_symbol(op)}'")
    dtype = combined_dtype(a, b, op)
    if dtype.is_integer() and op in ("shl", "shr") and dtype.is_boolean():
        dtype = int32
    work = compute_dtype(dtype, op)
    shape = broadcast_shapes(*(x.shape for x in (a, b) if is_tile(x)))
    left = cast_value(operand_value(a, dtype, shape), dtype, work)
    if op == "pow" and type(b) is int and 0 <= b <= 16 and not dtype.is_boolean():
        value = _power(left, b, work)
    else:
        value = arith(op, left, cast_value(operand_value(b, dtype, shape), dtype, work), work)
    if op in COMPARISONS:
        return value, boolean, shape
    return cast_value(value, work, dtype), dtype, shape


# -- functions of one tile

MATH_OPS = {
    "exp": "math.exp", "exp2": "math.exp2", "log": "math.log", "log2": "math.log2", "sin": "math.sin", "cos": "math.cos",
    "tan": "math.tan", "asin": "math.asin", "acos": "math.acos", "atan": "math.atan", "sinh": "math.sinh",
    "cosh": "math.cosh", "tanh": "math.tanh", "asinh": "math.asinh", "acosh": "math.acosh", "atanh": "math.atanh",
    "erf": "math.erf", "sqrt": "math.sqrt", "rsqrt": "math.rsqrt", "floor": "math.floor", "ceil": "math.ceil",
    "trunc": "math.trunc", "round": "math.roundeven",
}  # fmt: skip
_ROUNDINGS = ("floor", "ceil", "trunc", "round")


def _abs(value: Any, dtype: DataType, type_: Any) -> Any:
    if dtype.is_float():
        return emit("math.absf", [value], type_)
    return emit("math.absi", [value], type_) if dtype.is_signed() else value


def _neg(value: Any, dtype: DataType, type_: Any) -> Any:
    if dtype.is_float():
        return emit("arith.negf", [value], type_)
    if dtype.is_boolean():
        raise InstructionError("expected numbers for '-', but got booleans; use ~ for the complement")
    zero = emit("tilus.broadcast", [constant(0, dtype)], type_)
    return emit("arith.subi", [zero, value], type_)


def _invert(value: Any, dtype: DataType, type_: Any) -> Any:
    if dtype.is_float():
        raise InstructionError(f"expected integers or booleans for '~', but got {dtype.name}")
    ones = constant(True, dtype) if dtype.is_boolean() else constant(-1 if dtype.is_signed() else dtype.limits[1], dtype)
    return emit("arith.xori", [value, emit("tilus.broadcast", [ones], type_)], type_)


def unary_value(op: str, x: Any) -> Any:
    """The value of a function of a tile, of the tile's type."""
    dtype = x.dtype
    work = compute_dtype(dtype, op)
    type_ = tile_type(work, x.shape)
    value = cast_value(x.value, dtype, work)
    special = {"abs": _abs, "neg": _neg, "invert": _invert}.get(op)
    if special:
        value = special(value, work, type_)
    elif op == "square":
        value = arith("mul", value, value, work)
    elif work.is_float():
        value = emit(MATH_OPS[op], [value], type_)
    elif op not in _ROUNDINGS:
        raise InstructionError(f"expected a tile of floats for '{op}', but got {dtype.name}; convert it with .to(float32) first")
    return cast_value(value, work, dtype)


def predicate_value(op: str, x: Any) -> Any:
    """Whether each element is NaN or infinite."""
    if x.dtype.is_integer():
        raise InstructionError(f"expected a tile of floats for '{op}', but got {x.dtype.name}")
    work = compute_dtype(x.dtype, op)
    value = cast_value(x.value, x.dtype, work)
    if op == "isinf":
        value = emit("math.absf", [value], tile_type(work, x.shape))
        infinity = emit("tilus.broadcast", [constant(math.inf, work)], tile_type(work, x.shape))
        return arith("eq", value, infinity, work)
    return arith("ne", value, value, work)


def truth_value(x: Any) -> Any:
    """Which elements are not zero."""
    if x.dtype.is_boolean():
        return x.value
    return cast_value(x.value, x.dtype, boolean)


def optional_dtype(dtype: Any, what: str = "dtype") -> Optional[DataType]:
    if dtype is not None and not isinstance(dtype, DataType):
        raise InstructionError(f"expected a data type such as float16 as {what}, but got {dtype!r}")
    return dtype
