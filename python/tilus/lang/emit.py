# Operations as the instructions emit them: by name, with attributes as MLIR writes them.
#
# Owns the short forms of attribute texts and of tile types. The insertion point and the caches are the builder's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emission of operations through the current builder."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from tilus.dtypes import DataType
from tilus.lang.builder import current_builder, sizes_text

UNIT = "unit"


def i32(number: int) -> str:
    """An attribute of 32 bits; enumerations of the dialect are such."""
    return f"{number} : i32"


def i64(number: int) -> str:
    return f"{number} : i64"


def int_list(numbers: Sequence[int]) -> str:
    """An array of 64-bit integers: dimensions and permutations."""
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def segments(*sizes: int) -> str:
    """How many operands each group of an operation's operands has."""
    return f"array<i32: {', '.join(map(str, sizes))}>"


def string(text: str) -> Any:
    """A string as an attribute, whatever its characters are."""
    parts = []
    for byte in text.encode():
        printable = 32 <= byte < 127 and chr(byte) not in '"\\'
        parts.append(chr(byte) if printable else f"\\{byte:02X}")
    return f'"{"".join(parts)}"'


def tile_type(dtype: DataType, shape: Sequence[int], layout: Optional[Any] = None) -> Any:
    """The type of a register tile; `layout` is an attribute or its text."""
    builder = current_builder()
    if layout is None:
        return builder.tile_type(shape, dtype)
    return builder.type(f"tensor<{sizes_text(shape)}{dtype.mlir}, {layout}>")


def shared_type(dtype: DataType, shape: Sequence[int], layout: Optional[Any] = None) -> Any:
    """The type of a tile in shared memory."""
    tail = "" if layout is None else f", {layout}"
    return current_builder().type(f"!tilus.shared<{sizes_text(shape)}{dtype.mlir}{tail}>")


def global_type(dtype: DataType, shape: Sequence[Optional[int]], strides: Optional[Sequence[Optional[int]]] = None) -> Any:
    """The type of a view of global memory; None is a size or a stride that is known at run time only."""
    tail = ""
    if strides is not None:
        tail = f", strides = [{', '.join('?' if stride is None else str(stride) for stride in strides)}]"
    return current_builder().type(f"!tilus.global<{sizes_text(shape)}{dtype.mlir}{tail}>")


def constant(number: Any, dtype: DataType) -> Any:
    """A scalar constant."""
    return current_builder().constant(number, dtype)


def emit(name: str, operands: Sequence[Any], result: Any, **attributes: Any) -> Any:
    """Appends an operation of one result, of a type, and gives the value."""
    return current_builder().emit(name, operands, result, attributes)


def contraction(op: str) -> dict:
    """The attributes by which a product and the sum that it goes into may be rounded once, as in CUDA."""
    return {"fastmath": "#arith.fastmath<contract>"} if op in ("add", "sub", "mul") else {}


def perform(name: str, operands: Sequence[Any] = (), **attributes: Any) -> None:
    """Appends an operation without results."""
    current_builder().create(name, operands, attributes)
