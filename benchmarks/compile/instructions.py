#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions that compilations to PTX take, and how they grow with the kernel.

Unlike times, counts are the same in each run and on a busy machine, so that a limit can be put on their growth. They do
not tell what waits for memory: run.py measures times. Needs valgrind.
"""

import argparse
import json
import math
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import chains
import run

CHAIN_OPS = 32  # lines at one repeat
# What is counted: the passes alone, or LLVM with them.
STAGES = {"passes": "--tilus-to-nvvm=target={target}", "ptx": "--tilus-to-ptx=targets={target}"}
VALGRIND = ("valgrind", "--tool=exp-bbv", "--instr-count-only=yes", "--bb-out-file=/dev/null", "--pc-out-file=/dev/null")


def make_text(examples, name, repeat):
    """A kernel of the examples with its body so often, or a chain so long."""
    if name in chains.CHAINS:
        return chains.make_chain(name, repeat * CHAIN_OPS)
    file = next(file for file, kernel in run.KERNELS if kernel == name)
    return run.load_kernel(examples, file, name).repeated(repeat)


def count_instructions(tool, arguments, text, folder):
    path = pathlib.Path(folder) / "kernel.mlir"
    path.write_text(text, encoding="utf-8")
    result = run.run_tool([*VALGRIND, tool, str(path), "--mlir-disable-threading",
                           STAGES[arguments.stage].format(target=arguments.target), "-o", "/dev/null"])
    found = re.search(r"Total instructions: (\d+)", result.stderr)
    if not found:
        raise run.Failure(f"expected valgrind to count instructions, but got {result.stderr[-200:]!r}")
    return int(found.group(1))


def get_exponents(counts):
    """Of counts at doubled sizes: that of each two steps. What does not grow has no part in it."""
    steps = [after - before for before, after in zip(counts, counts[1:])]
    return [math.log2(after / before) for before, after in zip(steps, steps[1:])]


def measure(tool, arguments, name, folder):
    counts = [count_instructions(tool, arguments, make_text(arguments.examples, name, repeat), folder)
              for repeat in arguments.repeats]
    return {"kernel": name, "repeats": arguments.repeats, "counts": counts, "exponents": get_exponents(counts)}


def parse_arguments(words):
    names = [kernel for _, kernel in run.KERNELS] + list(chains.CHAINS)
    parser = argparse.ArgumentParser(description="Counts instructions of compilations and how they grow.")
    parser.add_argument("--tilus-opt", type=pathlib.Path, help="default: on PATH, else in build/bin")
    parser.add_argument("--examples", type=pathlib.Path, default=run.ROOT / "examples")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--stage", choices=list(STAGES), default="ptx", help="what is counted (default: ptx)")
    parser.add_argument("--kernel", choices=names, action="append", help="one of the kernels (default: all)")
    parser.add_argument("--first", type=int, default=4, help="how often the body is there at first (default: 4)")
    parser.add_argument("--doublings", type=int, default=2, help="how often that is doubled (default: 2)")
    parser.add_argument("--limit", type=float, help="fail where an exponent is larger")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    arguments = parser.parse_args(words)
    if arguments.doublings < 2 or arguments.first < 1:
        parser.error("expected a first repeat and two doublings at least: an exponent takes three counts")
    arguments.kernel = arguments.kernel or names
    arguments.repeats = [arguments.first << doubling for doubling in range(arguments.doublings + 1)]
    return arguments


def main(words=None):
    arguments = parse_arguments(words)
    try:
        tool = run.find_tool("tilus-opt", arguments.tilus_opt)
        run.find_tool("valgrind", None)
        with tempfile.TemporaryDirectory(prefix="tilus-instructions-") as folder:
            report = [measure(tool, arguments, name, folder) for name in arguments.kernel]
    except run.Failure as failure:
        print(f"instructions.py: {failure}", file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(report, indent=1))
    else:
        print(run.format_table(["kernel", "repeats", "millions", "exponents"],
                               [[entry["kernel"], " ".join(map(str, entry["repeats"])),
                                 " ".join(f"{count / 1e6:.0f}" for count in entry["counts"]),
                                 " ".join(f"{value:.2f}" for value in entry["exponents"])] for entry in report]))
    largest = max(value for entry in report for value in entry["exponents"])
    if arguments.limit is not None and largest > arguments.limit:
        print(f"instructions.py: expected exponents of at most {arguments.limit}, but got {largest:.2f}",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
