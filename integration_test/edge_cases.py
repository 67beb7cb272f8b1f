#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks small kernels whose results are written down: the corners of integers, floats, tiles and views.

On the CPU reference kernels run as they are and after the passes that fold and simplify; with --device cuda they run on
the GPU, with --targets they are compiled only. `--list` names the cases.
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "examples"), str(pathlib.Path(__file__).resolve().parent)]
import common  # noqa: E402
from edges.cases import CASES  # noqa: E402
import edges.floats  # noqa: E402, F401: adds its cases
import edges.integers  # noqa: E402, F401
import edges.tiles  # noqa: E402, F401
import edges.views  # noqa: E402, F401
import edges.widths  # noqa: E402, F401

FOLDS = ["--tilus-expand-slices", "--canonicalize", "--cse", "--tilus-simplify-bounds", "--canonicalize", "--cse"]


def run_case(case, device, folder, simplify=False):
    """Runs a case and compares. Raises common.Mismatch if it fails."""
    path = pathlib.Path(folder) / f"{case.name}.mlir"
    path.write_text(case.text)
    if simplify:
        source, path = path, path.with_suffix(".simplified.mlir")
        command = [common.find_tool("tilus-opt"), str(source), *FOLDS, "-o", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=common.TIMEOUT_SECONDS)
        if done.returncode != 0:
            raise common.Mismatch(f"{' '.join(command)}\nfailed:\n{done.stderr[-4000:]}")
    options = ["--check-hazards"] if device == "cpu" else []
    found = common.run(path, "kernel", case.arguments, case.expected, device, options)
    for index, value in case.expected.items():
        common.compare(found[index], value, case.error)


def compile_case(case, targets, folder):
    """What the compiler says if it does not compile a case for each of the chips."""
    path = pathlib.Path(folder) / f"{case.name}.mlir"
    path.write_text(case.text)
    command = [common.find_tool("tilus-run"), str(path), "--device", "none", "--target", targets,
               "--emit", f"cubin={folder}/{case.name}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=common.TIMEOUT_SECONDS)
    return [] if done.returncode == 0 else [f"{case.name} for {targets}: {done.stderr[-2000:]}"]


def ways(case):
    """Whether a case runs as it is, simplified, or both: of two cases, the one with constants is for folding."""
    if case.name.endswith(".constant"):
        return (True,)
    return (False,) if f"{case.name}.constant" in CASES else (False, True)


def check(case, device, folder):
    """The message of each way in which a case fails."""
    messages = []
    for simplify in ways(case) if device == "cpu" else (False,):
        try:
            run_case(case, device, folder, simplify)
        except (common.Mismatch, subprocess.TimeoutExpired) as mismatch:
            messages.append(f"{case.name}{' simplified' if simplify else ''} on {device}: {mismatch}")
    return messages


def run_all(names, jobs, function):
    """{name: messages} of the cases for which the function gives messages."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = zip(names, pool.map(lambda name: function(CASES[name]), names))
        return {name: messages for name, messages in results if messages}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N (default: cpu)")
    parser.add_argument("--case", default="", help="only the cases whose names begin so")
    parser.add_argument("--targets", help="only compile, for chips such as sm_80,sm_90a")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    names = [name for name in CASES if name.startswith(options.case)]
    if options.list:
        print(*names, sep="\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        failures = run_all(names, options.jobs, lambda case: compile_case(case, options.targets, folder)
                           if options.targets else check(case, options.device, folder))
    for messages in failures.values():
        print(*messages, sep="\n")
    print(f"{len(names)} edge cases {'for' if options.targets else 'on'} {options.targets or options.device}: "
          f"{len(names) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
