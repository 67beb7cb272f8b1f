# Ranges of loops, as `self.range` gives them to the transpiler.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges that loops of run time go through."""

from __future__ import annotations

from typing import Any, Optional, Union

from tilus.lang.errors import InstructionError, brief


# The compiler unrolls a loop at most so many times.
MAX_UNROLL = 4096


class LoopRange:
    """`range(end)`, `range(start, end)` or `range(start, end, step)`, and how to unroll the loop: None leaves that to the
    compiler, a number is how many rounds are executed at a time (1 for a loop that stays as it is), "all" or True executes
    the rounds one by one with a constant index. A loop that may be left by break is not unrolled by a number."""

    __slots__ = ("start", "stop", "step", "unroll")

    def __init__(self, start: Any, end: Any = None, step: Any = None, /, *, unroll: Optional[Union[int, str]] = None):
        if end is None and step is not None:
            raise InstructionError("expected range(start, end, step), but got a step without an end")
        if unroll is True:
            unroll = "all"
        if not (unroll is None or unroll == "all" or isinstance(unroll, int) and 0 < unroll <= MAX_UNROLL):
            got = brief(unroll) if isinstance(unroll, int) else repr(unroll)
            raise InstructionError(f"expected None, a number from 1 to {MAX_UNROLL} or 'all' for unroll, but got {got}")
        self.start, self.stop = (0, start) if end is None else (start, end)
        self.step = 1 if step is None else step
        self.unroll = unroll

    def host_values(self) -> list:
        """The indices of a range that is known when the script is transpiled."""
        try:
            rounds = range(*(bound.__index__() for bound in (self.start, self.stop, self.step)))
        except (InstructionError, AttributeError):
            raise InstructionError(
                "expected bounds that are known when the script is transpiled for unroll='all', but got a value of run time",
                "unroll by a number, or annotate the parameter as int",
            ) from None
        count = -((rounds.start - rounds.stop) // rounds.step)
        if count > MAX_UNROLL:
            raise InstructionError(
                f"expected at most {MAX_UNROLL} rounds of a loop with unroll='all', but got {brief(count)}", "unroll by a number"
            )
        return list(rounds)

    def __iter__(self):
        raise InstructionError(
            "expected self.range in a 'for' of the script, but it was used as a list", "use range(…) for constants"
        )
