# What becomes of a cell's contents where ways meet: behind a branch, from round to round of a loop.
#
# Owns the rules by which two contents are one content (of which type, made of which SSA values), and what is said when
# they cannot be. The regions themselves are built in control_flow.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Merging of contents."""

from __future__ import annotations

import functools
from typing import Any, Optional, Sequence

from tilus.dtypes import DataType, boolean, promote_type
from tilus.lang import signs
from tilus.lang.builder import current_builder
from tilus.lang.errors import InstructionError
from tilus.lang.frames import UNSET, Cell, Split, Unusable, is_same, is_value, parts_of
from tilus.lang.scalars import Pointer, Scalar, as_scalar, describe, is_scalar, type_of


class Kind:
    """How contents become one: `count` SSA values, from which `content` makes the result.

    `unusable` is set if they cannot: the result is that they have no value.
    """

    count = 0
    unusable: Optional[Unusable] = None

    def parts(self, content: Any, dead: bool = False) -> list:
        """The SSA values of a content, made at the current point. A content that nothing reads is a dummy."""
        return []

    def content(self, values: Sequence[Any]) -> Any:
        return self.unusable


class NoKind(Kind):
    """Contents that are not one."""

    def __init__(self, unusable: Unusable):
        self.unusable = unusable


class SameKind(Kind):
    """Contents that are the same."""

    def __init__(self, same: Any):
        self.same = same

    def content(self, values: Sequence[Any]) -> Any:
        return self.same


class ValueKind(Kind):
    """SSA values of one type; tiles may differ in their layouts."""

    count = 1

    def __init__(self, type: Any):
        self.type = type

    def parts(self, content: Any, dead: bool = False) -> list:
        if content is UNSET or dead and not is_value(content):
            return [_dummy(self.type)]
        if content.type != self.type:
            content = current_builder().emit("tilus.convert_layout", (content,), self.type)
        return [content]

    def content(self, values: Sequence[Any]) -> Any:
        return values[0]


class ScalarKind(Kind):
    """Numbers and scalars, as scalars of one type."""

    count = 1

    def __init__(self, dtype: DataType):
        self.dtype = dtype
        self.nonneg: Any = True

    def parts(self, content: Any, dead: bool = False) -> list:
        if content is UNSET or dead and not is_scalar(content):
            content, dead = 0, True
        scalar = as_scalar(content, self.dtype)
        if not dead:
            self.nonneg = signs.both(self.nonneg, scalar.nonneg)
        return [scalar.value]

    def content(self, values: Sequence[Any]) -> Any:
        return Scalar(values[0], self.dtype, self.nonneg)


class PointerKind(Kind):
    """Pointers of one parameter that were moved by different offsets."""

    count = 1

    def __init__(self, pointer: Pointer, dtype: DataType):
        self.pointer = pointer
        self.dtype = dtype

    def parts(self, content: Any, dead: bool = False) -> list:
        offset = content.offset if isinstance(content, Pointer) and content.offset is not None else 0
        return [as_scalar(offset, self.dtype).value]

    def content(self, values: Sequence[Any]) -> Any:
        return Pointer(self.pointer.value, self.pointer.dtype, Scalar(values[0], self.dtype))


class TileKind(Kind):
    """Tiles of one type and shape, as a new tile; if one of them lives on, the new one is a view of it, so that a change of
    either is seen."""

    count = 1

    def __init__(self, tile: Any, *others: Any):
        self.tile = tile
        self.bases = [t for t in (tile, *others) if _lives_on(t)]
        self.type = current_builder().tile_type(tile.shape, tile.dtype)

    def parts(self, content: Any, dead: bool = False) -> list:
        if content is UNSET or dead and not is_tile(content):
            return [_dummy(self.type)]
        return ValueKind(self.type).parts(content.value)

    def content(self, values: Sequence[Any]) -> Any:
        made = type(self.tile)(values[0], self.tile.dtype, *self.bases[:1])
        for base in self.bases[1:]:
            base.add_view(made)
        return made


def _lives_on(tile: Any) -> bool:
    """Whether a tile was made outside of the branches that end here."""
    frame = current_builder().frame
    while frame is not None:
        if frame is tile.cell.home:
            return True
        frame = frame.parent
    return False


class SequenceKind(Kind):
    """Tuples or lists of one length, element by element."""

    def __init__(self, kinds: list, type: Any):
        self.kinds = kinds
        self.type = type
        self.count = sum(kind.count for kind in kinds)

    def parts(self, content: Any, dead: bool = False) -> list:
        items = content if isinstance(content, (tuple, list)) else [UNSET] * len(self.kinds)
        return [part for kind, item in zip(self.kinds, items) for part in kind.parts(item, dead)]

    def content(self, values: Sequence[Any]) -> Any:
        items, start = [], 0
        for kind in self.kinds:
            items.append(kind.content(values[start : start + kind.count]))
            start += kind.count
        return self.type(items)


def is_tile(content: Any) -> bool:
    """Whether a content is a register tile."""
    return isinstance(content, _tile_class())


@functools.lru_cache(None)
def _tile_class() -> type:
    from tilus.lang.tensors import RegisterTensor

    return RegisterTensor


def _dummy(type: Any) -> Any:
    # A value that no way uses: zero of the type.
    text = str(type)
    element = text[:-1].rpartition("x")[2].partition("<")[2] or text[:-1].rpartition("x")[2] if "<" in text else text
    zero = "false" if element == "i1" else "0" if element[0] == "i" else "0.0"
    value = f"dense<{zero}> : {text}" if text.startswith("tensor") else f"{zero} : {text}".replace("false : i1", "false")
    return current_builder().emit("arith.constant", (), type, {"value": value})


# -- branches


def common(cell: Optional[Cell], contents: tuple, dead: Sequence[bool] = (False, False)) -> Kind:
    """How the contents of two sides become one. A dead side has no say."""
    a, b = contents
    if dead[0] and dead[1]:
        return SameKind(a)
    if dead[0] or dead[1]:
        return _alone(b if dead[0] else a)
    if a is UNSET or b is UNSET:
        return _alone(b if a is UNSET else a)
    if is_same(a, b):
        return SameKind(a)
    if isinstance(a, Split) or isinstance(b, Split):
        return _common_split(cell, contents)
    for content in contents:
        if isinstance(content, Unusable):
            return NoKind(content)
    if is_value(a) and is_value(b):
        return ValueKind(a.type)
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        return _common_pointer(cell, a, b)
    if is_scalar(a) and is_scalar(b):
        return ScalarKind(getattr(cell, "declared", None) or scalar_type(a, b))
    if is_tile(a) and is_tile(b) and a.dtype is b.dtype and a.shape == b.shape:
        return TileKind(a, b)
    if isinstance(a, (tuple, list)) and type(a) is type(b) and len(a) == len(b):
        kinds = [common(None, pair) for pair in zip(a, b)]
        bad = next((kind for kind in kinds if kind.unusable is not None), None)
        return bad or SequenceKind(kinds, type(a))
    return NoKind(_differ(cell, a, b))


def scalar_type(a: Any, b: Any) -> DataType:
    """The type that holds two numbers: that of an expression of them, except that numbers that Python has take a
    scalar's type where they fit."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Scalar) and type(other) is int and one.dtype.is_integer() and not one.dtype.is_boolean():
            if one.dtype.limits[0] <= other <= one.dtype.limits[1]:
                return one.dtype
    left, right = type_of(a), type_of(b)
    return left if left is right else promote_type(left, right)


def _alone(content: Any) -> Kind:
    """The kind of a content that comes from one side only, perhaps made inside of it."""
    if isinstance(content, Split):
        return SplitKind(content, _alone(content.default), [(group, _alone(own)) for group, own in content.owners])
    if isinstance(content, Unusable):
        return NoKind(content)
    if is_value(content):
        return ValueKind(content.type)
    if isinstance(content, Pointer):
        return PointerKind(content, type_of(0 if content.offset is None else content.offset))
    if type(content) is Scalar:
        return ScalarKind(content.dtype)
    if is_tile(content):
        return TileKind(content)
    if isinstance(content, (tuple, list)):
        return SequenceKind([_alone(item) for item in content], type(content))
    return SameKind(content)


def _common_pointer(cell: Optional[Cell], a: Pointer, b: Pointer) -> Kind:
    if a.dtype is not b.dtype or a.value != b.value:
        return NoKind(_differ(cell, a, b, "pointers that come from different parameters"))
    offsets = [0 if p.offset is None else p.offset for p in (a, b)]
    return PointerKind(a, scalar_type(*offsets))


def _differ(cell: Optional[Cell], a: Any, b: Any, why: str = "") -> Unusable:
    name = cell.what if cell is not None else "a value"
    return Unusable(
        f"expected one kind of value on every way here, but {name} is {describe_content(a)} on one way and "
        f"{describe_content(b)} on another" + (f" ({why})" if why else ""),
        "give it the same type and shape on both ways, or use another name on one of them",
    )


def describe_content(content: Any) -> str:
    """What a content is, for messages."""
    if is_tile(content):
        return f"a tile of {content.dtype.name}{list(content.shape)}"
    if is_value(content):
        return f"a value of type {content.type}"
    return describe(content)


# -- loops


class SplitKind(Kind):
    """Contents that differ among thread groups: one kind for all other threads, and one for each group."""

    def __init__(self, split: Split, default: Kind, owners: list):
        self.split = split
        self.kinds = [(None, default), *owners]
        self.count = sum(kind.count for _, kind in self.kinds)

    def parts(self, content: Any, dead: bool = False) -> list:
        found = []
        for group, kind in self.kinds:
            found += kind.parts(_of_group(content, group), dead)
        return found

    def content(self, values: Sequence[Any]) -> Any:
        made = []
        for _, kind in self.kinds:
            made.append(kind.content(values[: kind.count]))
            values = values[kind.count :]
        return self.split.of(made[0], [(group, content) for (group, _), content in zip(self.kinds[1:], made[1:])])


def _of_group(content: Any, group: Any) -> Any:
    """What the threads of a group have, or all others if it is None."""
    if not isinstance(content, Split):
        return content
    return content.default if group is None else content.owned(group)


def _common_split(cell: Optional[Cell], contents: tuple) -> Kind:
    split = next(content for content in contents if isinstance(content, Split))
    groups: list = []
    for content in contents:
        for group, _ in content.owners if isinstance(content, Split) else ():
            if not any(group.is_same(known) for known in groups):
                groups.append(group)
    kinds = [(g, common(cell, tuple(_of_group(content, g) for content in contents))) for g in (None, *groups)]
    return SplitKind(split, kinds[0][1], kinds[1:])


def _carried_split(cell: Cell, before: Any, inside: Any, after: Split, reader: Any) -> Kind:
    if isinstance(inside, Split):
        groups = [None, *(group for group, _ in inside.owners)]
        if isinstance(after, Split) and not all(any(g.is_same(k) for k in groups[1:]) for g, _ in after.owners):
            raise after.error()
    else:
        if inside is not None and not (len(after.owners) == 1 and after.owners[0][0].is_same(reader)):
            raise after.error()
        if inside is not None:
            # The one group that uses it has the argument; all others have what they had before.
            own = carried(cell, _of_group(before, reader), inside, after.owners[0][1])
            return own if own.unusable is not None else OwnKind(own, after, before, reader)
        groups = [None, *(group for group, _ in after.owners)]
    kinds = []
    for g in groups:
        first, start, last = (_of_group(content, g) for content in (before, inside, after))
        if inside is None:
            kinds.append((g, common(cell, (first, last))))
        elif is_same(start, last) and not parts_of(start):
            kinds.append((g, SameKind(first)))
        else:
            kinds.append((g, carried(cell, first, start, last)))
    split = after if isinstance(after, Split) else inside
    return SplitKind(split, kinds[0][1], kinds[1:])


class OwnKind(Kind):
    """What one thread group carries from round to round."""

    def __init__(self, kind: Kind, split: Split, before: Any, group: Any):
        self.kind = kind
        self.split = split
        self.before = before
        self.group = group
        self.count = kind.count

    def parts(self, content: Any, dead: bool = False) -> list:
        return self.kind.parts(_of_group(content, self.group), dead)

    def content(self, values: Sequence[Any]) -> Any:
        return self.split.of(_of_group(self.before, None), [(self.group, self.kind.content(values))])


def carried(cell: Cell, before: Any, inside: Any, after: Any, reader: Any = None) -> Kind:
    """How a content that a round changes is carried: `before` the loop, `inside` at the start of a round (None if the
    round did not use it first), `after` a round. `reader` are the threads that used it first."""
    if isinstance(after, Split) or isinstance(inside, Split):
        return _carried_split(cell, before, inside, after, reader)
    if isinstance(after, Unusable):
        if inside is not None:
            raise after.error()
        return NoKind(after)
    if isinstance(before, Unusable):
        return NoKind(before)
    if before is UNSET:
        return _alone(after)
    if is_value(inside):
        return ValueKind(inside.type)
    if type(inside) is Scalar:
        check_assignable(cell, inside.dtype, after)
        return ScalarKind(inside.dtype)
    if isinstance(inside, Pointer) and isinstance(after, Pointer) and inside.offset is not None:
        return ValueList(inside)
    if type(inside) is tuple and type(after) is tuple and len(inside) == len(after):
        return SequenceKind([_carried_item(cell, *items) for items in zip(before, inside, after)], tuple)
    if inside is not None:
        raise InstructionError(
            f"expected {cell.what} to stay {describe_content(before)} in a loop of run time that uses it, but a round "
            f"makes it {describe_content(after)}",
            _advice(before, after),
        )
    kind = common(cell, (before, after))
    if kind.unusable is not None:
        message = f"expected a value that does not depend on how often a loop runs, but {cell.what} is "
        message += f"{describe_content(before)} before the loop and {describe_content(after)} after a round"
        return NoKind(Unusable(message, _advice(before, after)))
    return kind


def _carried_item(cell: Cell, before: Any, inside: Any, after: Any) -> Kind:
    if not parts_of(inside) and is_same(inside, after):
        return SameKind(before)
    return carried(cell, before, inside, after)


class ValueList(Kind):
    """A pointer with its offset, which a loop moves."""

    count = 2

    def __init__(self, pointer: Pointer):
        self.pointer = pointer

    def parts(self, content: Any, dead: bool = False) -> list:
        return [content.value, as_scalar(content.offset, self.pointer.offset.dtype).value]

    def content(self, values: Sequence[Any]) -> Any:
        return self.pointer.with_parts(list(values))


def _advice(before: Any, after: Any) -> str:
    if isinstance(before, (list, dict)):
        return "use a tuple, of which run time can change the numbers, or a tile"
    if isinstance(before, (bool, int, float)) and is_scalar(after):
        return f"declare it as a variable where it is first assigned, as in 'x: {type_of(after).name} = {before}'"
    return "use another name in the loop, or give it the same type and shape before the loop"


def check_assignable(cell: Cell, dtype: DataType, value: Any) -> None:
    """Raises if a variable of a type cannot take a value without losing what the author may mean to keep."""
    if not is_scalar(value) or isinstance(value, Pointer):
        raise InstructionError(
            f"expected a number for {cell.what}, which is {dtype.name}, but got {describe_content(value)}",
            "use another name for it",
        )
    if getattr(cell, "declared", None) is not None:
        return
    source = type_of(value)
    loses = dtype.is_integer() and source.is_float() or dtype is boolean and source is not boolean
    if loses or (getattr(cell, "from_number", False) and source.nbits > dtype.nbits and isinstance(value, Scalar)):
        raise InstructionError(
            f"expected {dtype.name} for {cell.what}, as before the loop or branch, but got {describe(value)}",
            f"declare its type where it is first assigned, as in 'x: {source.name} = …', or convert with .to({dtype.name})",
        )


def take_results(parent: Any, carried_rows: list, results: list) -> None:
    """Gives the cells that a loop carried their contents behind it."""
    for cell, before, inside, after, kind in carried_rows:
        content = kind.content(results[: kind.count])
        results = results[kind.count :]
        parent.values[cell] = content
        _settle_signs(inside, before, after, content)


def _settle_signs(inside: Any, before: Any, after: Any, content: Any) -> None:
    """Says what a loop's claim that a scalar is not negative needs."""
    if isinstance(content, Split):
        groups = [None, *(group for group, _ in content.owners)]
        for group in groups:
            inner = inside if type(inside) is Scalar and group is not None else _of_group(inside, group)
            _settle_signs(inner, *(_of_group(c, group) for c in (before, after, content)))
    elif type(inside) is tuple and type(content) is tuple:
        for items in zip(inside, before, after, content):
            _settle_signs(*items)
    elif type(inside) is Scalar and isinstance(inside.nonneg, signs.Claim) and is_scalar(before) and is_scalar(after):
        inside.nonneg.needs = [as_scalar(before).nonneg, as_scalar(after).nonneg]
        if type(content) is Scalar:
            content.nonneg = inside.nonneg
