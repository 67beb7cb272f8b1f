# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proposals that load inputs through views of all kinds, and the stores of a kernel's results."""

import math

import numpy as np

from element_types import round_float
from generator import I32, I64, random_values
from program import SENTINEL, ViewType
from values import Reject, Type

INPUT_ELEMENTS = ("f32", "f32", "f32", "f16", "f16", "bf16", "f64", "i8", "i16", "i32", "i32", "i64", "i1")


def dynamic_operands(g, extents):
    """Static extents with some made dynamic (-1), and the operands for those: parameters or constants."""
    static, operands = [], []
    for extent in extents:
        if g.chance(0.6):
            static.append(extent)
            continue
        static.append(-1)
        kind = g.choose((I32, I32, I64))
        if g.chance(0.3):
            operands.append(g.constant(extent, Type(kind)))
            continue
        operands.append(g.scalar_param(extent, kind))
        if g.chance(0.15):
            g.assume(operands[-1], extent)
    return tuple(static), operands


def make_view(g, pointer, element, sizes, strides):
    """A view with these sizes and strides; dense ones are written without strides at times."""
    dense = [math.prod(sizes[dim + 1 :]) for dim in range(len(sizes))]
    static, operands = dynamic_operands(g, sizes)
    count = len(operands)
    static_strides = None
    if list(strides) != dense or g.chance(0.2):
        static_strides, more = dynamic_operands(g, strides)
        operands = operands + more
    return g.add("tilus.global_view", [pointer] + operands, [ViewType(element, static, static_strides)],
                 visible=False, sizes=count)


def random_strides(g, sizes, is_injective=True):
    """Strides of a layout in memory: the dimensions in some order, with padding at times."""
    order = list(range(len(sizes))) if g.chance(0.5) else [int(dim) for dim in g.rng.permutation(len(sizes))]
    strides, stride = [0] * len(sizes), 1
    for dim in reversed(order):
        strides[dim] = stride if is_injective or g.chance(0.85) else 0
        stride *= sizes[dim]
        if g.chance(0.2):
            stride += g.choose((1, 3, 8, 16))
    return strides, stride


def offset_scalar(g, block, scale, shift):
    """`block * scale + shift`, computed in some integer type."""
    kind = Type(g.choose((I32, I32, I32, I64)))
    number = block
    if kind.element == I64:
        number = g.add("arith.extsi", [number], [kind], visible=False)
    if scale != 1:
        number = g.add("arith.muli", [number, g.constant(scale, kind)], [kind], visible=False)
    if shift:
        number = g.add("arith.addi", [number, g.constant(shift, kind)], [kind], visible=False)
    return number


class Placement:
    """Where a tile lies in a view: the view's sizes, which dimension each of the tile's is, and the offsets."""

    def __init__(self, g, shape, is_output):
        self.shape = shape
        self.rank = g.integer(len(shape), 5) if g.chance(0.5) else min(len(shape) + 1, 5)
        blocks = g.program.blocks
        if blocks > 1 and is_output:
            self.rank = min(len(shape) + 1, 5)
        # The tile's dimensions go to the last ones in order, or anywhere.
        self.dims = list(range(self.rank - len(shape), self.rank))
        self.is_permuted = g.chance(0.3)
        if self.is_permuted:
            self.dims = [int(dim) for dim in g.rng.permutation(self.rank)[: len(shape)]]
        self.sizes, self.offsets = [0] * self.rank, [None] * self.rank
        free = [dim for dim in range(self.rank) if dim not in self.dims]
        block = g.block_number()
        # The block chooses a free dimension, or a part of the tile's first one.
        home = free[0] if free else (self.dims[0] if shape else None)
        for dim in free:
            self._place_free(g, dim, blocks if dim == home else None, block, is_output)
        for number, dim in enumerate(self.dims):
            self._place_tile(g, dim, shape[number], blocks if dim == home else None, block, is_output)

    def _place_free(self, g, dim, blocks, block, is_output):
        if blocks is not None:
            extra = g.integer(0, 2)
            self.sizes[dim], self.offsets[dim] = blocks + extra, offset_scalar(g, block, 1, g.integer(0, extra))
            return
        self.sizes[dim] = g.integer(1, 4)
        last = self.sizes[dim] - 1
        index = g.integer(0, last) if is_output or g.chance(0.9) else g.choose((-1, last + 1))
        self.offsets[dim] = g.constant(index, Type(g.choose((I32, I64))))

    def _place_tile(self, g, dim, size, blocks, block, is_output):
        """The view is larger than the tile, of its size, or ragged: part of the tile lies outside."""
        count = blocks or 1
        change = g.choose((0, 0, 0, 1, 5, 16, -1, -3))
        self.sizes[dim] = max(size * count + change, 1)
        shift = 0 if is_output or g.chance(0.6) else g.choose((-2, -1, 1, 3, 8))
        if blocks is not None:
            self.offsets[dim] = offset_scalar(g, block, size, shift)
        elif g.chance(0.3):
            self.offsets[dim] = g.scalar_param(shift)
        else:
            self.offsets[dim] = g.i32(shift)

    def attributes(self, g):
        natural = list(range(self.rank - len(self.shape), self.rank))
        dims = self.dims if self.dims != natural or g.chance(0.2) else None
        return {"dims": dims, "cache": g.choose((None, None, None, "streaming", "global"))}


def slice_view(g, view, place):
    """Takes an index of a view that the tile does not walk along, before the access."""
    free = [dim for dim in range(place.rank) if dim not in place.dims]
    if not free or not g.chance(0.3):
        return view
    dim = g.choose(free)
    type_ = g.types[view]
    shape = type_.shape[:dim] + type_.shape[dim + 1 :]
    strides = type_.strides
    if strides is None:
        strides = [math.prod(type_.shape[d + 1 :]) if all(s >= 0 for s in type_.shape[d + 1 :]) else -1
                   for d in range(place.rank)]
    strides = tuple(strides[:dim]) + tuple(strides[dim + 1 :])
    # The slice has no check of its own: the index must lie within the view.
    index = g.value(place.offsets[dim]).data
    if np.any((index < 0) | (index >= place.sizes[dim])):
        raise Reject
    view = g.add("tilus.slice_global", [view, place.offsets[dim]], [ViewType(type_.element, shape, strides)],
                 visible=False, dims=[dim])
    place.rank -= 1
    place.sizes.pop(dim)
    place.offsets.pop(dim)
    place.dims = [d - (d > dim) for d in place.dims]
    return view


def input_view(g, element, shape, values=None):
    """A view of a new input that holds a tile of this shape for each block, and its place there."""
    place = Placement(g, shape, is_output=False)
    strides, count = random_strides(g, place.sizes, is_injective=False)
    if count > 1 << 17:
        raise Reject
    pointer = g.pointer(element, random_values(g.rng, element, count) if values is None else values(count))
    view = make_view(g, pointer, element, place.sizes, strides)
    return slice_view(g, view, place), place


def load_input(g, type_, values=None, visible=True):
    """A tile of a new input."""
    view, place = input_view(g, type_.element, type_.shape, values)
    return g.add("tilus.load_global", [view] + place.offsets, [type_], visible=visible, tiles=1,
                 **place.attributes(g))


def propose_load(g):
    """A tile of a new shape, or of the shape of a visible one, so that the two meet."""
    element = g.element(INPUT_ELEMENTS)
    tiles = g.visible(lambda type_: isinstance(type_, Type) and type_.is_tile)
    shape = g.shape() if g.chance(0.2) else g.home
    if tiles and g.chance(0.3):
        shape = g.types[g.choose(tiles)].shape
    load_input(g, Type(element, shape))


def tile_of(g, names, condition=lambda type_: True):
    """A visible tile of one of the element types, or a new input."""
    def fits(type_):
        return isinstance(type_, Type) and type_.is_tile and type_.element.name in names and condition(type_)

    if g.visible(fits) and g.chance(0.8):
        return g.pick(fits)
    type_ = Type(g.element(names), g.home if g.chance(0.5) else g.shape())
    if not condition(type_):
        raise Reject
    return load_input(g, type_)


def propose_scalar_input(g):
    """A scalar parameter, or an element of an input."""
    element = g.element(("i32", "i32", "i64", "f32", "f16", "f64"))
    if g.chance(0.6):
        number = g.integer(-9, 20)
        g.scope.append(g.scalar_param(number if element.is_int else number / 4.0, element))
    else:
        tile = load_input(g, Type(element, ()), visible=False)
        g.add("tilus.extract", [tile], [Type(element)])


def propose_block_query(g):
    name = g.choose(("tilus.block_id", "tilus.grid_dim"))
    g.add(name, [], [Type(I32)], axis=g.choose("xyz"))


def output_buffer(g, element, count):
    sentinel = 1 if element.is_bool else SENTINEL if element.bits >= 8 else 5
    if element.is_float:
        sentinel = float(round_float(element, sentinel))
    return g.pointer(element, np.full(count, sentinel), is_output=True)


def store_result(g, name):
    """Stores a tile or a scalar to an output of its own; blocks write different elements."""
    type_ = g.types[name]
    if not type_.is_tile:
        type_ = Type(type_.element, g.choose(((), (1,), (32,))))
        name = g.add("tilus.broadcast", [name], [type_], visible=False)
    place = Placement(g, type_.shape, is_output=True)
    strides, count = random_strides(g, place.sizes)
    if count > 1 << 17:
        raise Reject
    pointer = output_buffer(g, type_.element, count)
    view = slice_view(g, make_view(g, pointer, type_.element, place.sizes, strides), place)
    g.add("tilus.store_global", [name, view] + place.offsets, tiles=2, **place.attributes(g))


def propose_workspace(g):
    """A trip through a workspace in global memory, each block in a row of its own."""
    a = g.pick_tile(lambda element: element.bits >= 8)
    type_ = g.types[a]
    if len(type_.shape) > 4:
        raise Reject
    shape = (g.program.blocks,) + type_.shape
    # Blocks beyond the first are seen at the host too: the sizes come from parameters alone.
    static = (-1,) + type_.shape if g.chance(0.5) else shape
    sizes = [g.scalar_param(shape[0])] if static[0] < 0 else []
    if len(g.bodies) > 1:
        raise Reject
    view = g.add("tilus.alloc_global", sizes, [ViewType(type_.element, static)], visible=False, clean=False)
    offsets = [g.block_number()] + [g.i32(0) for _ in type_.shape]
    g.add("tilus.store_global", [a, view] + offsets, tiles=2)
    g.add("tilus.sync", [])
    g.add("tilus.load_global", [view] + offsets, [type_], tiles=1)


INPUTS = {propose_load: 4, propose_scalar_input: 1, propose_block_query: 1}
