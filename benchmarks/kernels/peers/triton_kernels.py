# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in Triton, tuned over a few configurations each."""

import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from measurement import Candidate
from peers import Missing


def version(context):
    if context.device != "cuda":
        raise Missing("needs a GPU")
    return triton.__version__


def configurations(*rows):
    """Each row is ({constant: value}, warps, stages)."""
    return [triton.Config(constants, num_warps=warps, num_stages=stages) for constants, warps, stages in rows]


@triton.autotune(configurations(*(({"BLOCK": block}, warps, 1) for block in (1024, 2048, 4096) for warps in (4, 8))),
                 key=["n"])
@triton.jit
def vector_add_kernel(a, b, c, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(c + offsets, tl.load(a + offsets, mask) + tl.load(b + offsets, mask), mask)


ROW_WARPS = configurations(*(({}, warps, 1) for warps in (2, 4, 8, 16)))


@triton.autotune(ROW_WARPS, key=["columns"])
@triton.jit
def softmax_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(x + row + offsets, mask, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row + offsets, (powers / tl.sum(powers, axis=0)).to(y.dtype.element_ty), mask)


@triton.autotune(ROW_WARPS, key=["columns"])
@triton.jit
def layer_norm_kernel(x, weight, bias, y, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(x + row + offsets, mask, other=0.0).to(tl.float32)
    difference = tl.where(mask, values - tl.sum(values, axis=0) / columns, 0.0)
    deviation = tl.sqrt(tl.sum(difference * difference, axis=0) / columns + epsilon)
    scale = tl.load(weight + offsets, mask, other=0.0).to(tl.float32)
    shift = tl.load(bias + offsets, mask, other=0.0).to(tl.float32)
    tl.store(y + row + offsets, (difference / deviation * scale + shift).to(y.dtype.element_ty), mask)


@triton.autotune(ROW_WARPS, key=["n"])
@triton.jit
def sum_rows_kernel(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), tl.float32)
    for begin in range(0, n, BLOCK):
        offsets = begin + tl.arange(0, BLOCK)
        total += tl.load(x + row * n + offsets, offsets < n, other=0.0)
    tl.store(y + row, tl.sum(total, axis=0))


TILES = configurations(*(({"ROWS": rows, "COLUMNS": columns}, warps, 1)
                         for rows, columns in ((32, 32), (64, 64), (32, 128)) for warps in (4, 8)))


@triton.autotune(TILES, key=["m", "n"])
@triton.jit
def sum_columns_kernel(x, y, m, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for begin in range(0, m, ROWS):
        rows = begin + tl.arange(0, ROWS)
        mask = (rows < m)[:, None] & (columns < n)[None, :]
        total += tl.load(x + rows.to(tl.int64)[:, None] * n + columns[None, :], mask, other=0.0)
    tl.store(y + columns, tl.sum(total, axis=0), columns < n)


@triton.autotune(TILES, key=["m", "n"])
@triton.jit
def transpose_kernel(x, y, m, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.program_id(1).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(0).to(tl.int64) * COLUMNS + tl.arange(0, COLUMNS)
    mask = (rows < m)[:, None] & (columns < n)[None, :]
    tile = tl.load(x + rows[:, None] * n + columns[None, :], mask)
    tl.store(y + columns[:, None] * m + rows[None, :], tl.trans(tile), tl.trans(mask))


@triton.jit
def place_of(program, m, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr):
    """The block's row and column of tiles, GROUP rows together so that they share their columns in the L2 cache."""
    rows, columns = tl.cdiv(m, BLOCK_M), tl.cdiv(n, BLOCK_N)
    first = program // (GROUP * columns) * GROUP
    size = min(rows - first, GROUP)
    return first + program % (GROUP * columns) % size, program % (GROUP * columns) // size


def product_tile(m, n, k, group=8):
    return {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": group}


PRODUCTS = configurations(
    (product_tile(128, 256, 64), 8, 3), (product_tile(128, 256, 64), 8, 4), (product_tile(256, 128, 64), 8, 3),
    (product_tile(128, 128, 64), 4, 4), (product_tile(128, 128, 64), 8, 3), (product_tile(64, 128, 64), 4, 4),
    (product_tile(64, 64, 128), 4, 4))


@triton.autotune(PRODUCTS, key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  GROUP: tl.constexpr):
    tile_m, tile_n = place_of(tl.program_id(0), m, n, BLOCK_M, BLOCK_N, GROUP)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_tile = a + (rows % m)[:, None] * k + depth[None, :]
    b_tile = b + depth[:, None] * n + (columns % n)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for begin in range(0, k, BLOCK_K):
        left = tl.load(a_tile, depth[None, :] < k - begin, other=0.0)
        right = tl.load(b_tile, depth[:, None] < k - begin, other=0.0)
        total = tl.dot(left, right, total)
        a_tile += BLOCK_K
        b_tile += BLOCK_K * n
    mask = (rows < m)[:, None] & (columns < n)[None, :]
    tl.store(c + rows.to(tl.int64)[:, None] * n + columns[None, :], total.to(tl.float16), mask)


def set_blocks(arguments):
    """The descriptors' blocks are those of the configuration."""
    m, n, k = (arguments[name] for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K"))
    for name, block in (("a", [m, k]), ("b", [k, n]), ("c", [m, n])):
        arguments[name].block_shape = block


DESCRIPTOR_PRODUCTS = [triton.Config(product_tile(m, n, 64), num_warps=8, num_stages=stages, pre_hook=set_blocks)
                       for m, n, stages in ((128, 256, 3), (128, 256, 4), (256, 128, 3), (128, 128, 4))]


@triton.autotune(DESCRIPTOR_PRODUCTS, key=["m", "n", "k"])
@triton.jit
def matmul_descriptor_kernel(a, b, c, m, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                             BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    tile_m, tile_n = place_of(tl.program_id(0), m, n, BLOCK_M, BLOCK_N, GROUP)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for begin in range(0, k, BLOCK_K):
        left = a.load([tile_m * BLOCK_M, begin])
        right = b.load([begin, tile_n * BLOCK_N])
        total = tl.dot(left, right, total)
    c.store([tile_m * BLOCK_M, tile_n * BLOCK_N], total.to(tl.float16))


def run_vector_add(t, s):
    vector_add_kernel[lambda meta: (triton.cdiv(s["n"], meta["BLOCK"]),)](t["a"], t["b"], t["c"], s["n"])


def run_softmax(t, s):
    softmax_kernel[(s["rows"],)](t["x"], t["y"], s["columns"], BLOCK=triton.next_power_of_2(s["columns"]))


def run_layer_norm(t, s):
    layer_norm_kernel[(s["rows"],)](t["x"], t["weight"], t["bias"], t["y"], s["columns"], s["epsilon"],
                                    BLOCK=triton.next_power_of_2(s["columns"]))


def run_sum_rows(t, s):
    sum_rows_kernel[(s["m"],)](t["x"], t["y"], s["n"], BLOCK=min(triton.next_power_of_2(s["n"]), 4096))


def run_sum_columns(t, s):
    grid = lambda meta: (triton.cdiv(s["n"], meta["COLUMNS"]),)
    sum_columns_kernel[grid](t["x"], t["y"], s["m"], s["n"])


def run_transpose(t, s):
    grid = lambda meta: (triton.cdiv(s["n"], meta["COLUMNS"]), triton.cdiv(s["m"], meta["ROWS"]))
    transpose_kernel[grid](t["x"], t["y"], s["m"], s["n"])


def product_grid(s):
    return lambda meta: (triton.cdiv(s["m"], meta["BLOCK_M"]) * triton.cdiv(s["n"], meta["BLOCK_N"]),)


def run_matmul(t, s):
    matmul_kernel[product_grid(s)](t["a"], t["b"], t["c"], s["m"], s["n"], s["k"])


def run_matmul_descriptor(t, s):
    if "triton.descriptors" not in t:
        t["triton.descriptors"] = [TensorDescriptor.from_tensor(t[name], [64, 64]) for name in ("a", "b", "c")]
    matmul_descriptor_kernel[product_grid(s)](*t["triton.descriptors"], s["m"], s["n"], s["k"])


RUNS = {"vector_add": [("triton", run_vector_add)], "softmax": [("triton", run_softmax)],
        "layer_norm": [("triton", run_layer_norm)], "sum_rows": [("triton", run_sum_rows)],
        "sum_columns": [("triton", run_sum_columns)], "transpose_f32": [("triton", run_transpose)],
        "transpose_f16": [("triton", run_transpose)],
        "matmul": [("triton", run_matmul), ("triton with descriptors", run_matmul_descriptor)]}


def candidates(context, workload):
    found = []
    for name, run in RUNS.get(workload.suite.name, []):
        # A descriptor's rows must begin at multiples of 16 bytes.
        if run is run_matmul_descriptor and any(workload.sizes[size] % 8 for size in ("n", "k")):
            continue

        def launch(tensors, run=run):
            run(tensors, workload.arguments)

        # The first launch compiles and tunes.
        found.append(Candidate(name, "peer", launch, lambda sets, launch=launch: launch(sets[0]), patience=120))
    return found
