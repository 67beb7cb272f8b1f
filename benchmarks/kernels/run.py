#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the examples' kernels on a GPU against other implementations, in one run.

Owns the command line and the order: compile our kernels, time all workloads with the peers that start fast, then once
more those that upstream is compared at, which takes minutes to tune. The report is written again after each workload,
so that a run that is cut short loses nothing.
"""

import argparse
import dataclasses
import datetime
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import peers
import report as report_module
import supervisor
import tilus_cubins
import workloads

ROOT = pathlib.Path(__file__).resolve().parents[2]
UPSTREAM = "upstream"
# What upstream is compared at, the most telling first, and the seconds that its tuning may need.
UPSTREAM_WORKLOADS = (
    ("matmul/4096x4096x4096", 110), ("softmax/4096x4096", 50), ("matmul/1024x1024x14336", 110),
    ("softmax/4096x1024", 20), ("softmax/4096x8192", 20), ("vector_add/16777216", 25), ("softmax/8192x8192", 50),
    ("vector_add/1048576", 10), ("vector_add/268435456", 15), ("softmax/1823x781", 50), ("layer_norm/8192x8192", 60),
)
# What a workload without upstream needs at least.
WORKLOAD_SECONDS = 3


def parse_arguments(words):
    parser = argparse.ArgumentParser(description="Measures the examples' kernels against other implementations.")
    parser.add_argument("--tilus-run", type=pathlib.Path, help="the tool; without it, the one on PATH")
    parser.add_argument("--examples", type=pathlib.Path, default=ROOT / "examples")
    parser.add_argument("--target", default="sm_90a", help="the chip to compile for (default: sm_90a)")
    parser.add_argument("--only", nargs="+", default=[suite.name for suite in workloads.SUITES], metavar="NAME",
                        help="suites or workloads, such as softmax matmul/2048x2048x2048 (default: all)")
    parser.add_argument("--peers", nargs="*", default=list(peers.NAMES), choices=peers.NAMES)
    parser.add_argument("--upstream", type=pathlib.Path, help="a checkout of NVIDIA/tilus, for its examples")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"),
                        help="cpu tries the benchmarks out, without our kernels")
    parser.add_argument("--rounds", type=int, default=25, help="interleaved rounds of all candidates (default: 25)")
    parser.add_argument("--budget", type=float, default=3600, help="seconds after which nothing new is begun")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="compilations at a time")
    parser.add_argument("--dry-run", action="store_true", help="compile our kernels, and stop")
    parser.add_argument("--commit", help="what is measured, where git cannot say")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep the cubins in this folder")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("benchmark-results"))
    arguments = parser.parse_args(words)
    if arguments.tilus_run is None and shutil.which("tilus-run"):
        arguments.tilus_run = pathlib.Path(shutil.which("tilus-run"))
    return arguments


def output_of(*command):
    """The first line that a command prints; '' if it fails or is not there."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout.strip().splitlines()[0] if result.returncode == 0 and result.stdout.strip() else ""


class Run:
    """One run: its report, and what each event adds to it."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = arguments.out.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.records = []
        self.report = {
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "commit": arguments.commit or output_of("git", "describe", "--always", "--dirty") or "unknown",
            "tilus_run": output_of(arguments.tilus_run, "--version") if arguments.tilus_run else "not given",
            "target": arguments.target, "rounds": arguments.rounds, "environment": {}, "limits": {}, "peers": {},
            "workloads": [], "failures": [], "not_run": []}

    def compile(self, chosen, cubins):
        if not self.arguments.tilus_run:
            print("run.py: no tilus-run was given or found: our kernels are left out", flush=True)
            return
        begin = time.monotonic()
        self.records = tilus_cubins.compile_all(self.arguments.tilus_run, self.arguments.target,
                                                self.arguments.examples, chosen, cubins, self.arguments.workers)
        failed = [record for record in self.records if record.error]
        print(f"run.py: compiled {len(self.records) - len(failed)} of {len(self.records)} kernels in "
              f"{time.monotonic() - begin:.1f} s", flush=True)
        for record in failed:
            print(f"run.py: {record.workload} {record.kernel}: {record.error}", flush=True)

    def add_result(self, event):
        workload = workloads.find_workloads([event["workload"]])[0]
        candidates = event["candidates"] + [
            {"name": name, "group": "ours" if name.startswith("tilus ") else "peer", "status": "failed",
             "reason": reason} for name, reason in event["excluded"].items()]
        entry = {"name": workload.name, "suite": workload.suite.name, "title": workload.suite.title,
                 "sizes": workload.sizes, "bytes": workload.bytes, "flops": workload.flops, "sets": event["sets"],
                 "candidates": candidates,
                 "not_compiled": [dataclasses.asdict(record) for record in self.records
                                  if record.workload == workload.name and record.error]}
        entries = self.report["workloads"]
        known = [index for index, old in enumerate(entries) if old["name"] == workload.name]
        if known:
            entries[known[0]] = entry
        else:
            entries.append(entry)

    def on_event(self, event):
        kind = event.pop("event")
        if kind == "begin":
            return
        if kind == "environment":
            self.report["environment"] = {**event, "driver": output_of(
                "nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")}
        elif kind == "limits":
            self.report["limits"] = event
        elif kind == "peer":
            self.report["peers"][event.pop("name")] = event
        elif kind == "failure":
            self.report["failures"].append(event)
            print(f"run.py: {event['workload']} {event['candidate']}: {event['reason']}", flush=True)
        elif kind == "result":
            self.add_result(event)
        report_module.write(self.report, self.folder)
        if kind == "result":
            self.print_result(event["workload"])

    def print_result(self, name):
        entry = next(entry for entry in self.report["workloads"] if entry["name"] == name)
        ratio = f"r = {entry['ratio']:.3f}" if entry["ratio"] else "no ratio"
        print(f"{name}: {ratio}", flush=True)
        for candidate in sorted(entry["candidates"], key=report_module.order):
            time_us = f"{candidate['time_us']:10.2f} us" if "time_us" in candidate else "             "
            note = report_module.first_line(candidate.get("reason", "")) if candidate["status"] != "ok" else ""
            print(f"  {time_us} {report_module.describe_limit(candidate):>7} {candidate['name']} {note}", flush=True)

    def jobs(self, chosen):
        """First without upstream, then with it; the second time of a workload replaces the first."""
        fast = [name for name in self.arguments.peers if name != UPSTREAM]
        jobs = [supervisor.Job(workload.name, fast, needs_seconds=WORKLOAD_SECONDS) for workload in chosen]
        if UPSTREAM in self.arguments.peers and self.arguments.upstream:
            names = {workload.name for workload in chosen}
            jobs += [supervisor.Job(name, fast + [UPSTREAM], needs_seconds=seconds)
                     for name, seconds in UPSTREAM_WORKLOADS if name in names]
        return jobs


def main(words=None):
    begin = time.monotonic()
    arguments = parse_arguments(words)
    try:
        chosen = workloads.find_workloads(arguments.only)
    except ValueError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="tilus-benchmark-") as scratch:
        return measure(arguments, chosen, pathlib.Path(scratch), begin)


def measure(arguments, chosen, scratch, begin):
    """Compiles, times and reports; the exit status."""
    run = Run(arguments)
    run.compile(chosen, arguments.keep or scratch / "cubins")
    if arguments.dry_run:
        return 1 if not run.records or any(record.error for record in run.records) else 0
    plan = {"device": arguments.device, "upstream": str(arguments.upstream.resolve()) if arguments.upstream else None,
            "rounds": arguments.rounds, "limits": True,
            "records": [dataclasses.asdict(record) for record in run.records]}
    jobs = supervisor.Supervisor(plan, scratch, run.on_event, begin + arguments.budget)
    left = jobs.run(run.jobs(chosen))
    run.report["not_run"] = [f"{job.workload} ({', '.join(job.peers)})" for job in left]
    report_module.write(run.report, run.folder)
    print(f"run.py: {len(run.report['workloads'])} workloads in {time.monotonic() - begin:.0f} s, "
          f"{len(left)} not run; the report is in {arguments.out}", flush=True)
    return 0 if run.report["workloads"] else 1


if __name__ == "__main__":
    sys.exit(main())
