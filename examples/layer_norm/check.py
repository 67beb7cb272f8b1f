#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks layer_norm.mlir against numpy in f64.

The error allowed is that of rounding to f16 (2^-11 relative, 2^-25 for subnormal results) plus 2^-14 of the size of
the terms for the f32 sums inside, since the terms may cancel in the result.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common


def make(rng, rows, columns):
    x = (3 * rng.standard_normal((rows, columns)) + 1).astype(np.float16)
    weight, bias = rng.standard_normal((2, columns)).astype(np.float16)
    return [rows, columns, 1e-5, x, weight, bias, np.zeros_like(x)]


def expected(rows, columns, epsilon, x, weight, bias, y):
    x, weight, bias = (array.astype(np.float64) for array in (x, weight, bias))
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + epsilon)
    value = (x - x.mean(axis=1, keepdims=True)) / deviation * weight + bias
    terms = np.abs(x / deviation * weight) + np.abs(bias)
    return {6: (value, np.abs(value) * 2.0**-11 + terms * 2.0**-14 + 2.0**-25)}


SIZES = [(8, 512), (1, 2), (5, 255), (6, 1000), (3, 2777), (2, 9001)]
EXAMPLES = [common.Example("layer_norm.mlir", "layer_norm", make, expected, SIZES)]


if __name__ == "__main__":
    sys.exit(common.main(EXAMPLES))
