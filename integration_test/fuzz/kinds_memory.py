# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of global memory, shared tiles, loads, stores and asynchronous copies."""

import math

import numpy as np

from kinds_tensor import arrow_text
from program import KINDS, Kind, Memory, SharedTile, View, spread
from values import Value, require

# Views


def offsets_text(printer, values):
    return f"[{printer.typed_names(values)}]"


def global_view_text(printer, step):
    base, sizes = step.operands[0], step.operands[1 : 1 + step.attrs["sizes"]]
    strides = step.operands[1 + step.attrs["sizes"] :]
    text = f"tilus.global_view {printer.name(base)}"
    text += f" {offsets_text(printer, sizes)}" if sizes else ""
    text += f" strides {offsets_text(printer, strides)}" if strides else ""
    return f"{text} : {printer.type(base)} -> {step.results[0][1]}"


def _fill(machine, static, dynamic):
    """Static extents, with the operands where they are dynamic, in each block."""
    operands = iter(dynamic)
    return [machine.scalar(next(operands)) if extent < 0 else np.full(machine.blocks, extent) for extent in static]


def run_global_view(machine, step, memory, *operands):
    type_ = step.results[0][1]
    count = step.attrs["sizes"]
    sizes = _fill(machine, type_.shape, operands[:count])
    if type_.strides is not None:
        strides = _fill(machine, type_.strides, operands[count:])
    else:
        strides, stride = [], np.ones(machine.blocks, np.int64)
        for size in reversed(sizes):
            strides.insert(0, stride)
            stride = stride * size
    return [View(memory, np.zeros(machine.blocks, np.int64), sizes, strides)]


def slice_view_text(printer, step):
    return (f"{step.kind} {printer.name(step.operands[0])}{offsets_text(printer, step.operands[1:])} dims "
            f"{step.attrs['dims']} : {printer.type(step.operands[0])} -> {step.results[0][1]}")


def run_slice_global(machine, step, view, *offsets):
    dims = step.attrs["dims"]
    base = view.base + sum(machine.scalar(offset) * view.strides[dim] for dim, offset in zip(dims, offsets))
    kept = [dim for dim in range(len(view.sizes)) if dim not in dims]
    return [View(view.memory, base, [view.sizes[d] for d in kept], [view.strides[d] for d in kept])]


def run_alloc_global(machine, step, *sizes):
    shape = _fill(machine, step.results[0][1].shape, sizes)
    require(np.all([np.all(size == size[0]) for size in shape]))
    count = math.prod(int(size[0]) for size in shape)
    element = step.results[0][1].element
    memory = Memory(element, np.zeros(count, np.float64 if element.is_float else np.int64), np.zeros(count),
                    np.full(count, step.attrs["clean"]))
    strides = [np.full(machine.blocks, math.prod(int(s[0]) for s in shape[d + 1 :])) for d in range(len(shape))]
    return [View(memory, np.zeros(machine.blocks, np.int64), shape, strides)]


def alloc_global_text(printer, step):
    clean = " clean" if step.attrs["clean"] else ""
    return f"tilus.alloc_global {offsets_text(printer, step.operands)}{clean} : {step.results[0][1]}"


# Accesses


def places_in_view(machine, view, shape, offsets, dims):
    """The place of each element of a tile in each block, and whether it lies within the view."""
    rank, view_rank = len(shape), len(view.sizes)
    dims = list(range(view_rank - rank, view_rank)) if dims is None else dims
    place, inside = spread(view.base, rank), np.ones((machine.blocks,) + shape, bool)
    for dim in range(view_rank):
        index = spread(machine.scalar(offsets[dim]), rank)
        if dim in dims:
            position = [1] * (rank + 1)
            position[1 + dims.index(dim)] = -1
            index = index + np.arange(shape[dims.index(dim)]).reshape(position)
        inside = inside & (index >= 0) & (index < spread(view.sizes[dim], rank))
        place = place + index * spread(view.strides[dim], rank)
    place = np.broadcast_to(place, inside.shape)
    require((place >= 0)[inside] & (place < len(view.memory.data))[inside])
    return np.where(inside, place, 0), inside


def _read_global(machine, view, type_, offsets, dims):
    place, inside = places_in_view(machine, view, type_.shape, offsets, dims)
    memory = view.memory
    if memory.defined is not None:
        require((memory.defined[place] | ~inside)[machine.active])
    return Value(type_, np.where(inside, memory.data[place], 0), np.where(inside, memory.error[place], 0.0))


def _write(machine, memory, place, inside, value):
    """Stores where a block is active. Elements that several blocks store differently have no one value."""
    mask = inside & spread(machine.active, inside.ndim - 1)
    places, data, error = place[mask], value.data[mask], value.bound[mask]
    memory.data[places], memory.error[places] = data, error
    same = (memory.data[places] == data) | (memory.data[places] != memory.data[places])
    require(same & (memory.error[places] == error))
    if memory.defined is not None:
        memory.defined[places] = True


def access_text(printer, step):
    count = step.attrs["tiles"]
    values, offsets = step.operands[:count], step.operands[count:]
    view = values[-1] if step.kind == "tilus.store_global" else values[0]
    names = {"tilus.store_global": f"{printer.names(values)}{offsets_text(printer, offsets)}"}.get(
        step.kind, f"{printer.name(view)}{offsets_text(printer, offsets)}{', ' + printer.name(values[1]) if count > 1 else ''}")
    dims = f" dims {step.attrs['dims']}" if step.attrs.get("dims") is not None else ""
    cache = f" cache({step.attrs['cache']})" if step.attrs.get("cache") else ""
    types = ", ".join(printer.type(value) for value in values)
    result = f" -> {step.results[0][1]}" if step.results else ""
    return f"{step.kind} {names}{dims}{cache} : {types}{result}"


def run_load_global(machine, step, view, *offsets):
    return [_read_global(machine, view, step.results[0][1], offsets, step.attrs.get("dims"))]


def run_store_global(machine, step, value, view, *offsets):
    place, inside = places_in_view(machine, view, value.type.shape, offsets, step.attrs.get("dims"))
    _write(machine, view.memory, place, inside, value)


# Shared memory


def run_alloc_shared(machine, step):
    type_ = step.results[0][1]
    shape = (machine.blocks, math.prod(type_.shape))
    data = np.zeros(shape, np.float64 if type_.element.is_float else np.int64)
    memory = Memory(type_.element, data, np.zeros(shape), np.zeros(shape, bool))
    places = np.arange(shape[1]).reshape((1,) + type_.shape)
    return [SharedTile(memory, np.broadcast_to(places, (machine.blocks,) + type_.shape))]


def rows_of(machine, places):
    return spread(np.arange(machine.blocks), places.ndim - 1), places


def _write_shared(machine, tile, value):
    mask = np.broadcast_to(spread(machine.active, tile.places.ndim - 1), tile.places.shape)
    index = tuple(np.broadcast_to(part, mask.shape)[mask] for part in rows_of(machine, tile.places))
    tile.memory.data[index], tile.memory.error[index] = value.data[mask], value.bound[mask]
    tile.memory.defined[index] = True


def run_store_shared(machine, step, value, tile):
    _write_shared(machine, tile, value)


def run_load_shared(machine, step, tile):
    index = rows_of(machine, tile.places)
    require(tile.memory.defined[index][machine.active])
    return [Value(step.results[0][1], tile.memory.data[index], tile.memory.error[index])]


def run_slice_shared(machine, step, tile, *offsets):
    places, shape = tile.places, tile.places.shape[1:]
    dims = step.attrs["dims"]
    for dim, offset in sorted(zip(dims, offsets), reverse=True):
        index = machine.scalar(offset)
        require(((index >= 0) & (index < shape[dim]))[machine.active])
        index = spread(np.where(machine.active, index, 0), places.ndim - 1)
        places = np.take_along_axis(places, np.broadcast_to(index, places.shape[: dim + 1] + (1,) +
                                                            places.shape[dim + 2 :]), dim + 1)
    kept = tuple(size for dim, size in enumerate(shape) if dim not in dims)
    return [SharedTile(tile.memory, places.reshape((machine.blocks,) + kept))]


def run_reshape_shared(machine, step, tile):
    return [SharedTile(tile.memory, tile.places.reshape((machine.blocks,) + step.results[0][1].shape))]


def run_permute_shared(machine, step, tile):
    order = [0] + [dim + 1 for dim in step.attrs["permutation"]]
    return [SharedTile(tile.memory, tile.places.transpose(order))]


def run_copy_async(machine, step, view, tile, *offsets):
    """Evaluated where it is issued: whether it was waited for is the reference's to check."""
    type_ = step.attrs["type"]
    _write_shared(machine, tile, _read_global(machine, view, type_, offsets, step.attrs.get("dims")))


def register():
    def plain(printer, step):
        return step.kind

    KINDS["tilus.global_view"] = Kind(global_view_text, run_global_view)
    KINDS["tilus.slice_global"] = Kind(slice_view_text, run_slice_global)
    KINDS["tilus.alloc_global"] = Kind(alloc_global_text, run_alloc_global)
    KINDS["tilus.load_global"] = Kind(access_text, run_load_global)
    KINDS["tilus.store_global"] = Kind(access_text, run_store_global, True)
    KINDS["tilus.alloc_shared"] = Kind(lambda p, s: f"tilus.alloc_shared : {s.results[0][1]}", run_alloc_shared)
    KINDS["tilus.free_shared"] = Kind(lambda p, s: f"tilus.free_shared {p.name(s.operands[0])} : "
                                      f"{p.type(s.operands[0])}", lambda *_: None, True)
    KINDS["tilus.slice_shared"] = Kind(slice_view_text, run_slice_shared)
    KINDS["tilus.reshape_shared"] = Kind(arrow_text, run_reshape_shared)
    KINDS["tilus.permute_shared"] = Kind(lambda p, s: arrow_text(p, s, f" {s.attrs['permutation']}"),
                                         run_permute_shared)
    KINDS["tilus.store_shared"] = Kind(lambda p, s: f"tilus.store_shared {p.names(s.operands)} : "
                                       f"{p.type(s.operands[0])}, {p.type(s.operands[1])}", run_store_shared, True)
    KINDS["tilus.load_shared"] = Kind(arrow_text, run_load_shared)
    KINDS["tilus.copy_async"] = Kind(access_text, run_copy_async, True)
    KINDS["tilus.copy_async.wait_group"] = Kind(lambda p, s: f"{s.kind} {s.attrs['pending']}", lambda *_: None, True)
    for name in ("tilus.sync", "tilus.copy_async.commit_group", "tilus.copy_async.wait_all"):
        KINDS[name] = Kind(plain, lambda *_: None, True)


register()
