"""The benchmark of calls runs, and its report has its rows. Nothing is said of times."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", ROOT / "build"))


@pytest.mark.skipif(not (BUILD / "lib/libFakeCuda.so").exists(), reason="needs the fake driver of the build")
def test_report(tmp_path):
    command = [sys.executable, str(ROOT / "benchmarks/launch/python_calls.py"), "--rounds", "2", "--calls", "20",
               "--imports", "1", "--json", str(tmp_path / "report.json")]  # fmt: skip
    environment = {**os.environ, "TILUS_BUILD_DIR": str(BUILD), "TILUS_CACHE_DIR": str(tmp_path / "cache")}
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert list(report["calls"])[:4] == [
        "L3 same arguments", "L5 alternating arguments", "L4 nineteen arguments", "L4 alternating",
    ]  # fmt: skip
    assert all(row["tilus"]["ns"] > 0 for name, row in report["calls"].items() if "tilus" in row)
    assert report["I1 import"]["tilus"]["ms"] > 0
    assert "skipped: upstream" in result.stderr and "skipped: triton" in result.stderr
