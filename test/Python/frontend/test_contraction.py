# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which products of a script are rounded with the sums that they go into."""

import re

import tilus
from tilus import float16, float32


class Sums(tilus.Script):
    def __init__(self):
        super().__init__()

    def __call__(self, x_ptr: ~float32, y_ptr: ~float16, s: float32):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        x = self.load_global(self.global_view(x_ptr, dtype=float32, shape=[16, 8]), offsets=[0, 0], shape=[16, 8])
        a = self.load_global(self.global_view(y_ptr, dtype=float16, shape=[16, 16]), offsets=[0, 0], shape=[16, 16])
        b = self.load_global(self.global_view(y_ptr, dtype=float16, shape=[16, 8]), offsets=[0, 0], shape=[16, 8])
        y = x * (s * s + 1.0) + self.dot(a, b, acc_dtype=float32)
        self.store_global(self.global_view(x_ptr, dtype=float32, shape=[16, 8]), y - x * s, offsets=[0, 0])


class Quotient(tilus.Script):
    def __init__(self):
        super().__init__()

    def __call__(self, x_ptr: ~float32, s: float32):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        x = self.load_global(self.global_view(x_ptr, dtype=float32, shape=[32]), offsets=[0], shape=[32])
        self.store_global(self.global_view(x_ptr, dtype=float32, shape=[32]), x // s, offsets=[0])


def compile_for_sm80(script, *arguments):
    with tilus.target.scope("sm_80"):
        return script.compile(*arguments).ptx


def test_products_are_rounded_with_their_sums_and_accumulated():
    ptx = compile_for_sm80(Sums(), None, None, 2.0)
    # A thread has four elements: x f of each, which dot accumulates on, and y - x s. The fifth fma is s s + 1.
    assert ptx.count("fma.rn.f32") == 5 and ptx.count("mul.f32") == 4
    assert not re.search(r"\b(add|sub)(\.rn)?\.f32", ptx)


def test_steps_of_a_quotient_are_rounded_one_by_one():
    """x - (x mod s) is exact only without the product's rounding in it: no step of it may be moved into another."""
    assert "sub.rn.f32" in compile_for_sm80(Quotient(), None, 2.0)
