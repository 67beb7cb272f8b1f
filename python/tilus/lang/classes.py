# Objects of scripts: attributes that change while a script is transpiled, and classes of helper objects.
#
# Owns Members, which scripts and helper classes derive from, and Class. What assigning does is in scopes.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects whose attributes follow control flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilus.dtypes import DataType
    from tilus.lang.frames import Cell
    from tilus.lang.instructions import Instructions as _Instructions
    from tilus.lang.scopes import Variable
else:

    class _Instructions:
        """Stands for the class of that name until `load_instructions` puts that in its place."""


_MEMBERS = "_tilus_members"


def load_instructions() -> None:
    """Makes the instructions methods of scripts.

    They come with the compiler, which a process does without whose kernels are all kept.
    """
    from tilus.lang.instructions import Instructions

    if Members.__bases__ != (Instructions,):
        Members.__bases__ = (Instructions,)


class Members(_Instructions):
    """Base of objects that have instructions and whose attributes a script may change.

    What Python assigned before stays a plain attribute. What a script assigns is a variable: a branch or a loop of run
    time that changes it is followed.
    """

    def __getattr__(self, name: str) -> Any:
        # Called for names that are no plain attributes.
        variable = self.__dict__.get(_MEMBERS, {}).get(name)
        if variable is not None:
            return variable.read()
        load_instructions()
        if hasattr(type(self), name):
            return object.__getattribute__(self, name)
        raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get(_MEMBERS, ()):
            self.assign_member(name, value)
        else:
            object.__setattr__(self, name, value)

    def _variable(self, name: str, value: Any) -> Variable:
        from tilus.lang.builder import current_builder
        from tilus.lang.scopes import Variable

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
        from tilus.lang.builder import current_builder
        from tilus.lang.scalars import Scalar, as_scalar

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


class Class(Members):
    """Base of helper objects that are made and used inside of a script; `__init__` and the methods are transpiled."""
