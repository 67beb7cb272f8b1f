#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer normalization of each row of a matrix, as a script: a block keeps its row in registers, so the row is read once."""

import sys

import numpy as np

import tilus
from tilus import float16, float32, int32


@tilus.autotune("warps", [4, 8, 16])
class LayerNorm(tilus.Script):
    """y = (x - mean) / sqrt(variance + eps) * gamma + beta along rows of up to 32768 columns."""

    def __init__(self, warps: int):
        super().__init__()
        self.warps = warps

    def __call__(
        self,
        m: int32,
        n: int,
        x_ptr: ~float16,
        gamma_ptr: ~float16,
        beta_ptr: ~float16,
        y_ptr: ~float16,
        eps: float,
    ):
        self.static_assert(n <= 32768, "a row must fit into the registers of a block")
        self.attrs.blocks = m
        self.attrs.warps = self.warps
        width = max(1 << (n - 1).bit_length(), 32 * self.warps)

        row = self.blockIdx.x
        gx = self.global_view(x_ptr, dtype=float16, shape=[m, n])
        gy = self.global_view(y_ptr, dtype=float16, shape=[m, n])
        x = self.load_global(gx, offsets=[row, 0], shape=[width], dims=[1]).to(float32)
        mean = self.sum(x, dim=0, keepdim=True) / n
        x = x - mean
        if n < width:
            column = self.register_tensor(dtype=int32, shape=[width], init=lambda j: j)
            x = self.where(column < n, x=x, y=0.0)
        scale = self.rsqrt(self.sum(x * x, dim=0, keepdim=True) / n + eps)
        gamma = self.load_global(self.global_view(gamma_ptr, dtype=float16, shape=[n]), offsets=[0], shape=[width])
        beta = self.load_global(self.global_view(beta_ptr, dtype=float16, shape=[n]), offsets=[0], shape=[width])
        y = x * scale * gamma.to(float32) + beta.to(float32)
        self.store_global(gy, y.to(float16), offsets=[row, 0], dims=[1])


def main():
    rng = np.random.default_rng(0)
    eps = 1e-5
    for m, n in [(8, 512), (5, 255), (1, 1), (3, 777)]:
        x = (2 * rng.standard_normal((m, n)) + 1).astype(np.float16)
        gamma, beta = rng.standard_normal((2, n)).astype(np.float16)
        y = np.empty_like(x)
        LayerNorm()(m, n, x, gamma, beta, y, eps)
        wide = x.astype(np.float64)
        expected = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + eps)
        expected = expected * gamma + beta
        np.testing.assert_allclose(y, expected, rtol=2.0**-10, atol=2.0**-10)
        print(f"layer norm of {m} x {n}: as numpy")


if __name__ == "__main__":
    sys.exit(main())
