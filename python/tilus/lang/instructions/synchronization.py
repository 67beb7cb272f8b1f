# Barriers among threads and semaphores among blocks.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sync and semaphores."""

from __future__ import annotations

from typing import Any

from tilus.dtypes import int32
from tilus.lang.emit import constant, emit, global_type, perform, segments
from tilus.lang.errors import InstructionError
from tilus.lang.instructions.base import InstructionGroup
from tilus.lang.memory_tensors import pointer_value
from tilus.lang.scalars import Pointer, as_scalar, describe


def _word(semaphore: Any) -> list:
    """The view of a semaphore's word, and the offset in it."""
    if not isinstance(semaphore, Pointer):
        raise InstructionError(
            f"expected a pointer to an int32 as semaphore, but got {describe(semaphore)}", "take one with semaphores[i].item_ptr()"
        )
    if semaphore.dtype.base_type.nbits != 32 or semaphore.dtype.base_type.is_float():
        raise InstructionError(f"expected a pointer to an int32 as semaphore, but got one to {semaphore.dtype.base_type.name}")
    base = pointer_value(semaphore, int32)
    view = emit("tilus.global_view", [base], global_type(int32, [1]), operandSegmentSizes=segments(1, 0, 0))
    return [view, constant(0, int32)]


class SyncInstructions(InstructionGroup):
    """Instructions that order threads and blocks."""

    def sync(self) -> None:
        """Waits for all threads of the current group; what they wrote before is seen by all of them behind it."""
        perform("tilus.sync")

    def lock_semaphore(self, semaphore: Any, value: Any) -> None:
        """Waits until the word has a value. What the releasing block wrote before is then seen."""
        perform("tilus.semaphore_lock", [*_word(semaphore), as_scalar(value, int32).value])

    def release_semaphore(self, semaphore: Any, value: Any) -> None:
        """Gives the word a value, once all threads of the group are here; what they wrote is seen by who locks on it."""
        perform("tilus.semaphore_release", [*_word(semaphore), as_scalar(value, int32).value])
