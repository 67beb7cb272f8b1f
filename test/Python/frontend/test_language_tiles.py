# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles as variables: copies and aliases, in-place forms, branches, loops and helpers, against numpy."""

import numpy as np
import pytest
from language import Kernel, run_kernel
from tilus.dtypes import float32, int32
from tilus.lang.errors import TilusProgramError
from tilus.lang.transpiler import transpile


class Tiles(Kernel):
    """Applies the method to a 4x8 tile and the numbers of the launch; stores the tile that it gives."""

    def __init__(self, program):
        super().__init__()
        self.program = program

    def __call__(self, n: int32, m: int32, x_ptr: ~float32, out_ptr: ~float32):
        self.attrs.warps = 1
        self.attrs.blocks = 1
        x = self.load_global(self.global_view(x_ptr, dtype=float32, shape=[4, 8]), offsets=[0, 0], shape=[4, 8])
        result = getattr(self, self.program)(x, n, m)
        self.store_global(self.global_view(out_ptr, dtype=float32, shape=[4, 8]), result, offsets=[0, 0])

    def accumulates(self, x, n, m):
        total = self.register_tensor(dtype=float32, shape=[4, 8], init=0.0)
        for i in range(n):
            total += x * i
        return total

    def fresh_name_is_alias(self, x, n, m):
        y = x
        y += 1.0
        return x

    def bound_name_is_copied_to(self, x, n, m):
        y = self.register_tensor(dtype=float32, shape=[4, 8], init=0.0)
        y = x
        x += 5.0
        return y

    def operators_make_new_tiles(self, x, n, m):
        y = x + 0.0
        y += 1.0
        return x

    def changed_in_branch(self, x, n, m):
        if n > m:
            x += 10.0
        elif n == m:
            x = x * 2
        else:
            x[1, :] = -1.0
        return x

    def chosen_by_branch(self, x, n, m):
        if n > m:
            y = x + 1.0
        else:
            y = x * 3.0
        return y

    def conditional_expression(self, x, n, m):
        return x + 1.0 if n > m else x - 1.0

    def out_in_loop(self, x, n, m):
        y = x + 0.0
        for i in range(n):
            self.add(y, x, out=y)
            if i == m:
                break
        return y

    def slices(self, x, n, m):
        for i in range(4):
            x[i, :] = x[i, :] * (i + 1)
            x[i, :] += 0.5
            if i >= n:
                continue
            x[i, 3] = m
        return x

    def helper_changes_argument(self, x, n, m):
        self.scale(x, n)
        if m > 2:
            self.scale(x, m)
        return x

    def scale(self, tile, by: float32):
        if by == 0.0:
            return
        tile *= by

    def carried_tiles(self, x, n, m):
        a = x + 0.0
        b = x * 2.0
        for _ in range(n):
            c = a + b
            a = b
            b = c
        return b

    def while_any(self, x, n, m):
        while self.max(x).item() < 100.0:
            x = x * 2.0 + 1.0
        return x

    def swapped(self, x, n, m):
        y, z = x * 2.0, x * 3.0
        y, z = z, y
        for _ in range(n):
            y, z = z, y + z
        return y * 10.0 + z

    def lists_of_tiles(self, x, n, m):
        parts = [x + i for i in range(3)]
        for i in range(n):
            parts[0] += 1.0
            parts[1] = parts[1] * 2.0
            parts[2], parts[1] = parts[1], parts[2]
        return parts[0] + parts[1] * 10.0 + parts[2] * 100.0

    def attribute_tile(self, x, n, m):
        self.total = x + 0.0
        for i in range(n):
            self.add_to_total(i)
        return self.total

    def add_to_total(self, i):
        self.total = self.total + i

    def returned_on_ways(self, x, n, m):
        return self.early(x, n) + self.early(x, m)

    def early(self, x, n):
        if n > 3:
            return x * 10.0
        y = x + n
        if n == 3:
            return y
        return y * y

    def tuple_of_tiles(self, x, n, m):
        low, high = (x, x + 1.0) if n > m else (x - 1.0, x)
        return low * high

    def reshaped_name(self, x, n, m):
        x = self.sum(x, dim=1, keepdim=True)
        return x + self.register_tensor(dtype=float32, shape=[4, 8], init=0.0)

    def lambda_of_indices(self, x, n, m):
        return x + self.register_tensor(dtype=int32, shape=[4, 8], init=lambda i, j: i * 10 + j * n).to(float32)


def expected(name, x, n, m):
    """The result in numpy, written for each method on its own."""
    x = x.copy()
    rows = np.arange(4, dtype=np.float32)[:, None]
    if name == "accumulates":
        return x * sum(range(n))
    if name == "fresh_name_is_alias":
        return x + 1
    if name in ("bound_name_is_copied_to", "operators_make_new_tiles"):
        return x
    if name == "changed_in_branch":
        if n > m:
            return x + 10
        if n == m:
            return x * 2
        x[1] = -1
        return x
    if name == "chosen_by_branch":
        return x + 1 if n > m else x * 3
    if name == "conditional_expression":
        return x + 1 if n > m else x - 1
    if name == "out_in_loop":
        return x * (1 + min(n, m + 1 if m >= 0 else n))
    if name == "slices":
        x = x * (rows + 1) + 0.5
        x[: max(n, 0), 3] = m
        return x
    if name == "helper_changes_argument":
        return x * (n or 1) * (m if m > 2 else 1)
    if name == "carried_tiles":
        a, b = x, x * 2
        for _ in range(n):
            a, b = b, a + b
        return b
    if name == "while_any":
        while x.max() < 100:
            x = x * 2 + 1
        return x
    if name == "swapped":
        y, z = x * 3, x * 2
        for _ in range(n):
            y, z = z, y + z
        return y * 10 + z
    if name == "lists_of_tiles":
        p, q, r = x, x + 1, x + 2
        for _ in range(n):
            p, q = p + 1, q * 2
            r, q = q, r
        return p + q * 10 + r * 100
    if name == "attribute_tile":
        return x + sum(range(n))
    if name == "returned_on_ways":
        early = lambda k: x * 10 if k > 3 else x + k if k == 3 else (x + k) ** 2  # noqa: E731
        return early(n) + early(m)
    if name == "tuple_of_tiles":
        return x * (x + 1) if n > m else (x - 1) * x
    if name == "reshaped_name":
        return np.broadcast_to(x.sum(axis=1, keepdims=True), x.shape)
    assert name == "lambda_of_indices"
    return x + rows * 10 + np.arange(8) * n


NAMES = [name for name in vars(Tiles) if name not in ("scale", "add_to_total", "early") and not name.startswith("_")]


@pytest.mark.parametrize("name", NAMES)
def test_tile(name):
    x = np.arange(32, dtype=np.float32).reshape(4, 8) * 0.25 + 1
    for n, m in ((0, 2), (3, 1), (2, 2), (4, 5)):
        out = np.zeros_like(x)
        run_kernel(Tiles(name), Tiles.__call__, [n, m, x.copy(), out])
        np.testing.assert_allclose(out, expected(name, x, n, m), rtol=1e-6, err_msg=f"n={n}, m={m}")


class ChosenTileChangedLater(Kernel):
    def __call__(self, n: int32, p: ~float32):
        self.attrs.warps = 1
        self.attrs.blocks = 1
        x = self.register_tensor(dtype=float32, shape=[4, 8], init=0.0)
        y = x if n > 3 else x + 1.0
        y += 1.0
        self.store_global(self.global_view(p, dtype=float32, shape=[4, 8]), x, offsets=[0, 0])


def test_tile_that_may_be_another_is_refused():
    with pytest.raises(TilusProgramError, match="was changed in place") as caught:
        transpile(ChosenTileChangedLater(), ChosenTileChangedLater.__call__)
    assert caught.value.line == ChosenTileChangedLater.__call__.__code__.co_firstlineno + 6


class ViewChangedLater(Kernel):
    def __call__(self, p: ~float32):
        self.attrs.warps = 1
        self.attrs.blocks = 1
        x = self.register_tensor(dtype=float32, shape=[4, 8], init=0.0)
        y = x.transpose()
        x += 1.0
        self.store_global(self.global_view(p, dtype=float32, shape=[8, 4]), y, offsets=[0, 0])


def test_view_of_a_changed_tile_is_refused():
    with pytest.raises(TilusProgramError, match="the tile that this one is a view of was changed in place") as caught:
        transpile(ViewChangedLater(), ViewChangedLater.__call__)
    assert caught.value.line == ViewChangedLater.__call__.__code__.co_firstlineno + 6
