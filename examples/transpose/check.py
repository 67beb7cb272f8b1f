#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks transpose.mlir against numpy, bit for bit: it only moves elements."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import common


def expected(m, n, x, y):
    return {3: (x.T, 0.0)}


def example(kernel, dtype):
    def make(rng, m, n):
        return [m, n, rng.standard_normal((m, n)).astype(dtype), np.zeros((n, m), dtype)]

    return common.Example("transpose.mlir", kernel, make, expected, [(128, 64), (1, 1), (65, 3), (70, 130)])


EXAMPLES = [example("transpose_f32", np.float32), example("transpose_f16", np.float16)]


if __name__ == "__main__":
    sys.exit(common.main(EXAMPLES))
