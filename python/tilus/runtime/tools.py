# The tools of CUDA that kernels are made with: which files they are is noted in a script's folder, so that the next process
# can tell without the compiler whether they are what they were.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools behind kernels that are kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional, Sequence

from tilus.runtime import kept

_NAME = "tools.txt"


def describe(paths: Sequence[str]) -> str:
    """What the files are as long as nobody has changed them."""
    return "\n".join(f"{path}: {_describe_file(path)}" for path in paths)


def _describe_file(path: str) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return "none"
    return f"{status.st_dev} {status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def note(folder: Path, paths: Sequence[str]) -> None:
    """Notes which files the kernels of a script's folder are made with. Raises OSError."""
    if read(folder) != list(paths):
        # Who reads half of it looks at fewer files, and finds no kernel under these.
        kept.write_text(folder / _NAME, "".join(f"{path}\n" for path in paths))


def read(folder: Path) -> Optional[list]:
    """The files that were noted; None if there was no note."""
    text = kept.read_text(folder / _NAME)
    return None if text is None else text.splitlines()
