#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks softmax.mlir against numpy in f64.

The error allowed is that of rounding to f16 (2^-11 relative, 2^-25 for subnormal results) plus 2^-13 relative for the
f32 exponentials and sums inside: exp is exact to a few units in the last place, but its argument of up to 2^5 carries
an error of 2^-20 into it.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common


def make(rng, rows, columns):
    x = (4 * rng.standard_normal((rows, columns))).astype(np.float16)
    return [rows, columns, x, np.zeros_like(x)]


def expected(rows, columns, x, y):
    exponential = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    value = exponential / exponential.sum(axis=1, keepdims=True)
    return {3: (value, value * (2.0**-11 + 2.0**-13) + 2.0**-25)}


SIZES = [(8, 512), (1, 1), (5, 255), (6, 1000), (3, 777)]
EXAMPLES = [common.Example("softmax.mlir", "softmax", make, expected, SIZES)]


if __name__ == "__main__":
    sys.exit(common.main(EXAMPLES))
