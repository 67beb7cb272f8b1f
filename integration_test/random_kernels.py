#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random kernels on the CPU reference, through the compiler, and on a GPU.

Each kernel is a function of the seed and its number. Its results are compared with an evaluation in numpy that knows,
element by element, which results are right: integers, moves, conversions and sums without rounding have one; other
sums and functions have a bound that holds for any order of summation and for contracted products. The GPU's results
are compared with the CPU reference's as well. See fuzz/ for the generator.

    random_kernels.py --count 500 --seed 1 --device cuda --jobs 16 --json report.json --save failures

With --hazards barriers and waits are taken out of the kernels instead, and the reference must report an error exactly
if a hazard follows.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "fuzz"))

import hazards  # noqa: E402
import numpy as np  # noqa: E402
import runner  # noqa: E402
import shrink  # noqa: E402
import themes  # noqa: E402
from program import Printer  # noqa: E402


def find_tool():
    build = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", HERE.parent / "build"))
    return shutil.which("tilus-run") or str(build / "bin/tilus-run")


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="kernels (default 100)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    parser.add_argument("--themes", help="comma-separated; all by default: " + ", ".join(themes.THEMES))
    parser.add_argument("--device", choices=("cpu", "cuda", "none"), default="cpu",
                        help="cpu (default): the reference; cuda: the GPU as well; none: compile only")
    parser.add_argument("--hazards", action="store_true", help="check what the reference says without barriers")
    parser.add_argument("--targets", default="", help="chips to compile for, such as sm_80,sm_90a,sm_120a")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", help="where the report goes")
    parser.add_argument("--save", help="folder for what fails; nothing is kept by default")
    parser.add_argument("--shrink", type=int, default=0, metavar="SECONDS", help="make each failing kernel smaller")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="start no kernel after so many seconds")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for one command (default 180)")
    parser.add_argument("--tilus-run", default=find_tool())
    parser.add_argument("--wrapper", default="", help="command before each run on the GPU, such as compute-sanitizer")
    parser.add_argument("--print", action="store_true", help="print the kernels and run nothing")
    return parser.parse_args(words)


def kernel_of(options, number):
    names = options.themes.split(",") if options.themes else list(themes.THEMES)
    theme = names[number % len(names)]
    return theme, f"random_{options.seed}_{number}"


def make_settings(options):
    return runner.Settings(
        tilus_run=str(pathlib.Path(options.tilus_run).resolve()),
        cpu=options.device != "none",
        cuda="cuda" if options.device == "cuda" else "",
        targets=tuple(filter(None, options.targets.split(","))),
        wrapper=tuple(options.wrapper.split()),
        timeout=options.timeout,
    )


def keep(options, program, outputs, failures, folder, settings):
    """Saves a failing kernel, smaller if asked for."""
    stage = failures[0].signature
    if options.shrink:
        def fails(smaller, expected):
            with tempfile.TemporaryDirectory() as scratch:
                found = runner.check_kernel(smaller, expected, scratch, settings).failures
            return any(failure.signature == stage for failure in found)

        program = shrink.shrink(program, fails, options.shrink)
        outputs = shrink.evaluate(program)
    target = pathlib.Path(options.save) / program.name
    shutil.rmtree(target, ignore_errors=True)
    failures = runner.check_kernel(program, outputs, target, settings).failures or failures
    text = "\n".join(f"{failure.stage}: {failure.summary}\n{failure.output}" for failure in failures)
    (target / "failure.txt").write_text(text)


def check_order(options, program, number):
    """The failures of a kernel without some of its barriers, and more of its report."""
    changed = hazards.without_order(program, np.random.default_rng([options.seed, number]))
    if changed is None:
        return [], {"skipped": True}
    with tempfile.TemporaryDirectory() as folder:
        failures, is_hazard = hazards.check_hazards(changed, folder, make_settings(options))
    if failures and options.save:
        target = pathlib.Path(options.save) / program.name
        hazards.check_hazards(changed, target, make_settings(options))
        (target / "failure.txt").write_text(f"{failures[0].summary}\n{failures[0].output}")
    return failures, {"hazard": is_hazard}


def check_one(options, number, deadline):
    """The report of one kernel."""
    theme, name = kernel_of(options, number)
    report = {"name": name, "number": number, "theme": theme, "failures": [], "kinds": []}
    if time.time() > deadline:
        return report | {"skipped": True}
    try:
        program, outputs = themes.make_kernel([options.seed, number], theme, name)
        report["kinds"] = sorted({step.kind for step in program.walk()})
        report["exact"] = all(not memory.error.any() for memory in outputs.values())
        if options.hazards:
            failures, more = check_order(options, program, number)
            return report | more | {"failures": [{"stage": f.stage, "summary": f.summary} for f in failures]}
        settings = make_settings(options)
        with tempfile.TemporaryDirectory() as folder:
            outcome = runner.check_kernel(program, outputs, folder, settings)
            failures, report["refused"] = outcome.failures, outcome.is_refused
            if failures and options.save:
                keep(options, program, outputs, failures, folder, settings)
    except Exception:  # a fault of the generator is a failure of this kernel, not the end of the run
        failures = [runner.Failure("generator", traceback.format_exc().strip().splitlines()[-1],
                                   traceback.format_exc())]
    report["failures"] = [{"stage": f.stage, "summary": f.summary} for f in failures]
    return report


def check_all(options):
    deadline = time.time() + min(options.time_limit, 1e9)
    numbers = range(options.first, options.first + options.count)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(check_one, options, number, deadline) for number in numbers]
        for future in concurrent.futures.as_completed(futures):
            report = future.result()
            for failure in report["failures"]:
                print(f"{report['name']} ({report['theme']}) {failure['stage']}: {failure['summary']}", flush=True)
            yield report


def summarize(options, reports, seconds):
    run = [report for report in reports if not report.get("skipped")]
    failing = [report for report in run if report["failures"]]
    refused = sum(report.get("refused", False) and not report["failures"] for report in run)
    kinds = collections.Counter(kind for report in run for kind in report["kinds"])
    return {
        "seed": options.seed, "device": options.device, "targets": options.targets, "seconds": round(seconds, 1),
        "kernels": len(run), "skipped": len(reports) - len(run), "passed": len(run) - len(failing) - refused,
        "refused": refused,  # right on the reference, and of types that GPUs do not have
        "hazards": sum(report.get("hazard", False) for report in run),
        "exact": sum(report.get("exact", False) for report in run),
        "failed": len(failing), "kinds": dict(sorted(kinds.items())),
        "failures": sorted(failing, key=lambda report: report["number"]),
    }


def main(words=None):
    options = parse_arguments(words)
    if options.print:
        for number in range(options.first, options.first + options.count):
            theme, name = kernel_of(options, number)
            print(Printer(themes.make_kernel([options.seed, number], theme, name)[0]).print())
        return 0
    start = time.monotonic()
    report = summarize(options, list(check_all(options)), time.monotonic() - start)
    report["seconds"] = round(time.monotonic() - start, 1)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1))
    print(f"random kernels: {report['kernels']} run, {report['passed']} passed, {report['failed']} failed, "
          f"{report['refused']} refused, {report['skipped']} skipped, {report['seconds']} s")
    return 1 if report["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
