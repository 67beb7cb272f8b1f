# Instructions that change shapes, layouts and readings of register tiles.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, views and repetition of register tiles."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Union

from tilus.dtypes import DataType
from tilus.lang import tile_ops
from tilus.lang.emit import emit, tile_type
from tilus.lang.errors import InstructionError
from tilus.lang.instructions.base import InstructionGroup, check_dtype, check_tile, finish
from tilus.lang.layouts import PendingView, layout_attribute, layout_shape, view_registers
from tilus.lang.tensors import RegisterTensor


class ShapeInstructions(InstructionGroup):
    """Instructions that give the elements of a tile other places."""

    def reshape(self, tensor: RegisterTensor, shape: Sequence[int]) -> RegisterTensor:
        """The elements in row-major order under another shape; one size may be -1."""
        return check_tile(tensor, "tensor").reshape(shape)

    def flatten(self, x: RegisterTensor) -> RegisterTensor:
        """All elements in one dimension."""
        return check_tile(x, "x").flatten()

    def transpose(self, x: RegisterTensor) -> RegisterTensor:
        """A matrix with rows and columns exchanged."""
        return check_tile(x, "x").transpose()

    def squeeze(self, x: RegisterTensor, *, dim: Union[int, Sequence[int]], out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """Without dimensions of size 1."""
        result = check_tile(x, "x").squeeze(dim)
        return result if out is None else finish(result.value, result.dtype, out)

    def unsqueeze(self, x: RegisterTensor, *, dim: Union[int, Sequence[int]], out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """With dimensions of size 1 at these places of the result."""
        result = check_tile(x, "x").unsqueeze(dim)
        return result if out is None else finish(result.value, result.dtype, out)

    def view(self, x: RegisterTensor, *, layout: Any = None, dtype: Optional[DataType] = None) -> RegisterTensor:
        """The bits that each thread holds, read as another type or in another layout.

        Between types of one width the tile's own layout stays. For other widths, and for another layout, `x` needs a
        layout (annotate_layout, here or later), and each thread must hold equally many bits before and after.
        """
        check_tile(x, "x")
        dtype = x.dtype if dtype is None else check_dtype(dtype)
        if layout is None and dtype.nbits == x.dtype.nbits:
            return x._view(_bitcast(x.value, x.dtype, dtype), dtype)
        if x.layout is None and layout is None:
            raise InstructionError(
                f"expected a tile with a layout to view as {dtype.name}, but got one without",
                "give it one first with self.annotate_layout(x, layout)",
            )
        target = x.layout if layout is None else layout
        if x.layout is None:
            value = emit("builtin.unrealized_conversion_cast", [x.value], tile_type(dtype, layout_shape(target)))
            PendingView(x, value.owner, target, dtype)
        else:
            value = view_registers(x.value, x, layout_attribute(x.layout), target, dtype)
        return x._view(value, dtype)

    def repeat(self, x: RegisterTensor, repeats: Sequence[int], *, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """The tile laid end to end so many times along each dimension: repeating [1, 2] twice gives [1, 2, 1, 2]."""
        return _repeat(x, repeats, out, is_interleaved=False)

    def repeat_interleave(self, x: RegisterTensor, repeats: Sequence[int], *, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """Each element so many times along each dimension: repeating [1, 2] twice gives [1, 1, 2, 2]."""
        return _repeat(x, repeats, out, is_interleaved=True)


def _bitcast(value: Any, source: DataType, target: DataType) -> Any:
    if source.mlir == target.mlir:
        return value
    if "!" in source.mlir + target.mlir or source.is_boolean() or target.is_boolean():
        raise InstructionError(f"expected types whose bits can be read as each other, but got {source.name} and {target.name}")
    return emit("arith.bitcast", [value], tile_type(target, value.type.shape))


def _repeat(x: Any, repeats: Any, out: Optional[RegisterTensor], is_interleaved: bool) -> RegisterTensor:
    check_tile(x, "x")
    counts = tile_ops.check_shape(repeats, "repeats")
    rank = max(len(counts), x.ndim)
    shape = [1] * (rank - x.ndim) + list(x.shape)
    value = x.reshape(shape).value
    for dim, count in enumerate(counts, rank - len(counts)):
        if count == 1:
            continue
        before, size, behind = math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :])
        # A dimension that counts the copies: behind the repeated one to interleave, before it to lay end to end.
        single = [before, size, 1, behind] if is_interleaved else [before, 1, size, behind]
        wide = [before, size, count, behind] if is_interleaved else [before, count, size, behind]
        shape[dim] = size * count
        value = emit("tilus.reshape", [value], tile_type(x.dtype, single))
        value = emit("tilus.broadcast", [value], tile_type(x.dtype, wide))
        value = emit("tilus.reshape", [value], tile_type(x.dtype, shape))
    return finish(value, x.dtype, out)
