#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks vector_add.mlir against numpy, bit for bit: one rounded addition has one result."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common


def make(rng, n):
    a, b = rng.standard_normal((2, n), dtype=np.float32)
    return [n, a, b, np.zeros_like(a)]


def expected(n, a, b, c):
    return {3: (a + b, 0.0)}


EXAMPLES = [common.Example("vector_add.mlir", "vector_add", make, expected, [(4096,), (1,), (1023,), (2050,)])]


if __name__ == "__main__":
    sys.exit(common.main(EXAMPLES))
