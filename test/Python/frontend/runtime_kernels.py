"""Scripts that the tests of the runtime call."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import tilus
from tilus import float32, int32


class VectorAdd(tilus.Script):
    """c = a + b."""

    def __init__(self, block=1024):
        super().__init__()
        self.block = block

    def __call__(self, n: int32, a_ptr: ~float32, b_ptr: ~float32, c_ptr: ~float32):
        self.attrs.warps = 4
        self.attrs.blocks = [(n + self.block - 1) // self.block]
        offset = self.blockIdx.x * self.block
        a = self.global_view(a_ptr, dtype=float32, shape=[n])
        b = self.global_view(b_ptr, dtype=float32, shape=[n])
        c = self.global_view(c_ptr, dtype=float32, shape=[n])
        x = self.load_global(a, offsets=[offset], shape=[self.block])
        y = self.load_global(b, offsets=[offset], shape=[self.block])
        self.store_global(c, x + y, offsets=[offset])


class Scale(tilus.Script):
    """x *= factor."""

    def __init__(self):
        super().__init__()

    def __call__(self, x_ptr: ~float32, n: int32, factor: float32 = 2.0):
        self.attrs.warps = 2
        self.attrs.blocks = [(n + 63) // 64]
        offset = self.blockIdx.x * 64
        x = self.global_view(x_ptr, dtype=float32, shape=[n])
        self.store_global(x, self.load_global(x, offsets=[offset], shape=[64]) * factor, offsets=[offset])


class Fill(tilus.Script):
    """x = the number, or 0 for what is no integer."""

    def __init__(self, number):
        super().__init__()
        self.number = number if isinstance(number, int) else 0

    def __call__(self, n: int32, x_ptr: ~int32):
        self.attrs.warps = 1
        self.attrs.blocks = [(n + 31) // 32]
        x = self.global_view(x_ptr, dtype=int32, shape=[n])
        tile = self.register_tensor(dtype=int32, shape=[32], init=int(self.number))
        self.store_global(x, tile, offsets=[self.blockIdx.x * 32])
