# Host tensors of any data type, the packed ones included.
#
# Owns the class and the functions that make tensors. Storage is a torch tensor of bytes where torch is there, else a
# numpy array; what elements mean is in codes.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of any data type on the host's side of kernels, such as int4b and float6_e3m2."""

from __future__ import annotations

import math
import sys
from typing import Any, Optional, Sequence, Union

from tilus.dtypes import DataType, dtype_from_numpy, dtype_from_torch, dtype_to_numpy, dtype_to_torch, float32, int32


def _get_torch() -> Any:
    """torch if it is installed, else None."""
    if "torch" in sys.modules:
        return sys.modules["torch"]
    try:
        import torch
    except ImportError:
        return None
    return torch


def _is_torch(storage: Any) -> bool:
    return type(storage).__module__.partition(".")[0] == "torch"


def _product(shape: Sequence[int]) -> int:
    """The number of elements."""
    count = math.prod(shape)
    if any(size < 0 for size in shape) or count >= 1 << 60:
        raise ValueError(f"expected sizes of at least 0 and fewer than 2**60 elements, but got a shape of {list(shape)}")
    return count


class Tensor:
    """A tensor of any data type: `dtype`, `shape`, and `storage`, the packed row-major elements.

    Element i has the bits from i * width on of the little-endian string of bits that the storage is.
    """

    def __init__(self, dtype: DataType, shape: Sequence[int], storage: Any):
        self.dtype = dtype
        self.shape = tuple(int(size) for size in shape)
        self.storage = storage

    # -- what it is

    @property
    def size(self) -> int:
        """The number of elements."""
        return _product(self.shape)

    @property
    def device(self) -> str:
        """Where the storage is, as in "cuda:0" or "cpu"."""
        return str(self.storage.device) if _is_torch(self.storage) else "cpu"

    def data_ptr(self) -> int:
        """The address of the storage."""
        return self.storage.data_ptr() if _is_torch(self.storage) else self.storage.ctypes.data

    def _interface(self) -> dict:
        """The storage as an array: of the type's own elements where numpy has it, else of bytes."""
        try:
            import numpy as np

            name, shape = np.dtype(dtype_to_numpy(self.dtype)).str, self.shape
        except TypeError:
            from tilus.codes import count_bytes

            name, shape = "|u1", (count_bytes(self.dtype, self.size),)
        return {"shape": shape, "typestr": name, "data": (self.data_ptr(), False), "strides": None, "version": 3}

    @property
    def __cuda_array_interface__(self) -> dict:
        if not self.device.startswith("cuda"):
            raise AttributeError("a tensor in the host's memory has no __cuda_array_interface__")
        return self._interface()

    @property
    def __array_interface__(self) -> dict:
        if self.device != "cpu":
            raise AttributeError("a tensor in a device's memory has no __array_interface__")
        return self._interface()

    # -- conversion

    def _codes(self) -> Any:
        from tilus import codes

        storage = self.storage
        if _is_torch(storage):
            torch = _get_torch()
            storage = storage.detach().contiguous().reshape(-1).view(torch.uint8).cpu().numpy()
        return codes.unpack(storage, self.dtype, self.size)

    def numpy(self) -> Any:
        """The values as a numpy array: of the same type where numpy has it, else float32 or int64."""
        from tilus import codes

        values = codes.decode(self._codes(), self.dtype).reshape(self.shape)
        try:
            return values.astype(dtype_to_numpy(self.dtype))
        except TypeError:
            return values.copy()

    def torch(self) -> Any:
        """The storage as a torch tensor of the same type; a ValueError if torch has no such type."""
        torch = _get_torch()
        if torch is None:
            raise ValueError("expected torch for Tensor.torch(), but it is not installed; use numpy()")
        try:
            torch_dtype = dtype_to_torch(self.dtype)
        except TypeError as error:
            raise ValueError(f"expected a type that torch has, but got {self.dtype.name}; convert with to(…)") from error
        storage = self.storage if _is_torch(self.storage) else torch.from_numpy(self.storage)
        return storage.contiguous().reshape(-1).view(torch_dtype).reshape(self.shape)

    def to(self, dtype: DataType) -> Tensor:
        """The values in another type, rounded once, on the same device."""
        if dtype is self.dtype:
            return self
        from tilus import codes

        values = codes.decode(self._codes(), self.dtype)
        return _make(codes.encode(values, dtype), self.shape, dtype, self.device)

    def view(self, *, dtype: Optional[DataType] = None, shape: Optional[Sequence[int]] = None) -> Tensor:
        """The same bits as elements of another type or in another shape; only the last size may be left to infer."""
        dtype = dtype or self.dtype
        if shape is None:
            last = (self.shape[-1] if self.shape else 1) * self.dtype.nbits
            if last % dtype.nbits:
                raise ValueError(
                    f"expected rows of whole elements of {dtype.name}, but got rows of {last} bits; give a shape"
                )
            shape = (*self.shape[:-1], last // dtype.nbits)
        if _product(shape) * dtype.nbits != self.size * self.dtype.nbits:
            raise ValueError(
                f"expected as many bits as {self.dtype.name}{list(self.shape)} has, but got {dtype.name}{list(shape)}"
            )
        return Tensor(dtype, shape, self.storage)

    def clone(self) -> Tensor:
        """A copy with storage of its own."""
        return Tensor(self.dtype, self.shape, self.storage.clone() if _is_torch(self.storage) else self.storage.copy())

    def __setitem__(self, key: Any, value: Any) -> None:
        """Writes numbers, arrays or tensors, which are converted, to a part of the tensor."""
        from tilus import codes

        if isinstance(value, Tensor):
            value = value.numpy()
        elif _is_torch(value):
            value = value.detach().cpu().numpy()
        import numpy as np

        all_codes = self._codes().reshape(self.shape).copy()
        all_codes[key] = codes.encode(np.asarray(value), self.dtype)
        packed = codes.pack(all_codes, self.dtype)
        if _is_torch(self.storage):
            torch = _get_torch()
            flat = self.storage.view(-1).view(torch.uint8)
            flat.copy_(torch.from_numpy(packed).to(flat.device))
        else:
            self.storage.reshape(-1).view(np.uint8)[:] = packed

    def __str__(self) -> str:
        return f"{self.dtype.name}{list(self.shape)}:\n{self.numpy()}"

    def __repr__(self) -> str:
        return f"Tensor(dtype={self.dtype.name}, shape={list(self.shape)}, device={self.device})"


def _default_device() -> str:
    torch = _get_torch()
    return "cuda" if torch is not None and torch.cuda.is_available() else "cpu"


def _store(data: Any, device: str) -> Any:
    """Bytes of numpy as storage on a device."""
    torch = _get_torch()
    if torch is not None:
        return torch.from_numpy(data).to(device)
    if device != "cpu":
        raise ValueError(f"expected torch for a tensor on '{device}', but it is not installed")
    return data


def _make(codes_array: Any, shape: Sequence[int], dtype: DataType, device: Optional[str]) -> Tensor:
    from tilus import codes

    packed = codes.pack(codes_array, dtype)
    if not packed.flags.writeable:
        packed = packed.copy()
    return Tensor(dtype, shape, _store(packed, device or _default_device()))


def _from_values(values: Any, shape: Sequence[int], dtype: DataType, device: Optional[str]) -> Tensor:
    from tilus import codes

    return _make(codes.encode(values, dtype), shape, dtype, device)


def from_torch(torch_tensor: Any) -> Tensor:
    """A tensor on the storage of a torch tensor, which must be contiguous."""
    if not torch_tensor.is_contiguous():
        raise ValueError("expected a contiguous tensor, but got strides " + str(tuple(torch_tensor.stride())))
    return Tensor(dtype_from_torch(torch_tensor.dtype), torch_tensor.shape, torch_tensor)


def from_numpy(array: Any) -> Tensor:
    """A tensor on the memory of a numpy array, which must be contiguous."""
    if not array.flags.c_contiguous:
        raise ValueError("expected a contiguous array, but got strides " + str(array.strides))
    return Tensor(dtype_from_numpy(array.dtype), array.shape, array)


def view_torch(torch_tensor: Any, *, dtype: DataType, shape: Sequence[int]) -> Tensor:
    """The bytes of a torch tensor as packed elements of another type."""
    from tilus.codes import count_bytes

    if count_bytes(dtype, _product(shape)) != torch_tensor.nbytes:
        raise ValueError(
            f"expected {count_bytes(dtype, _product(shape))} bytes for {dtype.name}{list(shape)}, but got "
            f"{torch_tensor.nbytes}"
        )
    return Tensor(dtype, shape, torch_tensor)


def empty(shape: Sequence[int], dtype: DataType = float32, device: Optional[str] = None) -> Tensor:
    """A tensor without defined values."""
    return zeros(shape, dtype, device)


def zeros(shape: Sequence[int], dtype: DataType = float32, device: Optional[str] = None) -> Tensor:
    """A tensor of zeros."""
    import numpy as np

    from tilus.codes import count_bytes

    data = np.zeros(count_bytes(dtype, _product(shape)), np.uint8)
    return Tensor(dtype, shape, _store(data, device or _default_device()))


def ones(shape: Sequence[int], dtype: DataType = float32, device: Optional[str] = None) -> Tensor:
    """A tensor of ones."""
    return full(shape, 1, dtype, device)


def full(
    shape: Sequence[int], fill_value: Union[float, int], dtype: DataType = float32, device: Optional[str] = None
) -> Tensor:
    """A tensor of one value, rounded to the type."""
    import numpy as np

    return _from_values(np.full(_product(shape), fill_value), shape, dtype, device)


def rand(shape: Sequence[int], dtype: DataType = float32, device: Optional[str] = None) -> Tensor:
    """A tensor of values spread evenly over [0, 1), rounded to the type."""
    torch, count = _get_torch(), _product(shape)
    if torch is not None:
        return _from_values(torch.rand(count).numpy(), shape, dtype, device)
    import numpy as np

    return _from_values(np.random.random_sample(count).astype(np.float32), shape, dtype, device)


def randn(shape: Sequence[int], dtype: DataType = float32, device: Optional[str] = None) -> Tensor:
    """A tensor of normally distributed values, rounded to the type."""
    torch, count = _get_torch(), _product(shape)
    if torch is not None:
        return _from_values(torch.randn(count).numpy(), shape, dtype, device)
    import numpy as np

    return _from_values(np.random.standard_normal(count).astype(np.float32), shape, dtype, device)


def randint(
    low: int, high: int, shape: Sequence[int], dtype: DataType = int32, device: Optional[str] = None
) -> Tensor:
    """A tensor of integers from `low` on and below `high`."""
    torch, count = _get_torch(), _product(shape)
    if torch is not None:
        return _from_values(torch.randint(low, high, (count,)).numpy(), shape, dtype, device)
    import numpy as np

    return _from_values(np.random.randint(low, high, count, dtype=np.int64), shape, dtype, device)
