# The grid of a kernel: the numbers of blocks, computed again from the kernel's parameters where the host evaluates them.
#
# Owns the copy of what `self.attrs.blocks` follows from. The host executes a straight line of arithmetic: of a branch both
# sides are computed, and what could fault in the side that is not taken is kept from it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of blocks."""

from __future__ import annotations

from typing import Any, Optional

from tilus._compiler import ir
from tilus.dtypes import boolean
from tilus.lang.builder import Builder
from tilus.lang.errors import Place, TilusProgramError
from tilus.lang.scalars import as_scalar, is_scalar

_FAULTING = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")


def make_grid(builder: Builder, blocks: Any, place: Place, body: Any, grid: Any) -> None:
    """Ends the grid's block, which is current: `blocks` is a number or up to three, made in the kernel's body."""
    counts = list(blocks) if isinstance(blocks, (tuple, list)) else [blocks]
    if not 1 <= len(counts) <= 3 or not all(map(is_scalar, counts)):
        raise TilusProgramError(f"expected one to three numbers of blocks, but got {blocks!r}", place)
    copier = _Copier(builder, place, dict(zip(body.arguments, grid.arguments)))
    values = []
    for count in counts:
        scalar = as_scalar(count)
        if not scalar.dtype.is_integer():
            raise TilusProgramError(
                f"expected integers for the numbers of blocks, but got {scalar.dtype.name}", place, "convert them with .to(int32)"
            )
        values.append(copier.value(scalar.value))
    builder.create("tilus.grid", values)


class _Copier:
    """Copies values of the body to the current block. `copies` has those that are there."""

    def __init__(self, builder: Builder, place: Place, copies: dict):
        self.builder = builder
        self.place = place
        self.copies = copies
        self.truth: Optional[ir.Value] = None

    def value(self, value: ir.Value) -> ir.Value:
        found = self.copies.get(value)
        if found is None:
            operation = value.owner
            if isinstance(operation, ir.Block):
                raise self._refuse("a loop")
            if operation.name == "scf.if":
                self._copy_branch(operation)
            elif operation.name.startswith(("arith.", "tilus.target_")):
                self._copy(operation)
            else:
                what = "a loop" if operation.name.startswith("scf.") else f"'{operation.name}', which only the GPU knows"
                raise self._refuse(what)
            found = self.copies[value]
        return found

    def _refuse(self, what: str) -> TilusProgramError:
        return TilusProgramError(
            f"expected numbers of blocks that follow from the kernel's parameters, but they depend on {what}",
            self.place,
            "compute them from parameters with arithmetic, min, max and conditional expressions",
        )

    def _copy(self, operation: ir.Operation) -> None:
        operands = [self.value(operand) for operand in operation.operands]
        if operation.name.removeprefix("arith.") in _FAULTING:
            taken = self._taken(operation)
            if taken is not None:
                one = self._emit("arith.constant", (), operands[1].type, {"value": f"1 : {operands[1].type}"})
                operands[1] = self._emit("arith.select", (taken, operands[1], one), operands[1].type)
        copy = operation.clone()
        copy.operands = operands
        self.builder.insert(copy)
        self.copies.update(zip(operation.results, copy.results))

    def _copy_branch(self, operation: ir.Operation) -> None:
        condition = self.value(operation.operands[0])
        sides = []
        for region in operation.regions:
            end = region.blocks[0].operations[-1]
            sides.append([self.value(operand) for operand in end.operands])
        for result, first, second in zip(operation.results, *sides):
            self.copies[result] = self._emit("arith.select", (condition, first, second), first.type)

    def _taken(self, operation: ir.Operation) -> Optional[ir.Value]:
        """Whether the sides of branches that an operation is in are taken; None if it is in none."""
        result = None
        inner, outer = operation, operation.parent
        while outer is not None and outer.name == "scf.if":
            condition = self.value(outer.operands[0])
            if inner.block != outer.regions[0].blocks[0]:
                condition = self._emit("arith.xori", (condition, self._true()), condition.type)
            result = condition if result is None else self._emit("arith.andi", (result, condition), condition.type)
            inner, outer = outer, outer.parent
        return result

    def _true(self) -> ir.Value:
        if self.truth is None:
            self.truth = self.builder.constant(True, boolean)
        return self.truth

    def _emit(self, name: str, operands: tuple, type: ir.Type, attributes: Optional[dict] = None) -> ir.Value:
        return self.builder.emit(name, operands, type, attributes)
