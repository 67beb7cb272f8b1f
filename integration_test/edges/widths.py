# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every element type in vectors of 1, 2, 4 and 8 a thread: loads, conversions to and from f32, stores, parameters."""

import numpy as np

from edges.cases import DTYPES, add, kernel
from edges.floats import codes, decode_f8

WIDTHS = (1, 2, 4, 8)


def encode(element, numbers):
    """Small integers as they lie in memory."""
    if not element.startswith("f8"):
        return codes(element, numbers)
    table = {decode_f8(element, code): code for code in range(0x7C)}
    return np.array([table[number] for number in numbers], np.uint8)


def chain(element, width):
    """Loads, adds 1 as f32, stores; and stores the last digit of each index, converted from i32."""
    n = 32 * width
    tile, words, numbers = (f"tensor<{n}x{one}, #w{width}>" for one in (element, "i32", "f32"))
    view, w = f"!tilus.global<{n}x{element}>", width
    return f"""  %x{w}_view = tilus.global_view %x{w} : !tilus.ptr<{element}> -> {view}
  %a{w} = tilus.load_global %x{w}_view[%c0] : {view} -> {tile}
  %f{w} = tilus.cast %a{w} : {tile} -> {numbers}
  %one{w} = arith.constant dense<1.0> : {numbers}
  %g{w} = arith.addf %f{w}, %one{w} : {numbers}
  %r{w} = tilus.cast %g{w} : {numbers} -> {tile}
  tilus.store_global %r{w}, %x{w}_view[%c0] : {tile}, {view}
  %i{w} = tilus.iota dim(0) : {words}
  %seven{w} = arith.constant dense<7> : {words}
  %d{w} = arith.andi %i{w}, %seven{w} : {words}
  %c{w} = tilus.cast %d{w} : {words} -> {tile}
  %y{w}_view = tilus.global_view %y{w} : !tilus.ptr<{element}> -> {view}
  tilus.store_global %c{w}, %y{w}_view[%c0] : {tile}, {view}
"""


def add_widths(element):
    layouts = "".join(f"#w{w} = #tilus.reg<shape = [{32 * w}], modes = [32, {w}], spatial = [0], local = [1]>\n"
                      for w in WIDTHS)
    params, arguments, expected = [], [], {}
    for w in WIDTHS:
        numbers = [(3 * i + w) % 7 for i in range(32 * w)]
        expected[len(params)] = encode(element, [number + 1 for number in numbers])
        expected[len(params) + 1] = encode(element, [i % 8 for i in range(32 * w)])
        params += [f"%x{w}: !tilus.ptr<{element}>", f"%y{w}: !tilus.ptr<{element}>"]
        arguments += [encode(element, numbers), np.zeros(32 * w, DTYPES[element])]
    add(f"widths.{element}", layouts + kernel(params, "".join(chain(element, w) for w in WIDTHS)), arguments, expected)


def add_parameters():
    """A scalar of each type between others: each has its own place and size."""
    elements = [name for name in DTYPES if not name.startswith("f8")]
    params = [f"%s_{element}: {element}" for element in elements] + [f"%y_{element}: !tilus.ptr<{element}>"
                                                                     for element in elements]
    body, arguments, expected = "", [], {}
    for index, element in enumerate(elements):
        arguments.append(index + 3 if element[0] == "i" else float(index + 3))
        body += f"""  %t_{element} = tilus.broadcast %s_{element} : {element} -> tensor<32x{element}>
  %v_{element} = tilus.global_view %y_{element} : !tilus.ptr<{element}> -> !tilus.global<32x{element}>
  tilus.store_global %t_{element}, %v_{element}[%c0] : tensor<32x{element}>, !tilus.global<32x{element}>
"""
        expected[len(elements) + index] = encode(element, [index + 3] * 32)
    add("widths.parameters", kernel(params, body),
        arguments + [np.zeros(32, DTYPES[element]) for element in elements], expected)


for name in DTYPES:
    add_widths(name)
add_parameters()
