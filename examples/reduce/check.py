#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks reduce.mlir against numpy in f64.

The error allowed for a sum of n terms in any order is n units of f32 in the last place of the sum of their magnitudes;
maxima are exact.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common


def make_floats(axis):
    def make(rng, m, n):
        x = rng.standard_normal((m, n), dtype=np.float32)
        return [m, n, x, np.zeros((m, n)[1 - axis], np.float32)]

    return make


def sum_along(axis):
    def expected(m, n, x, y):
        x = x.astype(np.float64)
        return {3: (x.sum(axis), np.abs(x).sum(axis) * x.shape[axis] * 2.0**-24)}

    return expected


def make_integers(rng, m, n):
    # All negative, so that a zero from beyond the row would show.
    return [m, n, rng.integers(-(2**31), 0, (m, n), dtype=np.int32), np.zeros(m, np.int32)]


def max_of_rows(m, n, x, y):
    return {3: (x.max(axis=1), 0.0)}


SIZES = [(64, 512), (1, 1), (5, 255), (131, 70), (3, 777)]
EXAMPLES = [
    common.Example("reduce.mlir", "sum_rows", make_floats(axis=1), sum_along(axis=1), SIZES),
    common.Example("reduce.mlir", "sum_columns", make_floats(axis=0), sum_along(axis=0), SIZES),
    common.Example("reduce.mlir", "max_rows", make_integers, max_of_rows, SIZES),
]


if __name__ == "__main__":
    sys.exit(common.main(EXAMPLES))
