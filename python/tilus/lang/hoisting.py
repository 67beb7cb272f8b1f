# Operations that must stand at the top of a kernel although the script has them in a branch or a loop.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hoisting of workspaces."""

from __future__ import annotations

from typing import Any

from tilus.lang.errors import InstructionError

_PURE = ("arith.", "index.", "tilus.grid_dim")


def hoist_to_kernel(operation: Any) -> None:
    """Moves an operation, and those that its operands need, before the outermost operation around it."""
    outermost = operation
    while outermost.parent.name != "tilus.kernel":
        outermost = outermost.parent
    if outermost == operation:
        return
    moved: list = []
    _collect(operation, outermost.block, moved)
    for needed in moved:
        needed.move_before(outermost)


def _collect(operation: Any, block: Any, moved: list) -> None:
    if operation.block == block or operation in moved:
        return
    for operand in operation.operands:
        if operand.is_argument:
            if operand.owner != block:
                raise InstructionError(
                    "expected a workspace whose sizes follow from the kernel's parameters, but got a value of a loop",
                    "call global_tensor before the loop",
                )
            continue
        owner = operand.owner
        if owner.block != block and not owner.name.startswith(_PURE):
            raise InstructionError(
                "expected a workspace whose sizes follow from the kernel's parameters, but got other values",
                "compute the sizes from parameters and constants",
            )
        _collect(owner, block, moved)
    moved.append(operation)
