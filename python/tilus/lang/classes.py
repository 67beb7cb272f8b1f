# Objects of scripts: attributes that change while a script is transpiled, and classes of helper objects.
#
# Owns Members, which scripts and helper classes derive from, and Class. What assigning does is in scopes.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects whose attributes follow control flow."""

from __future__ import annotations

from typing import Any

from tilus.dtypes import DataType
from tilus.lang.builder import current_builder
from tilus.lang.frames import Cell
from tilus.lang.instructions import Instructions
from tilus.lang.scalars import Scalar, as_scalar
from tilus.lang.scopes import Variable

_MEMBERS = "_tilus_members"


class Members:
    """Base of objects whose attributes a script may change.

    What Python assigned before stays a plain attribute. What a script assigns is a variable: a branch or a loop of run
    time that changes it is followed.
    """

    def __getattr__(self, name: str) -> Any:
        # Called for names that are no plain attributes.
        variable = self.__dict__.get(_MEMBERS, {}).get(name)
        if variable is None:
            raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'")
        return variable.read()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get(_MEMBERS, ()):
            self.assign_member(name, value)
        else:
            object.__setattr__(self, name, value)

    def _variable(self, name: str, value: Any) -> Variable:
        current_builder().will_change(self)
        members = self.__dict__.setdefault(_MEMBERS, {})
        variable = members[name] = Variable(value, f"'{type(self).__name__}.{name}'")
        return variable

    def assign_member(self, name: str, value: Any) -> None:
        """`self.name = value` in a script."""
        descriptor = getattr(type(self), name, None)
        if hasattr(descriptor, "__set__"):
            object.__setattr__(self, name, value)
            return
        variable = self.__dict__.get(_MEMBERS, {}).get(name)
        if variable is None:
            plain = name in self.__dict__
            variable = self._variable(name, self.__dict__[name] if plain else value)
            if not plain:
                return
            # The attribute is as old as the kernel: a branch or a loop of run time changes it.
            _move_to_root(variable)
            del self.__dict__[name]
        variable.assign(value)

    def declare_member(self, name: str, value: Any, dtype: DataType) -> None:
        """`self.name: dtype = value` in a script."""
        scalar = as_scalar(value, dtype)
        nonneg = scalar.nonneg or dtype.is_unsigned()
        variable = self.__dict__.get(_MEMBERS, {}).get(name)
        if variable is None or variable.home is current_builder().frame:
            variable = self._variable(name, None)
        variable.declared = dtype
        # Always a scalar of run time: methods may change it in loops, which cannot be seen before.
        variable.content = Scalar(scalar.value, dtype, nonneg)
        self.__dict__.pop(name, None)


def _move_to_root(cell: Cell) -> None:
    frame = cell.builder.frame
    content = frame.values.pop(cell)
    while frame.parent is not None:
        frame = frame.parent
    cell.home = frame
    frame.values[cell] = content
    cell.builder.frame.get(cell)  # it may have been read already, where it was no variable yet


class Class(Instructions, Members):
    """Base of helper objects that are made and used inside of a script; `__init__` and the methods are transpiled."""
