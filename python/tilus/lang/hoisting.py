# Workspaces, which must stand at the top of a kernel although a script may have them in a branch or a loop.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hoisting of workspaces."""

from __future__ import annotations

from typing import Any

from tilus.lang.builder import current_builder
from tilus.lang.errors import TilusProgramError

_PURE = ("arith.", "index.", "tilus.target_")


class Workspace:
    """The allocation of a workspace. Once the kernel is complete it moves to the top, with the operations on parameters
    that give its sizes."""

    def __init__(self, operation: Any):
        self.operation = operation
        self.place = current_builder().place
        current_builder().unfinished.append(self)

    def settle(self) -> None:
        outermost = self.operation
        while outermost.parent.name != "tilus.kernel":
            outermost = outermost.parent
        block = outermost.block
        needed: list = []
        for size in self.operation.operands:
            self._collect(size, block, needed)
        for operation in [*needed, self.operation]:
            if operation.block != block:
                operation.move_before(outermost)

    def _collect(self, value: Any, block: Any, needed: list) -> None:
        """Appends the operations that a size follows from, operands first."""
        if value.is_argument:
            if value.owner != block:
                raise self._error("a value that a loop changes")
            return
        operation = value.owner
        if operation in needed:
            return
        if not operation.name.startswith(_PURE):
            raise self._error(f"'{operation.name}', which only the GPU knows")
        for operand in operation.operands:
            self._collect(operand, block, needed)
        needed.append(operation)

    def _error(self, got: str) -> TilusProgramError:
        return TilusProgramError(
            f"expected a workspace whose sizes follow from the kernel's parameters, but got {got}",
            self.place,
            "compute the sizes from parameters and constants",
        )
