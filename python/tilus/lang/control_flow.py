# Structured control flow: branches, loops and thread groups, and what of the cells' contents leaves them.
#
# Owns how scf.if, scf.for, scf.while and tilus.thread_group are built around regions that are filled first: the results
# follow from the cells that the regions changed. Statements of Python are the transpiler's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches, loops and thread groups."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional

from tilus._compiler import ir
from tilus.lang import merging, signs
from tilus.lang.builder import Builder, Group, current_builder
from tilus.lang.errors import InstructionError
from tilus.lang.frames import UNSET, Cell, Frame, GroupFrame, LoopFrame, Split, Unusable, is_same, parts_of
from tilus.lang.scalars import Scalar


def _move_body(source: Any, target: Any) -> None:
    target.take_body(source)


class Branches:
    """`if` of run time: two regions that are filled one after the other, in any order.

    `condition` is an SSA value of i1. The contents of a side whose frame is dead do not count. `skipped` are the sides
    behind which what follows is not executed: names that they do not have do not matter.
    """

    def __init__(self, condition: Any, what: str = "a branch"):
        self.builder = builder = current_builder()
        self.condition = condition
        self.place = builder.place
        self.operation = builder.create("scf.if", (condition,), regions=2)
        self.blocks = [region.append() for region in self.operation.regions]
        self.parent = builder.frame
        self.frames = [Frame(self.parent, what), Frame(self.parent, what)]
        self.skipped = [False, False]

    @contextlib.contextmanager
    def side(self, index: int) -> Iterator[Frame]:
        """Operations made inside go to the end of a side: 0 is taken if the condition holds, 1 else."""
        with self.builder.inside(self.blocks[index], self.frames[index]):
            yield self.frames[index]

    def changed(self) -> list:
        """The older cells that a side has used, in a fixed order."""
        cells = dict.fromkeys([*self.frames[0].values, *self.frames[1].values])
        return [cell for cell in cells if self.frames[0].outer(cell)]

    def finish(self, pairs: Optional[list] = None) -> list:
        """Closes both sides. `pairs` are two contents, one of each side, and what they are of (a cell or None), to be
        made one each; gives these."""
        first, second = self.frames
        wanted: list = []
        for cell in self.changed():
            old = self.parent.get(cell)
            a, b = first.values.get(cell, old), second.values.get(cell, old)
            if not is_same(a, b):
                wanted.append((cell, a, b))
            elif not is_same(a, old):
                self.parent.values[cell] = a
        dead = [frame.dead for frame in self.frames]
        skipped = [a or b for a, b in zip(dead, self.skipped)]
        rows = [(cell, (a, b), dead) for cell, a, b in wanted] + [(cell, pair, skipped) for cell, pair in pairs or []]
        merged = self._merge(rows)
        for (cell, _, _), content in zip(wanted, merged):
            self.parent.values[cell] = content
        self.parent.dead = self.parent.dead or all(dead)
        return merged[len(wanted) :]

    def _merge(self, rows: list) -> list:
        kinds = [merging.common(*row) for row in rows]
        yields: list = [[], []]
        for side in (0, 1):
            with self.side(side):
                for kind, row in zip(kinds, rows):
                    yields[side] += kind.parts(row[1][side], row[2][side])
        with self.builder.at(self.place):
            for side in (0, 1):
                with self.side(side):
                    self.builder.create("scf.yield", yields[side])
            results: list = []
            if yields[0]:
                old = self.operation
                self.operation = self.builder.create(
                    "scf.if", (self.condition,), results=[value.type for value in yields[0]], regions=2
                )
                for source, target in zip(old.regions, self.operation.regions):
                    _move_body(source, target)
                old.erase()
                results = list(self.operation.results)
        contents = []
        for kind in kinds:
            count = kind.count
            contents.append(kind.content(results[:count]))
            results = results[count:]
        return contents


class _Loop:
    """A loop of run time: cells that a round changes become arguments of its block and results."""

    def __init__(self, what: str):
        self.builder: Builder = current_builder()
        self.place = self.builder.place
        self.parent = self.builder.frame
        self.what = what
        self.frame = LoopFrame(self.parent, what, self._add_argument, self.builder.tick())
        self.block: Any = None

    def _add_argument(self, cell: Optional[Cell], part: Any) -> Any:
        return self.block.add_argument(part.type, self.builder.location)

    def _rows(self) -> tuple:
        """(cell, before, inside, after) of the older cells that a round changes, and of those that it only uses.

        `inside` is the content at the start of a round, None if a round does not use it.
        """
        changed: list = []
        used: list = []
        for cell, after in list(self.frame.values.items()):
            if not self.frame.outer(cell):
                continue
            before, inside = self.frame.initial.get(cell) or (self.parent.get(cell), None)
            if inside is UNSET:
                inside = None
            if self.frame.dead:  # no second round
                after = before if inside is None else inside
            same = is_same(after, before if inside is None else inside)
            (used if same else changed).append((cell, before, inside, after))
        # Arguments are in the order in which they were made; what has none yet gets one behind them.
        changed.sort(key=lambda row: row[2] is None)
        return changed, used

    def _carry(self, changed: list) -> tuple:
        """The rows that are carried, each with its kind, their initial values and those after a round."""
        rows, initial, final = [], [], []
        for cell, before, inside, after in changed:
            kind = merging.carried(cell, before, inside, after, self.frame.readers.get(cell))
            if kind.unusable is not None:
                self.parent.values[cell] = kind.unusable
                continue
            rows.append((cell, before, inside, after, kind))
            start = kind.parts(before)
            initial += start
            if inside is None:
                for part in start:
                    self._add_argument(None, part)
            with self.builder.inside(self.block, self.frame):
                final += kind.parts(after)
        return rows, initial, final

    def _drop_unchanged(self, used: list) -> None:
        """Cells that no round changes need no arguments."""
        for _cell, before, inside, _after in used:
            for old, new in zip(parts_of(inside), parts_of(before)) if inside is not None else ():
                old.replace_all_uses_with(new)
                self.block.erase_argument(old.index)
            signs.unchanged(inside, before)


class ForLoop(_Loop):
    """A loop over `lower, lower + step, …` below `upper`, all of one integer type; `step` is positive."""

    def __init__(self, lower: Scalar, upper: Scalar, step: Scalar, what: str = "a loop"):
        super().__init__(what)
        self.bounds = (lower.value, upper.value, step.value)
        self.operation = self.builder.create("scf.for", self.bounds, regions=1)
        self.block = self.operation.regions[0].append([self.bounds[0].type])
        self.index = Scalar(self.block.arguments[0], lower.dtype, lower.nonneg)
        self.attributes: dict = {}

    @contextlib.contextmanager
    def body(self) -> Iterator[Scalar]:
        """Operations made inside are those of a round; gives the index."""
        with self.builder.inside(self.block, self.frame):
            yield self.index

    def finish(self) -> None:
        """Closes the body."""
        with self.builder.at(self.place):
            changed, used = self._rows()
            rows, initial, final = self._carry(changed)
            with self.builder.inside(self.block):
                self.builder.create("scf.yield", final)
            self._drop_unchanged(used)
            types = [value.type for value in initial]
            operation = self.builder.create("scf.for", [*self.bounds, *initial], self.attributes, types, 1)
            _move_body(self.operation.regions[0], operation.regions[0])
            self.operation.erase()
            merging.take_results(self.parent, rows, list(operation.results))


class RepeatLoop(_Loop):
    """A loop that runs its body once, and again as long as a condition that the body computes holds."""

    def __init__(self, what: str = "a loop"):
        super().__init__(what)
        self.operation = self.builder.create("scf.while", regions=2)
        self.block = self.operation.regions[0].append()

    @contextlib.contextmanager
    def body(self) -> Iterator[None]:
        """Operations made inside are those of a round."""
        with self.builder.inside(self.block, self.frame):
            yield

    def finish(self, again: Any) -> None:
        """Closes the body; `again` is an SSA value of i1 in it."""
        with self.builder.at(self.place):
            changed, used = self._rows()
            rows, initial, final = self._carry(changed)
            with self.builder.inside(self.block):
                self.builder.create("scf.condition", [again, *final])
            self._drop_unchanged(used)
            types = [value.type for value in initial]
            operation = self.builder.create("scf.while", initial, {}, types, 2)
            _move_body(self.operation.regions[0], operation.regions[0])
            forward = operation.regions[1].append(types)
            with self.builder.inside(forward):
                self.builder.create("scf.yield", list(forward.arguments))
            self.operation.erase()
            merging.take_results(self.parent, rows, list(operation.results))


class GroupRegion:
    """A part of the current threads executes a region: `count` threads from `begin`, which is counted in the current
    group; any such part if `begin` is None.

    A context manager: operations made inside go to the region. Scalars, views and shared tiles of the enclosing group can
    be used in it. Tiles cannot, nor be assigned.
    """

    def __init__(self, begin: Optional[int], count: int):
        self.begin = begin
        self.count = count

    def check_threads(self, returned: list) -> None:
        """Raises if threads of these groups, which may have left the kernel, would execute the region."""
        outer = current_builder().group
        if outer is None:
            return
        group = self._group(outer)
        if not all(group.is_apart(gone) for gone in returned):
            raise InstructionError(
                "expected threads that are there, but threads of this group may have returned before",
                "put the rest of the earlier group in a branch instead",
            )

    def _group(self, outer: Group) -> Group:
        kind = "any" if self.begin is None or outer.kind == "any" else "fixed"
        return Group(outer.begin + (self.begin or 0), self.count, kind, outer)

    def __enter__(self) -> GroupRegion:
        self.builder = builder = current_builder()
        outer = builder.group
        if outer is None:
            raise InstructionError(
                "expected the number of warps before a thread group, but it is not set",
                "assign self.attrs.warps at the start of __call__",
            )
        attributes = {"threads": f"{self.count} : i32"}
        if self.begin is not None:
            attributes["begin"] = f"{self.begin} : i32"
        operation = builder.create("tilus.thread_group", (), attributes, (), 1)
        self.outer = builder.block, builder.frame, outer
        self.operation = operation
        builder.group = self._group(outer)
        self.frame = GroupFrame(builder.frame, builder.group)
        builder.block, builder.frame = operation.regions[0].append(), self.frame
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        builder = self.builder
        if error is None:
            builder.create("tilus.return")
        builder.block, builder.frame, builder.group = self.outer
        if error is None:
            for cell, content in self.frame.values.items():
                if self.frame.outer(cell):
                    self._hand_over(cell, content, builder.frame)

    def _hand_over(self, cell: Cell, content: Any, outer: Frame) -> None:
        """What the group has assigned to a cell of the enclosing region stays the group's."""
        old, group = outer.get(cell), self.frame.group
        seen = old.seen_by(group) if isinstance(old, Split) else old
        if is_same(content, seen):
            return
        if not isinstance(content, Scalar) or not all(_hoist(part, self.operation) for part in parts_of(content)):
            content = Unusable(
                f"expected a value that is known behind a thread group, but {cell.what} follows from what only the group has",
                "use it in the group only, or pass it through shared memory",
            )
        if group.covers(group.parent):
            outer.values[cell] = content
        else:
            split = old if isinstance(old, Split) else Split(old, [], cell.what)
            outer.values[cell] = split.assigned(group, content)


def _hoist(value: Any, group: Any) -> bool:
    """Computes a value of a group's region before the group, if it follows from scalars that are known there."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return not _encloses(group, owner.owner)
    if not _encloses(group, owner):
        return True
    if owner.parent != group or not owner.name.startswith(("arith.", "math.", "tilus.block_id", "tilus.grid_dim")):
        return False
    if not all(_hoist(operand, group) for operand in owner.operands):
        return False
    owner.move_before(group)
    return True


def _encloses(outer: Any, operation: Any) -> bool:
    while operation is not None:
        if operation == outer:
            return True
        operation = operation.parent
    return False
