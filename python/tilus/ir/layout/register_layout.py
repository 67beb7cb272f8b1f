# Register layouts: how the elements of a tile are spread over threads and their register slots.
#
# Owns the class and its construction. The algebra as functions is in ops/register_ops.py, pictures in pictures/.
# All of the mathematics is the compiler's own, in lib/Layout.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Register layouts: which thread holds which element, in which slot."""

from __future__ import annotations

import re
from operator import index
from typing import Any, Sequence

from tilus._compiler import layout as _native
from tilus.ir.layout.layout import Layout, ints
from tilus.ir.layout.ops.utils import LayoutOperationError, get_mode_groups

_ATTRIBUTE = re.compile(
    r"#tilus\.reg<shape = \[(.*?)\], modes = \[(.*?)\], spatial = \[(.*?)\], local = \[(.*?)\]>"
)


class RegisterLayout(Layout):
    """How the elements of a tile are spread over the threads of a group and their register slots.

    Each dimension of `shape` is split into modes, whose sizes `mode_shape` lists, outermost first. `spatial_modes`
    are the digits of the thread's number, outermost first: a mode, or -r for r threads that hold the same.
    `local_modes` are the digits of the slot. A layout is canonical and does not change; two are equal if they have
    the same shape and place each element alike.
    """

    __slots__ = ()

    def __init__(
        self,
        shape: Sequence[int],
        mode_shape: Sequence[int],
        spatial_modes: Sequence[int],
        local_modes: Sequence[int],
    ):
        lists = (ints(shape), ints(mode_shape), ints(spatial_modes), ints(local_modes))
        super().__init__(_native.RegisterLayout.create(*lists))

    # -- structure

    @property
    def spatial_modes(self) -> tuple:
        return self._handle.spatial_modes

    @property
    def local_modes(self) -> tuple:
        return self._handle.local_modes

    @property
    def grouped_modes(self) -> list:
        """The modes of each dimension."""
        return get_mode_groups(self.shape, self.mode_shape)

    @property
    def spatial_shape(self) -> list:
        """The sizes of the digits of the thread's number."""
        modes = self.mode_shape
        return [modes[mode] if mode >= 0 else -mode for mode in self.spatial_modes]

    @property
    def local_shape(self) -> list:
        """The sizes of the digits of the slot."""
        modes = self.mode_shape
        return [modes[mode] for mode in self.local_modes]

    @property
    def spatial_size(self) -> int:
        """The number of threads."""
        return self._handle.num_threads

    @property
    def local_size(self) -> int:
        """Elements that a thread holds."""
        return self._handle.num_slots

    @property
    def replication(self) -> int:
        """Threads that hold each element."""
        return self._handle.replication

    # -- the map

    def get_global(self, *, spatial_index: int, local_index: int) -> list:
        """The index of the element in a slot of a thread."""
        return list(self._handle.get_index(index(spatial_index), index(local_index)))

    def get_spatial(self, global_indices: Sequence[int]) -> list:
        """All threads that hold the element, in ascending order."""
        return list(self._handle.get_threads(ints(global_indices)))

    def get_local(self, global_indices: Sequence[int]) -> int:
        """The slot of the element, the same in all threads that hold it."""
        return self._handle.get_slot(ints(global_indices))

    def spatial_mfunction(self) -> Any:
        """The function from elements to the threads that hold them."""
        from tilus.ir.layout.mfunction import multi_function

        return multi_function(self.shape, self.mode_shape, self.spatial_modes)

    def covers(self, other: RegisterLayout) -> bool:
        """Whether each thread that holds an element in `other` holds it here too."""
        return self._handle.covers(other._handle)

    # -- algebra

    def __mul__(self, other: RegisterLayout) -> RegisterLayout:
        if not isinstance(other, RegisterLayout):
            return NotImplemented
        return self._wrap(self._handle.compose(other._handle))

    def __truediv__(self, other: RegisterLayout) -> RegisterLayout:
        if not isinstance(other, RegisterLayout):
            return NotImplemented
        return self._wrap(self._handle.divide(other._handle))

    def local(self, *shape: int) -> RegisterLayout:
        """Tiles a tile of this shape, whose elements stay in one thread, by this layout."""
        return self._wrap(self._handle.compose(_native.RegisterLayout.local(ints(shape), [])))

    def spatial(self, *shape: int) -> RegisterLayout:
        """Tiles a tile of this shape, one element a thread, by this layout."""
        return self._wrap(self._handle.compose(_native.RegisterLayout.spatial(ints(shape), [])))

    def column_local(self, *shape: int) -> RegisterLayout:
        """`local` with the first dimension fastest."""
        ranks = list(reversed(range(len(shape))))
        return self._wrap(self._handle.compose(_native.RegisterLayout.local(ints(shape), ranks)))

    def column_spatial(self, *shape: int) -> RegisterLayout:
        """`spatial` with the first dimension fastest."""
        ranks = list(reversed(range(len(shape))))
        return self._wrap(self._handle.compose(_native.RegisterLayout.spatial(ints(shape), ranks)))

    def reduce_to(self, shape: Sequence[int]) -> RegisterLayout:
        """The inverse of a broadcast of `shape` to this shape."""
        return self._wrap(self._handle.reduce_to(ints(shape)))

    def with_shape(self, shape: Sequence[int]) -> RegisterLayout:
        """The same modes in another shape that they refine."""
        return RegisterLayout(shape, self.mode_shape, self.spatial_modes, self.local_modes)

    # -- identity

    @staticmethod
    def from_attribute(attribute: Any) -> RegisterLayout:
        """The layout of an attribute of the dialect, or of its text."""
        match = _ATTRIBUTE.fullmatch(str(attribute))
        if match is None:
            raise LayoutOperationError(f"expected an attribute '#tilus.reg<…>', but got '{attribute}'")
        return RegisterLayout(*([int(n) for n in part.split(",") if n.strip()] for part in match.groups()))

    def __reduce__(self):
        return RegisterLayout, (self.shape, self.mode_shape, self.spatial_modes, self.local_modes)

    def __repr__(self) -> str:
        return (
            f"RegisterLayout(shape={self.shape}, mode_shape={self.mode_shape}, "
            f"spatial_modes={self.spatial_modes}, local_modes={self.local_modes})"
        )

    # -- pictures

    def visualize(self, tablefmt: str = "simple_grid") -> str:
        """A table of text: `thread: slot` of each element."""
        return visualize_layout(self, tablefmt)

    def _repr_svg_(self) -> str:
        from tilus.pictures import draw_register_layout

        return draw_register_layout(self)


def register_layout(
    shape: Sequence[int], mode_shape: Sequence[int], spatial_modes: Sequence[int], local_modes: Sequence[int]
) -> RegisterLayout:
    """The canonical layout with these modes; LayoutOperationError, a ValueError, if they do not describe one."""
    return RegisterLayout(shape, mode_shape, spatial_modes, local_modes)


def validate_layout(
    shape: Sequence[int], mode_shape: Sequence[int], spatial_modes: Sequence[int], local_modes: Sequence[int]
) -> None:
    """Raises what `register_layout` would."""
    RegisterLayout(shape, mode_shape, spatial_modes, local_modes)


def canonicalize_layout(layout: RegisterLayout) -> RegisterLayout:
    """The layout itself: every layout is canonical."""
    return layout


def visualize_layout(layout: RegisterLayout, tablefmt: str = "simple_grid") -> str:
    """A table of text for each index of the leading dimensions: `thread: slot` of each element."""
    from tilus.pictures.text import draw_tables

    def get_cell(element: tuple) -> str:
        threads = layout.get_spatial(element)
        return f"{threads[0] if len(threads) == 1 else threads}: {layout.get_local(element)}"

    return draw_tables(repr(layout), layout.shape, get_cell, tablefmt)
