#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the matrix products against numpy in f64.

The error allowed is that of rounding to f16 (2^-11 relative, 2^-25 for subnormal results) plus k units of f32, doubled
because matrix instructions truncate, in the last place of the sum of the products' magnitudes.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common


def make(rng, m, n, k):
    a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
    return [m, n, k, a.astype(np.float16), b.astype(np.float16), np.zeros((m, n), np.float16)]


def expected(m, n, k, a, b, c):
    a, b = a.astype(np.float64), b.astype(np.float64)
    value = a @ b
    return {5: (value, np.abs(value) * 2.0**-11 + (np.abs(a) @ np.abs(b)) * k * 2.0**-23 + 2.0**-25)}


SIZES = [(128, 128, 64), (1, 1, 1), (130, 67, 100), (64, 264, 33)]
EXAMPLES = [
    common.Example("matmul_simple.mlir", "matmul_simple", make, expected, SIZES),
    common.Example("matmul_shared.mlir", "matmul_shared", make, expected, SIZES),
    common.Example("matmul_pipelined.mlir", "matmul_pipelined", make, expected, SIZES),
    common.Example("matmul_pipelined_wide.mlir", "matmul_pipelined_wide", make, expected, SIZES),
    common.Example("matmul_splitk.mlir", "matmul_splitk", make, expected, SIZES + [(48, 40, 1000)]),
]


if __name__ == "__main__":
    sys.exit(common.main(EXAMPLES))
