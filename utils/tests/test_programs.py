# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file that says what runs it may be run, and nothing else may."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_programs_may_be_run():
    listing = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wrong, programs = [], 0
    for line in listing.splitlines():
        fields, name = line.split("\t", 1)
        mode, path = fields.split()[0], ROOT / name
        if mode not in ("100644", "100755") or not path.is_file():
            continue
        with path.open("rb") as file:
            is_program = file.read(2) == b"#!"
        programs += is_program
        if is_program != (mode == "100755"):
            wrong.append(f"{name} ({mode})")
    assert not wrong, f"expected mode 100755 for files that begin with '#!' and 100644 for others, but got {wrong}"
    assert programs >= 20
