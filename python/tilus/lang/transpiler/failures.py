# What went wrong, in words: messages of failures, advice, and syntax that scripts do not have.
#
# Owns the table of unsupported syntax and the translation of Python's own exceptions and of MLIR's diagnostics. Where
# they are shown is in core.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages of failures."""

from __future__ import annotations

import ast
import os
import re
import sys
import traceback
from typing import Any, Optional, Sequence

from tilus.lang.errors import InstructionError, Note, Place, TilusProgramError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Node type: (what it is, what to do).
UNSUPPORTED = {
    "Try": ("try", "kernels raise no exceptions; check with if, or self.static_assert for what is known before"),
    "TryStar": ("try", "kernels raise no exceptions; check with if"),
    "Import": ("import", "import at the top of the module"),
    "ImportFrom": ("import", "import at the top of the module"),
    "Global": ("global", "pass the value as an argument, or keep it in an attribute of self"),
    "Nonlocal": ("nonlocal", "pass the value as an argument, or keep it in an attribute of self"),
    "FunctionDef": ("a function in a function", "make it a method of the script; a lambda is fine for an expression"),
    "AsyncFunctionDef": ("async", "make it a method of the script"),
    "ClassDef": ("a class in a function", "define it at the top of the module, derived from tilus.Class"),
    "Match": ("match", "use if and elif"),
    "Yield": ("yield", "return a list or a tuple"),
    "YieldFrom": ("yield", "return a list or a tuple"),
    "Await": ("await", "kernels wait with the instructions of copies and barriers"),
    "AsyncFor": ("async", "use a plain for"),
    "AsyncWith": ("async", "use a plain with"),
    "TypeAlias": ("type", "define it at the top of the module"),
}


def unsupported(node: ast.AST) -> InstructionError:
    """The error for syntax that scripts do not have."""
    word, advice = UNSUPPORTED.get(type(node).__name__, (f"this syntax ({type(node).__name__})", None))
    return InstructionError(f"expected Python that can run on a GPU, but got {word}", advice or "write it in another way")


def explain(error: BaseException) -> tuple:
    """The message of an exception, what to do, and where it came from if that is a function of the user's."""
    if isinstance(error, InstructionError):
        message, advice = error.message, error.advice
        if advice is None and "; " in message:
            message, _, advice = message.rpartition("; ")
        return message, advice, _origin(error)
    if isinstance(error, RecursionError):
        return (
            f"expected code within at most {sys.getrecursionlimit()} calls of Python, but this needs more",
            "make chains of elif or of operators shorter, end functions that call themselves, or call sys.setrecursionlimit before",
            _origin(error),
        )
    text = str(error) or type(error).__name__
    if isinstance(error, KeyError):
        text = f"expected a key that there is, but got {text}"
    elif not isinstance(error, (TypeError, ValueError, AttributeError, NameError)):
        text = f"{type(error).__name__}: {text}"
    origin = _origin(error)
    return text, "the function is executed as Python while the script is transpiled" if origin else None, origin


def _origin(error: BaseException) -> tuple:
    """The innermost place of an exception in code that is not this package's."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_internal(frame.filename)]
    if not frames or frames[-1].lineno is None:
        return ()
    frame = frames[-1]
    column = getattr(frame, "colno", None)
    end = getattr(frame, "end_colno", None) if getattr(frame, "end_lineno", frame.lineno) == frame.lineno else None
    place = Place(frame.filename, frame.lineno, (column or 0) + 1, end + 1 if end else 0)
    return (Note(f"raised in '{frame.name}', which is executed as Python", place),)


def _is_internal(file: str) -> bool:
    return os.path.abspath(file).startswith(_PACKAGE + os.sep) or file.startswith("<frozen")


def from_diagnostics(
    diagnostics: Sequence[Any], fallback: Optional[Place] = None, summary: str = "the kernel is not valid"
) -> TilusProgramError:
    """The error of diagnostics that the compiler gave: the first one is the message, the others are notes."""
    errors = [d for d in diagnostics if d.severity == "error"] or list(diagnostics)
    if not errors:
        return TilusProgramError(summary, fallback)
    first = errors[0]
    own = [note for note in first.notes if not note.message.startswith("see current operation")]
    notes = [_note(note) for note in own] + [_note(other) for other in errors[1:4]]
    message = reword(first.message)
    advice = next((advice for words, advice in _ADVICE if words in message), None)
    if advice is None and "; " in message:
        message, _, advice = message.rpartition("; ")
    place = _diagnostic_place(first) or fallback
    if "bytes of shared memory" in message:
        tiles = [note for note in notes if note.place is not None and _TILE_BYTES.search(note.message)]
        if tiles:  # the largest tile, rather than the kernel as a whole
            largest = max(tiles, key=lambda note: int(_TILE_BYTES.search(note.message)[1]))
            notes.remove(largest)
            place = largest.place
    return TilusProgramError(message, place, advice, tuple(notes))


# Words of a message of the compiler's, and what to do then.
_ADVICE = (
    ("tiles of its own thread group", "load or make the tile in the thread group, or pass it through shared memory"),
    ("was made on every way here", "make it before the branch, loop or thread group and assign to it there"),
    ("but the kernel targets", "compile for a target that has it, or ask tilus.get_current_target() what it supports"),
    ("bytes of shared memory", "take smaller tiles or fewer stages, or free tiles with self.free_shared"),
)


def _note(diagnostic: Any) -> Note:
    return Note(reword(diagnostic.message), _diagnostic_place(diagnostic))


def _diagnostic_place(diagnostic: Any) -> Optional[Place]:
    if not diagnostic.file or not diagnostic.line:
        return None
    from tilus.lang.source import span_at

    return span_at(Place(diagnostic.file, diagnostic.line, max(diagnostic.column, 1)))


def reword(message: str) -> str:
    """A compiler's message in the words of scripts."""
    if "does not dominate this use" in message:
        return "expected a value that was made on every way here, but it was made in a branch, a loop or a thread group"
    return _OPERATION.sub("", message)


_TILE_BYTES = re.compile(r"takes (\d+) bytes")
_OPERATION = re.compile(r"^'[\w.]+' op ")
