# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proposals that move elements about: shapes, slices, layouts; and reductions, scans, random words."""

import math

import layouts
from element_types import TYPES
from generator import I32, I64
from kinds_combine import FLOAT_UFUNCS, INT_UFUNCS
from proposals_elementwise import is_arith_float, is_arith_int
from proposals_memory import tile_of
from values import Reject, Type


def is_combined(element):
    return is_arith_float(element) or is_arith_int(element)


def random_split(g, count, rank):
    """A shape of the rank with so many elements: the prime factors dealt out."""
    shape = [1] * rank
    for factor in layouts.prime_factors(count):
        shape[g.integer(0, rank - 1)] *= factor
    return tuple(shape)


def propose_reshape(g):
    a = g.pick_tile()
    count = g.types[a].size
    rank = g.integer(0 if count == 1 else 1, 5)
    g.add("tilus.reshape", [a], [g.types[a].reshaped(random_split(g, count, rank) if rank else ())])


def propose_transpose(g):
    a = g.pick(lambda type_: isinstance(type_, Type) and type_.is_tile and len(type_.shape) > 1)
    order = [int(dim) for dim in g.rng.permutation(len(g.types[a].shape))]
    g.add("tilus.transpose", [a], [g.types[a].reshaped(g.types[a].shape[dim] for dim in order)], permutation=order)


def propose_broadcast(g):
    """Stretches dimensions of size 1 and adds leading ones."""
    a = g.pick(lambda type_: isinstance(type_, Type) and (not type_.is_tile or type_.size * 2 <= g.max_elements) and
               type_.element.name != "tf32")
    shape = list(g.types[a].shape or ())
    limit = g.max_elements // max(math.prod(shape), 1)
    for dim, size in enumerate(shape):
        factor = g.choose((2, 3, 4, 5, 7, 8, 16, 32))
        if size == 1 and g.chance(0.8) and factor <= limit:
            shape[dim], limit = factor, limit // factor
    while len(shape) < 5 and g.chance(0.5):
        factor = g.choose((1, 2, 3, 4, 6, 8))
        if factor > limit:
            break
        shape.insert(0, factor)
        limit //= factor
    if not shape:
        shape = [g.choose((1, 3, 8, 32, 64))]
    g.add("tilus.broadcast", [a], [Type(g.types[a].element, tuple(shape))])


def propose_iota(g):
    shape = g.shape() if g.chance(0.5) else g.types[g.pick_tile()].shape
    if not shape:
        raise Reject
    g.add("tilus.iota", [], [Type(g.element(("i8", "i16", "i32", "i64")), shape)], dim=g.integer(0, len(shape) - 1))


def propose_reduce(g):
    a = g.pick(lambda type_: isinstance(type_, Type) and type_.is_tile and type_.shape and is_combined(type_.element))
    type_ = g.types[a]
    dim, keep = g.integer(0, len(type_.shape) - 1), g.chance(0.4)
    shape = list(type_.shape)
    shape[dim : dim + 1] = [1] if keep else []
    kinds = FLOAT_UFUNCS if type_.element.is_float else INT_UFUNCS
    g.add("tilus.reduce", [a], [type_.reshaped(shape)], kind=g.choose(list(kinds)), dim=dim, keep_dim=keep)


def propose_reduce_all(g):
    """Reduces all dimensions and extracts the scalar."""
    a = g.pick(lambda type_: isinstance(type_, Type) and type_.is_tile and is_combined(type_.element))
    type_ = g.types[a]
    kind = g.choose(list(FLOAT_UFUNCS if type_.element.is_float else INT_UFUNCS))
    flat = g.add("tilus.reshape", [a], [type_.reshaped((type_.size,))], visible=False)
    one = g.add("tilus.reduce", [flat], [type_.reshaped(())], kind=kind, dim=0, keep_dim=False)
    g.add("tilus.extract", [one], [Type(type_.element)])


def propose_scan(g):
    a = g.pick(lambda type_: isinstance(type_, Type) and type_.is_tile and type_.shape and is_combined(type_.element))
    type_ = g.types[a]
    kinds = FLOAT_UFUNCS if type_.element.is_float else INT_UFUNCS
    g.add("tilus.scan", [a], [type_], kind=g.choose(list(kinds)), dim=g.integer(0, len(type_.shape) - 1),
          exclusive=g.chance(0.3), reverse=g.chance(0.3))


def offset_within(g, size):
    """An offset of a slice: mostly within the size, at times beyond it."""
    if g.chance(0.5):
        return g.constant(g.integer(-1, size), Type(g.choose((I32, I32, I64))))
    number = g.block_number()
    return g.add("arith.remsi", [number, g.i32(size)], [Type(I32)], visible=False)


def _indexed_dims(g, rank):
    return sorted(int(dim) for dim in g.rng.permutation(rank)[: g.integer(1, rank)])


def propose_extract_slice(g):
    a = g.pick(lambda type_: isinstance(type_, Type) and type_.is_tile and type_.shape)
    type_ = g.types[a]
    dims = _indexed_dims(g, len(type_.shape))
    offsets = [offset_within(g, type_.shape[dim]) for dim in dims]
    kept = tuple(size for dim, size in enumerate(type_.shape) if dim not in dims)
    g.add("tilus.extract_slice", [a] + offsets, [type_.reshaped(kept)], dims=dims, sources=1)


def propose_insert_slice(g):
    """Into a tile, a slice of it that was changed, or another tile of that shape."""
    a = g.pick(lambda type_: isinstance(type_, Type) and type_.is_tile and type_.shape)
    type_ = g.types[a]
    dims = _indexed_dims(g, len(type_.shape))
    kept = type_.reshaped(size for dim, size in enumerate(type_.shape) if dim not in dims)
    offsets = [offset_within(g, type_.shape[dim]) for dim in dims]
    candidates = g.visible(lambda other: other == kept)
    part = g.choose(candidates) if candidates else g.add(
        "tilus.extract_slice", [a] + [offset_within(g, type_.shape[dim]) for dim in dims], [kept], dims=dims, sources=1)
    g.add("tilus.insert_slice", [part, a] + offsets, [type_], dims=dims, sources=2)


def propose_pin(g):
    """Through one to three pinned layouts, which forces conversions between any two of them."""
    a = g.pick_tile(lambda element: element.bits >= 8)
    shape = g.types[a].shape
    chain = [layouts.random_layout(g.rng, shape, g.threads) for _ in range(g.integer(1, 3))]
    if max(layout.slots for layout in chain) > 96:
        raise Reject
    g.add("pin", [a], [g.types[a]], layouts=chain)


VIEWS = {"i8": (("i16", 2), ("i32", 4)), "i16": (("i8", 0.5), ("i32", 2)), "i32": (("i16", 0.5), ("i64", 2)),
         "i64": (("i32", 0.5),)}


def propose_view(g):
    """Reads the registers as wider or narrower integers."""
    a = tile_of(g, tuple(VIEWS), lambda type_: type_.size % g.threads == 0)
    type_ = g.types[a]
    name, factor = g.choose(VIEWS[type_.element.name])
    source = layouts.random_even_layout(g.rng, type_.shape, g.threads, type_.size // g.threads)
    count = type_.size / factor
    if source is None or source.slots == 0 or source.slots % factor or count != int(count):
        raise Reject
    shape = random_split(g, int(count), g.integer(1, 3))
    result = layouts.random_even_layout(g.rng, shape, g.threads, int(source.slots / factor))
    if result is None or any(mode < 0 for mode in source.spatial + result.spatial):
        raise Reject
    g.add("tilus.view", [a], [Type(TYPES[name], shape)], layouts=(source, result))


def propose_random(g):
    """Random words of a tile of counters."""
    a = tile_of(g, ("i32",), lambda type_: len(type_.shape) < 5 and type_.size * 4 <= g.max_elements)
    if g.chance(0.5):
        seed = g.constant(g.integer(0, 2**62), Type(I64))
    else:
        seed = g.scalar_param(g.integer(0, 2**62), I64)
    g.add("tilus.random", [seed, a], [Type(I32, (4,) + g.types[a].shape)], rounds=g.choose((10, 10, 7)))


SHAPES = {
    propose_reshape: 2, propose_transpose: 2, propose_broadcast: 2, propose_iota: 1, propose_extract_slice: 1,
    propose_insert_slice: 1,
}
COMBINATIONS = {propose_reduce: 4, propose_reduce_all: 1, propose_scan: 2}
LAYOUTS = {propose_pin: 4, propose_view: 1}
