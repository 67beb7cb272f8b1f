#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax of each row of a matrix, as a script: a block keeps its row in registers, so the row is read once.

Powers of two and one reciprocal a row are all that results in f16 need; `self.exp` and `/` are exact to more digits.
"""

import sys

import numpy as np

import tilus
from tilus import float16, float32, int32

LOG2_E = 1.4426950408889634


@tilus.autotune("warps", [4, 8, 16])
class Softmax(tilus.Script):
    """y[i, j] = exp(x[i, j]) / sum of exp(x[i, k]) over k, for rows of up to 32768 columns."""

    def __init__(self, warps: int):
        super().__init__()
        self.warps = warps

    def __call__(self, m: int32, n: int, x_ptr: ~float16, y_ptr: ~float16):
        self.static_assert(n <= 32768, "a row must fit into the registers of a block")
        self.attrs.blocks = m
        self.attrs.warps = self.warps
        width = max(1 << (n - 1).bit_length(), 32 * self.warps)

        row = self.blockIdx.x
        gx = self.global_view(x_ptr, dtype=float16, shape=[m, n])
        gy = self.global_view(y_ptr, dtype=float16, shape=[m, n])
        x = self.load_global(gx, offsets=[row, 0], shape=[width], dims=[1]).to(float32)
        if n < width:
            column = self.register_tensor(dtype=int32, shape=[width], init=lambda j: j)
            x = self.where(column < n, x=x, y=float("-inf"))
        x = self.exp2((x - self.max(x, dim=0, keepdim=True)) * LOG2_E)
        y = x * (1.0 / self.sum(x, dim=0, keepdim=True))
        self.store_global(gy, y.to(float16), offsets=[row, 0], dims=[1])


def main():
    rng = np.random.default_rng(0)
    for m, n in [(8, 512), (5, 255), (1, 1), (3, 777)]:
        x = (4 * rng.standard_normal((m, n))).astype(np.float16)
        y = np.empty_like(x)
        Softmax()(m, n, x, y)
        expected = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        expected /= expected.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(y, expected, rtol=2.0**-10, atol=2.0**-24)
        print(f"softmax of {m} x {n}: as numpy")


if __name__ == "__main__":
    sys.exit(main())
