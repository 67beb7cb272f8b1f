# Compiling the schedules of a script: transpiled one after the other, compiled side by side.
#
# Owns the compiler of the current options, and what becomes of schedules that fail.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From schedules to compiled kernels."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from tilus import option
from tilus.logging import get_logger
from tilus.target import Target, scope

# What the compiler finds the tools of CUDA by, beside PATH and the folders of Python.
_TOOLKIT_VARIABLES = (
    "TILUS_CUDA_PATH", "CUDA_HOME", "CUDA_PATH", "TILUS_LIBDEVICE", "TILUS_NVJITLINK", "TILUS_PTXAS", "VIRTUAL_ENV",
)  # fmt: skip


@functools.lru_cache(maxsize=64)
def _make_compiler(options: tuple, dump_dir: str) -> Any:
    from tilus._compiler import Compiler

    return Compiler(**dict(options), dump_dir=dump_dir)


def compiler_options() -> dict:
    """The native compiler's options that stand for the package's."""
    code = option.code_options()
    off = os.environ.get("TILUS_CACHE") == "off"
    return {
        "cache": "off" if off else option.get_option("cache_dir"),
        "fast_math": code["fast_math"],
        "line_info": code["line_info"],
        **({"opt_level": 0} if code["debug.disable_ptxas_opt"] else {}),
    }


def describe_options(options: Mapping[str, Any]) -> str:
    """The options that kernels depend on, and where the environment says that tools of CUDA are, in one text."""
    places = {name: value for name in _TOOLKIT_VARIABLES if (value := os.environ.get(name))}
    words = {**options, **places, "ptxas": shutil.which("ptxas"), "prefix": sys.prefix}
    return ", ".join(f"{name}={value}" for name, value in sorted(words.items()) if name != "cache")


def get_compiler(options: Mapping[str, Any], dump_dir: Optional[Path] = None) -> Any:
    """The compiler of these options, which writes every stage below a folder if one is named."""
    options = dict(options)
    if not open_cache(options["cache"]).is_usable:
        options["cache"] = "off"  # which was told; the compiler's library would tell it again
    return _make_compiler(tuple(sorted(options.items())), str(dump_dir or ""))


@functools.lru_cache(maxsize=None)
def library_build() -> str:
    """What tells the compiler's build from others, read from the file of its library; '' if that cannot be told."""
    from tilus import _native

    try:
        return _native.runtime.read_compiler_build(str(Path(_native.__file__).parent / _native.compiler_library))
    except RuntimeError as error:
        get_logger().warning("no kernels of scripts are kept: %s", error)
        return ""


def is_library_loaded() -> bool:
    """Whether the compiler that this process has is the one of `library_build`."""
    from tilus._compiler import build

    return build == library_build()


@functools.lru_cache(maxsize=64)
def open_cache(folder: str) -> Any:
    """The cache in a folder, or 'off'."""
    from tilus._native import runtime

    return runtime.Cache(folder if library_build() else "off")


@dataclass
class Outcome:
    """What became of a schedule: an artifact with its key in the cache, or an error."""

    index: int
    source: Any = None
    artifact: Any = None
    key: str = ""
    cache: int = 0
    error: Optional[BaseException] = None


def transpile(schedule: Any, target: Target, constants: Mapping, divisibility: Mapping) -> Any:
    """The module of one schedule for a target."""
    from tilus.lang.transpiler import transpile as transpile_method

    with schedule.lock, scope(target):
        return transpile_method(schedule.script, type(schedule.script).__call__, constants, target, divisibility)


def _compile(target: Target, options: Mapping[str, Any], outcome: Outcome, dump_dir: Optional[Path]) -> None:
    from tilus._compiler import compile_kernel, ir
    from tilus.lang.transpiler.failures import from_diagnostics

    try:
        compiled = compile_kernel(get_compiler(options, dump_dir), outcome.source, target.name)
        outcome.artifact, outcome.key, outcome.cache = compiled
    except ir.MLIRError as error:
        outcome.error = from_diagnostics(error.diagnostics, None)
    except Exception as error:
        outcome.error = error


def compile_schedules(
    schedules: Sequence, target: Target, constants: Mapping, divisibility: Mapping, options: Mapping, dump_dirs: Sequence
) -> list:
    """An outcome for each schedule. Raises the error of the first if none compiles. `options` are the compiler's: those of
    the package may change meanwhile. `dump_dirs` are the folders of their stages, or None for schedules whose stages nobody
    asked for."""
    from concurrent.futures import ThreadPoolExecutor

    from tilus._compiler import KernelSource

    outcomes = [Outcome(schedule.index) for schedule in schedules]
    for schedule, outcome in zip(schedules, outcomes):
        try:
            outcome.source = KernelSource(transpile(schedule, target, constants, divisibility))
        except Exception as error:
            outcome.error = error
    jobs = [pair for pair in zip(outcomes, dump_dirs) if pair[0].source is not None]
    if len(jobs) == 1:
        _compile(target, options, *jobs[0])
    elif jobs:
        workers = min(len(jobs), option.get_option("parallel_workers"))
        with ThreadPoolExecutor(workers, thread_name_prefix="tilus-compile") as pool:
            list(pool.map(lambda job: _compile(target, options, *job), jobs))
    if not any(outcome.artifact for outcome in outcomes):
        raise _first_error(outcomes)
    return outcomes


def _first_error(outcomes: Sequence[Outcome]) -> BaseException:
    error = next(outcome.error for outcome in outcomes if outcome.error is not None)
    if len(outcomes) > 1 and hasattr(error, "add_note"):
        error.add_note(f"none of the {len(outcomes)} schedules compiles; this is the first one's error")
    return error
