# Operations on register layouts as functions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making register layouts, and the algebra on them."""

from __future__ import annotations

from operator import index
from typing import Optional, Sequence

from tilus._compiler import layout as _native
from tilus.ir.layout.ops.utils import LayoutOperationError
from tilus.ir.layout.layout import ints
from tilus.ir.layout.register_layout import RegisterLayout

_wrap = RegisterLayout._wrap


def spatial(*shape: int, ranks: Optional[Sequence[int]] = None) -> RegisterLayout:
    """One element a thread. `ranks[d]` is the place of dimension d in the thread's number, 0 outermost; row-major
    if there are none."""
    return _wrap(_native.RegisterLayout.spatial(ints(shape), ints(ranks or ())))


def local(*shape: int, ranks: Optional[Sequence[int]] = None) -> RegisterLayout:
    """All elements in one thread; `ranks` order the slots as they order the threads in `spatial`."""
    return _wrap(_native.RegisterLayout.local(ints(shape), ints(ranks or ())))


def column_spatial(*shape: int) -> RegisterLayout:
    """`spatial` with the first dimension fastest."""
    return spatial(*shape, ranks=tuple(reversed(range(len(shape)))))


def column_local(*shape: int) -> RegisterLayout:
    """`local` with the first dimension fastest."""
    return local(*shape, ranks=tuple(reversed(range(len(shape)))))


def replicated(*shape: int, num_workers: int) -> RegisterLayout:
    """All elements in each of `num_workers` threads."""
    return _wrap(_native.RegisterLayout.replicated(ints(shape), index(num_workers)))


def auto_local_spatial(num_threads: int, shape: Sequence[int]) -> RegisterLayout:
    """An even distribution of any shape over any number of threads.

    The threads are split over the dimensions from the last backwards by the greatest common divisor; threads left
    over hold replicas, elements left over are further slots.
    """
    sizes = ints(shape)
    return _wrap(_native.RegisterLayout.distributed(sizes, index(num_threads), max(len(sizes) - 1, 0), 1))


def compose(outer: RegisterLayout, inner: RegisterLayout) -> RegisterLayout:
    """Tiles `inner` by `outer`: index = outer index * inner shape + inner index, likewise thread and slot."""
    return _wrap(outer._handle.compose(inner._handle))


def divide(lhs: RegisterLayout, rhs: RegisterLayout) -> RegisterLayout:
    """The layout whose composition with `rhs` is `lhs`."""
    return _wrap(lhs._handle.divide(rhs._handle))


def left_divide(layout: RegisterLayout, lhs_divisor: RegisterLayout) -> RegisterLayout:
    """The layout with which `lhs_divisor` composes to `layout`."""
    return _wrap(layout._handle.left_divide(lhs_divisor._handle))


def concat(lhs: RegisterLayout, rhs: RegisterLayout) -> RegisterLayout:
    """The dimensions of `lhs` followed by those of `rhs`, whose threads and slots are innermost."""
    return _wrap(lhs._handle.concat(rhs._handle))


def permute(layout: RegisterLayout, dims: Sequence[int]) -> RegisterLayout:
    """Dimension d of the result is dimension `dims[d]` of the layout."""
    return _wrap(layout._handle.permute(ints(dims)))


def reduce(layout: RegisterLayout, dims: Sequence[int], keepdims: bool = False) -> RegisterLayout:
    """Collapses `dims` to one element: their threads become replicas, their slots vanish."""
    return _wrap(layout._handle.reduce(ints(dims), bool(keepdims)))


def reduce_to(layout: RegisterLayout, shape: Sequence[int]) -> RegisterLayout:
    """The inverse of a broadcast of `shape` to the layout's shape."""
    return _wrap(layout._handle.reduce_to(ints(shape)))


def expand_to(layout: RegisterLayout, shape: Sequence[int]) -> RegisterLayout:
    """A layout of the broadcast to `shape` that reduces to `layout`."""
    return _wrap(layout._handle.expand_to(ints(shape)))


def reshape(layout: RegisterLayout, shape: Sequence[int]) -> RegisterLayout:
    """The same distribution of the row-major sequence of elements."""
    return _wrap(layout._handle.reshape(ints(shape)))


def flatten(layout: RegisterLayout, start_dim: int = 0, end_dim: int = -1) -> RegisterLayout:
    """Merges the dimensions from `start_dim` to `end_dim`, both included, into one."""
    shape = list(layout.shape)
    start, end = (dim + len(shape) if dim < 0 else dim for dim in (index(start_dim), index(end_dim)))
    if not 0 <= start <= end < len(shape):
        raise LayoutOperationError(
            f"expected dimensions in ascending order within rank {len(shape)}, but got {start_dim} to {end_dim}"
        )
    merged = 1
    for size in shape[start : end + 1]:
        merged *= size
    return reshape(layout, shape[:start] + [merged] + shape[end + 1 :])


def squeeze(layout: RegisterLayout, dims: Sequence[int]) -> RegisterLayout:
    """Removes dimensions of size 1."""
    return _wrap(layout._handle.squeeze(ints(dims)))


def unsqueeze(layout: RegisterLayout, dims: Sequence[int]) -> RegisterLayout:
    """Inserts dimensions of size 1 at the positions `dims` of the result."""
    return _wrap(layout._handle.unsqueeze(ints(dims)))


def locate_at(layout: RegisterLayout, global_indices: Sequence[int], spatial_index: int) -> bool:
    """Whether the thread holds the element."""
    return index(spatial_index) in layout.get_spatial(global_indices)
