# Functions run once more under a profiler of NVIDIA's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions run under Nsight Compute and Nsight Systems."""

from __future__ import annotations

import inspect
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Callable

# Loads a function by the file that defines it and calls it. Arguments travel as JSON.
_RUNNER = """
import importlib.util, json, os, sys
path, name, arguments = json.loads(sys.argv[1])
sys.path.insert(0, os.path.dirname(path))
spec = importlib.util.spec_from_file_location("profiled", path)
module = importlib.util.module_from_spec(spec)
sys.modules["profiled"] = module
spec.loader.exec_module(module)
function = getattr(module, name)
function = getattr(function, "__wrapped__", function)
function(*arguments[0], **arguments[1])
"""


def _describe(func: Callable, args: tuple, kwargs: dict) -> str:
    name = getattr(func, "__qualname__", "")
    if not name.isidentifier():
        raise ValueError(f"expected a function at the top of a file, but got '{name or func!r}'")
    try:
        return json.dumps([os.path.abspath(inspect.getfile(func)), name, [args, kwargs]])
    except TypeError as error:
        raise ValueError(f"expected arguments that are numbers, strings and lists of them, but got: {error}") from error


def _run(tool: str, options: list, suffix: str, func: Callable, args: tuple, kwargs: dict) -> pathlib.Path:
    program = shutil.which(tool)
    if program is None:
        raise RuntimeError(f"expected the program '{tool}' on PATH, but found none; install NVIDIA's profilers")
    report = pathlib.Path(tempfile.mkdtemp(prefix=f"{tool}-")) / f"report{suffix}"
    command = [program, *options, str(report.with_suffix("")), sys.executable, "-c", _RUNNER, _describe(func, args, kwargs)]
    subprocess.run(command, check=True)
    return report


def ncu_run(func: Callable, *args: Any, **kwargs: Any) -> pathlib.Path:
    """Runs the function in a process of its own under Nsight Compute; returns the report's file."""
    return _run("ncu", ["--set", "full", "-f", "-o"], ".ncu-rep", func, args, kwargs)


def nsys_run(func: Callable, *args: Any, **kwargs: Any) -> pathlib.Path:
    """Runs the function in a process of its own under Nsight Systems; returns the report's file."""
    return _run("nsys", ["profile", "-f", "true", "-o"], ".nsys-rep", func, args, kwargs)
