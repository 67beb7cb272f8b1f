#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel of examples/ for every chip from sm_75 on and checks what comes out. Needs no GPU.

A chip that a kernel supports must give a cubin whose ELF header names that chip, and the same bytes when the kernel is
compiled from a copy elsewhere, together with the other kernels and chips in one process, in the opposite order. A chip
that a kernel does not support must be refused by a located message that says what is needed and what there is.

    integration_test/chips.py --json report.json
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))
import common  # noqa: E402

TIMEOUT_SECONDS = 60  # for one kernel and chip
CHIPS_AT_ONCE = 6
Case = collections.namedtuple("Case", "path kernel chip")
# Blocks may have 99 KiB on these chips (CUDA Programming Guide, "Compute Capabilities"), which is 101376 bytes.
SMALL_SHARED_MEMORY = ("sm_86", "sm_88", "sm_89", "sm_120", "sm_120f", "sm_120a", "sm_121", "sm_121f", "sm_121a")
# (kernels, chips that they do not support, the message).
REFUSALS = [
    (("matmul_pipelined", "matmul_pipelined_wide", "matmul_splitk"), ("sm_75",),
     r"requires feature 'cp_async' \(sm_80 or later\), but the kernel targets {chip}$"),
    (("matmul_pipelined_wide",), SMALL_SHARED_MEMORY,
     r"expected at most 101376 bytes of shared memory on {chip}, but got \d+$"),
]


def all_chips():
    """The chips of the table that the assembler of CUDA 13 has, in its order."""
    table = (ROOT / "include/Tilus/TargetInfo/Targets.def").read_text()
    return [chip for chip in re.findall(r"^TILUS_TARGET\((\w+)", table, re.MULTILINE) if chip != "sm_70"]


def all_kernels():
    """(file, kernel) of each kernel of the examples."""
    return [(path, kernel) for path in sorted((ROOT / "examples").glob("*/*.mlir"))
            for kernel in re.findall(r"^\s*tilus\.kernel @(\w+)", path.read_text(), re.MULTILINE)]


def expected_refusal(case):
    """The pattern of the message that refuses the kernel on the chip; None if the chip is supported."""
    for kernels, chips, message in REFUSALS:
        if case.kernel in kernels and case.chip in chips:
            return message.format(chip=case.chip)
    return None


# What is read from a cubin


def read_architecture(cubin):
    """The number of the chip in the ELF header's flags, such as 90.

    CUDA 13 writes version 8 of the ABI, which holds it in the second byte; version 7 and before in the first.
    """
    if len(cubin) < 64 or cubin[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", cubin, 18)[0] != 190:
        return None
    flags = struct.unpack_from("<I", cubin, 48)[0]
    return (flags >> 8 if cubin[8] >= 8 else flags) & 0xFF


def read_noted_chip(cubin):
    """The chip with its suffix, from the assembler's note of its own command; the header holds the number alone."""
    found = re.search(rb" -arch (sm_\w+) ", cubin)
    return found.group(1).decode() if found else None


def read_by_cuobjdump(cuobjdump, path):
    """The chip as cuobjdump prints it: it shows the suffix 'a', and a family's code as the plain chip's."""
    done = subprocess.run([cuobjdump, "-elf", str(path)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    found = re.search(r"\b(?:sm=|EF_CUDA_SM)(\w+)", done.stdout)
    return f"sm_{found.group(1)}" if found else None


def find_cuobjdump():
    beside = pathlib.Path(sys.prefix).glob("lib/python3.*/site-packages/nvidia/cu13/bin/cuobjdump")
    places = [str(path.parent) for path in beside] + [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]
    return shutil.which("cuobjdump", path=os.pathsep.join(places))


# Compilation and checks


def tilus_run(path, chips, folder, kernel=None, **options):
    command = [common.find_tool("tilus-run"), str(path), "--device", "none", "--target", ",".join(chips),
               "--emit", f"cubin={folder}"] + (["--kernel", kernel] if kernel else [])
    seconds = TIMEOUT_SECONDS * len(chips)
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, errors="replace", **options)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, None, "", f"expected an end within {seconds} s, but got none")


def cubin_path(folder, case):
    return pathlib.Path(folder) / f"{case.kernel}.{case.chip}.cubin"


def check_refusal(case, done, pattern):
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    located = re.escape(str(case.path)) + r":\d+:\d+: error: .*" + pattern
    if done.returncode != 1 or not errors or not all(re.match(located, line) for line in errors):
        return [f"expected errors that match {located} and exit code 1, but got {done.returncode}: {errors[:3]}"]
    return []


def check_architecture(case, path, cuobjdump):
    cubin, number = path.read_bytes(), re.match(r"sm_(\d+)", case.chip)
    found = {"the ELF header": (f"sm_{read_architecture(cubin)}", number.group()),
             "the assembler's note": (read_noted_chip(cubin), case.chip)}
    if cuobjdump:
        found["cuobjdump"] = (read_by_cuobjdump(cuobjdump, path), case.chip.removesuffix("f"))
    return [f"expected {asked} in {where}, but got {got}" for where, (got, asked) in found.items() if got != asked]


def check_case(case, folder, cuobjdump):
    """The row of the report for one kernel and chip."""
    start, pattern, path = time.monotonic(), expected_refusal(case), cubin_path(folder, case)
    done = tilus_run(case.path, [case.chip], folder, case.kernel)
    row = {"kernel": case.kernel, "chip": case.chip, "seconds": round(time.monotonic() - start, 3)}
    if pattern:
        failures = check_refusal(case, done, pattern) + (["expected no cubin, but got one"] if path.exists() else [])
        return row | {"result": "failed" if failures else "refused", "failures": failures}
    if done.returncode != 0 or not path.exists():
        return row | {"result": "failed", "failures": [f"expected a cubin, but got: {done.stderr[:500]}"]}
    failures = check_architecture(case, path, cuobjdump)
    return row | {"result": "failed" if failures else "compiled", "failures": failures}


def check_repetition(path, cases, folder):
    """Compiles cases of one file at once from a copy elsewhere; what differs from the cubins in `folder`."""
    with tempfile.TemporaryDirectory(prefix="a folder elsewhere ") as elsewhere:
        shutil.copy(path, elsewhere)
        chips = list(dict.fromkeys(case.chip for case in reversed(cases)))
        tilus_run(path.name, chips, "out", cwd=elsewhere)
        again = [(cubin_path(folder, case), cubin_path(pathlib.Path(elsewhere) / "out", case)) for case in cases]
        return [f"expected the same bytes again, but {first.name} differs" for first, second in again
                if first.exists() and (not second.exists() or first.read_bytes() != second.read_bytes())]


class Progress:
    """Says on stderr how far the work is: on a terminal in one line, else in a line now and then."""

    def __init__(self, total, what, stream=sys.stderr, seconds=15.0):
        self.total, self.what, self.stream = total, what, stream
        self.is_terminal = stream.isatty()
        self.seconds = 0.2 if self.is_terminal else seconds
        self.last = time.monotonic()

    def follow(self, results):
        """The results, as they come."""
        for count, result in enumerate(results, 1):
            yield result
            now = time.monotonic()
            if now - self.last >= self.seconds or count == self.total and self.is_terminal:
                self.last = now
                text = f"{count} of {self.total} {self.what}"
                end = "\n" if not self.is_terminal or count == self.total else ""
                print(f"\r{text}" if self.is_terminal else text, end=end, file=self.stream, flush=True)


def check_all(cases, repeated, folder, jobs):
    """The rows of the report for the cases, and the failures of repeating some of them."""
    cuobjdump, groups, chips = find_cuobjdump(), collections.defaultdict(list), all_chips()
    for case in repeated:
        groups[case.path, chips.index(case.chip) // CHIPS_AT_ONCE].append(case)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        checked = pool.map(lambda case: check_case(case, folder, cuobjdump), cases)
        rows = list(Progress(len(cases), "kernels and chips checked").follow(checked))
        again = pool.map(lambda item: check_repetition(item[0][0], item[1], folder), groups.items())
        differences = Progress(len(groups), "groups compiled again").follow(again)
        return rows, [text for texts in differences for text in texts]


def read_commit():
    """The commit of the sources; None outside of a clone."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or None


def write_report(path, rows, failures, seconds):
    kernels = {kernel: {"compiled": 0, "refused": []} for _, kernel in all_kernels()}
    for row in rows:
        if row["result"] == "compiled":
            kernels[row["kernel"]]["compiled"] += 1
        elif row["result"] == "refused":
            kernels[row["kernel"]]["refused"].append(row["chip"])
    report = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "commit": read_commit(),
              "chips": all_chips(), "cuobjdump": bool(find_cuobjdump()), "seconds": round(seconds, 1), "failures": failures,
              "kernels": kernels}
    path.write_text(json.dumps(report, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="file for the report")
    options = parser.parse_args()
    start = time.monotonic()
    cases = [Case(path, kernel, chip) for path, kernel in all_kernels() for chip in all_chips()]
    with tempfile.TemporaryDirectory() as folder:
        rows, differences = check_all(cases, cases, folder, options.jobs)
    count = collections.Counter(row["result"] for row in rows)
    failures = [f"{row['kernel']} {row['chip']}: {text}" for row in rows for text in row["failures"]] + differences
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"{len(all_kernels())} kernels, {len(all_chips())} chips: {count['compiled']} cubins as asked, "
          f"{count['refused']} refused as they must be, {len(failures)} failures, {len(differences)} of them cubins "
          f"that differ when made again; {time.monotonic() - start:.0f} s")
    if options.json:
        write_report(options.json, rows, failures, time.monotonic() - start)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
