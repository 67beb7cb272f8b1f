# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic updates and scattered stores, in global and shared memory."""

import numpy as np

from element_types import as_unsigned, wrap_int
from kinds_memory import offsets_text, places_in_view, rows_of
from program import KINDS, Kind, SharedTile, spread
from values import Value, require, require_exact

ATOMICS = {
    "add": np.add, "sub": np.subtract, "max": np.maximum, "min": np.minimum, "umax": np.maximum, "umin": np.minimum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}


def _update(element, kind, old, value, compare=None):
    if kind == "exch":
        return value
    if kind == "cas":
        return np.where(old == compare, value, old)
    if kind in ("umax", "umin"):
        result = ATOMICS[kind](as_unsigned(element, old), as_unsigned(element, value)).view(np.int64)
    else:
        result = ATOMICS[kind](old, value)
    return wrap_int(element, result)


def _update_all(memory, index, kind, value, mask, compare=None):
    """Applies elements one after the other, in row-major order, as places may repeat; gives the values before."""
    old = np.zeros(value.data.shape, np.int64)
    for number in np.argwhere(mask):
        number = tuple(number)
        place = tuple(np.broadcast_to(part, mask.shape)[number] for part in index)
        before = memory.data[place]
        old[number] = before
        memory.data[place] = _update(memory.element, kind, before, value.data[number],
                                     None if compare is None else compare.data[number])
    return old


def atomic_text(printer, step):
    counts = step.attrs["offsets"]
    dest, offsets, tiles = step.operands[0], step.operands[1 : 1 + counts], step.operands[1 + counts :]
    place = offsets_text(printer, offsets) if offsets else ""
    compare = f" compare({printer.name(tiles[1])} : {printer.type(tiles[1])})" if len(tiles) > 1 else ""
    result = f" -> {step.results[0][1]}" if step.results else ""
    return (f"tilus.atomic {step.attrs['kind']}, {printer.name(dest)}{place}, {printer.name(tiles[0])}{compare} : "
            f"{printer.type(dest)}, {printer.type(tiles[0])}{result}")


def run_atomic(machine, step, dest, *operands):
    offsets, tiles = operands[: step.attrs["offsets"]], operands[step.attrs["offsets"] :]
    require_exact(*tiles)
    if isinstance(dest, SharedTile):
        index, inside = rows_of(machine, dest.places), np.ones(tiles[0].data.shape, bool)
        require(dest.memory.defined[index][machine.active])
    else:
        place, inside = places_in_view(machine, dest, tiles[0].type.shape, offsets, None)
        index = (place,)
    mask = inside & spread(machine.active, inside.ndim - 1)
    old = _update_all(dest.memory, index, step.attrs["kind"], tiles[0], mask, *tiles[1:])
    return [Value(tiles[0].type, old)] if step.results else None


def scatter_text(printer, step):
    kind = f"{step.attrs['kind']}, " if "kind" in step.attrs else ""
    dest, indices, value = step.operands
    types = ", ".join(printer.type(operand) for operand in step.operands)
    return (f"{step.kind} {kind}{printer.name(dest)} dim({step.attrs['dim']}), {printer.name(indices)}, "
            f"{printer.name(value)} : {types}")


def scatter_index(machine, step, dest, indices, value):
    """The place of each element in the memory, as an index of its array, and whether the element is written."""
    rank, dim = len(value.type.shape), step.attrs["dim"]
    coordinates = [indices.data if axis == dim else np.broadcast_to(
        np.indices(value.type.shape)[axis], value.data.shape) for axis in range(rank)]
    if isinstance(dest, SharedTile):
        sizes, strides = [spread(np.full(machine.blocks, size), rank) for size in dest.places.shape[1:]], None
    else:
        sizes, strides = [spread(size, rank) for size in dest.sizes], [spread(s, rank) for s in dest.strides]
    inside = np.ones(value.data.shape, bool)
    for axis in range(rank):
        inside = inside & (coordinates[axis] >= 0) & (coordinates[axis] < sizes[axis])
    coordinates = [np.where(inside, coordinate, 0) for coordinate in coordinates]
    mask = inside & spread(machine.active, rank)
    if strides is None:
        rows = spread(np.arange(machine.blocks), rank)
        return (np.broadcast_to(rows, inside.shape), dest.places[(rows, *coordinates)]), mask
    place = spread(dest.base, rank) + sum(c * s for c, s in zip(coordinates, strides))
    require((place >= 0)[inside] & (place < len(dest.memory.data))[inside])
    return (np.where(inside, place, 0),), mask


def run_scatter(machine, step, dest, indices, value):
    require_exact(indices, value)
    index, mask = scatter_index(machine, step, dest, indices, value)
    if step.kind == "tilus.atomic_scatter":
        _update_all(dest.memory, index, step.attrs["kind"], value, mask)
        return
    places = tuple(np.broadcast_to(part, mask.shape)[mask] for part in index)
    # Where indices repeat, any of the values may stay.
    require(len(np.unique(np.stack(places), axis=1).T) == len(places[0]))
    dest.memory.data[places], dest.memory.error[places] = value.data[mask], value.bound[mask]
    if dest.memory.defined is not None:
        dest.memory.defined[places] = True


def register():
    KINDS["tilus.atomic"] = Kind(atomic_text, run_atomic, True)
    KINDS["tilus.atomic_scatter"] = Kind(scatter_text, run_scatter, True)
    KINDS["tilus.store_scatter"] = Kind(scatter_text, run_scatter, True)


register()
