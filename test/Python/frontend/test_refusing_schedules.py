"""Schedules whose `__init__` raises are passed over; if all do, the first error is what the caller gets."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
import pytest

import tilus
import tilus.target
from tilus import float16, float32, int32


@tilus.autotune("warps", [3, 4])
class Product(tilus.Script):
    """Only 4 warps can share out the product evenly; 3 are refused where the layouts are made."""

    def __init__(self, warps, size=64):
        super().__init__()
        self.warps = warps
        self.size = size
        self.config = self.cuda.resolve_dot_config(float16, float32, m=size, n=64, k=16, num_warps=warps)

    def __call__(self, n: int32, a_ptr: ~float16, b_ptr: ~float16, c_ptr: ~float32):
        self.attrs.blocks = n
        self.attrs.warps = self.warps
        a = self.load_global(self.global_view(a_ptr, dtype=float16, shape=[64, 16]), offsets=[0, 0], shape=[64, 16])
        b = self.load_global(self.global_view(b_ptr, dtype=float16, shape=[16, 64]), offsets=[0, 0], shape=[16, 64])
        c = self.dot(a, b, acc_dtype=float32)
        self.annotate_layout(c, self.config.lc)
        self.store_global(self.global_view(c_ptr, dtype=float32, shape=[64, 64]), c, offsets=[0, 0])


def make_arguments():
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 4, (64, 16)).astype(np.float16), rng.integers(-3, 4, (16, 64)).astype(np.float16)
    return a, b, np.zeros((64, 64), np.float32)


def test_the_other_schedules_run():
    a, b, c = make_arguments()
    Product()(1, a, b, c, device="cpu")
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_the_other_schedules_compile():
    a, b, c = make_arguments()
    with tilus.target.scope("sm_90a"):
        instance = Product().compile(1, a, b, c)
    assert len(instance.artifacts) == 1 and instance.cubin[:4] == b"\x7fELF"


def test_none_is_left():
    a, b, c = make_arguments()
    with tilus.target.scope("sm_90a"), pytest.raises(Exception, match="multiples of .16, 8, 16."):
        Product(size=60).compile(1, a, b, c)
