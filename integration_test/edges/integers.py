# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers: division in each of its roundings, on tiles, scalars and known ranges; wrapping of narrow types."""

import numpy as np

from edges.cases import DTYPES, add, add_tiles, kernel, load_text, store_text

BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}


def truncated(a, b):
    return abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)


def as_unsigned(bits, number):
    return number & ((1 << bits) - 1)


def wrapped(bits, number):
    number = as_unsigned(bits, number)
    return number - (1 << bits) if number >> (bits - 1) else number


# On Python's integers, which have no width.
SIGNED = {
    "arith.divsi": truncated,
    "arith.remsi": lambda a, b: a - b * truncated(a, b),
    "arith.floordivsi": lambda a, b: a // b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
}
UNSIGNED = {
    "arith.divui": lambda a, b: a // b,
    "arith.remui": lambda a, b: a % b,
    "arith.ceildivui": lambda a, b: -(-a // b),
}
KINDS = list(SIGNED) + list(UNSIGNED)


def apply(kind, bits, a, b):
    if kind in SIGNED:
        return wrapped(bits, SIGNED[kind](a, b))
    return wrapped(bits, UNSIGNED[kind](as_unsigned(bits, a), as_unsigned(bits, b)))


def pairs(bits):
    """32 pairs; the quotient of the least number and -1 is not defined."""
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    some = [(-7, 3), (7, -3), (-7, -3), (7, 3), (-1, 2), (1, -2), (0, 5), (0, -5), (6, 3), (-6, 3), (6, -3), (-6, -3)]
    edge = [(least, 7), (most, 7), (least, -7), (most, -7), (least, 1), (most, -1), (least, least), (most, most),
            (least, most), (most, least), (1, least), (-1, least), (1, most), (-1, most), (least + 1, -1), (least, 2),
            (least, -2), (most, 2), (100, 10), (-128, 127)]
    return some + edge


def add_tile_divisions():
    for element, bits in BITS.items():
        a, b = (np.array(side, DTYPES[element]) for side in zip(*pairs(bits)))
        body = [f"%r{i} = {kind} %a, %b : tensor<32x{element}>" for i, kind in enumerate(KINDS)]
        expected = {f"r{i}": (np.array([apply(kind, bits, x, y) for x, y in pairs(bits)], DTYPES[element]), element)
                    for i, kind in enumerate(KINDS)}
        add_tiles(f"division.tile.{element}", {"a": (a, element), "b": (b, element)}, expected, body)


def add_scalar_divisions():
    """Scalars, read one at a time, and the quotient times the divisor plus the remainder."""
    for element, bits in BITS.items():
        view, n = f"!tilus.global<32x{element}>", len(KINDS)
        lines = [f"%{name}_view = tilus.global_view %{name} : !tilus.ptr<{element}> -> {view}" for name in "abq"]
        lines += [f"%r{i}_view = tilus.global_view %r{i} : !tilus.ptr<{element}> -> {view}" for i in range(n)]
        lines += ["%c1 = arith.constant 1 : i32", "%c32 = arith.constant 32 : i32",
                  "scf.for %i = %c0 to %c32 step %c1 : i32 {"]
        for name in "ab":
            lines += [f"  %{name}_tile = tilus.load_global %{name}_view[%i] : {view} -> tensor<1x{element}>",
                      f"  %x_{name} = tilus.extract %{name}_tile : tensor<1x{element}>"]
        for i, kind in enumerate(KINDS):
            lines += [f"  %s{i} = {kind} %x_a, %x_b : {element}",
                      f"  %t{i} = tilus.broadcast %s{i} : {element} -> tensor<1x{element}>",
                      f"  tilus.store_global %t{i}, %r{i}_view[%i] : tensor<1x{element}>, {view}"]
        lines += [f"  %product = arith.muli %s0, %x_b : {element}", f"  %sum = arith.addi %product, %s1 : {element}",
                  f"  %whole = tilus.broadcast %sum : {element} -> tensor<1x{element}>",
                  f"  tilus.store_global %whole, %q_view[%i] : tensor<1x{element}>, {view}", "}"]
        names = ["a", "b"] + [f"r{i}" for i in range(n)] + ["q"]
        a, b = (np.array(side, DTYPES[element]) for side in zip(*pairs(bits)))
        expected = {2 + i: np.array([apply(kind, bits, x, y) for x, y in pairs(bits)], DTYPES[element])
                    for i, kind in enumerate(KINDS)}
        add(f"division.scalar.{element}", kernel([f"%{name}: !tilus.ptr<{element}>" for name in names],
                                                 "\n".join("  " + line for line in lines)),
            [a, b] + [np.full(32, 77, a.dtype)] * (n + 1), expected | {2 + n: a})


def add_range_divisions():
    """The dividend is a block's number less 16, whose range the compiler knows; the divisor is a constant."""
    divisors = (1, -1, 2, -2, 3, -3, 7, 8, -8, 16, 33, -2147483648, 2147483647)
    lines, count = [], len(KINDS) * len(divisors)
    for i, kind in enumerate(KINDS):
        for j, divisor in enumerate(divisors):
            number = i * len(divisors) + j
            lines += [f"%d{number} = arith.constant {divisor} : i32", f"%s{number} = {kind} %a, %d{number} : i32",
                      f"%t{number} = tilus.broadcast %s{number} : i32 -> tensor<1x1xi32>",
                      f"%at{number} = arith.constant {number} : i32",
                      f"tilus.store_global %t{number}, %view[%block, %at{number}] : tensor<1x1xi32>, "
                      f"!tilus.global<32x{count}xi32>"]
    body = [f"%view = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<32x{count}xi32>",
            "%block = tilus.block_id x", "%c16 = arith.constant 16 : i32", "%a = arith.subi %block, %c16 : i32"] + lines
    expected = np.array([[apply(kind, 32, block - 16, divisor) for kind in KINDS for divisor in divisors]
                         for block in range(32)], np.int32)
    text = kernel(["%y: !tilus.ptr<i32>"], "\n".join("  " + line for line in body), "%blocks = arith.constant 32 : i32")
    add("division.range", text, [np.full(expected.shape, 77, np.int32)], {0: expected})


def add_narrow_integers():
    """Shifts, sums and products of 8- and 16-bit numbers lose what does not fit, and nothing comes back."""
    for element, bits in (("i8", 8), ("i16", 16)):
        numbers = [48, -1, 127, -128, 1, 85, -86, 0]
        a, tile = np.array(numbers, DTYPES[element]), f"tensor<8x{element}>"
        by = 4 if bits == 8 else 12
        body = [f"%by = arith.constant dense<{by}> : {tile}", f"%up = arith.shli %a, %by : {tile}",
                f"%u = arith.shrui %up, %by : {tile}", f"%s = arith.shrsi %up, %by : {tile}",
                f"%sum = arith.addi %a, %a : {tile}", f"%half = arith.shrui %sum, %one : {tile}",
                f"%square = arith.muli %a, %a : {tile}", f"%more = arith.cmpi sgt, %sum, %a : {tile}",
                f"%wide = tilus.cast %square unsigned_source : {tile} -> tensor<8xi32>"]
        body.insert(0, f"%one = arith.constant dense<1> : {tile}")
        body.append(f"%flag = arith.select %more, %one, %by : tensor<8xi1>, {tile}")

        def each(function, dtype=DTYPES[element]):
            return np.array([function(x) for x in numbers], dtype)

        expected = {
            "u": (each(lambda x: wrapped(bits, as_unsigned(bits, x << by) >> by)), element),
            "s": (each(lambda x: wrapped(bits, x << by) >> by), element),
            "half": (each(lambda x: wrapped(bits, as_unsigned(bits, 2 * x) >> 1)), element),
            "wide": (each(lambda x: as_unsigned(bits, x * x), np.int32), "i32"),
            "flag": (each(lambda x: 1 if wrapped(bits, 2 * x) > x else by), element),
        }
        add_tiles(f"narrow.{element}", {"a": (a, element)}, expected, body)


def add_narrow_scalars():
    """The same of scalars: 48 as i8 shifted up and down by 4 is 0 without sign; 8 becomes -8 with it."""
    body = load_text("t", "x", (1,), "i8") + """  %a = tilus.extract %t : tensor<1xi8>
  %c4 = arith.constant 4 : i8
  %up = arith.shli %a, %c4 : i8
  %u = arith.shrui %up, %c4 : i8
  %s = arith.shrsi %up, %c4 : i8
  %u_tile = tilus.broadcast %u : i8 -> tensor<1xi8>
  %s_tile = tilus.broadcast %s : i8 -> tensor<1xi8>
""" + store_text("u_tile", "u_out", (1,), "i8") + store_text("s_tile", "s_out", (1,), "i8")
    text = kernel([f"%{name}: !tilus.ptr<i8>" for name in ("x", "u_out", "s_out")], body)
    for number, u, s in ((48, 0, 0), (8, 8, -8), (-1, 15, -1)):
        add(f"narrow.scalar.{number}", text, [np.array([number], np.int8)] + [np.full(1, 77, np.int8)] * 2,
            {1: np.array([u], np.int8), 2: np.array([s], np.int8)})


add_tile_divisions()
add_scalar_divisions()
add_range_divisions()
add_narrow_integers()
add_narrow_scalars()
