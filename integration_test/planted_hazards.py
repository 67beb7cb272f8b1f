#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the planted hazards of test/Tools/hazards without lit and FileCheck, on machines that have neither.

Each file says in its RUN line which tool must refuse it and in its one CHECK line with which located message.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "test/Tools/hazards"
TIMEOUT_SECONDS = 60


def parse_case(path):
    """The words of the command, the line that is at fault, and the pattern of its message."""
    lines = path.read_text().splitlines()
    run = next(line for line in lines if "// RUN:" in line).split("// RUN:")[1]
    words = shlex.split(run.split("2>&1")[0])[1:]
    number, check = next((i, line) for i, line in enumerate(lines, 1) if "// CHECK:" in line)
    text = check.split("// CHECK:")[1].strip()
    ahead = re.search(r"\[\[@LINE\+(\d+)\]\]", text)
    text = text.replace(ahead.group(), str(number + int(ahead.group(1))))
    parts = re.split(r"(\{\{.*?\}\})", text)
    pattern = "".join(part[2:-2] if part.startswith("{{") else re.escape(part) for part in parts)
    return words, pattern


def check_case(path, tools):
    """The row of the report: 'passed', 'failed' or 'unsupported', and why."""
    words, pattern = parse_case(path)
    row = {"name": path.stem, "tool": words[0]}
    if not tools.get(words[0]):
        return row | {"result": "unsupported", "message": f"expected {words[0]}, but found none"}
    command = [tools[words[0]]] + [str(path) if word == "%s" else word for word in words[1:]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, errors="replace")
    except subprocess.TimeoutExpired:
        return row | {"result": "failed", "message": f"expected an end within {TIMEOUT_SECONDS} s, but got none"}
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if done.returncode != 1:
        return row | {"result": "failed", "message": f"expected exit code 1, but got {done.returncode}"}
    if len(errors) != 1 or not re.search(pattern, errors[0]):
        return row | {"result": "failed", "message": f"expected one error that matches {pattern}, but got {errors}"}
    return row | {"result": "passed"}


def check_all(tools, jobs=2):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda path: check_case(path, tools), sorted(FOLDER.glob("*.mlir"))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilus-run", default=shutil.which("tilus-run"))
    parser.add_argument("--tilus-opt", default=shutil.which("tilus-opt"))
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = check_all({"tilus-run": arguments.tilus_run, "tilus-opt": arguments.tilus_opt})
    counts = {result: sum(row["result"] == result for row in rows) for result in ("passed", "failed", "unsupported")}
    for row in rows:
        if row["result"] == "failed":
            print(f"failed: {row['name']}: {row['message']}")
    print(f"{len(rows)} planted hazards: " + ", ".join(f"{count} {result}" for result, count in counts.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps({"counts": counts, "cases": rows}, indent=1) + "\n")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
