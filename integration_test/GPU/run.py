#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that is checked on a GPU, in one command that ends within a time limit.

Runs the planted hazards, the edge cases, the examples at all sizes, random kernels, and compute-sanitizer over the small examples and
over random kernels. Needs tilus-run (static), Python with numpy, and the driver; what the machine lacks is reported as
unsupported. Writes report.json and, for what failed, failures.tar.gz.

    integration_test/GPU/run.py --tilus-run build/bin/tilus-run --out results
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

INTEGRATION = pathlib.Path(__file__).resolve().parents[1]
ROOT = INTEGRATION.parent
sys.path[:0] = [str(INTEGRATION), str(ROOT / "examples")]

import planted_hazards  # noqa: E402

SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")
# The exit code by which compute-sanitizer says that it found something.
FINDING = 77
TIMEOUT_SECONDS = 45  # for one run of tilus-run


def query(command):
    """The first line that a command prints; None if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip().splitlines()[0] if done.returncode == 0 and done.stdout.strip() else None


def describe_machine(options):
    import numpy

    gpu = query(["nvidia-smi", "--query-gpu=name,driver_version,compute_cap,memory.total", "--format=csv,noheader"])
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "gpu": gpu, "tilus-run": query([options.tilus_run, "--version"]),
        "commit": query(["git", "-C", str(ROOT), "rev-parse", "HEAD"]),
        "compute-sanitizer": query([options.sanitizer, "--version"]) if options.sanitizer else None,
        "python": platform.python_version(), "numpy": numpy.__version__, "machine": platform.platform(),
        "cores": os.cpu_count(),
    }


class Session:
    """The options, what is left of the time, and the phases done so far."""

    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.time_limit
        self.phases = {}

    def left(self, share=1.0):
        return max((self.end - time.monotonic()) * share, 1.0)

    def run(self, command, seconds, environment=None):
        """Exit code and output of a command that is stopped in time; exit code None then."""
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, errors="replace",
                                  env=os.environ | (environment or {}))
        except subprocess.TimeoutExpired as expired:
            output = expired.stdout or b""
            return None, output.decode(errors="replace") if isinstance(output, bytes) else output
        return done.returncode, done.stdout + done.stderr

    def record(self, name, passed, failed, unsupported=0, **more):
        row = {"passed": passed, "failed": failed, "unsupported": unsupported} | more
        self.phases[name] = row
        print(f"{name}: {passed} passed, {failed} failed, {unsupported} unsupported", flush=True)


# Phases


def check_hazards(session):
    rows = planted_hazards.check_all({"tilus-run": session.options.tilus_run, "tilus-opt": session.options.tilus_opt},
                                     session.options.jobs)
    count = {result: sum(row["result"] == result for row in rows) for result in ("passed", "failed", "unsupported")}
    session.record("planted hazards", **count, failures=[row for row in rows if row["result"] == "failed"])


def check_edges(session):
    import edge_cases

    with tempfile.TemporaryDirectory() as folder:
        failures = edge_cases.run_all(edge_cases.CASES, session.options.jobs,
                                      lambda case: edge_cases.check(case, session.options.device, folder))
    session.record("edge cases", len(edge_cases.CASES) - len(failures), len(failures),
                   failures=[messages[:1] for messages in failures.values()])


def _example_rows(device, larger):
    """(kernel, type, sizes, against the reference) of the examples' tables."""
    import examples

    tables = [(examples.CASES, device != "cpu")] + ([(examples.LARGE_CASES, False)] if larger else [])
    return [(folder, kernel, dtype, sizes, against) for table, against in tables
            for folder, kernel, dtype, all_sizes in table for sizes in all_sizes]


def _run_example(row, device):
    import common
    import examples

    common.TIMEOUT_SECONDS = TIMEOUT_SECONDS
    folder, kernel, dtype, sizes, against = row
    case = (examples.load_examples(folder)[kernel], dtype, sizes, against)
    return examples.run_case(case, argparse.Namespace(device=device, check_hazards=False))


def run_examples(session, name, rows, seconds):
    """Examples in parallel processes; those that do not start in time are unsupported."""
    done, failures, end = 0, [], time.monotonic() + seconds
    with concurrent.futures.ProcessPoolExecutor(session.options.jobs) as pool:
        futures = [pool.submit(_run_example, row, session.options.device) for row in rows]
        try:
            for future in concurrent.futures.as_completed(futures, max(end - time.monotonic(), 1)):
                result = future.result()
                done += 1
                failures += [result] if result["result"] == "failed" else []
        except concurrent.futures.TimeoutError:
            for future in futures:
                future.cancel()
    session.record(name, done - len(failures), len(failures), len(rows) - done, failures=failures)


def run_random(session, name, count, seconds, wrapper="", themes=""):
    """Random kernels as a process of their own; counts those of its report."""
    out, options = session.options.out, session.options
    report = out / f"{name.replace(' ', '-')}.json"
    command = [sys.executable, str(INTEGRATION / "random_kernels.py"), "--device", options.device, "--count", str(count),
               "--seed", str(options.seed), "--jobs", str(options.jobs), "--tilus-run", options.tilus_run,
               "--time-limit", str(int(seconds)), "--timeout", str(TIMEOUT_SECONDS), "--json", str(report), "--save", str(out / "failures" / name)]
    command += ["--wrapper", wrapper] if wrapper else []
    command += ["--themes", themes] if themes else []
    # What is under way at the limit may take both its runs.
    code, output = session.run(command, seconds + 2 * TIMEOUT_SECONDS + 10)
    if not report.exists():
        session.record(name, 0, 1, count - 1, failures=[{"code": code, "output": output[-4000:]}])
        return
    result = json.loads(report.read_text())
    report.unlink()
    session.record(name, result["passed"], result["failed"], result["refused"] + result["skipped"],
                   failures=result["failures"], refused=result["refused"], exact=result["exact"],
                   kinds=result["kinds"], seconds=result["seconds"])


# compute-sanitizer


def wrapper_of(options, tool):
    more = "--racecheck-report all " if tool == "racecheck" else ""
    return f"{options.sanitizer} --tool {tool} {more}--error-exitcode {FINDING} --target-processes all"


def put_on_path(options, tool, folder):
    """A `tilus-run` before the others on PATH, which runs kernels of the GPU under the sanitizer."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "tilus-run"
    script.write_text(f'#!/bin/sh\ncase " $* " in *" cuda"*) exec {wrapper_of(options, tool)} {options.tilus_run} "$@" ;; '
                      f'esac\nexec {options.tilus_run} "$@"\n')
    script.chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"


def is_sanitizer_usable(session, tool):
    """Tries it on a kernel; virtual machines may refuse it."""
    sample = ROOT / "examples/vector_add/vector_add.mlir"
    command = wrapper_of(session.options, tool).split() + [session.options.tilus_run, str(sample), "--device", "cuda"]
    command += ["--arg", "64", "--arg", "arange:64xf32", "--arg", "arange:64xf32", "--arg", "zeros:64xf32"]
    code, output = session.run(command, 120)
    usable = code in (0, FINDING) and "Device not supported" not in output
    return usable, output[-1000:]


def run_sanitizers(session):
    options = session.options
    tools = options.sanitizers.split(",") if options.sanitizers else []
    for number, tool in enumerate(tools):
        if not options.sanitizer or session.left() < 40:
            session.record(tool, 0, 0, 1, reason="no compute-sanitizer" if not options.sanitizer else "no time left")
            continue
        usable, output = is_sanitizer_usable(session, tool)
        if not usable:
            session.record(tool, 0, 0, 1, reason=output)
            continue
        seconds = session.left(1 / (len(tools) - number)) - 10
        path = os.environ["PATH"]
        put_on_path(options, tool, options.out / "bin" / tool)
        small = {}
        for row in _example_rows("cuda", larger=False):
            small.setdefault(row[1], []).append(row[:4] + (False,))
        rows = [row for of_kernel in small.values() for row in of_kernel[1:4:2]]
        run_examples(session, f"{tool} examples", rows, seconds * 0.4)
        os.environ["PATH"] = path
        run_random(session, f"{tool} random kernels", options.sanitized, seconds * 0.5, wrapper_of(options, tool))


# Report


def write_report(session, machine):
    out = session.options.out
    report = machine | {"seconds": round(session.options.time_limit - session.left(), 1), "phases": session.phases}
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    shutil.rmtree(out / "bin", ignore_errors=True)
    if (out / "failures").exists():
        with tarfile.open(out / "failures.tar.gz", "w:gz") as archive:
            archive.add(out / "failures", "failures")
        shutil.rmtree(out / "failures")
    print(f"\n{machine['gpu']}, {machine['tilus-run']}, {report['seconds']} s")
    width = max(len(name) for name in session.phases)
    print(f"{'':{width}}  passed  failed  unsupported")
    for name, row in session.phases.items():
        print(f"{name:{width}}  {row['passed']:6}  {row['failed']:6}  {row['unsupported']:11}")
    for name, row in session.phases.items():
        for failure in row.get("failures", [])[:5]:
            print(f"{name}: {json.dumps(failure)[:300]}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilus-run", default=shutil.which("tilus-run") or str(ROOT / "build/bin/tilus-run"))
    parser.add_argument("--tilus-opt", default=shutil.which("tilus-opt"))
    parser.add_argument("--sanitizer", default=shutil.which("compute-sanitizer") or next(
        iter(str(path) for path in pathlib.Path("/usr/local/cuda").glob("bin/compute-sanitizer")), None))
    parser.add_argument("--sanitizers", default="memcheck,racecheck,synccheck,initcheck")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu tries the command without a GPU")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(os.environ.get("OUT", "gpu-results")))
    parser.add_argument("--phases", default="all", help="of hazards,edges,examples,random,sanitizers (default: all)")
    parser.add_argument("--count", type=int, default=1500, help="random kernels")
    parser.add_argument("--sanitized", type=int, default=56, help="random kernels under each sanitizer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=max(os.cpu_count() - 2, 1))
    parser.add_argument("--time-limit", type=float, default=540, help="seconds for all")
    options = parser.parse_args()
    options.tilus_run = str(pathlib.Path(options.tilus_run).resolve())
    options.out = options.out.resolve()
    return options


def main():
    options = parse_arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = f"{pathlib.Path(options.tilus_run).parent}{os.pathsep}{os.environ['PATH']}"
    if "TILUS_CUDA_PATH" not in os.environ and pathlib.Path("/usr/local/cuda").is_dir():
        os.environ["TILUS_CUDA_PATH"] = "/usr/local/cuda"
    session, machine = Session(options), describe_machine(options)
    phases = {
        "hazards": lambda: check_hazards(session), "edges": lambda: check_edges(session),
        "examples": lambda: run_examples(session, "examples", _example_rows(options.device, options.device == "cuda"), session.left(0.3)),
        "random": lambda: run_random(session, "random kernels", options.count, session.left(0.4)),
        "sanitizers": lambda: run_sanitizers(session) if options.device == "cuda" else None,
    }
    for name in phases if options.phases == "all" else options.phases.split(","):
        phases[name]()
    write_report(session, machine)
    return 1 if any(row["failed"] for row in session.phases.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
