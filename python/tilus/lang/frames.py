# Cells, whose SSA value changes, and the frames that follow them through branches and loops.
#
# Owns how an assignment in a branch, a loop or a thread group becomes a result of its operation. A cell has one content
# in each frame; a frame takes it from the frame around when it is first used, and a loop makes an argument of it then.
# Control flow itself (which operation, which condition) is in control_flow.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cells and frames."""

from __future__ import annotations

from typing import Any, Callable, Optional

from tilus._compiler import ir
from tilus.lang.errors import InstructionError


class Unusable:
    """The content of a cell that has no one value here; to use it is an error that says why."""

    __slots__ = ("message", "advice")

    def __init__(self, message: str, advice: Optional[str] = None):
        self.message = message
        self.advice = advice

    def error(self) -> InstructionError:
        return InstructionError(self.message, self.advice)


class Split(Unusable):
    """The content of a cell to which thread groups have assigned: `owners` are pairs of a group and what its threads have,
    `default` is what all others have. All threads together have no one value."""

    __slots__ = ("default", "owners")

    def __init__(self, default: Any, owners: list, what: str):
        super().__init__(
            f"expected a value that these threads have, but {what} was assigned in a thread group, which has it alone",
            "assign it outside of the thread group, or use it in that group only",
        )
        self.default = default
        self.owners = owners

    def of(self, default: Any, owners: list) -> Split:
        """Other contents of the same cell."""
        made = Split(default, owners, "")
        made.message = self.message
        return made

    def seen_by(self, group: Any) -> Any:
        """What the threads of a group have: their own content, that of all, or this if it is not known which."""
        for owner, content in self.owners:
            if owner.covers(group):
                return content
            if not owner.is_apart(group):
                return self
        return self.default

    def owned(self, group: Any) -> Any:
        """What the threads of an owner have; of a group that is none, the default."""
        return next((content for owner, content in self.owners if owner.is_same(group)), self.default)

    def assigned(self, group: Any, content: Any) -> Split:
        """The content after the threads of a group have assigned another."""
        rest = [pair for pair in self.owners if not group.covers(pair[0])]
        return self.of(self.default, [(group, content), *rest])

    def contents(self) -> list:
        return [self.default, *(content for _, content in self.owners)]

    def ssa_parts(self) -> list:
        return [part for content in self.contents() for part in parts_of(content)]

    def with_parts(self, parts: list) -> Split:
        made = []
        for content in self.contents():
            count = len(parts_of(content))
            made.append(rebuild(content, parts[:count]) if count else content)
            parts = parts[count:]
        return self.of(made[0], [(group, content) for (group, _), content in zip(self.owners, made[1:])])

    def is_same(self, other: Any) -> bool:
        return (
            isinstance(other, Split)
            and len(self.owners) == len(other.owners)
            and all(a.is_same(b) for (a, _), (b, _) in zip(self.owners, other.owners))
            and all(map(is_same, self.contents(), other.contents()))
        )


class _Unset:
    """The content of a cell that nothing reads before something is assigned."""

    def __repr__(self) -> str:
        return "no value"


UNSET = _Unset()


class Cell:
    """A place whose content changes while a script is transpiled: an SSA value, a scalar, or a Python value.

    `content` is what it holds at the current point. Contents that are SSA values or scalars follow structured control
    flow: what a branch or a loop assigns is merged behind it. `what` names the cell in messages.
    """

    __slots__ = ("builder", "home", "what", "__weakref__")

    def __init__(self, builder: Any, content: Any, what: str = "a value"):
        self.builder = builder
        self.home = builder.frame
        self.what = what
        self.home.values[self] = content

    @property
    def content(self) -> Any:
        frame = self.builder.frame
        try:
            content = frame.values[self]
        except KeyError:
            content = frame.enter(self)
        if isinstance(content, Unusable):
            raise content.error()
        return content

    @content.setter
    def content(self, content: Any) -> None:
        self.builder.frame.values[self] = content


class Frame:
    """The contents of cells at one point of one region. `values` has those that were used or changed in it; `dead` says
    that nothing is executed behind this point."""

    __slots__ = ("parent", "values", "what", "dead")

    def __init__(self, parent: Optional[Frame], what: str = "the kernel"):
        self.parent = parent
        self.values: dict = {}
        self.what = what
        self.dead = False

    def get(self, cell: Cell) -> Any:
        """The content of a cell in this frame."""
        try:
            return self.values[cell]
        except KeyError:
            return self.enter(cell)

    def enter(self, cell: Cell) -> Any:
        """The content of a cell that is first used in this frame."""
        if self.parent is None:
            raise InstructionError(
                f"expected a value that was made on every way here, but {cell.what} was made in {cell.home.what}",
                "make it before the branch, loop or thread group and assign to it there",
            )
        content = self.parent.get(cell)
        self.values[cell] = content
        return content

    def outer(self, cell: Cell) -> bool:
        """Whether a cell is older than this frame."""
        home, frame = cell.home, self.parent
        while frame is not None:
            if frame is home:
                return True
            frame = frame.parent
        return False


class LoopFrame(Frame):
    """A frame whose region runs many times: each cell that is used in it gets an argument of its block.

    `initial` maps a cell to its content before the loop and its content at the start of a round, `readers` to the threads
    that used it first. `begin` is the builder's clock when the loop began.
    """

    __slots__ = ("initial", "readers", "add_argument", "begin")

    def __init__(self, parent: Frame, what: str, add_argument: Callable, begin: int = 0):
        super().__init__(parent, what)
        self.begin = begin
        self.initial: dict = {}
        self.readers: dict = {}
        self.add_argument = add_argument

    def enter(self, cell: Cell) -> Any:
        before = super().enter(cell)
        parts = parts_of(before)
        inside = rebuild(before, [self.add_argument(cell, part) for part in parts]) if parts else before
        self.values[cell] = inside
        self.initial[cell] = (before, inside)
        self.readers[cell] = cell.builder.group
        return inside


class GroupFrame(Frame):
    """A frame of a thread group: of contents that differ from thread to thread it has its own."""

    __slots__ = ("group",)

    def __init__(self, parent: Frame, group: Any):
        super().__init__(parent, "a thread group")
        self.group = group

    def enter(self, cell: Cell) -> Any:
        content = super().enter(cell)
        if isinstance(content, Split):
            content = self.values[cell] = content.seen_by(self.group)
        return content


# -- contents: what they consist of, whether they are one, and what joins two


def parts_of(content: Any) -> list:
    """The SSA values that a content consists of; none for a value of Python."""
    if type(content) is tuple:
        return [part for item in content for part in parts_of(item)]
    parts = getattr(content, "ssa_parts", None)
    if parts is not None:
        return parts()
    return [content] if is_value(content) else []


def rebuild(content: Any, parts: list) -> Any:
    """The same kind of content, of other SSA values."""
    if type(content) is tuple:
        items = []
        for item in content:
            count = len(parts_of(item))
            items.append(rebuild(item, parts[:count]) if count else item)
            parts = parts[count:]
        return tuple(items)
    return parts[0] if is_value(content) else content.with_parts(parts)


def is_value(content: Any) -> bool:
    """Whether a content is an SSA value."""
    return isinstance(content, ir.Value)


def is_same(a: Any, b: Any) -> bool:
    """Whether two contents are one, so that nothing has to be merged."""
    if a is b:
        return True
    if is_value(a):
        return is_value(b) and a == b
    same = getattr(a, "is_same", None)
    if same is not None:
        return same(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, (int, float, str, bytes)):
        return a == b or (a != a and b != b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(is_same, a, b))
    return False
