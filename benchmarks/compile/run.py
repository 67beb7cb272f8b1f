#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long compilation takes, and how it grows with the kernel.

Three tables: kernels of the examples compiled cold in a process that has compiled before (each under its own names, so
that nothing is found in a cache); the same with their bodies repeated, with the exponent of time over ops; and layout
inference on long chains of tiles of rank 5. Times are wall-clock, as tilus-run and tilus-opt report them themselves.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import kernel_source

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import chains

# (file in the examples, kernel)
KERNELS = (("vector_add/vector_add.mlir", "vector_add"), ("softmax/softmax.mlir", "softmax"),
           ("layer_norm/layer_norm.mlir", "layer_norm"), ("matmul/matmul_pipelined.mlir", "matmul_pipelined"))
REPEATS = (1, 2, 4, 8, 16, 32, 64)
# Below this the fixed cost of a compilation hides how it grows.
FIRST_FITTED = 4
STAGES = ("total", "passes", "llvm", "assembler")
TIMEOUT_SECONDS = 300


class Failure(Exception):
    """A tool did not do what was asked of it."""


def find_tool(name, given):
    tool = given or shutil.which(name) or shutil.which(name, path=str(ROOT / "build" / "bin"))
    if not tool:
        raise Failure(f"expected {name} on PATH or in build/bin, but got neither; build it first")
    return str(tool)


def run_tool(command):
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"expected {command[0]} to end within {TIMEOUT_SECONDS} s, but it did not") from error
    if result.returncode != 0:
        raise Failure(result.stderr.strip()[:500] or f"{command[0]} ended with status {result.returncode}")
    return result


def load_kernel(examples, file, name):
    text = (pathlib.Path(examples) / file).read_text(encoding="utf-8")
    for kernel in kernel_source.find_kernels(text):
        if kernel.name == name:
            return kernel
    raise Failure(f"expected a kernel '{name}' in {file}, but found none")


class Compiler:
    """Compiles texts with tilus-run, each in a process of its own."""

    def __init__(self, tool, target, folder):
        self.tool, self.target, self.folder = tool, target, pathlib.Path(folder)

    def compile(self, kernels):
        """[{stage: milliseconds}] for the kernels of a file, in order."""
        path = self.folder / "kernels.mlir"
        path.write_text("\n".join(kernels) + "\n", encoding="utf-8")
        result = run_tool([self.tool, str(path), "--target", self.target, "--device", "none", "--json"])
        return [entry["compile_ms"] for entry in json.loads(result.stdout)["kernels"]]


def medians(times):
    return {stage: statistics.median(time[stage] for time in times) for stage in STAGES}


def measure_kernel(compiler, kernel, count):
    """The first compilation of a process, and the median of `count` more of it under other names."""
    first, *others = compiler.compile([kernel.renamed(f"{kernel.name}_{index}") for index in range(count + 1)])
    cold = medians(others)
    outside = 1 - cold["assembler"] / cold["total"] if cold["total"] else None
    return {"kernel": kernel.name, "ops": kernel.count_ops(), "first": first, "cold": cold, "count": count,
            "share_outside_assembler": outside}


def fit_exponent(points):
    """The slope of log(time) over log(ops), by least squares; None for fewer than two points with a time."""
    points = [(ops, time) for ops, time in points if time > 0]
    if len(points) < 2:
        return None
    xs, ys = ([math.log(value) for value in values] for values in zip(*points))
    mean_x, mean_y = statistics.mean(xs), statistics.mean(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sum((x - mean_x) ** 2 for x in xs)


def measure_scaling(compiler, kernel, repeats, count):
    """Times with the body repeated, without what the assembler takes, and their exponent."""
    rows = []
    for repeat in repeats:
        body = kernel_source.find_kernels(kernel.repeated(repeat))[0]
        # The kernel itself first: its process then has compiled before.
        texts = [kernel.renamed("warm")] + [body.renamed(f"repeated_{index}") for index in range(count)]
        times = compiler.compile(texts)[1:]
        time = medians(times)
        rows.append({"repeat": repeat, "ops": body.count_ops(), **time,
                     "outside_assembler": time["passes"] + time["llvm"]})
    exponents = {key: fit_exponent([(row["ops"], row[key]) for row in rows if row["repeat"] >= FIRST_FITTED])
                 for key in ("outside_assembler", "passes", "llvm", "assembler")}
    return {"kernel": kernel.name, "rows": rows, "exponents": exponents}


def measure_inference(tool, folder, kind, ops, count):
    """The milliseconds of the pass alone, as the median of `count` processes."""
    path = pathlib.Path(folder) / "chain.mlir"
    path.write_text(chains.make_chain(kind, ops), encoding="utf-8")
    times = []
    for _ in range(count):
        result = run_tool([tool, str(path), "--tilus-infer-layouts", "--mlir-timing", "--mlir-timing-display=list",
                           "--mlir-output-format=json", "-o", os.devnull])
        entries = [entry for entry in json.loads(result.stderr) if entry["name"] == "InferLayoutsPass"]
        times.append(entries[0]["wall"]["duration"] * 1e3)
    return {"chain": kind, "ops": ops, "ms": statistics.median(times), "best_ms": min(times), "count": count}


def attempt(failures, measure, *arguments):
    """The measurement, or None with the reason noted."""
    try:
        return measure(*arguments)
    except Failure as failure:
        failures.append(str(failure))
        return None


def measure_all(arguments, folder):
    compiler = Compiler(find_tool("tilus-run", arguments.tilus_run), arguments.target, folder)
    opt = find_tool("tilus-opt", arguments.tilus_opt)
    failures, kernels, scaling = [], [], []
    repeats = [repeat for repeat in REPEATS if repeat <= arguments.max_repeat]
    for file, name in KERNELS:
        kernel = attempt(failures, load_kernel, arguments.examples, file, name)
        if kernel:
            kernels.append(attempt(failures, measure_kernel, compiler, kernel, arguments.count))
            scaling.append(attempt(failures, measure_scaling, compiler, kernel, repeats, arguments.repeat_count))
    inference = [attempt(failures, measure_inference, opt, folder, kind, 256, arguments.count)
                 for kind in chains.CHAINS]
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "tilus_run": run_tool([compiler.tool, "--version"]).stdout.strip(), "target": arguments.target,
            "host": platform.platform(), "cpus": len(os.sched_getaffinity(0)), "load": os.getloadavg()[0],
            "kernels": [entry for entry in kernels if entry], "scaling": [entry for entry in scaling if entry],
            "inference": [entry for entry in inference if entry], "failures": failures}


def format_table(headings, rows):
    cells = [headings] + [[f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells)


def print_tables(report):
    print(f"{report['tilus_run']}, {report['target']}, {report['cpus']} CPUs, load {report['load']:.1f}\n")
    print("Cold compilations in a warm process, median (ms)")
    print(format_table(["kernel", "ops", *STAGES, "first total"],
                       [[entry["kernel"], entry["ops"], *(entry["cold"][stage] for stage in STAGES),
                         entry["first"]["total"]] for entry in report["kernels"]]))
    for entry in report["scaling"]:
        exponents = ", ".join(f"{key} {value:.2f}" for key, value in entry["exponents"].items() if value is not None)
        print(f"\n{entry['kernel']}, its body repeated (ms); exponents from {FIRST_FITTED} repeats on: {exponents}")
        print(format_table(["repeat", "ops", "outside assembler", "passes", "llvm", "assembler"],
                           [[row[key] for key in ("repeat", "ops", "outside_assembler", "passes", "llvm", "assembler")]
                            for row in entry["rows"]]))
    print("\nLayout inference, chains of rank 5 (ms)")
    print(format_table(["chain", "ops", "median", "best"],
                       [[entry["chain"], entry["ops"], entry["ms"], entry["best_ms"]]
                        for entry in report["inference"]]))
    for failure in report["failures"]:
        print(f"failed: {failure}")


def parse_arguments(words):
    parser = argparse.ArgumentParser(description="Measures compile times and how they grow.")
    parser.add_argument("--tilus-run", type=pathlib.Path, help="default: on PATH, else in build/bin")
    parser.add_argument("--tilus-opt", type=pathlib.Path, help="default: on PATH, else in build/bin")
    parser.add_argument("--examples", type=pathlib.Path, default=ROOT / "examples")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--count", type=int, default=21, help="compilations of each kernel (default: 21)")
    parser.add_argument("--repeat-count", type=int, default=3, help="compilations of each repeated body (default: 3)")
    parser.add_argument("--max-repeat", type=int, default=REPEATS[-1])
    parser.add_argument("--quick", action="store_true", help="5 compilations, bodies repeated up to 16 times")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    arguments = parser.parse_args(words)
    if arguments.quick:
        arguments.count, arguments.repeat_count, arguments.max_repeat = 5, 1, 16
    return arguments


def main(words=None):
    arguments = parse_arguments(words)
    try:
        with tempfile.TemporaryDirectory(prefix="tilus-compile-") as folder:
            report = measure_all(arguments, folder)
    except Failure as failure:
        print(f"run.py: {failure}", file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(report, indent=1))
    else:
        print_tables(report)
    return 1 if report["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
