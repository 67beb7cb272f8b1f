#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks histogram.mlir against numpy: counts are exact."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common


def make(rng, n):
    # Some values lie outside the bins.
    return [n, rng.integers(-8, 264, n, dtype=np.int32), np.zeros(256, np.int32)]


def expected(n, x, counts):
    return {2: (np.bincount(x[(x >= 0) & (x < 256)], minlength=256).astype(np.int32), 0.0)}


EXAMPLES = [common.Example("histogram.mlir", "histogram", make, expected, [(8192,), (1,), (1023,), (5000,)])]


if __name__ == "__main__":
    sys.exit(common.main(EXAMPLES))
