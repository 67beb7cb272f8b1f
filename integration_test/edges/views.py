# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views and sizes: strides of all kinds, dimensions of size 0 and 1, tails of the products' inner dimension."""

import pathlib

import numpy as np

from edges.cases import DTYPES, add, kernel

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def strided_copy(element, tile, warps=1):
    """Copies an m by n view with strides s and t to a dense matrix."""
    view, dense = f"!tilus.global<?x?x{element}, strides = [?, ?]>", f"!tilus.global<?x?x{element}>"
    body = f"""  %gx = tilus.global_view %x [%m, %n] strides [%s, %t] : !tilus.ptr<{element}> -> {view}
  %gy = tilus.global_view %y [%m, %n] : !tilus.ptr<{element}> -> {dense}
  %a = tilus.load_global %gx[%c0, %c0] : {view} -> tensor<{tile}x{element}>
  tilus.store_global %a, %gy[%c0, %c0] : tensor<{tile}x{element}>, {dense}"""
    return kernel(["%m: i32", "%n: i32", "%s: i32", "%t: i32", f"%x: !tilus.ptr<{element}>",
                   f"%y: !tilus.ptr<{element}>"], body, warps=warps)


def add_strides():
    """Rows at a pitch, every other column, columns as rows, overlapping rows; more is left alone."""
    rows = {"pitch": (4, 3, 8, 1), "step": (4, 3, 8, 2), "columns": (3, 8, 1, 8), "overlap": (4, 5, 1, 1),
            "same-row": (4, 5, 0, 1), "dense": (4, 8, 8, 1), "pitch-of-17": (7, 16, 17, 1)}
    for element in ("i8", "f16", "f32", "f64"):
        for name, (m, n, s, t) in rows.items():
            storage = np.arange(m * max(s, 1) + n * max(t, 1) + 1).astype(DTYPES[element])
            expected = storage[np.arange(m)[:, None] * s + np.arange(n) * t]
            add(f"strides.{name}.{element}", strided_copy(element, "8x32"),
                [m, n, s, t, storage, np.full((m, n), 77, DTYPES[element])], {5: expected})


def add_strided_stores():
    """What lies between the rows of a view is not written."""
    view = "!tilus.global<?x?xf32, strides = [?, 1]>"
    body = f"""  %gx = tilus.global_view %x [%m, %n] strides [%s] : !tilus.ptr<f32> -> {view}
  %a = arith.constant dense<1.0> : tensor<8x32xf32>
  tilus.store_global %a, %gx[%c0, %c0] : tensor<8x32xf32>, {view}"""
    text = kernel(["%m: i32", "%n: i32", "%s: i32", "%x: !tilus.ptr<f32>"], body)
    for m, n, s in ((4, 3, 8), (8, 32, 40), (2, 16, 16), (3, 7, 9)):
        expected = np.zeros((8, s), np.float32)
        expected[:m, :n] = 1
        add(f"strides.store.{m}x{n}.{s}", text, [m, n, s, np.zeros((8, s), np.float32)], {3: expected})


def add_sizes_of_one():
    """The stride of a dimension of size 1 does not matter."""
    row = np.arange(64, dtype=np.float32)
    for s in (0, 1, 7, 64, 1 << 30):
        add(f"strides.one.{s}", strided_copy("f32", "8x64"), [1, 64, s, 1, row, np.full((1, 64), 77, np.float32)],
            {5: row.reshape(1, 64)})


def add_sizes_of_zero():
    """Nothing is read or written, and an empty inner dimension gives zeros, which are written."""
    for m, n in ((0, 5), (5, 0), (0, 0)):
        out = np.full((8, 8), 77, np.float32)
        add(f"zero.view.{m}x{n}", strided_copy("f32", "8x32"), [m, n, 8, 1, np.zeros(0, np.float32), out], {5: out})
    empty = np.zeros(0, np.float32)
    add_example("zero.grid", "vector_add/vector_add", "vector_add", [0, empty, empty, empty], {3: empty})
    for file, name in MATMULS:
        c = np.full((33, 17), 77, np.float16)
        a, b = np.zeros((33, 0), np.float16), np.zeros((0, 17), np.float16)
        add_example(f"zero.k.{name}", file, name, [33, 17, 0, a, b, c], {5: np.zeros_like(c)})
        none = np.zeros((0, 17), np.float16)
        a, b = np.zeros((0, 8), np.float16), np.ones((8, 17), np.float16)
        add_example(f"zero.m.{name}", file, name, [0, 17, 8, a, b, none], {5: none})


MATMULS = [("matmul/matmul_simple", "matmul_simple"), ("matmul/matmul_shared", "matmul_shared"),
           ("matmul/matmul_pipelined", "matmul_pipelined"),
           ("matmul/matmul_pipelined_wide", "matmul_pipelined_wide"),
           ("matmul/matmul_splitk", "matmul_splitk")]


def add_example(name, file, kernel_name, arguments, expected):
    """A kernel of the examples, alone in its file and named @kernel."""
    text = (EXAMPLES / f"{file}.mlir").read_text()
    begin = text.index(f"tilus.kernel @{kernel_name}(")
    end = text.find("\ntilus.kernel @", begin)
    text = text[begin:end if end >= 0 else None].replace(f"@{kernel_name}(", "@kernel(", 1)
    add(name, text, arguments, expected)


def add_inner_tails():
    """Every element of a product of ones is the number of the ones, also where it is no multiple of an instruction."""
    for file, name in MATMULS:
        for k in (1, 8, 15, 16, 24, 40, 48, 80):
            a, b = np.ones((64, k), np.float16), np.ones((k, 64), np.float16)
            add_example(f"tail.{name}.{k}", file, name, [64, 64, k, a, b, np.zeros((64, 64), np.float16)],
                        {5: np.full((64, 64), k, np.float16)})


def add_products_of_tiles():
    """A product whose tiles have an inner dimension that no instruction has, of several types."""
    rows = (("f16", "f32", "1.0"), ("bf16", "f32", "1.0"), ("i8", "i32", "1"), ("f32", "f32", "1.0"), ("f64", "f64", "1.0"))
    for element, result, one in rows:
        for k in (1, 3, 8, 24, 40, 48, 80):
            zero = "0" if result[0] == "i" else "0.0"
            body = f"""  %a = arith.constant dense<{one}> : tensor<64x{k}x{element}>
  %b = arith.constant dense<{one}> : tensor<{k}x64x{element}>
  %z = arith.constant dense<{zero}> : tensor<64x64x{result}>
  %c = tilus.mma %a, %b, %z : tensor<64x{k}x{element}>, tensor<{k}x64x{element}>, tensor<64x64x{result}>
  %gy = tilus.global_view %y : !tilus.ptr<{result}> -> !tilus.global<64x64x{result}>
  tilus.store_global %c, %gy[%c0, %c0] : tensor<64x64x{result}>, !tilus.global<64x64x{result}>"""
            add(f"tail.tile.{element}.{k}", kernel([f"%y: !tilus.ptr<{result}>"], body, warps=4),
                [np.zeros((64, 64), DTYPES[result])], {0: np.full((64, 64), k, DTYPES[result])})


add_strides()
add_strided_stores()
add_sizes_of_one()
add_sizes_of_zero()
add_inner_tails()
add_products_of_tiles()
