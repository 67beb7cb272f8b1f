# Texts in the cache: what cannot be read as one is as good as not there.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of text that are kept of scripts."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import Optional

_MOST_BYTES = 16 << 20


def read_text(path: Path) -> Optional[str]:
    """The text of a file; None if there is none, or anything that is no text stands in its place."""
    try:
        # Pipes are opened without waiting for a writer.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            content = file.read(_MOST_BYTES + 1)
        return None if len(content) > _MOST_BYTES or b"\0" in content else content.decode()
    except (OSError, ValueError):
        return None


def write_text(path: Path, text: str) -> None:
    """Puts a whole file in the place of what is there, a pipe or a link too, in a folder that is made if it is missing.
    Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent)
    try:
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
