# Arguments of calls that the native module does not read by itself, and what is wrong with those that do not suit.
#
# Owns how arrays of other libraries are seen: an address, an element type as DLPack codes it, a device, sizes and strides.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays, numbers and streams of other libraries."""

from __future__ import annotations

import operator
import sys
from typing import Any, NamedTuple, NoReturn, Optional

# DLPack's codes of element types, by the names that numpy, torch and ml_dtypes give the types.
_CODES = {
    "bool": (6, 8), "bfloat16": (4, 16), "float8_e4m3fn": (10, 8), "float8_e5m2": (12, 8), "float4_e2m1fn": (17, 4),
    **{f"int{bits}": (0, bits) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (1, bits) for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (2, bits) for bits in (16, 32, 64)},
    **{f"complex{bits}": (5, bits) for bits in (64, 128)},
}  # fmt: skip
_NAMES = {code: name for name, code in _CODES.items()}
CPU, CUDA = 1, 2
POINTER, CONSTANT, INTEGER, FLOAT = 3, 0, 1, 2


class Array(NamedTuple):
    """An array: `strides` in elements, or None if it is contiguous."""

    address: int
    code: int
    bits: int
    device_type: int
    device: int
    shape: tuple
    strides: Optional[tuple]

    @property
    def type_name(self) -> str:
        return _NAMES.get((self.code, self.bits), f"elements of {self.bits} bits")


# -- what is accepted


def accepted_elements(base: Any) -> tuple:
    """The bits (0 for any) and the mask of codes of the arrays that a pointer to a type takes."""
    from tilus import dtypes

    ints = 1 << 0 | 1 << 1
    if base.is_subbyte():
        own = _CODES.get("float4_e2m1fn")[0] if base is dtypes.float4_e2m1 else 0
        return (8, ints | 1 << own)
    if base.is_boolean():
        return (8, ints | 1 << 6)
    if base.is_integer():
        return (base.nbits, ints | (1 << 6 if base.nbits == 8 else 0))
    if base is dtypes.bfloat16:
        return (16, 1 << 4)
    if base is dtypes.float8_e4m3:
        return (8, ints | 1 << 10)
    if base is dtypes.float8_e5m2:
        return (8, ints | 1 << 12)
    return (base.nbits, 1 << 2)


# -- arrays


def _code_of(dtype_name: str) -> Optional[tuple]:
    return _CODES.get(dtype_name.rpartition(".")[2])


def _describe_torch(tensor: Any) -> Optional[Array]:
    code = _code_of(str(tensor.dtype))
    kind = {"cuda": CUDA, "cpu": CPU}.get(tensor.device.type)
    if code is None or kind is None:
        return None
    strides = None if tensor.is_contiguous() else tuple(tensor.stride())
    return Array(tensor.data_ptr(), *code, kind, tensor.device.index or 0, tuple(tensor.shape), strides)


def _describe_numpy(array: Any) -> Optional[Array]:
    code = _code_of(array.dtype.name)
    if code is None or not array.dtype.isnative:
        return None
    strides = None if array.flags.c_contiguous else _in_elements(array.strides, array.dtype.itemsize)
    return Array(array.__array_interface__["data"][0], *code, CPU, 0, tuple(array.shape), strides)


def _in_elements(strides: Any, size: int) -> tuple:
    # A stride of part of an element is not dense, which is all that matters.
    return tuple(stride // size if stride % size == 0 else -1 for stride in strides)


def _describe_interface(array: Any) -> Optional[Array]:
    interface = array.__cuda_array_interface__
    order, kind, size = interface["typestr"][0], interface["typestr"][1], int(interface["typestr"][2:])
    word = {"f": "float", "i": "int", "u": "uint", "c": "complex", "b": "bool"}.get(kind)
    code = _CODES.get(word if word == "bool" else f"{word}{size * 8}")
    if code is None or order == ">":
        return None
    strides = interface.get("strides")
    device = getattr(getattr(array, "device", None), "id", None)
    if device is None:
        from tilus.target import current_device

        device = current_device()
    return Array(interface["data"][0], *code, CUDA, device, tuple(interface["shape"]),
                 None if strides is None else _in_elements(strides, size))  # fmt: skip


def _describe_host_tensor(tensor: Any) -> Optional[Array]:
    storage = describe(tensor.storage)
    if storage is None:
        return None
    code = _CODES.get({"float8_e4m3": "float8_e4m3fn"}.get(tensor.dtype.name, tensor.dtype.name))
    if code is None:
        return storage
    shape = tuple(tensor.shape)
    return Array(storage.address, *code, storage.device_type, storage.device, shape, None)


def describe(obj: Any) -> Optional[Array]:
    """What an object is as an array; None if it is none, or has elements that kernels do not take."""
    from tilus._native import runtime

    library = type(obj).__module__.partition(".")[0]
    if library == "tilus" and hasattr(obj, "storage"):
        return _describe_host_tensor(obj)
    viewed = runtime.view_tensor(obj)
    if viewed is not None:
        return Array(*viewed)
    if library == "numpy":
        return _describe_numpy(obj) if hasattr(obj, "__array_interface__") and hasattr(obj, "flags") else None
    if hasattr(obj, "data_ptr") and hasattr(obj, "is_contiguous"):
        return _describe_torch(obj)
    if hasattr(obj, "__cuda_array_interface__"):
        return _describe_interface(obj)
    if hasattr(obj, "__dlpack__") and hasattr(obj, "__dlpack_device__"):
        on_cuda = obj.__dlpack_device__()[0] == CUDA
        return Array(*runtime.view_capsule(obj.__dlpack__(stream=-1) if on_cuda else obj.__dlpack__()))
    return None


def find_stream(obj: Any, device: int) -> int:
    """The current stream, on a device, of the library that an array comes from; 0 for the default stream."""
    library = type(obj).__module__.partition(".")[0]
    if library == "tilus":
        return find_stream(obj.storage, device)
    if hasattr(obj, "data_ptr") and "torch" in sys.modules:
        return sys.modules["torch"].cuda.current_stream(device).cuda_stream
    if library == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    if hasattr(obj, "__cuda_array_interface__"):
        return obj.__cuda_array_interface__.get("stream") or 0
    return 0


def stream_handle(stream: Any) -> int:
    """The driver's handle of a stream: an integer, or an object of torch, cupy or numba."""
    for name in ("cuda_stream", "ptr", "handle"):
        value = getattr(stream, name, None)
        if value is not None:
            return int(getattr(value, "value", value) or 0)
    try:
        return operator.index(stream)
    except TypeError:
        raise TypeError(f"expected a CUDA stream or its handle, but got {_show(stream)}") from None


# -- numbers


def to_number(obj: Any) -> Any:
    """A number of Python's own types that an object stands for, such as one of numpy's; None if it is no number."""
    if isinstance(obj, str):
        return str(obj)
    if type(obj).__name__ in ("bool", "bool_") and hasattr(obj, "item"):
        return bool(obj)
    if isinstance(obj, float):
        return float(obj)
    try:
        return operator.index(obj)
    except TypeError:
        pass
    dtype = getattr(obj, "dtype", None)
    if getattr(obj, "shape", None) == () and dtype is not None and "float" in str(dtype):
        return float(obj)
    return None


# -- errors


def _show(obj: Any) -> str:
    text = repr(obj)
    kind = type(obj).__name__
    return kind if obj is None or len(text) > 40 or "\n" in text else f"{text} ({kind})"


def refuse(name: str, kind: int, obj: Any, expected: str) -> NoReturn:
    """Raises what is wrong with an argument. `expected` is the parameter's type in words."""
    if kind != POINTER:
        number = to_number(obj)
        if kind == INTEGER and isinstance(number, int):
            raise ValueError(f"expected a value of {expected} for parameter '{name}', but got {number}")
        raise TypeError(f"expected {_article(expected)} for parameter '{name}', but got {_show(obj)}")
    array = describe(obj)
    if array is None:
        raise TypeError(f"expected an array for parameter '{name}: {expected}', but got {_show(obj)}")
    if array.device_type not in (CPU, CUDA, 3, 13):
        raise TypeError(f"expected an array of a GPU or of the host for parameter '{name}', but got one of another device")
    if array.strides is not None and not _is_dense(array):
        raise ValueError(
            f"expected a contiguous array for parameter '{name}', but got shape {list(array.shape)} with strides "
            f"{list(array.strides)}; make it contiguous"
        )
    raise TypeError(f"expected elements of {expected.lstrip('~')} for parameter '{name}', but got {array.type_name}")


def _article(expected: str) -> str:
    return ("an " if expected[0] in "aeiou" else "a ") + expected


def _is_dense(array: Array) -> bool:
    count = 1
    for size, stride in zip(reversed(array.shape), reversed(array.strides)):
        if size != 1 and stride != count:
            return 0 in array.shape
        count *= size
    return True
