# Files for people: schedules that failed, and on request what the stages of compilations begin with.
#
# The stages themselves are the compiler's to write, by its option dump_dir.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dumps of compilations."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

from tilus import option
from tilus.lang.errors import TilusError
from tilus.logging import get_logger
from tilus.runtime import kept


def _failure_path(folder: Path, key: str, schedule: Any) -> Path:
    return folder / "failed" / hashlib.sha256(key.encode()).hexdigest()[:16] / f"{schedule.index}.txt"


def record_failures(folder: Path, key: str, failures: Sequence[tuple]) -> None:
    """Writes why schedules of a specialisation fail to the script's folder, a file each."""
    try:
        for schedule, error in failures:
            kept.write_text(_failure_path(folder, key, schedule), f"{schedule.text}\n\n{error}\n")
    except OSError as error:
        get_logger().warning("why schedules fail is not kept: %s", error)


def read_failure(folder: Path, key: str, schedule: Any) -> TilusError:
    """Why a schedule of a specialisation fails, as it was written."""
    text = kept.read_text(_failure_path(folder, key, schedule)) or ""
    front = f"{schedule.text}\n\n"
    if not text.startswith(front):
        return TilusError("the schedule does not compile; why is no more in the cache")
    return TilusError(text[len(front) :].removesuffix("\n"))


def dump_root(get_cache_folder: Callable[[], Optional[Path]]) -> Optional[Path]:
    """Where stages are written; None if nobody asked."""
    named = option.get_option("dump_dir")
    if named:
        return Path(named)
    folder = get_cache_folder() if option.get_option("debug.dump_ir") else None
    return folder / "dump" if folder else None


def dump_schedule(root: Path, owner: Any, target: Any, schedule: Any) -> Path:
    """Writes a schedule and its script to the schedule's folder, which is where the compiler adds a folder of stages for
    each specialisation."""
    folder = root / f"{owner.__name__}.{target.name}.{schedule.index}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "script.py").write_text(_find_source(owner.script_cls))
        (folder / "schedule.txt").write_text(schedule.text + "\n")
    except OSError as error:
        get_logger().warning("the stages of %s are not written: %s", owner.__name__, error)
    return folder


def _find_source(script_cls: type) -> str:
    try:
        return inspect.getsource(script_cls)
    except (OSError, TypeError):
        return ""
