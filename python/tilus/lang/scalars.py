# Scalars of a script: constants, values of run time, pointers, and the operators between them.
#
# Owns what `+`, `//`, `<` and the like mean on scalars and which operations they become. A scalar is immutable; names and
# attributes that change are cells (frames.py). Python numbers stay Python numbers until they meet a scalar: then an int
# is an int32 (int64 if it does not fit), a float a float32. Functions such as min are in scalar_math.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars and pointers."""

from __future__ import annotations

import math
import warnings
from typing import Any, Optional, Union

from tilus.dtypes import DataType, PointerType, boolean, float32, int32, int64, promote_type, uint64
from tilus.lang import signs
from tilus.lang.builder import check_number, current_builder, has_builder
from tilus.lang.errors import InstructionError, brief

Number = Union[bool, int, float]

_CMPI = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}
_CMPF = {"eq": 1, "ne": 13, "lt": 4, "le": 5, "gt": 2, "ge": 3}  # ordered, but unequal is true of NaN
_SIGN = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class Scalar:
    """A number that is known at run time. All threads of the group see the same value.

    `value` is the SSA value, `dtype` the data type. `nonneg` says whether it cannot be negative: True, False, or a
    claim that is settled when the kernel is complete.
    """

    __slots__ = ("_value", "dtype", "nonneg")

    __array_ufunc__ = None  # numpy's scalars leave operators to this class

    def __init__(self, value: Any, dtype: Union[DataType, PointerType], nonneg: Any = False):
        self._value = value
        self.dtype = dtype
        self.nonneg = nonneg

    @property
    def value(self) -> Any:
        return self._value

    # -- as the content of a cell

    def ssa_parts(self) -> list:
        return [self._value]

    def with_parts(self, parts: list) -> Scalar:
        """The scalar at the start of a loop's round; the loop says later whether it can be negative."""
        return Scalar(parts[0], self.dtype, True if self.dtype.is_unsigned() else signs.Claim())

    def is_same(self, other: Any) -> bool:
        return type(other) is Scalar and self.dtype is other.dtype and self._value == other._value

    # -- conversion

    def to(self, dtype: Union[DataType, PointerType]) -> Scalar:
        """This number as another type. Floats become integers by truncation, integers wrap."""
        from tilus.lang.scalar_math import convert

        return convert(self, dtype)

    def _unknown(self, wanted: str) -> InstructionError:
        return InstructionError(
            f"expected {wanted} that is known when the script is transpiled, but got {describe(self)}",
            "annotate the parameter as int for a constant, or use an expression that takes run-time values",
        )

    def __bool__(self) -> bool:
        raise InstructionError(
            "expected a condition that is known when the script is transpiled, but got a value of run time",
            "use if, while, and, or, not in the script itself or in its methods; Python functions take constants here",
        )

    def __int__(self) -> int:
        raise self._unknown("an int")

    def __index__(self) -> int:
        raise self._unknown("an int")

    def __float__(self) -> float:
        raise self._unknown("a float")

    def __iter__(self):
        raise InstructionError(f"expected a list or a tuple, but got {describe(self)}", "use range(n) for a count")

    def __hash__(self) -> int:
        return id(self) >> 4

    def __repr__(self) -> str:
        return f"<{self.dtype.name} of run time>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise InstructionError(
            f"expected a tile or an object with '.{name}', but got {describe(self)}", "scalars have operators and .to(dtype)"
        )

    # -- operators

    def __add__(self, other: Any) -> Any:
        return binary("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return binary("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return binary("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return binary("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return binary("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return binary("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return binary("div", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return binary("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return binary("floordiv", other, self)

    def __mod__(self, other: Any) -> Any:
        return binary("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return binary("mod", other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any) -> Any:
        return binary("pow", self, other)

    def __rpow__(self, other: Any) -> Any:
        return binary("pow", other, self)

    def __and__(self, other: Any) -> Any:
        return binary("and", self, other)

    def __rand__(self, other: Any) -> Any:
        return binary("and", other, self)

    def __or__(self, other: Any) -> Any:
        return binary("or", self, other)

    def __ror__(self, other: Any) -> Any:
        return binary("or", other, self)

    def __xor__(self, other: Any) -> Any:
        return binary("xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return binary("xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return binary("shl", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return binary("shl", other, self)

    def __rshift__(self, other: Any) -> Any:
        return binary("shr", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return binary("shr", other, self)

    def __lt__(self, other: Any) -> Any:
        return compare("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return compare("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return compare("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return compare("ge", self, other)

    def __eq__(self, other: Any) -> Any:
        return compare("eq", self, other)

    def __ne__(self, other: Any) -> Any:
        return compare("ne", self, other)

    def __neg__(self) -> Any:
        from tilus.lang.scalar_math import negate

        return negate(self)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        from tilus.lang.scalar_math import invert

        return invert(self)

    def __abs__(self) -> Any:
        from tilus.lang.scalar_math import absolute

        return absolute(self)


class Constant(Scalar):
    """A number of a stated type that is known when the script is transpiled, as `int8(3)` makes.

    `number` is the Python number. Operators between constants and numbers give constants.
    """

    __slots__ = ("number",)

    def __init__(self, number: Any, dtype: DataType):
        number = number.number if isinstance(number, Constant) else number
        super().__init__(None, dtype, number >= 0)
        self.number = fit(number, dtype)

    @property
    def value(self) -> Any:
        return current_builder().constant(self.number, self.dtype)

    def ssa_parts(self) -> list:
        return []

    def is_same(self, other: Any) -> bool:
        return isinstance(other, Constant) and self.dtype is other.dtype and self.number == other.number

    def __bool__(self) -> bool:
        return bool(self.number)

    def __int__(self) -> int:
        return int(self.number)

    def __index__(self) -> int:
        if not self.dtype.is_integer():
            raise TypeError(f"expected an integer, but got a {self.dtype.name}")
        return int(self.number)

    def __float__(self) -> float:
        return float(self.number)

    def __hash__(self) -> int:
        return hash(self.number)

    def __reduce__(self):
        return Constant, (self.number, self.dtype)

    def __repr__(self) -> str:
        return f"{self.dtype.name}({self.number})"


class Pointer(Scalar):
    """An address in global memory: a parameter, moved by `offset` elements (None, or an integer scalar)."""

    __slots__ = ("offset",)

    def __init__(self, value: Any, dtype: PointerType, offset: Optional[Scalar] = None):
        super().__init__(value, dtype)
        self.offset = offset

    def ssa_parts(self) -> list:
        return [self._value] if self.offset is None else [self._value, as_scalar(self.offset).value]

    def with_parts(self, parts: list) -> Pointer:
        return Pointer(parts[0], self.dtype, Scalar(parts[1], self.offset.dtype) if len(parts) > 1 else None)

    def is_same(self, other: Any) -> bool:
        return (
            isinstance(other, Pointer)
            and self._value == other._value
            and (self.offset is other.offset or (self.offset is not None and self.offset.is_same(other.offset)))
        )

    def moved(self, offset: Any) -> Pointer:
        """The pointer moved by a number of elements."""
        total = as_scalar(offset) if self.offset is None else as_scalar(self.offset + offset)
        return Pointer(self._value, self.dtype, total)


# -- numbers and scalars as one another


def host_number(value: Any) -> Optional[Number]:
    """The Python number of a value that is one: bool, int, float, numpy's scalars. None for anything else."""
    if isinstance(value, (int, float)):
        return value
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
        return value.item()
    return None


def is_scalar(value: Any) -> bool:
    """Whether a value is a scalar of a script or a Python number."""
    return isinstance(value, Scalar) or host_number(value) is not None


def type_of(value: Any) -> Union[DataType, PointerType]:
    """The data type that a scalar or a Python number has in an expression."""
    if isinstance(value, Scalar):
        return value.dtype
    if isinstance(value, bool):
        return boolean
    if isinstance(value, float):
        return float32
    low, high = int32.limits
    if low <= value <= high:
        return int32
    return int64 if value <= int64.limits[1] else uint64


def fit(number: Number, dtype: DataType) -> Number:
    """A Python number as one of a type. Floats beyond the range become its ends with a warning; integers raise."""
    if dtype.is_boolean():
        return bool(number)
    low, high = dtype.limits
    if dtype.is_integer():
        if isinstance(number, float) and math.isfinite(number):
            if not number.is_integer():
                _warn(f"the float {number} is truncated to be a constant of {dtype.name}")
            number = math.trunc(number)
        return int(check_number(number, dtype))
    try:
        number = float(number)
    except OverflowError:
        return check_number(number, dtype)
    if not low <= number <= high and number == number and number not in (float("inf"), float("-inf")):
        end = high if number > 0 else low
        _warn(f"the constant {number} is beyond {dtype.name}, and becomes {end}")
        return end
    return number


def _warn(message: str) -> None:
    """A warning at the script's line, if one is transpiled."""
    place = current_builder().place if has_builder() else None
    if place is None:
        warnings.warn(message, stacklevel=4)
    else:
        warnings.warn_explicit(message, UserWarning, place.file, place.line)


def as_scalar(value: Any, dtype: Optional[DataType] = None) -> Scalar:
    """A scalar or a Python number as a scalar, of the type if one is given. A number becomes a constant of the type."""
    if isinstance(value, Scalar):
        return value if dtype is None or value.dtype is dtype else value.to(dtype)
    number = host_number(value)
    if number is None:
        raise InstructionError(f"expected a number, but got {describe(value)}")
    return Constant(number, type_of(number) if dtype is None else dtype)


def describe(value: Any) -> str:
    """What a value is, for messages."""
    if isinstance(value, Constant):
        return repr(value)
    if isinstance(value, Pointer):
        return f"a pointer of type {value.dtype.name}"
    if isinstance(value, Scalar):
        return f"{'an' if value.dtype.name[0] == 'i' else 'a'} {value.dtype.name} of run time"
    if isinstance(value, int):
        return brief(value)
    if value is None or isinstance(value, (float, str)):
        return repr(value)
    return f"a {type(value).__name__}"


# -- operators


def binary(operator: str, a: Any, b: Any) -> Any:
    """An arithmetic or bitwise operator on two scalars; NotImplemented if one is something else."""
    for value in (a, b):
        if not isinstance(value, Scalar) and host_number(value) is None:
            return NotImplemented
    from tilus.lang import scalar_math

    if isinstance(a, Pointer) or isinstance(b, Pointer):
        return _pointer_arithmetic(operator, a, b)
    if not type(a) is Scalar and not type(b) is Scalar:
        return scalar_math.fold(operator, as_scalar(a), as_scalar(b))
    return scalar_math.arithmetic(operator, a, b)


def common_type(a: Any, b: Any) -> DataType:
    """The type of an expression of two scalars."""
    left, right = type_of(a), type_of(b)
    # A number that is not negative is no reason to read 64 unsigned bits as signed.
    if left is uint64 and type(b) is int and b >= 0 or right is uint64 and type(a) is int and a >= 0:
        return uint64
    return promote_type(left, right)


def compare(operator: str, a: Any, b: Any) -> Any:
    """A comparison of two scalars: a boolean scalar, or a Python bool of two constants."""
    for value in (a, b):
        if not isinstance(value, Scalar) and host_number(value) is None:
            if value is None and operator in ("eq", "ne"):
                return operator == "ne"
            return NotImplemented
    if isinstance(a, Pointer) or isinstance(b, Pointer):
        raise InstructionError("expected numbers to compare, but got a pointer", "compare the offsets")
    if not type(a) is Scalar and not type(b) is Scalar:
        from tilus.lang.scalar_math import fold_comparison

        return fold_comparison(operator, as_scalar(a).number, as_scalar(b).number)
    builder = current_builder()
    a, b = _without_sign_fix(operator, a, b), _without_sign_fix(operator, b, a)
    dtype = common_type(a, b)
    if dtype.is_float():
        name, predicate = "arith.cmpf", _CMPF[operator]
    else:
        name, predicate = "arith.cmpi", _CMPI[operator]
        if predicate > 1 and not dtype.is_signed():
            predicate += 4
    operands = (as_scalar(a, dtype).value, as_scalar(b, dtype).value)
    value = builder.emit(name, operands, builder.type(boolean), {"predicate": f"{predicate} : i64"})
    return Scalar(value, boolean, True)


def _without_sign_fix(operator: str, a: Any, other: Any) -> Any:
    # `x % c` is zero in Python's sense exactly if the remainder is, which analyses know better.
    if operator in ("eq", "ne") and type(a) is Scalar and type(other) is int and other == 0:
        remainder = signs.remainder_of(a)
        return a if remainder is None else Scalar(remainder, a.dtype)
    return a


def _pointer_arithmetic(operator: str, a: Any, b: Any) -> Pointer:
    if isinstance(b, Pointer) and not isinstance(a, Pointer) and operator == "add":
        a, b = b, a
    if not isinstance(a, Pointer) or isinstance(b, Pointer) or operator not in ("add", "sub"):
        raise InstructionError(
            f"expected a pointer plus or minus an integer, but got {describe(a)} and {describe(b)}",
            "index what a pointer points to through self.global_view",
        )
    if not type_of(b).is_integer():
        raise InstructionError(
            f"expected an integer to move a pointer by, but got {describe(b)}", "convert it with .to(int64)"
        )
    return a.moved(-b if operator == "sub" else b)
