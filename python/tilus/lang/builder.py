# The builder: where the next operation goes, and which line of the script it stands for.
#
# Owns the insertion point, the current place in the source, the caches of parsed types and attributes, and the builder
# of the running transpilation (one a task, by a context variable). Values that change are cells (frames.py).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builder of a kernel's IR."""

from __future__ import annotations

import contextlib
import math
from contextvars import ContextVar
from typing import Any, Iterator, Optional, Sequence, Union

from tilus._compiler import ir
from tilus.dtypes import DataType, PointerType
from tilus.lang.errors import InstructionError, Place, brief
from tilus.lang.frames import Frame

_current: ContextVar[Optional["Builder"]] = ContextVar("tilus_builder", default=None)


def current_builder() -> Builder:
    """The builder of the script that is transpiled now. Raises outside of a script."""
    builder = _current.get()
    if builder is None:
        raise InstructionError(
            "expected to be called while a script is transpiled, but no script is",
            "call it in the __call__ of a tilus.Script, or in a method that this calls",
        )
    return builder


# The most elements of the dialect's tiles and views, of the sizes that are known.
_MOST_ELEMENTS = 1 << 40


def sizes_text(shape: Sequence[Optional[int]]) -> str:
    """The sizes of a tile or a view as its type has them; None is one that is known at run time only."""
    count = math.prod(size for size in shape if size is not None)
    if count > _MOST_ELEMENTS:
        raise InstructionError(
            f"expected at most {_MOST_ELEMENTS} elements, but got {brief(count)}", "take smaller sizes, in a loop or in views from an offset on"
        )
    return "".join(f"{'?' if size is None else size}x" for size in shape)


def has_builder() -> bool:
    """Whether a script is transpiled now."""
    return _current.get() is not None


class Group:
    """The threads that execute the current region: `count` of them from `begin`, counted in the whole block.

    `kind` says what chose them; two groups of one kind, begin and count are the same threads.
    """

    __slots__ = ("begin", "count", "kind", "parent")

    def __init__(self, begin: int, count: int, kind: str = "block", parent: Optional[Group] = None):
        self.begin = begin
        self.count = count
        self.kind = kind
        self.parent = parent

    @property
    def extent(self) -> tuple:
        """The threads among which those of the group are: the first, and the one behind the last."""
        if self.kind == "any" and self.parent is not None:
            return self.parent.extent
        return self.begin, self.begin + self.count

    def covers(self, other: Group) -> bool:
        """Whether all threads of the other group are of this one."""
        ancestor: Optional[Group] = other
        while ancestor is not None:
            if ancestor is self:
                return True
            ancestor = ancestor.parent
        (first, last), (begin, end) = self.extent, other.extent
        return self.kind != "any" and first <= begin and end <= last

    def is_apart(self, other: Group) -> bool:
        """Whether no thread is of both groups."""
        (first, last), (begin, end) = self.extent, other.extent
        return last <= begin or end <= first

    def is_same(self, other: Group) -> bool:
        """Whether these are the threads of the other group."""
        return self.covers(other) and other.covers(self)


class Builder:
    """Appends operations to the current block.

    `block` is where operations go, `frame` has the contents of cells there, `place` is the current source position,
    `group` the threads that execute the region (None until `attrs.warps` is set).
    """

    def __init__(self, context: ir.Context, target: Any = None):
        self.context = context
        self.target = target
        self.block: Any = None
        self.frame = Frame(None)
        self.group: Optional[Group] = None
        # Groups of which threads may have left the kernel.
        self.returned: list = []
        self.place: Optional[Place] = None
        # The calls that the place lies in, as the location of the innermost one; None in the kernel itself.
        self.caller: Optional[ir.Location] = None
        self._location: tuple = (None, None, None)
        self._types: dict = {}
        self._attributes: dict = {}
        # Counts what happens to names, so that it can be said which of two came first; see scopes.py.
        self.clock = 0
        self.tile_names: dict = {}
        # Objects whose attributes the script changes, with the attributes that they had before.
        self.changed: dict = {}
        # What signs.py settles at the end, and where the numbers of blocks were set.
        self.divisions: dict = {}
        self.unfinished: list = []
        self.blocks_place: Optional[Place] = None

    def will_change(self, owner: Any) -> None:
        """Keeps the attributes of an object as they were before the script."""
        self.changed.setdefault(id(owner), (owner, dict(vars(owner))))

    def restore_objects(self) -> None:
        """Gives the objects that the script changed their attributes back."""
        for owner, attributes in self.changed.values():
            vars(owner).clear()
            vars(owner).update(attributes)

    def tick(self) -> int:
        """The next number of the clock."""
        self.clock += 1
        return self.clock

    # -- types, attributes, locations

    def type(self, text: Union[str, DataType, PointerType]) -> ir.Type:
        """The type of a text, of a data type or of a pointer type."""
        found = self._types.get(text)
        if found is None:
            found = ir.Type.parse(text if isinstance(text, str) else text.mlir, self.context)
            self._types[text] = found
        return found

    def attribute(self, text: str) -> ir.Attribute:
        """The attribute of a text."""
        found = self._attributes.get(text)
        if found is None:
            found = self._attributes[text] = ir.Attribute.parse(text, self.context)
        return found

    def tile_type(self, shape: Sequence[int], dtype: DataType) -> ir.Type:
        """The type of a register tile without a layout."""
        return self.type(f"tensor<{sizes_text(shape)}{dtype.mlir}>")

    @property
    def location(self) -> ir.Location:
        """The location of the current place, with the calls that it lies in."""
        place, caller, location = self._location
        if location is None or place is not self.place or caller is not self.caller:
            location = self._locate(self.place)
            if self.place is not None and self.caller is not None:
                location = ir.Location.callsite(location, self.caller)
            self._location = (self.place, self.caller, location)
        return location

    def _locate(self, place: Optional[Place]) -> ir.Location:
        if place is None:
            return ir.Location.unknown(self.context)
        return ir.Location.file(place.file, place.line, place.column, self.context)

    @contextlib.contextmanager
    def called(self, function: str, place: Optional[Place]) -> Iterator[None]:
        """Operations made inside are those of a function that is called at this place of another function."""
        before = self.place, self.caller
        if place is not None:
            call = ir.Location.name(function, self.context, self._locate(place))
            self.caller = call if self.caller is None else ir.Location.callsite(call, self.caller)
        try:
            yield
        finally:
            self.place, self.caller = before

    @contextlib.contextmanager
    def at(self, place: Optional[Place]) -> Iterator[None]:
        """Operations made inside stand for this place."""
        before, self.place = self.place, place
        try:
            yield
        finally:
            self.place = before

    # -- operations

    def create(
        self,
        name: str,
        operands: Sequence[ir.Value] = (),
        attributes: Optional[dict] = None,
        results: Sequence[ir.Type] = (),
        regions: int = 0,
    ) -> ir.Operation:
        """Appends an operation. Attributes are Attribute objects or their text."""
        made = {}
        if attributes:
            for key, value in attributes.items():
                made[key] = self.attribute(value) if isinstance(value, str) else value
        operation = ir.Operation.create(
            name, results=list(results), operands=list(operands), attributes=made, regions=regions, loc=self.location
        )
        self.block.append(operation)
        return operation

    def insert(self, operation: ir.Operation) -> None:
        """Appends an operation that was made elsewhere, as the functions of `tilus.ir.ops` do."""
        self.block.append(operation)

    def emit(
        self, name: str, operands: Sequence[ir.Value], result: ir.Type, attributes: Optional[dict] = None
    ) -> ir.Value:
        """Appends an operation of one result and gives the result."""
        return self.create(name, operands, attributes, (result,)).results[0]

    @contextlib.contextmanager
    def inside(self, block: Any, frame: Optional[Frame] = None) -> Iterator[None]:
        """Operations made inside go to the end of a block, and cells are those of the frame."""
        before = self.block, self.frame
        self.block = block
        if frame is not None:
            self.frame = frame
        try:
            yield
        finally:
            self.block, self.frame = before

    # -- constants

    def constant(self, value: Union[int, float, bool], dtype: DataType) -> ir.Value:
        """A scalar constant of a type; the value must be one of the type's."""
        return self.emit("arith.constant", (), self.type(dtype), {"value": self.number(value, dtype)})

    def number(self, value: Union[int, float, bool], dtype: DataType) -> ir.Attribute:
        """The attribute of a number of a type."""
        return self.attribute(number_text(value, dtype))

    @contextlib.contextmanager
    def active(self) -> Iterator[Builder]:
        """Makes this the current builder."""
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)


def check_number(number: Union[int, float], dtype: DataType) -> Union[int, float]:
    """The number, which must be in the range of a type."""
    low, high = dtype.limits
    if not low <= number <= high:
        advice = "use a wider type" if dtype.nbits < 64 else "no type is wider; make the number smaller"
        raise InstructionError(f"expected a number from {low} to {high} for {dtype.name}, but got {brief(number)}", advice)
    return number


def number_text(value: Union[int, float, bool], dtype: DataType) -> str:
    """A number of a type as MLIR writes it."""
    if dtype.is_boolean():
        return "true" if value else "false"
    if dtype.is_integer():
        number = check_number(int(value), dtype)
        if dtype.nbits == 1:
            return f"{number & 1} : i1"
        if number >= 1 << (dtype.nbits - 1):
            number -= 1 << dtype.nbits
        return f"{number} : {dtype.mlir}"
    number = float(value)
    if number != number or number in (float("inf"), float("-inf")):
        return f"{_special_bits(number, dtype):#x} : {dtype.mlir}"
    text = repr(number)
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return f"{text} : {dtype.mlir}"


def _special_bits(number: float, dtype: DataType) -> int:
    """The bits of an infinity or a NaN."""
    e, m = dtype.exponent_nbits, dtype.mantissa_nbits
    if dtype.is_subbyte() or (dtype.name == "float8_e4m3" and number == number):
        raise InstructionError(f"expected a number that {dtype.name} has, but got {number}")
    if dtype.name == "float8_e4m3":
        return 0x7F
    exponent = ((1 << e) - 1) << m
    if number != number:
        return exponent | (1 << (m - 1))
    return exponent | (1 << (e + m) if number < 0 else 0)
