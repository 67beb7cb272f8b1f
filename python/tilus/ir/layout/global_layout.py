# Global layouts: where the elements of a tensor lie in global memory.
#
# The sizes and strides may be numbers, or scalars of a script: everything is done with their own operators.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Global layouts: the offset of each element of a tensor in global memory."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence


class GlobalLayout:
    """Where the elements of a tensor lie in global memory, in elements from its start.

    `shape` has the sizes, `size` the elements that the tensor takes up, and `layout(*indices)` is the offset of an
    element. `strides` has one stride a dimension, or is None for an offset that is no sum of strides.
    """

    __slots__ = ("shape", "size", "strides", "_offset")

    def __init__(
        self, shape: Sequence[Any], size: Any, f_offset: Callable[[Sequence[Any]], Any], strides: Optional[tuple] = None
    ):
        self.shape = tuple(shape)
        self.size = size
        self.strides = strides
        self._offset = f_offset

    @staticmethod
    def create(shape: Sequence[Any], size: Any, f_offset: Callable[[Sequence[Any]], Any]) -> GlobalLayout:
        """The layout with any function from indices to the offset."""
        return GlobalLayout(shape, size, f_offset)

    def __call__(self, *indices: Any) -> Any:
        if len(indices) != len(self.shape):
            raise ValueError(f"expected {len(self.shape)} indices, one a dimension, but got {len(indices)}")
        return self._offset(indices)

    def __repr__(self) -> str:
        return f"GlobalLayout(shape={self.shape}, size={self.size}, strides={self.strides})"


def _product(sizes: Sequence[Any]) -> Any:
    result: Any = 1
    for size in sizes:
        result = size if isinstance(result, int) and result == 1 else result * size
    return result


def _sum(terms: Sequence[Any]) -> Any:
    result: Any = 0
    for term in terms:
        result = term if isinstance(result, int) and result == 0 else result + term
    return result


def global_strides(shape: Sequence[Any], strides: Sequence[Any]) -> GlobalLayout:
    """One stride a dimension. The size reaches to the last element."""
    if len(shape) != len(strides):
        raise ValueError(f"expected one stride for each of {len(shape)} dimensions, but got {len(strides)}")
    size = _sum([1] + [(extent - 1) * stride for extent, stride in zip(shape, strides)])
    steps = tuple(strides)
    return GlobalLayout(shape, size, lambda indices: _sum([i * step for i, step in zip(indices, steps)]), steps)


def _compact(shape: Sequence[Any], strides: Sequence[Any]) -> GlobalLayout:
    layout = global_strides(shape, strides)
    layout.size = _product(shape)
    return layout


def global_row_major(*shape: Any) -> GlobalLayout:
    """Compact, the last dimension fastest."""
    return _compact(shape, [_product(shape[dim + 1 :]) for dim in range(len(shape))])


def global_column_major(*shape: Any) -> GlobalLayout:
    """Compact, the first dimension fastest."""
    return _compact(shape, [_product(shape[:dim]) for dim in range(len(shape))])


def _compose(outer: GlobalLayout, inner: GlobalLayout) -> GlobalLayout:
    if len(outer.shape) != len(inner.shape):
        raise ValueError(f"expected layouts of one rank, but got {len(outer.shape)} and {len(inner.shape)}")

    def f_offset(indices: Sequence[Any]) -> Any:
        tiles = [i // extent for i, extent in zip(indices, inner.shape)]
        within = [i % extent for i, extent in zip(indices, inner.shape)]
        return outer(*tiles) * inner.size + inner(*within)

    shape = [a * b for a, b in zip(outer.shape, inner.shape)]
    return GlobalLayout(shape, outer.size * inner.size, f_offset)


def global_compose(lhs: GlobalLayout, rhs: GlobalLayout, *others: GlobalLayout) -> GlobalLayout:
    """Tiles each layout, placed at multiples of its size, by the ones before it."""
    result = lhs
    for layout in (rhs, *others):
        result = _compose(result, layout)
    return result


def global_slice(
    layout: GlobalLayout, offsets: Sequence[Any], dims: Sequence[int], shape: Sequence[Any]
) -> GlobalLayout:
    """The part from `offsets` on that runs over `dims` with sizes `shape`; offsets are from its first element."""
    if len(offsets) != len(layout.shape) or len(dims) != len(shape):
        raise ValueError(
            f"expected {len(layout.shape)} offsets and one size for each of {len(dims)} dimensions, but got "
            f"{len(offsets)} offsets and {len(shape)} sizes"
        )
    if layout.strides is not None:
        return global_strides(shape, [layout.strides[dim] for dim in dims])

    def f_offset(indices: Sequence[Any]) -> Any:
        element = list(offsets)
        for dim, i in zip(dims, indices):
            element[dim] = offsets[dim] + i
        return layout(*element) - layout(*offsets)

    return GlobalLayout(shape, _product(shape), f_offset)
