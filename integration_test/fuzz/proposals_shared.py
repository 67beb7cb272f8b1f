# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proposals that use shared memory: round trips, stages, asynchronous copies, atomics and scatters."""

import math

from element_types import TYPES
from generator import I32
from program import SharedType, ViewType
from proposals_memory import input_view, load_input, output_buffer, tile_of
from values import Reject, Type

COPIED = ("f32", "f16", "bf16", "f64", "i8", "i32", "i64")
UPDATES = ("add", "sub", "max", "min", "umax", "umin", "and", "or", "xor")


def allocate(g, element, shape):
    if len(shape) > 6:
        raise Reject
    tile = g.add("tilus.alloc_shared", [], [SharedType(element, tuple(shape))], visible=False)
    if len(g.bodies) > 1:
        # In a loop it is the tile that the threads read in the turn before.
        g.add("tilus.sync", [])
    return tile


def slice_stage(g, tile, offset):
    """The sub-tile at an index of the first dimension."""
    type_ = g.types[tile]
    return g.add("tilus.slice_shared", [tile, offset], [SharedType(type_.element, type_.shape[1:])], visible=False,
                 dims=[0])


def change_view(g, tile):
    """The tile as it is, permuted, or reshaped."""
    type_ = g.types[tile]
    choice = g.rng.random()
    if choice < 0.35 and len(type_.shape) > 1:
        order = [int(dim) for dim in g.rng.permutation(len(type_.shape))]
        shape = tuple(type_.shape[dim] for dim in order)
        return g.add("tilus.permute_shared", [tile], [SharedType(type_.element, shape)], visible=False,
                     permutation=order)
    if choice < 0.5 and len(type_.shape) <= 5:
        shape = (math.prod(type_.shape),) if g.chance(0.5) else type_.shape + (1,)
        if len(shape) <= 5:
            return g.add("tilus.reshape_shared", [tile], [SharedType(type_.element, shape)], visible=False)
    return tile


def load_shared(g, tile, visible=True):
    type_ = g.types[tile]
    return g.add("tilus.load_shared", [tile], [Type(type_.element, type_.shape)], visible=visible)


def propose_round_trip(g):
    """Stored, perhaps through a permuted view, and loaded through another one."""
    a = g.pick_tile(lambda element: element.bits >= 8)
    type_ = g.types[a]
    if g.chance(0.3) and len(type_.shape) > 1:
        order = [int(dim) for dim in g.rng.permutation(len(type_.shape))]
        shape = [0] * len(order)
        for dim, source in enumerate(order):
            shape[source] = type_.shape[dim]
        tile = allocate(g, type_.element, shape)
        target = g.add("tilus.permute_shared", [tile], [SharedType(type_.element, type_.shape)], visible=False,
                       permutation=order)
    else:
        tile = target = allocate(g, type_.element, type_.shape)
    g.add("tilus.store_shared", [a, target])
    g.add("tilus.sync", [])
    for _ in range(g.integer(1, 2)):
        load_shared(g, change_view(g, tile))
    if g.chance(0.3):
        g.add("tilus.free_shared", [tile])


def propose_stages(g):
    """Several tiles of one type in the stages of one allocation, loaded one by one or as a whole."""
    a = g.pick_tile(lambda element: element.bits >= 8)
    type_ = g.types[a]
    stages = g.integer(2, 4)
    if len(type_.shape) > 4 or type_.size * stages > g.max_elements:
        raise Reject
    tile = allocate(g, type_.element, (stages,) + type_.shape)
    order = [int(stage) for stage in g.rng.permutation(stages)]
    for stage in order:
        g.add("tilus.store_shared", [g.pick_same(a), slice_stage(g, tile, g.i32(stage))])
        if g.chance(0.2):
            g.add("tilus.sync", [])
    g.add("tilus.sync", [])
    if g.chance(0.5):
        load_shared(g, change_view(g, tile))
    number = g.add("arith.remsi", [g.block_number(), g.i32(stages)], [Type(I32)], visible=False)
    load_shared(g, slice_stage(g, tile, number))


def propose_copy_async(g):
    """One or two tiles copied, in a group or without one, waited for, and loaded."""
    element = g.element(COPIED)
    shape = g.shape(limit=min(g.max_elements, 4096))
    tile = allocate(g, element, shape)
    view, place = input_view(g, element, shape)
    g.add("tilus.copy_async", [view, tile] + place.offsets, tiles=2, type=Type(element, shape),
          **place.attributes(g))
    if g.chance(0.5):
        g.add("tilus.copy_async.commit_group", [])
        g.add("tilus.copy_async.wait_group", [], pending=0)
    else:
        g.add("tilus.copy_async.wait_all", [])
    g.add("tilus.sync", [])
    load_shared(g, change_view(g, tile))


def propose_pipeline(g):
    """A loop that sums or joins tiles of a long input, copied some stages ahead."""
    element = g.element(("f32", "f16", "i32", "i8", "i16"))
    shape = g.shape(rank=g.integer(1, 2), limit=min(g.max_elements, 2048))
    stages, trips = g.integer(2, 4), g.integer(1, 6)
    type_ = Type(element, shape)
    if len(g.bodies) > 1 or math.prod(shape) * stages * element.bits > 8 * 32768:
        raise Reject
    # Small numbers: the sum of halves stays exact.
    count = (trips - g.integer(0, 1)) * shape[0] * math.prod(shape[1:])
    pointer = g.pointer(element, g.rng.integers(-3, 4, max(count, 1)))
    static = (max(count // math.prod(shape[1:]), 1),) + shape[1:]
    view = g.add("tilus.global_view", [pointer], [ViewType(element, static)], visible=False, sizes=0)
    tile = allocate(g, element, (stages,) + shape)
    zeros = [g.i32(0) for _ in shape[1:]]

    def copy(index, stage):
        row = g.add("arith.muli", [index, g.i32(shape[0])], [Type(I32)], visible=False)
        g.add("tilus.copy_async", [view, slice_stage(g, tile, stage), row] + zeros, tiles=2, type=type_)
        g.add("tilus.copy_async.commit_group", [])

    for stage in range(stages - 1):
        copy(g.i32(stage), g.i32(stage))
    low, high, by, size = g.i32(0), g.scalar_param(trips), g.i32(1), g.i32(stages)
    start = g.constant(0, type_)

    def body(names):
        index, total = names
        g.add("tilus.copy_async.wait_group", [], pending=stages - 2)
        g.add("tilus.sync", [])
        now = g.add("arith.remsi", [index, size], [Type(I32)], visible=False)
        part = load_shared(g, slice_stage(g, tile, now), visible=False)
        kind = "arith.addf" if element.is_float else g.choose(("arith.addi", "arith.xori"))
        total = g.add(kind, [total, part], [type_], visible=False)
        ahead = g.add("arith.addi", [index, g.i32(stages - 1)], [Type(I32)], visible=False)
        copy(ahead, g.add("arith.remsi", [ahead, size], [Type(I32)], visible=False))
        return [total]

    region = g.region([low, start], body)
    g.add("scf.for", [low, high, by, start], [type_], regions=[region])
    g.add("tilus.copy_async.wait_all", [])


def propose_histogram(g):
    """Counts in shared memory, some of whose bins lie outside."""
    a = tile_of(g, ("i32",))
    type_ = g.types[a]
    bins = g.choose((1, 7, 16, 32, 100))
    flat = g.add("tilus.reshape", [a], [type_.reshaped((type_.size,))], visible=False)
    index = g.add("arith.remsi", [flat, g.constant(bins + g.integer(0, 2), g.types[flat])], [g.types[flat]],
                  visible=False)
    tile = allocate(g, TYPES["i32"], (bins,))
    g.add("tilus.store_shared", [g.constant(g.integer(0, 3), Type(I32, (bins,))), tile])
    g.add("tilus.sync", [])
    g.add("tilus.atomic_scatter", [tile, index, g.constant(1, g.types[flat])], kind=g.choose(("add", "xor", "max")),
          dim=0)
    g.add("tilus.sync", [])
    load_shared(g, tile)


def propose_shared_atomic(g):
    """Each element updates its own place; the values before are then known."""
    a = tile_of(g, ("i32", "i64"))
    type_ = g.types[a]
    tile = allocate(g, type_.element, type_.shape)
    g.add("tilus.store_shared", [g.pick_same(a), tile])
    g.add("tilus.sync", [])
    kind = g.choose(UPDATES + ("exch", "cas"))
    operands = [tile, a] + ([g.pick_same(a)] if kind == "cas" else [])
    g.add("tilus.atomic", operands, [type_] if g.chance(0.5) else [], kind=kind, offsets=0)
    g.add("tilus.sync", [])
    load_shared(g, tile)


def propose_scatter(g):
    """A permutation along a dimension, by stores at places that never repeat."""
    a = g.pick(lambda type_: isinstance(type_, Type) and type_.is_tile and type_.shape and type_.element.bits >= 8)
    type_ = g.types[a]
    dim = g.integer(0, len(type_.shape) - 1)
    size = type_.shape[dim]
    words = type_.of(I32)
    index = g.add("tilus.iota", [], [words], visible=False, dim=dim)
    index = g.add("arith.subi", [g.constant(size - 1, words), index], [words], visible=False)
    tile = allocate(g, type_.element, type_.shape)
    g.add("tilus.store_scatter", [tile, index, a], dim=dim)
    g.add("tilus.sync", [])
    load_shared(g, tile)


def propose_global_atomic(g):
    """All blocks update the same elements, in kinds whose order does not matter."""
    a = tile_of(g, ("i32", "i64"))
    type_ = g.types[a]
    kind = g.choose(tuple(kind for kind in UPDATES))
    sizes = tuple(max(size + g.choose((0, 0, 3, -2)), 1) for size in type_.shape)
    view = g.add("tilus.global_view", [output_buffer(g, type_.element, math.prod(sizes))],
                 [ViewType(type_.element, sizes)], visible=False, sizes=0)
    if g.chance(0.6) or not type_.shape:
        offsets = [g.i32(g.choose((0, 0, 0, 1, -1))) for _ in sizes]
        g.add("tilus.atomic", [view] + offsets + [a], kind=kind, offsets=len(sizes))
        return
    dim = g.integer(0, len(sizes) - 1)
    words = type_.of(I32)
    index = load_input(g, words, values=lambda count: g.rng.integers(-1, sizes[dim] + 1, count), visible=False)
    g.add("tilus.atomic_scatter", [view, index, a], kind=kind, dim=dim)


SHARED = {propose_round_trip: 4, propose_stages: 2, propose_scatter: 1}
ASYNC = {propose_copy_async: 3, propose_pipeline: 2}
ATOMICS = {propose_histogram: 1, propose_shared_atomic: 1, propose_global_atomic: 2}
