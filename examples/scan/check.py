#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks scan.mlir against numpy, the floats in f64.

The error allowed for a sum of n terms in any order is n units of f32 in the last place of the sum of their magnitudes;
integers are exact and wrap.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common


def make_floats(rng, m, n):
    x = rng.standard_normal((m, n), dtype=np.float32)
    return [m, n, x, np.zeros_like(x)]


def inclusive(m, n, x, y):
    x = x.astype(np.float64)
    return {3: (x.cumsum(axis=1), np.abs(x).cumsum(axis=1) * np.arange(1, n + 1) * 2.0**-24)}


def make_integers(rng, m, n):
    x = rng.integers(-(2**31), 2**31, (m, n), dtype=np.int32)
    return [m, n, x, np.zeros_like(x)]


def exclusive(m, n, x, y):
    return {3: (x.cumsum(axis=1, dtype=np.int32) - x, 0.0)}


SIZES = [(8, 512), (1, 1), (5, 255), (6, 700)]
EXAMPLES = [
    common.Example("scan.mlir", "scan_inclusive", make_floats, inclusive, SIZES),
    common.Example("scan.mlir", "scan_exclusive", make_integers, exclusive, SIZES),
]


if __name__ == "__main__":
    sys.exit(common.main(EXAMPLES))
