# What the instruction groups share: checks of arguments, and results that go to a given tile.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Base of the instruction groups."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from tilus.dtypes import DataType
from tilus.lang.errors import InstructionError
from tilus.lang.memory_tensors import GlobalTensor, SharedTensor
from tilus.lang.scalars import Constant, Scalar, describe
from tilus.lang.tensors import RegisterTensor


class InstructionGroup:
    """Instructions of one kind; its methods run while a script is transpiled."""


_KINDS = {RegisterTensor: "register tile", SharedTensor: "shared tile", GlobalTensor: "global tensor"}


def check_tensor(x: Any, kind: type, what: str) -> Any:
    """The argument, which must be a tensor of the kind."""
    if isinstance(x, kind):
        return x
    got = f"a {_KINDS[type(x)]}" if type(x) in _KINDS else describe(x)
    advice = {
        (RegisterTensor, SharedTensor): "load it with load_shared first",
        (RegisterTensor, GlobalTensor): "load it with load_global first",
        (SharedTensor, RegisterTensor): "store it to a shared tile first",
    }.get((kind, type(x)))
    raise InstructionError(f"expected a {_KINDS[kind]} as {what}, but got {got}", advice)


def check_tile(x: Any, what: str) -> RegisterTensor:
    return check_tensor(x, RegisterTensor, what)


def check_dtype(dtype: Any, what: str = "dtype") -> DataType:
    if isinstance(dtype, DataType):
        return dtype
    raise InstructionError(f"expected a data type such as float16 as {what}, but got {describe(dtype)}")


def check_same_dtype(x: Any, dtype: DataType, what: str) -> None:
    if x.dtype is not dtype:
        raise InstructionError(f"expected {what} of {dtype.name}, but got {x.dtype.name}", f"convert it with .to({dtype.name})")


def check_constant(x: Any, what: str) -> int:
    """An integer that is known at compile time."""
    if isinstance(x, Constant) and x.dtype.is_integer():
        return int(x)
    if isinstance(x, bool) or not isinstance(x, int):
        got = "a value of run time" if isinstance(x, Scalar) else describe(x)
        raise InstructionError(f"expected an integer known at compile time as {what}, but got {got}")
    return x


def check_choice(x: Any, choices: Sequence[str], what: str) -> int:
    """The place of a word in a list."""
    if x not in choices:
        words = ", ".join(f"'{choice}'" for choice in choices)
        raise InstructionError(f"expected one of {words} as {what}, but got {x!r}")
    return list(choices).index(x)


def finish(value: Any, dtype: DataType, out: Optional[RegisterTensor]) -> RegisterTensor:
    """The result as a new tile, or stored into `out`, which must have its type and shape."""
    if out is None:
        return RegisterTensor(value, dtype)
    check_tile(out, "out")
    shape = tuple(value.type.shape)
    if out.dtype is not dtype or out.shape != shape:
        raise InstructionError(f"expected out of {dtype.name}{list(shape)}, but got {out.dtype.name}{list(out.shape)}")
    out._store(value)
    return out
