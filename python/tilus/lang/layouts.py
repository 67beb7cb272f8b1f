# Layouts that scripts pin: as attributes of types, and on values that exist already.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pinning of layouts."""

from __future__ import annotations

from typing import Any

from tilus.dtypes import DataType
from tilus.lang.builder import current_builder
from tilus.lang.emit import emit, shared_type, tile_type
from tilus.lang.errors import InstructionError, TilusProgramError
from tilus.lang.memory_tensors import SharedTensor
from tilus.lang.tensors import RegisterTensor


def layout_attribute(layout: Any) -> Any:
    """The attribute of a layout."""
    convert = getattr(layout, "to_attribute", None)
    if convert is None:
        raise InstructionError(f"expected a layout, but got {type(layout).__name__}", "make one with tilus.ir.layout")
    return convert(current_builder().context)


def layout_shape(layout: Any) -> tuple:
    shape = getattr(layout, "shape", None)
    if shape is None:
        raise InstructionError(f"expected a layout, but got {type(layout).__name__}", "make one with tilus.ir.layout")
    return tuple(int(size) for size in shape)


def _check_shape(tensor: Any, layout: Any) -> None:
    if layout_shape(layout) != tensor.shape:
        raise InstructionError(f"expected a layout of the tensor's shape {tensor.shape}, but got one of {layout_shape(layout)}")


def _check_threads(layout: Any) -> None:
    group = current_builder().group
    threads = getattr(layout, "spatial_size", None)
    if threads is None or group is None or int(threads) == group.count:
        return
    raise InstructionError(f"expected a layout for the {group.count} threads of the current group, but got one for {int(threads)}")


def _operation_behind(value: Any) -> Any:
    """The first operation that may use a value, or None at the end of a block."""
    owner = value.owner
    if value.is_argument:
        operations = list(owner.operations)
        return operations[0] if operations else None
    operations = list(owner.block.operations)
    place = operations.index(owner) + 1
    return operations[place] if place < len(operations) else None


class PendingView:
    """A view of registers whose source has no layout yet: an annotation gives it `attribute`. `operation` stands for
    the view until the kernel is complete."""

    def __init__(self, source: RegisterTensor, operation: Any, layout: Any, dtype: DataType):
        self.source = source
        self.operation = operation
        self.layout = layout
        self.dtype = dtype
        self.attribute: Any = None
        self.place = current_builder().place
        current_builder().unfinished.append(self)

    def settle(self) -> None:
        """Puts the view in the place of the operation that stands for it."""
        if self.attribute is None:
            raise TilusProgramError(
                f"expected a tile with a layout to view as {self.dtype.name} in another layout, but got one without",
                self.place,
                "give it one with self.annotate_layout(x, layout)",
            )
        result = view_registers(self.operation.operands[0], self.source, self.attribute, self.layout, self.dtype)
        behind = result.owner
        view = behind.operands[0].owner
        for operation in (view.operands[0].owner, view, behind):
            operation.move_before(self.operation)
        self.operation.results[0].replace_all_uses_with(result)
        self.operation.erase()


def view_registers(value: Any, source: RegisterTensor, attribute: Any, layout: Any, dtype: DataType) -> Any:
    """A value whose layout is the attribute, read as a tile of another layout and type, and free to be spread anew."""
    shape = layout_shape(layout)
    value = emit("tilus.convert_layout", [value], tile_type(source.dtype, source.shape, attribute))
    value = emit("tilus.view", [value], tile_type(dtype, shape, layout_attribute(layout)))
    return emit("tilus.convert_layout", [value], tile_type(dtype, shape))


def pin_tile(tile: RegisterTensor, layout: Any) -> None:
    """Pins the layout of a tile's current value, for the uses that it already has too."""
    _check_shape(tile, layout)
    _check_threads(layout)
    if tile.layout is not None and tile.layout != layout:
        raise InstructionError("expected one layout for a tile, but got another one before", "make a new tile for the other layout")
    attribute = layout_attribute(layout)
    for view in current_builder().unfinished:
        if isinstance(view, PendingView) and view.source is tile and view.attribute is None:
            view.attribute = attribute
    value = tile.value
    builder = current_builder()
    users = value.users
    pinned = emit("tilus.convert_layout", [value], tile_type(tile.dtype, tile.shape, attribute))
    free = emit("tilus.convert_layout", [pinned], tile_type(tile.dtype, tile.shape))
    behind = _operation_behind(value)
    if users and behind is not None and behind != pinned.owner:
        for made in (pinned.owner, free.owner):
            made.move_before(behind)
        value.replace_all_uses_with(free)
        pinned.owner.set_operand(0, value)
    frame = builder.frame
    while frame is not None and tile.cell in frame.values and frame.values[tile.cell] == value:
        frame.values[tile.cell] = free
        frame = frame.parent
    tile.layout = layout


def pin_shared(tensor: SharedTensor, layout: Any) -> None:
    """Pins the layout of a shared tile."""
    _check_shape(tensor, layout)
    if not tensor.is_allocation:
        raise InstructionError("expected a shared tile as shared_tensor gave it, but got a part of one", "annotate the whole tile")
    if tensor.layout is not None and tensor.layout != layout:
        raise InstructionError("expected one layout for a shared tile, but got another one before")
    tensor.value.set_type(shared_type(tensor.dtype, tensor.shape, layout_attribute(layout)))
    tensor.layout = layout
