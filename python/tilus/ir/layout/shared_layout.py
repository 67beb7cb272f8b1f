# Shared layouts: where the elements of a tile lie in shared memory.
#
# Owns the class, its swizzle and their construction. All of the mathematics is the compiler's own, in lib/Layout.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared layouts: the offset of each element in shared memory, swizzled or not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import index
from typing import Any, Optional, Sequence

from tilus._compiler import layout as _native
from tilus.ir.layout.layout import Layout, ints
from tilus.ir.layout.ops.utils import LayoutOperationError

_ATTRIBUTE = re.compile(
    r"#tilus\.smem<shape = \[(.*?)\], modes = \[(.*?)\], strides = \[(.*?)\](?:, swizzle = \[(.*?)\])?>"
)


@dataclass(frozen=True)
class Swizzle:
    """A permutation of offsets: the `bits` bits from bit `base + shift` upwards are XORed onto those from bit `base`
    upwards. With no bits it changes nothing."""

    base: int
    bits: int
    shift: int

    def __call__(self, offset: Any) -> Any:
        if self.bits == 0:
            return offset
        mask = ((1 << self.bits) - 1) << (self.base + self.shift)
        return offset ^ ((offset & mask) >> self.shift)

    def to_byte_swizzle(self, nbytes: int) -> Swizzle:
        """The same of byte offsets, for elements of `nbytes` bytes, a power of two."""
        if nbytes <= 0 or nbytes & (nbytes - 1):
            raise LayoutOperationError(f"expected a power of two bytes, but got {nbytes}")
        return Swizzle(self.base + nbytes.bit_length() - 1, self.bits, self.shift)

    def __str__(self) -> str:
        return f"Swizzle(base={self.base}, bits={self.bits}, shift={self.shift})"


def _swizzle_parts(swizzle: Optional[Swizzle]) -> Optional[tuple]:
    if swizzle is None or swizzle.bits == 0:
        return None
    return swizzle.base, swizzle.bits, swizzle.shift


class SharedLayout(Layout):
    """Where the elements of a tile lie in shared memory, in elements from its start.

    Each dimension of `shape` is split into modes, outermost first, with a stride each. The sum of the digits times
    their strides is the offset, which `optional_swizzle` then permutes. A layout is canonical and does not change.
    """

    __slots__ = ()

    def __init__(
        self,
        shape: Sequence[int],
        mode_shape: Sequence[int],
        mode_strides: Sequence[int],
        optional_swizzle: Optional[Swizzle] = None,
    ):
        lists = (ints(shape), ints(mode_shape), ints(mode_strides))
        super().__init__(_native.SharedLayout.create(*lists, _swizzle_parts(optional_swizzle)))

    @staticmethod
    def create(
        shape: Sequence[int],
        mode_shape: Sequence[int],
        mode_strides: Sequence[int],
        optional_swizzle: Optional[Swizzle] = None,
    ) -> SharedLayout:
        return SharedLayout(shape, mode_shape, mode_strides, optional_swizzle)

    # -- structure

    @property
    def mode_strides(self) -> tuple:
        return self._handle.mode_strides

    @property
    def optional_swizzle(self) -> Optional[Swizzle]:
        parts = self._handle.swizzle
        return None if parts is None else Swizzle(*parts)

    @property
    def swizzle(self) -> Swizzle:
        """The swizzle; a LayoutOperationError if there is none."""
        swizzle = self.optional_swizzle
        if swizzle is None:
            raise LayoutOperationError("expected a layout with a swizzle, but got one without; see optional_swizzle")
        return swizzle

    def count_size(self) -> int:
        """Elements that the tile takes up, holes included."""
        return self._handle.count_size

    # -- the map

    def __call__(self, *indices: int) -> int:
        """The offset of an element."""
        return self._handle.get_offset(ints(indices), 0)

    def byte_offset(self, *indices: int, nbytes: int) -> int:
        """The offset of an element of `nbytes` bytes in bytes."""
        return self(*indices) * nbytes

    def as_numpy_grid(self) -> Any:
        """The offsets of all elements as an array of the tile's shape."""
        import numpy

        grid = numpy.empty(self.shape, dtype=numpy.int64)
        for element in numpy.ndindex(*self.shape):
            grid[element] = self(*element)
        return grid

    # -- algebra

    def slice(self, retain_dims: Sequence[int]) -> SharedLayout:
        """The view that keeps these dimensions, in ascending order, and indexes the others by constants."""
        return self._wrap(self._handle.slice(ints(retain_dims)))

    def apply_swizzle(self, swizzle: Swizzle) -> SharedLayout:
        """The layout, which has none, with a swizzle."""
        if swizzle.bits == 0:
            return self
        return self._wrap(self._handle.apply_swizzle((swizzle.base, swizzle.bits, swizzle.shift)))

    def prepend_dim(self, extent: int) -> SharedLayout:
        """`extent` copies along a new first dimension."""
        return self._wrap(self._handle.prepend_dim(index(extent)))

    def transpose(self) -> SharedLayout:
        """The two dimensions exchanged."""
        return self.permute([1, 0])

    def permute(self, dims: Sequence[int]) -> SharedLayout:
        """Dimension d of the result is dimension `dims[d]` of the layout."""
        return self._wrap(self._handle.permute(ints(dims)))

    def reshape(self, shape: Sequence[int]) -> SharedLayout:
        """The same row-major sequence of elements in another shape."""
        return self._wrap(self._handle.reshape(ints(shape)))

    def unsqueeze(self, dims: Sequence[int]) -> SharedLayout:
        """Inserts dimensions of size 1 at the positions `dims` of the result."""
        return self._wrap(self._handle.unsqueeze(ints(dims)))

    # -- identity

    @staticmethod
    def from_attribute(attribute: Any) -> SharedLayout:
        """The layout of an attribute of the dialect, or of its text."""
        match = _ATTRIBUTE.fullmatch(str(attribute))
        if match is None:
            raise LayoutOperationError(f"expected an attribute '#tilus.smem<…>', but got '{attribute}'")
        lists = [[int(n) for n in (part or "").split(",") if n.strip()] for part in match.groups()]
        if lists[3] and len(lists[3]) != 3:
            raise LayoutOperationError(f"expected three numbers of a swizzle, but got {lists[3]}")
        return SharedLayout(lists[0], lists[1], lists[2], Swizzle(*lists[3]) if lists[3] else None)

    def __reduce__(self):
        return SharedLayout, (self.shape, self.mode_shape, self.mode_strides, self.optional_swizzle)

    def __repr__(self) -> str:
        return (
            f"SharedLayout(shape={self.shape}, mode_shape={self.mode_shape}, mode_strides={self.mode_strides}, "
            f"optional_swizzle={self.optional_swizzle})"
        )

    # -- pictures

    def visualize(self, tablefmt: str = "simple_grid") -> str:
        """A table of text: the offset of each element."""
        from tilus.pictures.text import draw_tables

        return draw_tables(repr(self), self.shape, lambda element: str(self(*element)), tablefmt)

    def _repr_svg_(self) -> str:
        from tilus.pictures import draw_shared_layout

        return draw_shared_layout(self)


def shared_layout(
    shape: Sequence[int],
    mode_shape: Sequence[int],
    mode_strides: Sequence[int],
    optional_swizzle: Optional[Swizzle] = None,
) -> SharedLayout:
    """The canonical layout with these modes; LayoutOperationError, a ValueError, if they do not describe one."""
    return SharedLayout(shape, mode_shape, mode_strides, optional_swizzle)


def canonicalize_shared_layout(layout: SharedLayout) -> SharedLayout:
    """The layout itself: every layout is canonical."""
    return layout
