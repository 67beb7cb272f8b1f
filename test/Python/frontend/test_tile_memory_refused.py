# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What instructions on global and shared memory refuse, in words."""

import pytest
from tile_kernels import build
from tilus.dtypes import float32, int32
from tilus.lang.errors import InstructionError

REFUSED = [
    (lambda t, g, s, r: t.load_global(g, offsets=[0], shape=[4, 4]), "expected one offset for each of the 2 dimensions of src, but got 1"),
    (lambda t, g, s, r: t.load_global(g, offsets=[0, 0], shape=[4]), "expected a tile of rank 2 as src has, but got rank 1"),
    (lambda t, g, s, r: t.load_global(g, offsets=[0, 0], shape=[4], dims=[2]), "expected each of dims of -2 to 1, but got 2"),
    (lambda t, g, s, r: t.load_global(g, offsets=[0, 0], shape=[4, 4], dims=[1, 1]), "expected each dimension once in dims"),
    (lambda t, g, s, r: t.load_global(g, offsets=[0, 1.5], shape=[4, 4]), "expected an integer as an offset, but got float"),
    (lambda t, g, s, r: t.load_global(s, offsets=[0, 0], shape=[4, 4]), "expected a global tensor as src, but got a shared tile"),
    (lambda t, g, s, r: t.load_global(g, offsets=[0, 0], shape=[4, g.shape[0]]), "expected sizes known at compile time as shape"),
    (lambda t, g, s, r: t.store_global(g, r.to(int32), offsets=[0, 0]), "expected a tile of float32, but got int32"),
    (lambda t, g, s, r: t.store_global(g, s, offsets=[0, 0]), "expected a register tile as src, but got a shared tile"),
    (lambda t, g, s, r: t.load_shared(r), "expected a shared tile as src, but got a register tile"),
    (lambda t, g, s, r: t.store_shared(s, r[0]), r"expected a tile of shape \(8, 8\), but got \(8,\)"),
    (lambda t, g, s, r: t.store_shared(s, r[0, 0].reshape([1, 1]), offsets=[1, 9]), "expected a part of dimension 1"),
    (lambda t, g, s, r: t.free_shared(s[0]), "expected a shared tile as shared_tensor gave it, but got a part of one"),
    (lambda t, g, s, r: t.reshape_shared(s, [5, 5]), r"expected a shape of 64 elements, but got \(5, 5\) of 25"),
    (lambda t, g, s, r: s.item(), "expected a tile of one element for item"),
    (lambda t, g, s, r: s[0, 0].item_ptr(), "expected a tensor in global memory for item_ptr"),
    (lambda t, g, s, r: g.item(), "expected a view of one element for item"),
    (lambda t, g, s, r: g[0, 0, 0], "expected at most 2 indices"),
    (lambda t, g, s, r: g[0.5], "expected an integer as an index"),
    (lambda t, g, s, r: g.__setitem__(0, r), "expected a register tile to assign to, but got a global one"),
    (lambda t, g, s, r: s.__setitem__(0, r), "expected a register tile to assign to, but got a shared one"),
    (lambda t, g, s, r: s + 1, "unsupported operand"),
    (lambda t, g, s, r: r + s, "expected a register tile as the right operand of '\\+', but got a shared one"),
    (lambda t, g, s, r: t.global_view(g, dtype=float32, shape=[4]), "expected a pointer as ptr, but got float32"),
    (lambda t, g, s, r: t.copy_async(g, s, [0, 0], evict="last"), "expected one of 'evict_normal'"),
    (lambda t, g, s, r: t.copy_async(g, r, [0, 0]), "expected a shared tile as dst, but got a register tile"),
    (lambda t, g, s, r: t.copy_async_wait_group(g.shape[0]), "expected an integer known at compile time as n"),
    (lambda t, g, s, r: t.lock_semaphore(g, 0), "expected a pointer to an int32 as semaphore"),
    (lambda t, g, s, r: t.lock_semaphore(g[0, 0].item_ptr(), 0), "expected a pointer to an int32 as semaphore, but got one to float32"),
    (lambda t, g, s, r: t.store_global_scatter(g, dim=0, indices=r, values=r), "expected integers as indices, but got float32"),
    (lambda t, g, s, r: t.shared_tensor(dtype=float32, shape=[g.shape[0]]), "expected sizes known at compile time as shape"),
]  # fmt: skip


@pytest.mark.parametrize("use, message", REFUSED)
def test_wrong_arguments_are_refused(use, message):
    def body(t, p, n):
        view = t.global_view(p, dtype=float32, shape=[n, 8])
        shared = t.shared_tensor(dtype=float32, shape=[8, 8])
        tile = t.load_global(view, offsets=[0, 0], shape=[8, 8])
        with pytest.raises((InstructionError, TypeError), match=message):
            use(t, view, shared, tile)

    build(body, [~float32, int32])
