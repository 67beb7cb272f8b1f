# Names of a transpiled function: what they are bound to, where they are visible, and what an assignment does.
#
# Owns the rules of assignment: a name bound to a scalar keeps its type, a name bound to a tile is copied to, anything else
# is bound anew. Names that a branch or a loop makes end with it; using one later says why it is gone.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names and their scopes."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional

from tilus.dtypes import DataType, int64
from tilus.lang import merging
from tilus.lang.builder import current_builder
from tilus.lang.control_flow import Branches
from tilus.lang.errors import InstructionError, Place
from tilus.lang.frames import Cell, Unusable
from tilus.lang.scalars import Constant, Pointer, Scalar, as_scalar, host_number, is_scalar, type_of


class Variable(Cell):
    """A name, or an attribute that was declared with a type. `declared` is the stated type; `from_number` says that its
    type is only that of the Python number that it started with."""

    __slots__ = ("declared", "from_number", "bound")

    def __init__(self, content: Any, what: str, declared: Optional[DataType] = None):
        super().__init__(current_builder(), content, what)
        self.declared = declared
        self.from_number = False
        self.bound = self.builder.tick()

    def read(self) -> Any:
        """What the name stands for in an expression."""
        content = self.content
        if merging.is_tile(content):
            self._read_tile(content)
        return content

    def assign(self, value: Any) -> None:
        """What `name = value` does to a name that is bound."""
        self.bound = self.builder.tick()
        old = self.builder.frame.get(self)
        if isinstance(old, Unusable):
            self.content = self._of_type(value, self.declared)
        elif merging.is_tile(old) and merging.is_tile(value):
            self._assign_tile(old, value)
        elif isinstance(old, Scalar) and not isinstance(old, Pointer) and is_scalar(value):
            self._assign_scalar(old, value)
        else:
            self.content = self._of_type(value, self.declared)

    def _of_type(self, value: Any, dtype: Optional[DataType]) -> Any:
        return value if dtype is None or not is_scalar(value) else as_scalar(value, dtype)

    def _assign_tile(self, old: Any, value: Any) -> None:
        if old is value:
            return
        if old.dtype is value.dtype and old.shape == value.shape:
            self._check_other_names(old)
            old.assign(value)
            return
        if self.home is not self.builder.frame:
            raise InstructionError(
                f"expected {merging.describe_content(old)} for {self.what}, which was assigned outside of this branch or "
                f"loop, but got {merging.describe_content(value)}",
                "assign it to another name, or convert it first",
            )
        self.content = value

    # Names of one tile: Python would bind one of them anew by an assignment, which copies here. Where that matters, for
    # another name is used afterwards, it is an error.

    def _read_tile(self, tile: Any) -> None:
        names = self.builder.tile_names.setdefault(tile, TileNames())
        names.readers[self] = self.builder.tick()
        if names.assigned > self.bound and names.assigner is not self:
            raise _two_names(self, names.assigner)

    def _check_other_names(self, tile: Any) -> None:
        names = self.builder.tile_names.setdefault(tile, TileNames())
        begin = self.builder.clock
        frame = self.builder.frame
        while frame is not None and frame is not tile.cell.home:
            begin = min(begin, getattr(frame, "begin", begin))
            frame = frame.parent
        for other, clock in names.readers.items():
            if other is not self and clock > begin and other.bound < begin:  # it is read again in the next round
                raise _two_names(other, self)
        names.assigner, names.assigned = self, self.builder.tick()

    def _assign_scalar(self, old: Scalar, value: Any) -> None:
        if self.declared is not None:
            self.content = as_scalar(value, self.declared)
            return
        dtype, source = old.dtype, type_of(value)
        if isinstance(value, Pointer):
            self.content = value
        elif isinstance(old, Constant) and not isinstance(value, Scalar) or source is dtype:
            self.content = as_scalar(value, dtype) if host_number(value) is not None and not loses(source, dtype) else value
        elif not loses(source, dtype):
            merging.check_assignable(self, dtype, value)
            self.content = as_scalar(value, dtype)
        elif self.home is self.builder.frame:
            self.content = value
        else:
            merging.check_assignable(self, dtype, value)


def _promoted(content: Any) -> Any:
    """A number as a scalar of run time; the numbers of a tuple likewise; a pointer with an offset that can change."""
    if type(content) is tuple:
        items = tuple(map(_promoted, content))
        return content if all(a is b for a, b in zip(items, content)) else items
    if isinstance(content, Pointer):
        return content if content.offset is not None else content.moved(_promoted(Constant(0, int64)))
    number = content.number if isinstance(content, Constant) else host_number(content)
    if number is None:
        return content
    dtype = type_of(content)
    return Scalar(current_builder().constant(number, dtype), dtype, number >= 0 or dtype.is_unsigned())


class TileNames:
    """Which name a tile was last assigned by, and which names it was read by, and when."""

    __slots__ = ("assigner", "assigned", "readers")

    def __init__(self):
        self.assigner: Optional[Variable] = None
        self.assigned = 0
        self.readers: dict = {}


def _two_names(read: Variable, assigned: Variable) -> InstructionError:
    return InstructionError(
        f"expected {read.what} to be the only name of its tile, but {assigned.what} is another one, and was assigned",
        "assign to a new name, or change the tile for both names with +=, [...] = , out= or self.assign",
    )


def loses(source: DataType, dtype: DataType) -> bool:
    """Whether a number of a type is no longer itself as another: a float as an integer, anything as a boolean."""
    return source is not dtype and (dtype.is_integer() and source.is_float() or dtype.is_boolean())


class Scope:
    """The names of one call of a function."""

    __slots__ = ("names", "lost")

    def __init__(self):
        self.names: dict = {}
        self.lost: dict = {}

    def lookup(self, name: str) -> Optional[Variable]:
        return self.names.get(name)

    def bind(self, name: str, value: Any, declared: Optional[DataType] = None) -> Variable:
        """Binds a name in the current region, whatever it was before."""
        variable = Variable(value, f"'{name}'", declared)
        self.names[name] = variable
        self.lost.pop(name, None)
        return variable

    def assign(self, name: str, value: Any) -> None:
        """`name = value`."""
        variable = self.names.get(name)
        if variable is None:
            self.bind(name, value)
        else:
            variable.assign(value)

    def declare(self, name: str, value: Any, dtype: DataType) -> None:
        """`name: dtype = value`."""
        variable = self.names.get(name)
        if variable is None or variable.home is current_builder().frame:
            self.bind(name, as_scalar(value, dtype), dtype)
            return
        if variable.declared is None or variable.declared is not dtype:
            known = variable.declared.name if variable.declared else merging.describe_content(variable.content)
            raise InstructionError(
                f"expected '{name}' to keep its type, {known}, but it is declared as {dtype.name} in a branch or a loop",
                "use another name",
            )
        variable.assign(value)

    def promote(self, names: Any) -> None:
        """Makes scalars of run time of those names that are bound to numbers: a loop of run time changes them."""
        builder = current_builder()
        for name in names:
            variable = self.names.get(name)
            if variable is None:
                continue
            content = builder.frame.get(variable)
            promoted = _promoted(content)
            if promoted is not content:
                variable.from_number = variable.declared is None and host_number(content) is not None
                variable.content = promoted

    @contextlib.contextmanager
    def local(self, what: str, place: Optional[Place] = None) -> Iterator[None]:
        """Names that are bound for the first time inside are visible inside only."""
        before = self.names
        self.names = dict(before)
        try:
            yield
        finally:
            inside, self.names = self.names, before
            self._lose(inside, what, place)

    def _lose(self, inside: dict, what: str, place: Optional[Place]) -> None:
        for name, variable in inside.items():
            if self.names.get(name) is not variable:
                self.lost[name] = (what, place)
                self.names.pop(name, None)

    def join(self, branches: Branches, sides: list, what: str, place: Optional[Place]) -> None:
        """Closes the branches. `sides` are the names at the end of each: those that both (or the one that goes on) have
        made are visible behind them."""
        fresh = []
        gone = [frame.dead or skipped for frame, skipped in zip(branches.frames, branches.skipped)]
        for name in dict.fromkeys([*sides[0], *sides[1]]):
            made = [side.get(name) for side in sides]
            if all(variable is self.names.get(name) for variable in made):
                continue
            live = [variable for variable, side in zip(made, gone) if not side]
            if live and all(variable is not None for variable in live):
                fresh.append((name, made, live[0]))
            else:
                self.lost[name] = (what, place)
                self.names.pop(name, None)
        pairs = []
        for _name, made, live in fresh:
            contents = (
                frame.get(variable) if variable is not None else None for variable, frame in zip(made, branches.frames)
            )
            pairs.append((live, tuple(contents)))
        for (name, made, live), content in zip(fresh, branches.finish(pairs)):
            self.bind(name, content, live.declared)
