# Instructions on global and shared memory: views, allocation, loads and stores.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of global memory, shared tiles, loads and stores."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from tilus.dtypes import DataType
from tilus.lang import tile_ops
from tilus.lang.emit import UNIT, emit, global_type, i64, int_list, perform, segments, shared_type, tile_type
from tilus.lang.errors import InstructionError
from tilus.lang.hoisting import Workspace
from tilus.lang.indexing import check_dims, check_offsets
from tilus.lang.instructions.base import (
    InstructionGroup, check_constant, check_dtype, check_same_dtype, check_tensor, check_tile, finish,
)  # fmt: skip
from tilus.lang.memory_tensors import GlobalTensor, SharedTensor, check_sizes, dynamic_values, pointer_value
from tilus.lang.scalars import Scalar
from tilus.lang.tensors import RegisterTensor


class GlobalInstructions(InstructionGroup):
    """Views of global memory and accesses to them. What lies outside a view is read as zero and not written."""

    def global_view(self, ptr: Any, *, dtype: DataType, shape: Sequence[Any], strides: Optional[Sequence[Any]] = None) -> GlobalTensor:
        """A tensor at a pointer; strides are in elements, row-major without them."""
        check_dtype(dtype)
        base = pointer_value(ptr, dtype, "ptr")
        sizes = check_sizes(shape, "shape")
        steps = None if strides is None else check_sizes(strides, "strides")
        if steps is not None and len(steps) != len(sizes):
            raise InstructionError(f"expected as many strides as sizes, {len(sizes)}, but got {len(steps)}")
        type_ = global_type(dtype, _static(sizes), None if steps is None else _static(steps))
        size_values = dynamic_values(sizes, "shape")
        stride_values = dynamic_values(steps or (), "strides")
        counts = segments(1, len(size_values), len(stride_values))
        view = emit("tilus.global_view", [base, *size_values, *stride_values], type_, operandSegmentSizes=counts)
        return GlobalTensor(view, dtype, sizes, steps)

    def global_tensor(self, dtype: DataType, shape: Sequence[Any], *, layout: Any = None, requires_clean: bool) -> GlobalTensor:
        """A workspace that all blocks of a launch share. With `requires_clean` it holds zeros at the start, and the
        kernel must leave zeros behind."""
        check_dtype(dtype)
        if layout is not None:
            raise InstructionError("expected no layout for a workspace, which is row-major, but got one", "take a global_view of it")
        sizes = check_sizes(shape, "shape")
        values = dynamic_values(sizes, "shape")
        attributes = {"clean": UNIT} if requires_clean else {}
        view = emit("tilus.alloc_global", values, global_type(dtype, _static(sizes)), **attributes)
        Workspace(view.owner)
        return GlobalTensor(view, dtype, sizes, None)

    def load_global(
        self, src: GlobalTensor, /, *, offsets: Sequence[Any], shape: Sequence[int],
        dims: Optional[Sequence[int]] = None, out: Optional[RegisterTensor] = None,
    ) -> RegisterTensor:  # fmt: skip
        """A tile of a view from the offsets on. `dims` names the view's dimension of each of the tile's, in any order."""
        check_tensor(src, GlobalTensor, "src")
        shape = tile_ops.check_shape(shape)
        operands, places, is_plain = _access(src, offsets, dims, len(shape), "src")
        attributes = {} if is_plain else {"dims": int_list(places)}
        return finish(emit("tilus.load_global", operands, tile_type(src.dtype, shape), **attributes), src.dtype, out)

    def store_global(self, dst: GlobalTensor, src: RegisterTensor, *, offsets: Sequence[Any], dims: Optional[Sequence[int]] = None) -> None:
        """Stores a tile into a view from the offsets on."""
        check_tensor(dst, GlobalTensor, "dst")
        check_same_dtype(check_tile(src, "src"), dst.dtype, "a tile")
        operands, places, is_plain = _access(dst, offsets, dims, src.ndim, "dst")
        attributes = {} if is_plain else {"dims": int_list(places)}
        perform("tilus.store_global", [src.value, *operands], **attributes)

    def store_global_scatter(self, dst: GlobalTensor, *, dim: int, indices: RegisterTensor, values: RegisterTensor) -> None:
        """Stores each value where its index says along a dimension. Of values for one place any may stay; indices
        outside are skipped."""
        _scatter(check_tensor(dst, GlobalTensor, "dst"), dim, indices, values)


class SharedInstructions(InstructionGroup):
    """Tiles in shared memory. What other threads wrote is seen after sync()."""

    def shared_tensor(self, *, dtype: DataType, shape: Sequence[int]) -> SharedTensor:
        """A tile in shared memory, of undefined content."""
        check_dtype(dtype)
        shape = tile_ops.check_shape(shape)
        return SharedTensor(emit("tilus.alloc_shared", [], shared_type(dtype, shape)), dtype, shape, is_allocation=True)

    def free_shared(self, tensor: SharedTensor) -> None:
        """Ends the life of a shared tile, whose place others may take."""
        check_tensor(tensor, SharedTensor, "tensor")
        if not tensor.is_allocation:
            raise InstructionError("expected a shared tile as shared_tensor gave it, but got a part of one", "free the whole tile")
        perform("tilus.free_shared", [tensor.value])

    def load_shared(self, src: SharedTensor, *, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """The shared tile in registers."""
        check_tensor(src, SharedTensor, "src")
        return finish(emit("tilus.load_shared", [src.value], tile_type(src.dtype, src.shape)), src.dtype, out)

    def store_shared(
        self, dst: SharedTensor, src: RegisterTensor, *, offsets: Optional[Sequence[Any]] = None, dims: Optional[Sequence[int]] = None
    ) -> None:
        """Stores a tile into a shared tile, or into a part of it from the offsets on."""
        check_tensor(dst, SharedTensor, "dst")
        check_same_dtype(check_tile(src, "src"), dst.dtype, "a tile")
        if offsets is not None or dims is not None:
            dst, order = _shared_part(dst, src.shape, offsets, dims)
            dst = dst if order is None else dst.permute(order)
        if dst.shape != src.shape:
            raise InstructionError(f"expected a tile of shape {dst.shape}, but got {src.shape}", "say which part with offsets and dims")
        perform("tilus.store_shared", [src.value, dst.value])

    def reshape_shared(self, tensor: SharedTensor, shape: Sequence[int]) -> SharedTensor:
        """The same elements of shared memory, in row-major order, under another shape."""
        check_tensor(tensor, SharedTensor, "tensor")
        shape = tile_ops.check_shape(shape)
        size = 1
        for extent in shape:
            size *= extent
        if size != tensor.size:
            raise InstructionError(f"expected a shape of {tensor.size} elements, but got {shape} of {size}")
        return SharedTensor(emit("tilus.reshape_shared", [tensor.value], shared_type(tensor.dtype, shape)), tensor.dtype, shape)

    def store_shared_scatter(self, dst: SharedTensor, *, dim: int, indices: RegisterTensor, values: RegisterTensor) -> None:
        """Stores each value where its index says along a dimension. Of values for one place any may stay; indices
        outside are skipped."""
        _scatter(check_tensor(dst, SharedTensor, "dst"), dim, indices, values)


def _static(extents: Sequence[Any]) -> list:
    return [extent if isinstance(extent, int) else None for extent in extents]


def _access(view: GlobalTensor, offsets: Any, dims: Any, tile_rank: int, what: str) -> tuple:
    """The operands and dims of an access, and whether the tile takes all dimensions in order."""
    offsets = check_offsets(offsets, view.ndim, what)
    operands, places = view.access(offsets, check_dims(dims, tile_rank, view.ndim, what))
    return operands, places, places == list(range(len(view.sizes)))


def scatter_operands(dst: Any, dim: int, indices: Any, values: Any) -> tuple:
    """The checked operands of a scatter and its dimension."""
    check_tile(indices, "indices")
    check_same_dtype(check_tile(values, "values"), dst.dtype, "values")
    if indices.dtype.is_float() or indices.dtype.is_boolean():
        raise InstructionError(f"expected integers as indices, but got {indices.dtype.name}")
    if indices.shape != values.shape:
        raise InstructionError(f"expected indices of the shape of values {values.shape}, but got {indices.shape}")
    if values.ndim != dst.ndim:
        raise InstructionError(f"expected values of the rank of dst {dst.ndim}, but got {values.ndim}")
    dim = tile_ops.normalize_dim(dim, dst.ndim)
    for axis, size in enumerate(dst.shape):
        if axis != dim and isinstance(size, int) and size != values.shape[axis]:
            raise InstructionError(f"expected values of the size of dst, {size}, in dimension {axis}, but got {values.shape[axis]}")
    if indices.dtype.is_unsigned() and indices.dtype.nbits < 64:
        indices = indices.to(tile_ops.int64)
    return [dst.value, indices.value, values.value], dim


def _scatter(dst: Any, dim: int, indices: Any, values: Any) -> None:
    operands, dim = scatter_operands(dst, dim, indices, values)
    perform("tilus.store_scatter", operands, dim=i64(dim))


def _shared_part(dst: SharedTensor, shape: tuple, offsets: Any, dims: Any) -> tuple:
    """The part of a shared tile that a tile of this shape takes from the offsets on, and how its dimensions are
    ordered in the tile."""
    offsets = [0] * dst.ndim if offsets is None else check_offsets(offsets, dst.ndim, "dst")
    dims = check_dims(dims, len(shape), dst.ndim, "dst")
    sizes = {dim: size for dim, size in zip(dims, shape)}
    split: list = []  # the shape with each cut dimension as (which piece, place in the piece)
    index: list = []
    for dim, (size, offset) in enumerate(zip(dst.shape, offsets)):
        extent = sizes.get(dim)
        if extent is None:
            split.append(size)
            index.append(offset)
        elif extent == size and _is_zero(offset):
            split.append(size)
            index.append(slice(None))
        else:
            split += [size // extent if size % extent == 0 else 0, extent]
            index += [_piece(offset, extent, size, dim), slice(None)]
    if tuple(split) != dst.shape:
        value = emit("tilus.reshape_shared", [dst.value], shared_type(dst.dtype, split))
        dst = SharedTensor(value, dst.dtype, split)
    ascending = sorted(dims)
    order = None if list(dims) == ascending else [ascending.index(dim) for dim in dims]
    return dst[tuple(index)], order


def _is_zero(offset: Any) -> bool:
    return not isinstance(offset, Scalar) and offset == 0


def _piece(offset: Any, extent: int, size: int, dim: int) -> int:
    """Which piece of a dimension starts at the offset."""
    offset = check_constant(offset, f"the offset in dimension {dim} of a part of a shared tile")
    if size % extent or offset % extent or not 0 <= offset < size:
        raise InstructionError(
            f"expected a part of dimension {dim} of size {size} that is one of its equal pieces, but got {extent} elements from {offset} on",
            "use store_shared_scatter, or give the shared tile a dimension for the pieces",
        )
    return offset // extent
