# Layouts that scripts pin: as attributes of types, and on values that exist already.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pinning of layouts."""

from __future__ import annotations

from typing import Any

from tilus.lang.builder import current_builder
from tilus.lang.emit import emit, shared_type, tile_type
from tilus.lang.errors import InstructionError
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


def pin_tile(tile: RegisterTensor, layout: Any) -> None:
    """Pins the layout of a tile's current value, for the uses that it already has too."""
    _check_shape(tile, layout)
    _check_threads(layout)
    if tile.layout is not None and tile.layout != layout:
        raise InstructionError("expected one layout for a tile, but got another one before", "make a new tile for the other layout")
    attribute = layout_attribute(layout)
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
