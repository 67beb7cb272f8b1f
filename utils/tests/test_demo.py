"""utils/demo.sh says what it is at before each stage that takes long; with stand-ins for what it calls."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import re
import shutil
import subprocess

UTILS = pathlib.Path(__file__).resolve().parents[1]


def test_each_stage_is_told_before_it_begins(tmp_path):
    (tmp_path / "utils").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(UTILS / "demo.sh", tmp_path / "utils")
    programs = {"utils/setup.sh": "echo setup", "bin/cmake": "echo cmake $1 >&2", "bin/nproc": "echo 2"}
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    done = subprocess.run(
        [str(tmp_path / "utils/demo.sh")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    assert done.returncode != 0  # there is no tilus-run
    lines = [line for line in done.stdout.splitlines() if line]
    assert re.fullmatch("== 1. Set up: .*; minutes on a fresh machine.*", lines[0]) and lines[1] == "setup"
    assert re.fullmatch("== 2. Build .* on 2 processors; about 3 minutes the first time", lines[2])
    assert lines[3:5] == ["cmake --preset", "cmake --build"] and lines[5].startswith("== 3. Compile ")
