# Operations on shared layouts as functions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making shared layouts, and the algebra on them."""

from __future__ import annotations

from operator import index
from typing import Sequence

from tilus._compiler import layout as _native
from tilus.ir.layout.ops.utils import LayoutOperationError, prod
from tilus.ir.layout.layout import ints
from tilus.ir.layout.shared_layout import SharedLayout


def _strided(shape: Sequence[int], order: Sequence[int]) -> SharedLayout:
    """Compact, with the dimensions of `order` from the slowest to the fastest."""
    sizes = ints(shape)
    strides = [prod(sizes[inner] for inner in order[order.index(dim) + 1 :]) for dim in range(len(sizes))]
    return SharedLayout(sizes, sizes, strides)


def shared_row_major(*shape: int) -> SharedLayout:
    """Compact, the last dimension fastest."""
    return _strided(shape, list(range(len(shape))))


def shared_column_major(*shape: int) -> SharedLayout:
    """Compact, the first dimension fastest."""
    return _strided(shape, list(reversed(range(len(shape)))))


def shared_row_major_swizzle(shape: Sequence[int], dtype_nbytes: int) -> SharedLayout:
    """Compact, with 16-byte vectors swizzled so that accesses along the last two dimensions have no conflicts.

    The rank must be 2 or more, the second last size a multiple of 8 and a row whole vectors of 16 bytes.
    """
    sizes, nbytes = ints(shape), index(dtype_nbytes)
    if len(sizes) < 2 or sizes[-2] % 8 or nbytes <= 0 or sizes[-1] * nbytes % 16:
        raise LayoutOperationError(
            "expected a shape of rank 2 or more with a multiple of 8 rows of whole 16-byte vectors, but got "
            f"{tuple(sizes)} of {nbytes} bytes an element"
        )
    return SharedLayout._wrap(_native.SharedLayout.swizzled(sizes, nbytes * 8))


def shared_compose(lhs: SharedLayout, rhs: SharedLayout) -> SharedLayout:
    """Tiles `rhs`, placed at multiples of its size, by `lhs`. At most one of the two may have a swizzle."""
    return SharedLayout._wrap(lhs._handle.compose(rhs._handle))


def shared_permute(layout: SharedLayout, dims: Sequence[int]) -> SharedLayout:
    """Dimension d of the result is dimension `dims[d]` of the layout."""
    return layout.permute(dims)


def shared_slice(layout: SharedLayout, retain_dims: Sequence[int]) -> SharedLayout:
    """The view that keeps these dimensions and indexes the others by constants."""
    return layout.slice(retain_dims)


def shared_reshape(layout: SharedLayout, new_shape: Sequence[int]) -> SharedLayout:
    """The same row-major sequence of elements in another shape."""
    return layout.reshape(new_shape)


def shared_unsqueeze(layout: SharedLayout, dims: Sequence[int]) -> SharedLayout:
    """Inserts dimensions of size 1 at the positions `dims` of the result."""
    return layout.unsqueeze(dims)


def visualize_layout(layout: SharedLayout, tablefmt: str = "simple_grid") -> str:
    """A table of text: the offset of each element."""
    return layout.visualize(tablefmt)
