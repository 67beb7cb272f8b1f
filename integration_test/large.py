#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks kernels on tensors of more than 2^31 bytes or elements: offsets of 32 bits would wrap. Needs a GPU with 16 GB.

Each case takes 2 to 5 GB on the GPU and up to twice that on the host and on disk. With --divide the first dimension is
that much smaller, which tries the kernels and the checks without a GPU: `large.py --device cpu --divide 2000`.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "examples"), str(pathlib.Path(__file__).resolve().parent)]
import common  # noqa: E402
from edges.cases import kernel  # noqa: E402

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Runner:
    """Runs kernels on a device; `rows(n)` is n, or less where sizes are divided."""

    def __init__(self, device, divide):
        self.device, self.divide = device, divide
        self.rng = np.random.default_rng(1)

    def rows(self, n):
        return max(n // self.divide, 3)

    def bytes(self, *shape):
        return np.frombuffer(self.rng.bytes(int(np.prod(shape, dtype=np.int64))), np.int8).reshape(shape)

    def floats(self, *shape):
        return self.rng.random(shape, np.float32)

    def run(self, text, arguments, outputs, name="kernel"):
        """Runs a kernel, given as text or as a file; the outputs' arrays."""
        if isinstance(text, pathlib.Path):
            return common.run(text, name, arguments, outputs, self.device)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "kernel.mlir"
            path.write_text(text)
            return common.run(path, name, arguments, outputs, self.device)


def require_equal(found, expected):
    """Compares a slab at a time, so that no other large array is made; the last ones first."""
    step = max(2**26 // max(expected[:1].size, 1), 1)
    for begin in range((len(expected) - 1) // step * step, -1, -step):
        common.compare(found[begin:begin + step], np.ascontiguousarray(expected[begin:begin + step]), 0.0)


def copy_2d(element, tile, through_shared=False):
    """Copies an m by n matrix; its last rows and columns are tails."""
    rows, columns = tile
    view, tensor = f"!tilus.global<?x?x{element}>", f"tensor<{rows}x{columns}x{element}>"
    shared = f"!tilus.shared<{rows}x{columns}x{element}>"
    load = f"  %t = tilus.load_global %gx[%row, %column] : {view} -> {tensor}" if not through_shared else \
        f"""  %s = tilus.alloc_shared : {shared}
  tilus.copy_async %gx[%row, %column], %s : {view}, {shared}
  tilus.copy_async.wait_all
  tilus.sync
  %t = tilus.load_shared %s : {shared} -> {tensor}"""
    body = f"""  %crows = arith.constant {rows} : i32
  %ccolumns = arith.constant {columns} : i32
  %block_n = tilus.block_id x
  %block_m = tilus.block_id y
  %row = arith.muli %block_m, %crows : i32
  %column = arith.muli %block_n, %ccolumns : i32
  %gx = tilus.global_view %x [%m, %n] : !tilus.ptr<{element}> -> {view}
  %gy = tilus.global_view %y [%m, %n] : !tilus.ptr<{element}> -> {view}
{load}
  tilus.store_global %t, %gy[%row, %column] : {tensor}, {view}"""
    grid = f"""%crows = arith.constant {rows} : i32
  %ccolumns = arith.constant {columns} : i32
  %blocks_m = arith.ceildivsi %m, %crows : i32
  %blocks = arith.ceildivsi %n, %ccolumns : i32"""
    text = kernel(["%m: i32", "%n: i32", f"%x: !tilus.ptr<{element}>", f"%y: !tilus.ptr<{element}>"], body, grid, 4)
    return text.replace("tilus.grid [%blocks]", "tilus.grid [%blocks, %blocks_m]")


@case
def copy_of_bytes(runner):
    """Number of elements and offsets are 64-bit parameters; n is odd."""
    n = runner.rows(2**31 + 2**29) + 12345
    body = """  %c8192 = arith.constant 8192 : i64
  %block = tilus.block_id x
  %wide = arith.extsi %block : i32 to i64
  %offset = arith.muli %wide, %c8192 : i64
  %gx = tilus.global_view %x [%n : i64] : !tilus.ptr<i8> -> !tilus.global<?xi8>
  %gy = tilus.global_view %y [%n : i64] : !tilus.ptr<i8> -> !tilus.global<?xi8>
  %t = tilus.load_global %gx[%offset : i64] : !tilus.global<?xi8> -> tensor<8192xi8>
  tilus.store_global %t, %gy[%offset : i64] : tensor<8192xi8>, !tilus.global<?xi8>"""
    grid = """%c8192 = arith.constant 8192 : i64
  %blocks_wide = arith.ceildivsi %n, %c8192 : i64
  %blocks = arith.trunci %blocks_wide : i64 to i32"""
    x = runner.bytes(n)
    text = kernel(["%n: i64", "%x: !tilus.ptr<i8>", "%y: !tilus.ptr<i8>"], body, grid, 4)
    require_equal(runner.run(text, [n, x, np.zeros(n, np.int8)], [2])[2], x)


@case
def copy_of_rows(runner):
    """32-bit sizes whose product is more than 2^31, at an odd pitch: single bytes."""
    m, n = runner.rows(49157), 54331
    x = runner.bytes(m, n)
    require_equal(runner.run(copy_2d("i8", (32, 256)), [m, n, x, np.zeros((m, n), np.int8)], [3])[3], x)


@case
def copy_of_aligned_rows(runner):
    """The same at a pitch of whole vectors."""
    m, n = runner.rows(49157), 54336
    x = runner.bytes(m, n)
    require_equal(runner.run(copy_2d("i8", (32, 256)), [m, n, x, np.zeros((m, n), np.int8)], [3])[3], x)


@case
def copy_through_shared(runner):
    """Asynchronous copies of f32: more than 2^31 bytes, fewer elements."""
    m, n = runner.rows(20011), 30004
    x = runner.floats(m, n)
    text = copy_2d("f32", (32, 64), through_shared=True)
    require_equal(runner.run(text, [m, n, x, np.zeros((m, n), np.float32)], [3])[3], x)


@case
def sum_of_vectors(runner):
    n = runner.rows(600_000_007)
    a, b = runner.floats(n), runner.floats(n)
    path = ROOT / "examples/vector_add/vector_add.mlir"
    c = runner.run(path, [n, a, b, np.zeros(n, np.float32)], [3], "vector_add")[3]
    for begin in range(0, n, 2**26):
        common.compare(c[begin:begin + 2**26], a[begin:begin + 2**26] + b[begin:begin + 2**26], 0.0)


@case
def transpose_of_floats(runner):
    m, n = runner.rows(20011), 30011
    x = runner.floats(m, n)
    path = ROOT / "examples/transpose/transpose.mlir"
    require_equal(runner.run(path, [m, n, x, np.zeros((n, m), np.float32)], [3], "transpose_f32")[3], x.T)


@case
def transpose_of_bytes(runner):
    """More than 2^31 elements, read along rows and written along columns."""
    m, n = runner.rows(46351), 46349
    text = copy_2d("i8", (64, 64)).replace("  tilus.store_global %t, %gy[%row, %column] : tensor<64x64xi8>",
                                           "  %u = tilus.transpose %t [1, 0] : tensor<64x64xi8> -> tensor<64x64xi8>\n"
                                           "  tilus.store_global %u, %gy[%column, %row] : tensor<64x64xi8>")
    text = text.replace("%y [%m, %n]", "%y [%n, %m]")
    x = runner.bytes(m, n)
    require_equal(runner.run(text, [m, n, x, np.zeros((n, m), np.int8)], [3])[3], x.T)


def strided_tile(sizes, strides, at, tile):
    """Adds 1 to a tile of a view with the strides; the place and the strides are parameters."""
    view = "!tilus.global<?x?xi8, strides = [?, ?]>"
    body = f"""  %g = tilus.global_view %x [%m, %n] strides [%s, %t] : !tilus.ptr<i8> -> {view}
  %a = tilus.load_global %g[%i, %j] : {view} -> tensor<{tile}xi8>
  %one = arith.constant dense<1> : tensor<{tile}xi8>
  %b = arith.addi %a, %one : tensor<{tile}xi8>
  tilus.store_global %b, %g[%i, %j] : tensor<{tile}xi8>, {view}"""
    params = [f"%{name}: i32" for name in "mnstij"] + ["%x: !tilus.ptr<i8>"]
    return kernel(params, body), [*sizes, *strides, *at]


@case
def distant_rows(runner):
    """Row 319 at a pitch of 7864320 begins at byte 2508718080; beyond the view nothing is written."""
    pitch = runner.rows(7864320)
    for transposed in (False, True):
        x = runner.bytes(320, pitch)
        sizes, strides, at, tile = ((320, 40), (pitch, 1), (317, 0), "8x64") if not transposed else \
            ((40, 320), (1, pitch), (0, 317), "64x8")
        text, scalars = strided_tile(sizes, strides, at, tile)
        found = runner.run(text, scalars + [x], [6])[6]
        columns = min(pitch, 64)
        expected = x[316:, :columns].copy()
        expected[1:, :40] += 1
        common.compare(found[316:, :columns], expected, 0.0)
        require_equal(found[:316:5], x[:316:5])


@case
def updates_at_the_end(runner):
    """Atomic additions and scattered ones near the end of 600 million words."""
    n = runner.rows(600_000_007)
    view = "!tilus.global<?xi32>"
    body = f"""  %c40 = arith.constant 40 : i32
  %c300 = arith.constant 300 : i32
  %near = arith.subi %n, %c40 : i32
  %before = arith.subi %n, %c300 : i32
  %g = tilus.global_view %x [%n] : !tilus.ptr<i32> -> {view}
  %ones = arith.constant dense<1> : tensor<64xi32>
  tilus.atomic add, %g[%near], %ones : {view}, tensor<64xi32>
  %i = tilus.iota dim(0) : tensor<64xi32>
  %base = tilus.broadcast %before : i32 -> tensor<64xi32>
  %places = arith.addi %i, %base : tensor<64xi32>
  tilus.atomic_scatter add, %g dim(0), %places, %ones : {view}, tensor<64xi32>, tensor<64xi32>"""
    x = np.zeros(n, np.int32)
    found = runner.run(kernel(["%n: i32", "%x: !tilus.ptr<i32>"], body, warps=2), [n, x], [1])[1]
    expected = np.zeros(n, np.int32)
    expected[n - 40:] = 1
    expected[n - 300:n - 236] = 1
    require_equal(found, expected)


@case
def product_of_a_large_matrix(runner):
    """2.4 GB of f16, by asynchronous copies; sums of -1, 0 and 1 are exact."""
    m, n, k = runner.rows(40009), 64, 30008
    a = runner.rng.integers(-1, 2, (m, k), np.int8).astype(np.float16)
    b = runner.rng.integers(-1, 2, (k, n), np.int8).astype(np.float16)
    path = ROOT / "examples/matmul/matmul_pipelined.mlir"
    c = runner.run(path, [m, n, k, a, b, np.zeros((m, n), np.float16)], [5], "matmul_pipelined")[5]
    wide = b.astype(np.float32)
    for begin in range(0, m, 4096):
        common.compare(c[begin:begin + 4096], a[begin:begin + 4096].astype(np.float32) @ wide, 0.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", help="cpu, cuda or cuda:N (default: cuda)")
    parser.add_argument("--case", default="", help="only the cases whose names begin so")
    parser.add_argument("--divide", type=int, default=1)
    options = parser.parse_args()
    failed, names = 0, [name for name in CASES if name.startswith(options.case)]
    for name in names:
        start = time.monotonic()
        try:
            CASES[name](Runner(options.device, options.divide))
            outcome = "passed"
        except (common.Mismatch, subprocess.TimeoutExpired) as mismatch:
            failed, outcome = failed + 1, f"FAILED: {mismatch}"
        print(f"{name}: {outcome} ({time.monotonic() - start:.1f} s)", flush=True)
    print(f"{len(names)} large cases on {options.device}: {len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
