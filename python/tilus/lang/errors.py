# Errors of the Python front end: what was wrong, where in the user's source, and what to do.
#
# Owns the exception classes and how a place in a source file is shown. Which place is at fault is the transpiler's to say.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of scripts, instructions and the transpiler."""

from __future__ import annotations

import functools
import linecache
import os
from typing import Any, Callable, NamedTuple, Optional


class TilusError(Exception):
    """Base of the errors that the front end raises."""


class InstructionError(TilusError):
    """An instruction or an operator was given what it does not take.

    `advice` says what to do instead, if the message does not.
    """

    def __init__(self, message: str, advice: Optional[str] = None):
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message}; {self.advice}" if self.advice else self.message


def brief(number: Any) -> str:
    """A number in few characters, however long its digits are."""
    if isinstance(number, int) and number.bit_length() > 128:
        return f"an integer of {number.bit_length()} bits"
    return str(number)


class Place(NamedTuple):
    """A piece of a line of a source file. Lines and columns start at 1; `end` is the column behind the last."""

    file: str
    line: int
    column: int
    end: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def excerpt(self, indent: str = "    ") -> str:
        """The source line with a caret below; empty if the file cannot be read."""
        text = linecache.getline(self.file, self.line).rstrip("\n")
        if not text.strip():
            return ""
        shown = text.expandtabs(1)
        start = max(self.column - 1, 0)
        width = max(min(self.end - 1, len(shown)) - start, 1) if self.end else 1
        stripped = len(shown) - len(shown.lstrip())
        cut = min(stripped, start)
        return f"{indent}{shown[cut:]}\n{indent}{' ' * (start - cut)}^{'~' * (width - 1)}"


class Note(NamedTuple):
    """A second place that has to do with an error."""

    message: str
    place: Optional[Place] = None


class TilusProgramError(TilusError):
    """A script is wrong: `file:line:column`, the source line, a caret, what to do.

    `place`, `message`, `advice` and `notes` are its parts; `line`, `column` and `file` those of the place.
    """

    def __init__(self, message: str, place: Optional[Place] = None, advice: Optional[str] = None, notes: tuple = ()):
        self.message = message
        self.place = place
        self.advice = advice
        self.notes = tuple(notes)
        super().__init__(self._render())

    @property
    def file(self) -> Optional[str]:
        return self.place.file if self.place else None

    @property
    def line(self) -> int:
        return self.place.line if self.place else 0

    @property
    def column(self) -> int:
        return self.place.column if self.place else 0

    def _render(self) -> str:
        parts = [f"{self.place}: error: {self.message}" if self.place else f"error: {self.message}"]
        if self.place and (excerpt := self.place.excerpt()):
            parts.append(excerpt)
        if self.advice:
            parts.append(f"  help: {self.advice}")
        for note in self.notes:
            parts.append(f"{note.place}: note: {note.message}" if note.place else f"  note: {note.message}")
            if note.place and (excerpt := note.place.excerpt()):
                parts.append(excerpt)
        return "\n".join(parts)

    def __str__(self) -> str:
        return self._render()


def is_trace_wanted() -> bool:
    """Whether errors of scripts show the trace of this package: TILUS_TRACEBACK is set."""
    return os.environ.get("TILUS_TRACEBACK", "") not in ("", "0")


def shows_script_only(function: Callable) -> Callable:
    """Errors of scripts leave the function without the trace of this package: their place says where they are."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TilusProgramError as error:
            if is_trace_wanted():
                raise
            raise error.with_traceback(None) from None

    return wrapper
