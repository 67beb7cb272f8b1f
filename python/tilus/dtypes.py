# Data types of scalars and elements: names, widths, limits, promotion.
#
# Owns the types that scripts name (`float16`, `~float32`, `int32(x)`), what they are in MLIR, numpy and torch, and the
# type of an expression of two of them. Values of these types are in lang/scalars.py, host tensors elsewhere.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data types of scalars, elements and pointers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Union

_FLOAT, _SIGNED, _UNSIGNED, _BOOL = "float", "signed integer", "unsigned integer", "boolean"


@dataclass(frozen=True)
class FloatInfo:
    """Limits of a float type."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DataType


@dataclass(frozen=True)
class IntInfo:
    """Limits of an integer type."""

    bits: int
    max: int
    min: int
    dtype: DataType


class DataType:
    """Type of a scalar or of a tile's elements.

    `dtype(value)` makes a constant of the type, or converts a scalar or a tile of a script to it; `~dtype` is the type
    of a pointer to elements of the type. There is one object for each type.
    """

    __slots__ = (
        "name", "short_name", "nbits", "kind", "mlir", "exponent_nbits", "mantissa_nbits", "limits", "_constants",
    )  # fmt: skip

    def __init__(self, name: str, short_name: str, nbits: int, kind: str, mlir: str, exponent: int = 0, mantissa: int = 0):
        self.name = name
        self.short_name = short_name
        self.nbits = nbits
        self.kind = kind
        self.mlir = mlir
        self.exponent_nbits = exponent
        self.mantissa_nbits = mantissa
        self.limits = self._limits()
        self._constants: dict = {}

    def _limits(self) -> Optional[tuple]:
        if self.kind == _SIGNED:
            return -(1 << (self.nbits - 1)), (1 << (self.nbits - 1)) - 1
        if self.kind == _UNSIGNED:
            return 0, (1 << self.nbits) - 1
        if self.kind == _BOOL:
            return 0, 1
        e, m = self.exponent_nbits, self.mantissa_nbits
        bias = (1 << (e - 1)) - 1
        if self.name == "float8_e4m3":
            top = 448.0  # the code of all ones is NaN, the rest of the top exponent is finite
        elif self.nbits >= 8 or e == 5:
            top = 2.0**bias * (2.0 - 2.0**-m)  # the top exponent is that of infinities
        else:
            top = 2.0 ** (bias + 1) * (2.0 - 2.0**-m)
        return -top, top

    # -- what it is

    def is_float(self) -> bool:
        return self.kind == _FLOAT

    def is_integer(self) -> bool:
        """Whether it is an integer; a boolean is one."""
        return self.kind != _FLOAT

    def is_boolean(self) -> bool:
        return self.kind == _BOOL

    def is_signed(self) -> bool:
        return self.kind == _SIGNED

    def is_unsigned(self) -> bool:
        return self.kind == _UNSIGNED or self.kind == _BOOL

    def is_complex(self) -> bool:
        return False

    def is_vector(self) -> bool:
        return False

    def is_subbyte(self) -> bool:
        return self.nbits < 8

    def is_integer_subbyte(self) -> bool:
        return self.is_integer() and self.is_subbyte()

    def is_float_subbyte(self) -> bool:
        return self.is_float() and self.is_subbyte()

    def is_any_float16(self) -> bool:
        return self.is_float() and self.nbits == 16

    def signedness(self) -> bool:
        """Whether an integer type has negative values."""
        return self.kind == _SIGNED

    def is_data_type(self) -> bool:
        return True

    def is_pointer(self) -> bool:
        return False

    def is_void(self) -> bool:
        return False

    def is_tensor(self) -> bool:
        return False

    # -- widths and limits

    @property
    def nbytes(self) -> int:
        """Bytes of one element; a TypeError for types that are packed."""
        if self.is_subbyte():
            raise TypeError(f"expected a type of whole bytes, but got {self.name} of {self.nbits} bits; use nbits")
        return self.nbits // 8

    @property
    def storage(self) -> DataType:
        """The type of the bytes that hold elements: uint8 for packed types."""
        return uint8 if self.is_subbyte() else self

    @property
    def min_value(self) -> Any:
        return self.constant(self._limit(0))

    @property
    def max_value(self) -> Any:
        return self.constant(self._limit(1))

    def _limit(self, end: int) -> Union[int, float]:
        if self.is_boolean():
            raise ValueError(f"expected a type with limits, but got {self.name}")
        return self.limits[end]

    @property
    def one(self) -> Any:
        return self.constant(1)

    @property
    def zero(self) -> Any:
        return self.constant(0)

    @property
    def true(self) -> Any:
        return self.constant(True)

    @property
    def false(self) -> Any:
        return self.constant(False)

    def finfo(self) -> FloatInfo:
        if not self.is_float():
            raise TypeError(f"expected a float type, but got {self.name}")
        bias = (1 << (self.exponent_nbits - 1)) - 1
        low, high = self.limits
        return FloatInfo(self.nbits, 2.0**-self.mantissa_nbits, high, low, 2.0 ** (1 - bias), self)

    def iinfo(self) -> IntInfo:
        if not self.is_integer() or self.is_boolean():
            raise TypeError(f"expected an integer type, but got {self.name}")
        return IntInfo(self.nbits, self.limits[1], self.limits[0], self)

    # -- values

    def constant(self, value: Any) -> Any:
        """A constant of the type. Floats out of range become the largest finite value of their sign with a warning;
        integers out of range raise."""
        from tilus.lang.scalars import Constant

        key = (type(value), value) if value == value and value != 0 else None  # not NaN, nor a zero, which has a sign
        made = self._constants.get(key) if key is not None else None
        if made is None:
            made = Constant(value, self)
            if key is not None and len(self._constants) < 256:
                self._constants[key] = made
        return made

    def __call__(self, value: Any) -> Any:
        if isinstance(value, (bool, int, float)):
            return self.constant(value)
        convert = getattr(value, "to", None)
        if convert is None:
            raise TypeError(f"expected a number, a scalar or a tile for {self.name}(…), but got {type(value).__name__}")
        return convert(self)

    def __invert__(self) -> PointerType:
        return pointer_to(self)

    def __reduce__(self):
        return data_type, (self.name,)

    def __copy__(self) -> DataType:
        return self

    def __deepcopy__(self, memo: dict) -> DataType:
        return self

    def __repr__(self) -> str:
        return self.name


class PointerType:
    """Type of a pointer to elements in global memory; `~float32` makes one. There is one object for each type."""

    __slots__ = ("base_type",)

    def __init__(self, base_type: DataType):
        self.base_type = base_type

    @property
    def mlir(self) -> str:
        return f"!tilus.ptr<{self.base_type.mlir}>"

    @property
    def name(self) -> str:
        return f"~{self.base_type.name}"

    nbits = 64
    nbytes = 8

    def is_pointer(self) -> bool:
        return True

    def is_data_type(self) -> bool:
        return False

    def is_void(self) -> bool:
        return False

    def is_tensor(self) -> bool:
        return False

    def __call__(self, value: Any) -> Any:
        convert = getattr(value, "to", None)
        if convert is None:
            raise TypeError(f"expected a pointer for {self.name}(…), but got {type(value).__name__}")
        return convert(self)

    def __invert__(self) -> PointerType:
        raise TypeError(f"expected a pointer to elements, but got a pointer to {self.name}; pass an array of offsets instead")

    def __reduce__(self):
        return pointer_to, (self.base_type,)

    def __copy__(self) -> PointerType:
        return self

    def __deepcopy__(self, memo: dict) -> PointerType:
        return self

    def __repr__(self) -> str:
        return self.name


def _float(name: str, short: str, nbits: int, mlir: str, exponent: int, mantissa: int) -> DataType:
    return DataType(name, short, nbits, _FLOAT, mlir, exponent, mantissa)


def _low_float(nbits: int, e: int, m: int) -> DataType:
    # The formats that MLIR has keep its names; the rest are the dialect's own.
    return _float(f"float{nbits}_e{e}m{m}", f"f{nbits}e{e}m{m}", nbits, f"!tilus.float<{e}, {m}>", e, m)


f64 = float64 = _float("float64", "f64", 64, "f64", 11, 52)
f32 = float32 = _float("float32", "f32", 32, "f32", 8, 23)
tf32 = tfloat32 = _float("tfloat32", "tf32", 32, "tf32", 8, 10)
bf16 = bfloat16 = _float("bfloat16", "bf16", 16, "bf16", 8, 7)
f16 = float16 = _float("float16", "f16", 16, "f16", 5, 10)
f8e5m2 = float8_e5m2 = _float("float8_e5m2", "f8e5m2", 8, "f8E5M2", 5, 2)
f8e4m3 = float8_e4m3 = _float("float8_e4m3", "f8e4m3", 8, "f8E4M3FN", 4, 3)
f7e5m1 = float7_e5m1 = _low_float(7, 5, 1)
f7e4m2 = float7_e4m2 = _low_float(7, 4, 2)
f7e3m3 = float7_e3m3 = _low_float(7, 3, 3)
f7e2m4 = float7_e2m4 = _low_float(7, 2, 4)
f6e4m1 = float6_e4m1 = _low_float(6, 4, 1)
f6e3m2 = float6_e3m2 = _float("float6_e3m2", "f6e3m2", 6, "f6E3M2FN", 3, 2)
f6e2m3 = float6_e2m3 = _float("float6_e2m3", "f6e2m3", 6, "f6E2M3FN", 2, 3)
f5e3m1 = float5_e3m1 = _low_float(5, 3, 1)
f5e2m2 = float5_e2m2 = _low_float(5, 2, 2)
f5e1m3 = float5_e1m3 = _low_float(5, 1, 3)
f4e2m1 = float4_e2m1 = _float("float4_e2m1", "f4e2m1", 4, "f4E2M1FN", 2, 1)
f4e1m2 = float4_e1m2 = _low_float(4, 1, 2)
f3e1m1 = float3_e1m1 = _low_float(3, 1, 1)

i64 = int64 = DataType("int64", "i64", 64, _SIGNED, "i64")
i32 = int32 = DataType("int32", "i32", 32, _SIGNED, "i32")
i16 = int16 = DataType("int16", "i16", 16, _SIGNED, "i16")
i8 = int8 = DataType("int8", "i8", 8, _SIGNED, "i8")
u64 = uint64 = DataType("uint64", "u64", 64, _UNSIGNED, "i64")
u32 = uint32 = DataType("uint32", "u32", 32, _UNSIGNED, "i32")
u16 = uint16 = DataType("uint16", "u16", 16, _UNSIGNED, "i16")
u8 = uint8 = DataType("uint8", "u8", 8, _UNSIGNED, "i8")
i7 = int7b = DataType("int7b", "i7", 7, _SIGNED, "i7")
i6 = int6b = DataType("int6b", "i6", 6, _SIGNED, "i6")
i5 = int5b = DataType("int5b", "i5", 5, _SIGNED, "i5")
i4 = int4b = DataType("int4b", "i4", 4, _SIGNED, "i4")
i3 = int3b = DataType("int3b", "i3", 3, _SIGNED, "i3")
i2 = int2b = DataType("int2b", "i2", 2, _SIGNED, "i2")
i1 = int1b = DataType("int1b", "i1", 1, _SIGNED, "!tilus.bit")
u7 = uint7b = DataType("uint7b", "u7", 7, _UNSIGNED, "i7")
u6 = uint6b = DataType("uint6b", "u6", 6, _UNSIGNED, "i6")
u5 = uint5b = DataType("uint5b", "u5", 5, _UNSIGNED, "i5")
u4 = uint4b = DataType("uint4b", "u4", 4, _UNSIGNED, "i4")
u3 = uint3b = DataType("uint3b", "u3", 3, _UNSIGNED, "i3")
u2 = uint2b = DataType("uint2b", "u2", 2, _UNSIGNED, "i2")
u1 = uint1b = DataType("uint1b", "u1", 1, _UNSIGNED, "!tilus.bit")
boolean = DataType("bool", "bool", 8, _BOOL, "i1")

TYPES: tuple = tuple(dict.fromkeys(t for t in list(globals().values()) if isinstance(t, DataType)))
name2dtype: dict = {t.name: t for t in TYPES}
sname2dtype: dict = {t.short_name: t for t in TYPES}
_pointers: dict = {t: PointerType(t) for t in TYPES}
void_p: PointerType = PointerType(uint8)

default_int_dtype, default_index_dtype, default_float_dtype = int32, int64, float32


def data_type(name: Union[str, DataType]) -> DataType:
    """The type of a name, long (`float16`) or short (`f16`)."""
    if isinstance(name, DataType):
        return name
    found = name2dtype.get(name) or sname2dtype.get(name) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"expected the name of a data type such as 'float16' or 'i32', but got {name!r}")
    return found


def pointer_to(dtype: DataType) -> PointerType:
    """The type of a pointer to elements of a type."""
    return _pointers[dtype]


def iinfo(dtype: Union[str, DataType], /) -> IntInfo:
    """Limits of an integer type."""
    return data_type(dtype).iinfo()


def finfo(dtype: Union[str, DataType], /) -> FloatInfo:
    """Limits of a float type."""
    return data_type(dtype).finfo()


# -- promotion


def _fits(small: DataType, large: DataType) -> bool:
    return large.limits[0] <= small.limits[0] and small.limits[1] <= large.limits[1]


def _promote_integers(a: DataType, b: DataType) -> DataType:
    if a.is_boolean() or b.is_boolean():
        return b if a.is_boolean() else a
    if a.kind == b.kind:
        return a if a.nbits >= b.nbits else b
    # Of different signs: the narrowest signed type that holds both, at most 64 bits.
    for candidate in (a, b, int8, int16, int32, int64):
        if candidate.is_signed() and candidate.nbits <= 64 and _fits(a, candidate) and _fits(b, candidate):
            return candidate
    return int64


_FLOAT_RANK = {f16: 0, bf16: 1, tf32: 2, f32: 3, f64: 4}
_promoted: dict = {}


def promote_type(a: DataType, b: DataType) -> DataType:
    """The type of an arithmetic expression of two scalars.

    A float wins over integers; of floats of 16 bits and more the wider (bf16 of f16 and bf16); of integers the wider,
    and of integers of different signs the signed type that holds the values of both, 64 bits at most. Floats below 16
    bits combine only with themselves. The order of the two does not matter.
    """
    if a is b:
        return a
    result = _promoted.get((a, b))
    if result is None:
        if a.is_integer() and b.is_integer():
            result = _promote_integers(a, b)
        elif a.is_integer() or b.is_integer():
            result = b if a.is_integer() else a
        elif a in _FLOAT_RANK and b in _FLOAT_RANK:
            result = max(a, b, key=_FLOAT_RANK.__getitem__)
        else:
            raise TypeError(f"expected types that combine, but got {a.name} and {b.name}; convert one of them with .to(…)")
        _promoted[a, b] = result
    return result


# -- numpy and torch

_NUMPY = {
    "bool": boolean, "int8": int8, "int16": int16, "int32": int32, "int64": int64, "uint8": uint8, "uint16": uint16,
    "uint32": uint32, "uint64": uint64, "float16": float16, "float32": float32, "float64": float64,
}  # fmt: skip
_TORCH = dict(_NUMPY, bfloat16=bfloat16, float8_e4m3fn=float8_e4m3, float8_e5m2=float8_e5m2)
_TO_NUMPY = {t: n for n, t in _NUMPY.items()}
_TO_TORCH = {t: n for n, t in _TORCH.items()}


def dtype_to_numpy(dtype: DataType) -> Any:
    """numpy's type of the same values; a TypeError if numpy has none."""
    import numpy

    if dtype not in _TO_NUMPY:
        raise TypeError(f"expected a type that numpy has, but got {dtype.name}")
    return numpy.dtype(_TO_NUMPY[dtype]).type


def dtype_from_numpy(dtype: Any) -> DataType:
    """The type of a numpy type."""
    import numpy

    name = numpy.dtype(dtype).name
    if name not in _NUMPY:
        raise TypeError(f"expected a numpy type that kernels take, but got {name}")
    return _NUMPY[name]


def dtype_to_torch(dtype: DataType) -> Any:
    """torch's type of the same values; a TypeError if torch has none."""
    import torch

    name = _TO_TORCH.get(dtype)
    if name is None or not hasattr(torch, name):
        raise TypeError(f"expected a type that torch has, but got {dtype.name}")
    return getattr(torch, name)


def dtype_from_torch(dtype: Any) -> DataType:
    """The type of a torch type."""
    name = str(dtype).rpartition(".")[2]
    if name not in _TORCH:
        raise TypeError(f"expected a torch type that kernels take, but got {name}")
    return _TORCH[name]
