# Tuning of scripts on the GPU: what choices hold under, and what is told of them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choices between schedules."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any, Mapping

from tilus.logging import get_logger
from tilus.runtime.kept import write_text
from tilus.target import current_device, get_current_target, of_handle

SECONDS_PER_SCHEDULE = 10.0


def tilus_version() -> str:
    """The release that this is a build of, as "0.1.0"."""
    from tilus import __version__

    return re.match(r"\d+(\.\d+)*", __version__)[0]


def collect_tuning_metadata() -> dict:
    """What choices made now hold under; empty texts for what cannot be told without a GPU."""
    from tilus._native import runtime

    metadata = {"tilus_version": tilus_version(), "target": "", "gpu": "", "compute_capability": "", "cuda_version": ""}
    try:
        metadata["target"] = get_current_target().name
        name, capability, _ = runtime.describe_device(current_device())
        metadata.update(gpu=name, compute_capability="{}.{}".format(*capability), cuda_version=runtime.cuda_version())
    except RuntimeError:
        pass
    return metadata


def tuning_metadata_matches(saved: Any, current: Mapping[str, str]) -> bool:
    """Whether choices that were saved hold now: each field is the same, or "*"."""
    if not isinstance(saved, Mapping):
        return False
    return all(name in saved and saved[name] in ("*", value) for name, value in current.items())


def find_measure_program() -> str:
    """The program in which schedules are measured apart from this process; '' if it is not there."""
    named = os.environ.get("TILUS_MEASURE")
    if named is not None:
        return named
    package = Path(__file__).resolve().parent.parent
    beside = package / "bin" / "tilus-measure"
    return str(beside) if beside.exists() else shutil.which("tilus-measure") or ""


def make_tuner(state: Any, warm_up: int, repeat: int) -> Any:
    """The tuner of a script's state, to which it tells what it finds."""
    from tilus._native import runtime

    def tell(event: Any) -> None:
        if isinstance(event, str):
            get_logger().warning("%s: %s", state.owner.__name__, event)
            return
        report = {**event, "target": of_handle(event["target"])}
        state.reports.append(report)
        write_report(state, report)

    return runtime.Tuner(
        warm_up, repeat, SECONDS_PER_SCHEDULE, find_measure_program(), state.get_choice_store(), True, tell
    )


def order_outcomes(report: Mapping[str, Any]) -> list:
    """Pairs of a schedule's number and its outcome, the fastest first."""
    return sorted(enumerate(report["outcomes"]), key=lambda row: (row[1][1] is None, row[1][1] or 0))


def describe_report(report: Mapping[str, Any]) -> str:
    """A report of the cache as a table of text, the fastest first."""
    best = report["best"]
    lines = [f"key {report['key']} on {report['device']} for {report['target']}"]
    for number, (schedule, milliseconds, reason) in order_outcomes(report):
        time = "      -    " if milliseconds is None else f"{milliseconds:8.4f} ms"
        mark = "*" if number == best else " "
        lines.append(f"{mark} {time}  {schedule}" + (f"  refused: {reason}" if reason else ""))
    return "\n".join(lines) + "\n"


def write_report(state: Any, report: Mapping[str, Any]) -> None:
    """Writes a report to the script's folder, for people and for programs."""
    folder = state.get_folder(report["target"])
    if folder is None:
        return
    name = re.sub(r"[^\w=.-]+", "-", report["key"])
    kept = {**report, "script": state.owner.__name__, "target": report["target"].name}
    try:
        write_text(folder / "latency" / f"{name}.txt", describe_report(kept))
        write_text(folder / "latency" / f"{name}.json", json.dumps(kept, indent=1) + "\n")
    except OSError as error:
        get_logger().warning("a report of a tuning is not kept: %s", error)
