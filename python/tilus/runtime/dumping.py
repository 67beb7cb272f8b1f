# Files for people: schedules that failed, and every stage of a compilation on request.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dumps of compilations."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional, Sequence

from tilus import option
from tilus.logging import get_logger


def record_failures(folder: Path, failures: Sequence[tuple]) -> None:
    """Writes why schedules fail to the script's folder, a file each."""
    if not failures:
        return
    try:
        (folder / "failed").mkdir(mode=0o700, exist_ok=True)
        for schedule, error in failures:
            (folder / "failed" / f"{schedule.index}.txt").write_text(f"{schedule.text}\n\n{error}\n")
    except OSError as error:
        get_logger().warning("why schedules fail is not kept: %s", error)


def dump_folder(cache_folder: Optional[Path]) -> Optional[Path]:
    """Where stages are written; None if nobody asked."""
    named = option.get_option("dump_dir")
    if named:
        return Path(named)
    return cache_folder / "dump" if option.get_option("debug.dump_ir") and cache_folder else None


def dump(owner: Any, target: Any, schedules: Sequence[Any], outcomes: Sequence[Any], cache_folder: Optional[Path]) -> None:
    """Writes the stages of a script's schedules, if asked: its source, IR, PTX, cubin, SASS, options."""
    root = dump_folder(cache_folder)
    if root is None:
        return
    for schedule, outcome in zip(schedules, outcomes):
        folder = root / f"{owner.__name__}.{target.name}.{schedule.index}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _dump_schedule(folder, owner, schedule, outcome)
        except OSError as error:
            get_logger().warning("the stages of %s are not written: %s", owner.__name__, error)


def _dump_schedule(folder: Path, owner: Any, schedule: Any, outcome: Any) -> None:
    try:
        source = inspect.getsource(owner.script_cls)
    except (OSError, TypeError):
        source = ""
    (folder / "script.py").write_text(source)
    (folder / "schedule.txt").write_text(schedule.text + "\n")
    (folder / "options.txt").write_text(owner._state.options + "\n")
    if outcome.source is not None:
        (folder / "kernel.mlir").write_text(outcome.source.text)
    if outcome.error is not None:
        (folder / "error.txt").write_text(f"{outcome.error}\n")
        return
    (folder / "kernel.ptx").write_text(outcome.artifact.ptx)
    (folder / "kernel.cubin").write_bytes(outcome.artifact.cubin)
    _disassemble(folder)


def _disassemble(folder: Path) -> None:
    """Writes the SASS where a disassembler is found."""
    tool = _find_tool("nvdisasm")
    if tool is None:
        return
    result = subprocess.run([tool, str(folder / "kernel.cubin")], capture_output=True, text=True)
    if result.returncode == 0:
        (folder / "kernel.sass").write_text(result.stdout)


def _find_tool(name: str) -> Optional[str]:
    import sysconfig

    wheel = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / name
    roots = [os.environ.get(v) for v in ("TILUS_CUDA_PATH", "CUDA_HOME", "CUDA_PATH")]
    candidates = [Path(root) / "bin" / name for root in roots if root] + [wheel]
    return next((str(path) for path in candidates if path.exists()), shutil.which(name))
