# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proposals of matrix products, loops, branches and thread groups."""

from element_types import TYPES
from generator import I1, I32
from program import SharedType
from proposals_memory import load_input, store_result
from proposals_shared import allocate, load_shared, slice_stage
from values import Reject, Type

# operand a, operand b, accumulators
PRODUCTS = (
    ("f16", "f16", ("f32", "f32", "f16")),
    ("bf16", "bf16", ("f32",)),
    ("tf32", "tf32", ("f32",)),
    ("f64", "f64", ("f64",)),
    ("i8", "i8", ("i32",)),
    ("f32", "f32", ("f32",)),
    ("i32", "i32", ("i32",)),
    ("f8E4M3FN", "f8E4M3FN", ("f32",)),
    ("f8E4M3FN", "f8E5M2", ("f32",)),
    ("f8E5M2", "f8E5M2", ("f32",)),
)
ATOM_SIZES, ODD_SIZES = (16, 32, 48, 64, 96), (1, 3, 5, 7, 8, 12, 20, 24, 100)


def make_operand(g, element, shape):
    """A tile for a product: loaded, transposed, or through shared memory; tf32 is cast from f32."""
    loaded = TYPES["f32"] if element.name == "tf32" else element
    is_transposed = g.chance(0.3)
    type_ = Type(loaded, shape[::-1] if is_transposed else shape)
    tile = load_input(g, type_, visible=False)
    if g.chance(0.5):
        memory = allocate(g, loaded, type_.shape)
        g.add("tilus.store_shared", [tile, memory])
        g.add("tilus.sync", [])
        if is_transposed:
            memory = g.add("tilus.permute_shared", [memory], [SharedType(loaded, shape)], visible=False,
                           permutation=[1, 0])
        tile = load_shared(g, memory, visible=False)
    elif is_transposed:
        tile = g.add("tilus.transpose", [tile], [Type(loaded, shape)], visible=False, permutation=[1, 0])
    if loaded != element:
        tile = g.add("tilus.cast", [tile], [Type(element, shape)], visible=False)
    return tile


def propose_mma(g):
    """A product of sizes that matrix instructions have, or of odd ones; at times a second one on its result."""
    names = g.choose(PRODUCTS)
    a, b, acc = TYPES[names[0]], TYPES[names[1]], TYPES[g.choose(names[2])]
    sizes = ATOM_SIZES if g.chance(0.7) else ATOM_SIZES + ODD_SIZES
    m, n, k = (g.choose(sizes) for _ in range(3))
    if m * n > 4096 or max(m, n) * k > 6144:
        raise Reject
    result = Type(acc, (m, n))
    start = g.constant(0, result) if g.chance(0.6) else load_input(g, result, visible=False)
    flags = {flag: True for flag in ("unsigned_a", "unsigned_b") if names[0] == "i8" and g.chance(0.3)}
    left, right = make_operand(g, a, (m, k)), make_operand(g, b, (k, n))
    product = g.add("tilus.mma", [left, right, start], [result], **flags)
    if g.chance(0.25):
        g.add("tilus.mma", [left, right, product], [result], **flags)


def propose_mma_loop(g):
    """A product summed over a loop, its operands changed by the index so that no step is like another."""
    name = g.choose(("f16", "bf16", "i8", "f32"))
    element, acc = TYPES[name], TYPES["i32" if name == "i8" else "f32"]
    m, n, k = g.choose((16, 32, 64)), g.choose((8, 16, 32, 64)), g.choose((16, 32))
    result = Type(acc, (m, n))
    if m * n > g.max_elements:
        raise Reject
    left, right = make_operand(g, element, (m, k)), make_operand(g, element, (k, n))
    low, high, by = g.i32(0), g.scalar_param(g.integer(1, 4)), g.i32(1)
    start = g.constant(0, result)

    def body(names):
        index, total = names
        scale = g.add("tilus.broadcast", [index], [Type(I32, (m, k))], visible=False)
        scale = g.add("tilus.cast", [scale], [Type(element, (m, k))], visible=False)
        kind = "arith.addf" if element.is_float else "arith.addi"
        changed = g.add(kind, [left, scale], [Type(element, (m, k))], visible=False)
        return [g.add("tilus.mma", [changed, right, total], [result], visible=False)]

    region = g.region([low, start], body)
    g.add("scf.for", [low, high, by, start], [result], regions=[region])


# Control flow: `inner` are the proposals of what a region may hold, and their weights


def same_or(g, name):
    """A value of the type for a region to yield: the last one made there, if any, else the value itself."""
    candidates = g.visible(lambda type_: type_ == g.types[name])
    return candidates[-1] if candidates else name


def propose_for(g, inner):
    carried = [g.pick_tile() for _ in range(g.integer(1, 3))]
    if len(g.bodies) > 2:
        raise Reject
    low, by = g.i32(g.integer(-2, 2)), g.choose((1, 1, 2, 3))
    trips = g.integer(0, 4) if g.chance(0.8) else None
    number = int(g.value(low).data[0]) + (g.integer(1, 3) if trips is None else trips * by)
    high = g.scalar_param(number) if g.chance(0.5) else g.i32(number)
    if trips is None:
        # A number of trips that differs between blocks.
        high = g.add("arith.addi", [high, g.block_number()], [Type(I32)], visible=False)
    step = g.i32(by)

    def body(names):
        g.attempt_some(*inner, count=g.integer(1, 4))
        return [same_or(g, name) for name in names[1:]]

    region = g.region([low] + carried, body)
    g.add("scf.for", [low, high, step] + carried, [g.types[name] for name in carried], regions=[region])


def propose_if(g, inner):
    if len(g.bodies) > 2:
        raise Reject
    conditions = g.visible(lambda type_: type_ == Type(I1))
    if conditions and g.chance(0.6):
        condition = g.choose(conditions)
    else:
        condition = g.add("arith.cmpi", [g.block_number(), g.i32(g.integer(0, g.program.blocks))], [Type(I1)],
                          visible=False, predicate="slt")
    results = [g.pick_tile() for _ in range(g.integer(1, 2))]

    def body(_):
        g.attempt_some(*inner, count=g.integer(0, 3))
        return [same_or(g, name) if g.chance(0.7) else name for name in results]

    regions = [g.region([], body), g.region([], body)]
    g.add("scf.if", [condition], [g.types[name] for name in results], regions=regions)


def propose_exit(g):
    """Some blocks end early."""
    if len(g.bodies) > 1:
        raise Reject
    last = g.i32(max(g.program.blocks - 1, 1))
    condition = g.add("arith.cmpi", [g.block_number(), last], [Type(I1)], visible=False, predicate="sge")

    def body(_):
        g.add("tilus.exit", [])
        return []

    exited = g.machine.exited.copy()
    region = g.region([], body)
    g.machine.exited = exited
    g.add("scf.if", [condition], regions=[region])


def propose_groups(g, inner):
    """One to three thread groups, each with work and results of its own."""
    if len(g.bodies) > 1 or g.threads < 64:
        raise Reject
    count = g.choose((1, 2, 2)) if g.threads < 128 else g.choose((1, 2, 3))
    threads = g.threads // 32 // count * 32
    outer = g.threads

    def body(_):
        g.threads, visible = threads, list(g.scope)
        g.scope[:] = [name for name in g.scope if not (isinstance(g.types[name], Type) and g.types[name].is_tile)]
        try:
            for _ in range(2):
                load_input(g, Type(g.element(), g.shape()))
            g.attempt_some(*inner, count=g.integer(1, 5))
            for name in g.visible(lambda type_: isinstance(type_, Type) and type_.is_tile)[-2:]:
                store_result(g, name)
        finally:
            g.threads, g.scope[:] = outer, visible
        return []

    for number in range(count):
        begin = number * threads if g.chance(0.8) or count > 1 else None
        region = g.region([], body)
        g.add("tilus.thread_group", [], regions=[region], begin=begin, threads=threads)


def propose_handover(g):
    """Two groups fill the halves of a shared tile, which the block then loads."""
    if len(g.bodies) > 1 or g.threads < 64:
        raise Reject
    element, shape, threads = g.element(), g.shape(rank=g.integer(0, 3)), g.threads // 64 * 32
    outer = g.threads
    tile = allocate(g, element, (2,) + shape)
    for half in range(2):
        def body(_):
            g.threads = threads
            try:
                part = slice_stage(g, tile, g.i32(half))
                g.add("tilus.store_shared", [load_input(g, Type(element, shape), visible=False), part])
            finally:
                g.threads = outer
            return []

        region = g.region([], body)
        g.add("tilus.thread_group", [], regions=[region], begin=half * threads, threads=threads)
    g.add("tilus.sync", [])
    load_shared(g, tile)


MMA = {propose_mma: 3, propose_mma_loop: 1}
