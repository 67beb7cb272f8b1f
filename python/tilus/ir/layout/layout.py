# What both kinds of layouts are: a handle of the compiler's layout, and an attribute of the dialect.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common part of register and shared layouts."""

from __future__ import annotations

from operator import index
from typing import Any, Iterable, Optional, TypeVar

from tilus.ir.layout.ops.utils import prod

Self = TypeVar("Self", bound="Layout")


def ints(values: Iterable[Any]) -> list:
    """The values as Python's integers."""
    return [index(value) for value in values]


class Layout:
    """A layout, canonical and constant. Its mathematics is the compiler's own."""

    __slots__ = ("_handle", "_text")

    def __init__(self, handle: Any):
        self._handle = handle
        self._text: Optional[str] = None

    @classmethod
    def _wrap(cls: type[Self], handle: Any) -> Self:
        layout = object.__new__(cls)
        Layout.__init__(layout, handle)
        return layout

    @property
    def shape(self) -> tuple:
        return self._handle.shape

    @property
    def mode_shape(self) -> tuple:
        return self._handle.mode_shape

    @property
    def size(self) -> int:
        """Elements of the tile."""
        return prod(self.shape)

    @property
    def attribute_text(self) -> str:
        """The attribute of the dialect, as `#tilus.reg<…>`."""
        if self._text is None:
            self._text = str(self._handle)
        return self._text

    def to_attribute(self, context: Any) -> Any:
        """The attribute of the dialect in a context of `tilus.ir`."""
        from tilus._compiler.ir import Attribute

        return Attribute.parse(self.attribute_text, context)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._handle == other._handle

    def __hash__(self) -> int:
        return hash(self.attribute_text)
