# Arithmetic on scalars: which operations an operator, a conversion or a function of numbers becomes.
#
# Owns folding of constants, the promotion of operands, Python's floor meaning of `//` and `%`, min, max, abs, and the
# functions of `math`. The operators themselves are methods of the classes in scalars.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic, conversions and functions of scalars."""

from __future__ import annotations

import math
import operator as host
from typing import Any, Callable

from tilus.dtypes import DataType, PointerType, boolean, float32, int32, promote_type
from tilus.lang import signs
from tilus.lang.builder import current_builder
from tilus.lang.emit import contraction
from tilus.lang.errors import InstructionError
from tilus.lang.scalars import Constant, Pointer, Scalar, as_scalar, common_type, compare, describe, type_of

_INTEGER_OPS = {"add": "addi", "sub": "subi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori", "shl": "shli"}
_FLOAT_OPS = {"add": "addf", "sub": "subf", "mul": "mulf", "div": "divf"}
_BITWISE = ("and", "or", "xor", "shl", "shr")
_WORDS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**", "and": "&", "or": "|",
    "xor": "^", "shl": "<<", "shr": ">>",
}  # fmt: skip
_HOST = {
    "add": host.add, "sub": host.sub, "mul": host.mul, "floordiv": host.floordiv, "mod": host.mod, "pow": host.pow,
    "and": host.and_, "or": host.or_, "xor": host.xor, "shl": host.lshift, "shr": host.rshift,
}  # fmt: skip


# -- constants


def fold(operator: str, a: Constant, b: Constant) -> Constant:
    """An operator on two constants."""
    dtype = a.dtype if operator in ("shl", "shr") else promote_type(a.dtype, b.dtype)
    x, y = a.number, b.number
    if operator in ("div", "floordiv", "mod") and y == 0 and dtype.is_integer():
        raise _zero_divisor(operator)
    if operator == "div":
        quotient = x / y if dtype.is_float() else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return Constant(quotient, dtype)
    if operator in _BITWISE and dtype.is_float():
        raise _no_operator(operator, dtype)
    number = _HOST[operator](x, y)
    if dtype.is_boolean() and operator not in ("and", "or", "xor"):
        dtype = int32
    if dtype.is_integer():
        number = wrap(int(number), dtype)
    return Constant(number, dtype)


def wrap(number: int, dtype: DataType) -> int:
    """The integer of a type that has the same low bits."""
    if dtype.is_boolean():
        return int(number != 0)
    number &= (1 << dtype.nbits) - 1
    return number - (1 << dtype.nbits) if dtype.is_signed() and number >> (dtype.nbits - 1) else number


def fold_comparison(operator: str, x: Any, y: Any) -> bool:
    """A comparison of two numbers."""
    return getattr(host, operator)(x, y)


def _no_operator(operator: str, dtype: DataType) -> InstructionError:
    return InstructionError(
        f"expected integers for '{_WORDS[operator]}', but got {dtype.name}", "convert them with .to(int32)"
    )


def _zero_divisor(operator: str) -> InstructionError:
    return InstructionError(
        f"expected a divisor that is not zero, but got 0 on the right of '{_WORDS[operator]}'",
        "check the sizes that it follows from",
    )


# -- operators


def arithmetic(operator: str, a: Any, b: Any) -> Scalar:
    """An operator on two scalars, one of them of run time."""
    dtype = as_scalar(a).dtype if operator in ("shl", "shr") else common_type(a, b)
    if dtype.is_boolean() and operator not in ("and", "or", "xor"):
        dtype = int32
    if operator == "pow":
        return _power(as_scalar(a, dtype), b, dtype)
    if dtype.is_float():
        if operator in _BITWISE:
            raise _no_operator(operator, dtype)
        return _float_arithmetic(operator, as_scalar(a, dtype), as_scalar(b, dtype), dtype)
    left, right = as_scalar(a, dtype), as_scalar(b, dtype)
    if operator in ("div", "floordiv", "mod"):
        if isinstance(right, Constant) and right.number == 0:
            raise _zero_divisor(operator)
        if not dtype.is_signed():
            return _emit("arith.remui" if operator == "mod" else "arith.divui", left, right, dtype, True)
        return {"div": _truncated, "floordiv": _floor, "mod": _modulo}[operator](left, right, dtype)
    if operator == "shr":
        return _emit("arith.shrsi" if dtype.is_signed() else "arith.shrui", left, right, dtype, left.nonneg)
    return _emit(f"arith.{_INTEGER_OPS[operator]}", left, right, dtype, _sign(operator, left, right, dtype))


def _sign(operator: str, left: Scalar, right: Scalar, dtype: DataType) -> Any:
    """Whether the result cannot be negative. Sums and products that overflow are the author's fault, as in C."""
    if not dtype.is_signed():
        return True
    if operator == "and":
        if left.nonneg is True or right.nonneg is True:
            return True
        return signs.both(left.nonneg, right.nonneg)
    if operator == "sub":
        return False
    return signs.both(left.nonneg, right.nonneg)


def _emit(name: str, left: Scalar, right: Scalar, dtype: DataType, nonneg: Any = False, attributes: Any = None) -> Scalar:
    builder = current_builder()
    return Scalar(builder.emit(name, (left.value, right.value), builder.type(dtype), attributes), dtype, nonneg)


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _truncated(left: Scalar, right: Scalar, dtype: DataType) -> Scalar:
    return _emit("arith.divsi", left, right, dtype, signs.both(left.nonneg, right.nonneg))


def _floor(left: Scalar, right: Scalar, dtype: DataType) -> Scalar:
    nonneg = signs.both(left.nonneg, right.nonneg)
    if nonneg is True:
        return _emit("arith.divsi", left, right, dtype, True)
    if isinstance(right, Constant) and _is_power_of_two(right.number):
        return _emit("arith.shrsi", left, Constant(right.number.bit_length() - 1, dtype), dtype, nonneg)
    result = _emit("arith.floordivsi", left, right, dtype, nonneg)
    if nonneg is not False:
        signs.remember(result.value, _emit("arith.divsi", left, right, dtype).value, nonneg)
    return result


def _modulo(left: Scalar, right: Scalar, dtype: DataType) -> Scalar:
    nonneg = signs.both(left.nonneg, right.nonneg)
    remainder = _emit("arith.remsi", left, right, dtype, nonneg)
    if nonneg is True:
        return remainder
    if isinstance(right, Constant) and _is_power_of_two(right.number):
        result = _emit("arith.andi", left, Constant(right.number - 1, dtype), dtype, True)
    else:
        positive = isinstance(right, Constant) and right.number > 0
        differs = compare("lt", remainder if positive else _emit("arith.xori", remainder, right, dtype), 0)
        if not positive:
            differs = _emit("arith.andi", differs, compare("ne", Scalar(remainder.value, dtype), 0), boolean)
        result = select(differs, _emit("arith.addi", remainder, right, dtype), remainder)
        result = Scalar(result.value, dtype, right.nonneg)
    signs.remember(result.value, remainder.value, nonneg, remainder.value)
    return result


def _float_arithmetic(operator: str, left: Scalar, right: Scalar, dtype: DataType) -> Scalar:
    if dtype.nbits < 16:
        return arithmetic(operator, left.to(float32), right.to(float32)).to(dtype)
    if operator in _FLOAT_OPS:
        return _emit(f"arith.{_FLOAT_OPS[operator]}", left, right, dtype, attributes=contraction(operator))
    # Python: the remainder has the sign of the divisor, and the quotient is what is left without it, rounded to a whole.
    remainder = _emit("arith.remf", left, right, dtype)
    differs = compare("lt", remainder, 0.0) ^ compare("lt", right, 0.0)
    differs = _emit("arith.andi", differs, compare("ne", remainder, 0.0), boolean)
    remainder = select(differs, _emit("arith.addf", remainder, right, dtype), remainder)
    if operator == "mod":
        return remainder
    quotient = _emit("arith.divf", _emit("arith.subf", left, remainder, dtype), right, dtype)
    whole = unary("math.floor", quotient)
    is_short = compare("gt", _emit("arith.subf", quotient, whole, dtype), 0.5)
    return select(is_short, _emit("arith.addf", whole, Constant(1.0, dtype), dtype), whole)


def _power(base: Scalar, exponent: Any, dtype: DataType) -> Scalar:
    number = int(exponent) if isinstance(exponent, (int, Constant)) and type_of(exponent).is_integer() else None
    if number is not None and 0 <= number <= 16:
        result = None
        for bit in bin(number)[2:]:  # from the highest bit on: square, and multiply where it is set
            result = result * result if result is not None else None
            if bit == "1":
                result = base if result is None else result * base
        return as_scalar(1, dtype) if result is None else result
    if dtype.is_integer():
        raise InstructionError(
            f"expected a constant exponent from 0 to 16 for integers, but got {describe(exponent)}",
            "convert the base to float32 for other exponents",
        )
    return _emit("math.powf", base, as_scalar(exponent, dtype), dtype)


def unary(name: str, x: Scalar, nonneg: Any = False) -> Scalar:
    """An operation of one operand whose result is of the operand's type."""
    builder = current_builder()
    return Scalar(builder.emit(name, (x.value,), builder.type(x.dtype)), x.dtype, nonneg)


def negate(x: Scalar) -> Scalar:
    if isinstance(x, Constant):
        return Constant(-x.number, x.dtype) if x.dtype.is_float() or x.dtype.is_signed() else fold("sub", as_scalar(0), x)
    return unary("arith.negf", x) if x.dtype.is_float() else 0 - x


def invert(x: Scalar) -> Scalar:
    if x.dtype.is_float() or isinstance(x, Pointer):
        raise InstructionError(f"expected an integer for '~', but got {describe(x)}")
    if x.dtype.is_boolean():
        return logical_not(x)
    return x ^ Constant(wrap(-1, x.dtype), x.dtype)


def absolute(x: Any) -> Any:
    """abs(x)."""
    if isinstance(x, Constant):
        return Constant(abs(x.number), x.dtype)
    if not x.dtype.is_signed() and x.dtype.is_integer():
        return x
    # Of the least integer it is that integer.
    return unary("math.absf" if x.dtype.is_float() else "math.absi", x, x.dtype.is_float())


# -- truth and choice


def truth(x: Any) -> Scalar:
    """Whether a scalar is not zero."""
    if isinstance(x, Pointer):
        raise InstructionError("expected a condition, but got a pointer")
    return x if x.dtype.is_boolean() else compare("ne", x, 0.0 if x.dtype.is_float() else 0)


def logical_not(x: Scalar) -> Any:
    """Whether a scalar is zero."""
    if isinstance(x, Constant):
        return not x.number
    return _emit("arith.xori", truth(x), Constant(True, boolean), boolean, True)


def select(condition: Scalar, a: Any, b: Any) -> Scalar:
    """`a if condition else b` of two scalars, both of which are computed."""
    dtype = common_type(a, b)
    left, right = as_scalar(a, dtype), as_scalar(b, dtype)
    builder = current_builder()
    value = builder.emit("arith.select", (truth(condition).value, left.value, right.value), builder.type(dtype))
    return Scalar(value, dtype, signs.both(left.nonneg, right.nonneg))


def _extreme(word: str, values: tuple) -> Any:
    result = values[0]
    for value in values[1:]:
        if not type(result) is Scalar and not type(value) is Scalar:
            result = (min if word == "min" else max)(result, value)
            continue
        dtype = common_type(result, value)
        if dtype.is_float():
            name = f"arith.{word}imumf"
        else:
            name = f"arith.{word}{'s' if dtype.is_signed() else 'u'}i"
        left, right = as_scalar(result, dtype), as_scalar(value, dtype)
        nonneg = signs.both(left.nonneg, right.nonneg)
        if word == "max" and (left.nonneg is True or right.nonneg is True):
            nonneg = True
        result = _emit(name, left, right, dtype, nonneg)
    return result


def minimum(*values: Any) -> Any:
    """The smallest of scalars; NaN if one is."""
    return _extreme("min", values)


def maximum(*values: Any) -> Any:
    """The largest of scalars; NaN if one is."""
    return _extreme("max", values)


# -- conversion


def convert(x: Scalar, dtype: Any) -> Scalar:
    """A scalar as another type."""
    source = x.dtype
    if dtype is source:
        return x
    if isinstance(dtype, PointerType) and isinstance(x, Pointer):
        from tilus.lang.memory_tensors import pointer_value

        return Pointer(pointer_value(x, dtype.base_type), dtype)
    if isinstance(dtype, PointerType) or isinstance(x, Pointer):
        raise InstructionError(f"expected a number to convert to {dtype.name}, but got {describe(x)}")
    if isinstance(x, Constant):
        number = x.number
        if dtype.is_integer() and not dtype.is_boolean():
            number = wrap(math.trunc(number), dtype)
        return Constant(number, dtype)
    if dtype.is_boolean():
        return truth(x)
    name = _conversion(source, dtype)
    if name is None:
        return _convert_as_tile(x, dtype)
    nonneg = not dtype.is_signed() or x.nonneg if dtype.nbits >= source.nbits or x.nonneg is True else False
    if name == "":
        return Scalar(x.value, dtype, nonneg)
    builder = current_builder()
    return Scalar(builder.emit(name, (x.value,), builder.type(dtype)), dtype, nonneg)


_PLAIN_FLOATS = ("f16", "bf16", "f32", "f64")


def _conversion(source: DataType, dtype: DataType) -> Any:
    """The operation that converts; "" if the bits stay as they are; None if there is none for scalars."""
    if dtype.is_integer() and source.is_integer() and not "!" in dtype.mlir + source.mlir:
        width = 1 if source.is_boolean() else source.nbits
        if dtype.nbits == width:
            return ""
        if dtype.nbits < width:
            return "arith.trunci"
        return "arith.extsi" if source.is_signed() else "arith.extui"
    if dtype.mlir in _PLAIN_FLOATS and source.is_integer() and not "!" in source.mlir:
        return "arith.sitofp" if source.is_signed() else "arith.uitofp"
    if dtype.mlir in _PLAIN_FLOATS and source.mlir in _PLAIN_FLOATS and dtype.nbits != source.nbits:
        return "arith.extf" if dtype.nbits > source.nbits else "arith.truncf"
    return None


def _convert_as_tile(x: Scalar, dtype: DataType) -> Scalar:
    # Floats to integers, low-precision formats: by the rules that tiles have.
    builder = current_builder()
    tile = builder.emit("tilus.broadcast", (x.value,), builder.tile_type((), x.dtype))
    flags = {}
    if x.dtype.is_unsigned():
        flags["unsigned_source"] = "unit"
    if dtype.is_unsigned():
        flags["unsigned_result"] = "unit"
    if dtype.is_float() and dtype.nbits <= 8:
        flags["saturate"] = "unit"
    tile = builder.emit("tilus.cast", (tile,), builder.tile_type((), dtype), flags)
    return Scalar(builder.emit("tilus.extract", (tile,), builder.type(dtype)), dtype, dtype.is_unsigned())


# -- functions of math


_FLOAT_FUNCTIONS = {
    name: f"math.{name}" for name in (
        "exp", "exp2", "log", "log2", "log10", "log1p", "expm1", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan",
        "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "cbrt",
    )
}  # fmt: skip
_ROUNDING = {"floor": "math.floor", "ceil": "math.ceil", "trunc": "math.trunc"}


def _float_operand(x: Any) -> Scalar:
    scalar = as_scalar(x)
    return scalar if scalar.dtype.is_float() and scalar.dtype.nbits >= 16 else scalar.to(float32)


def _rounded(name: str, x: Any) -> Scalar:
    scalar = as_scalar(x)
    if scalar.dtype.is_integer():
        return scalar
    return unary(_ROUNDING[name], _float_operand(scalar))


def _is_nan(x: Any) -> Scalar:
    scalar = _float_operand(x)
    return compare("ne", scalar, scalar)


def _is_inf(x: Any) -> Scalar:
    scalar = _float_operand(x)
    return compare("eq", unary("math.absf", scalar), float("inf"))


def _two_floats(name: str) -> Callable:
    def function(x: Any, y: Any) -> Scalar:
        dtype = promote_type(_float_operand(x).dtype, _float_operand(y).dtype)
        return _emit(name, as_scalar(x, dtype), as_scalar(y, dtype), dtype)

    return function


def _refuse_function(name: str) -> Callable:
    def function(*values: Any) -> Scalar:
        raise InstructionError(f"expected constants for math.{name}, but got {describe(values[0])}")

    return function


def math_function(function: Any) -> Any:
    """What a function of Python's `math` is on scalars of run time; None if it is none of that module."""
    name = getattr(function, "__name__", "")
    if getattr(math, name, None) is not function:
        return None
    if name in _FLOAT_FUNCTIONS:
        return lambda x: unary(_FLOAT_FUNCTIONS[name], _float_operand(x))
    if name in _ROUNDING:
        return lambda x: _rounded(name, x)
    special = {"isnan": _is_nan, "isinf": _is_inf, "fabs": lambda x: absolute(_float_operand(x))}
    if name in special:
        return special[name]
    two = {"pow": "math.powf", "atan2": "math.atan2", "copysign": "math.copysign", "fmod": "arith.remf"}
    return _two_floats(two[name]) if name in two else _refuse_function(name)


