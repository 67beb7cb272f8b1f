"""Calls, tuning and targets on the fake driver, each file of cases in a process that has no other driver."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent / "fake_driver"
BUILD = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", FOLDER.parents[3] / "build"))


@pytest.mark.skipif(not (BUILD / "lib/libFakeCuda.so").exists(), reason="needs the fake driver of the build")
@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("cases_*.py")))
def test_cases(name):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(FOLDER / name)]
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TILUS_BUILD_DIR": str(BUILD)})
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    assert " passed" in result.stdout
