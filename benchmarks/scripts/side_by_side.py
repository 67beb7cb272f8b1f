#!/usr/bin/env python3
"""Upstream's examples with this package and with theirs, one after the other on one GPU: times of kernels and of calls.

    side_by_side.py <checkout> --ours PATHS --theirs PATHS [--limit S] [--budget S] [--only TEXT] [--rows N] [--cold]
                    [--json FILE]

Each example runs unmodified in four processes: with either package from an empty cache, and again from the cache that
this left. PATHS are what PYTHONPATH gets. A run that exceeds its limit counts as unfinished: the table says so.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
STANDINS = HERE.parents[1] / "integration_test/upstream_support/standins"
EXAMPLES = ["vector_add/vector_add", "softmax/softmax", "norm/layer_norm",
            *(f"matmul/matmul_v{n}" for n in range(5)), "attention/flash_attention_v1",
            "attention_with_kvcache/attention_v1", "flash_attention_decode/main", "attention/flash_attention_v2",
            "matmul/matmul_v5", "attention/flash_attention_v3"]


def find_missing(modules):
    probe = "import importlib.util, sys; print(*[m for m in sys.argv[1:] if not importlib.util.find_spec(m)])"
    return subprocess.run([sys.executable, "-c", probe, *modules], capture_output=True, text=True).stdout.split()


class Runner:
    def __init__(self, options, deadline):
        self.options, self.deadline = options, deadline
        self.standins = [str(STANDINS / name) for name in find_missing(["pandas", "einops", "flash_attn"])]

    def run(self, example, paths, cache, folder):
        """What time_example.py wrote, or {"why": ...}."""
        limit = min(self.options.limit, self.deadline - time.monotonic())
        if limit < 10:
            return {"why": "not run: the budget was spent"}
        result = pathlib.Path(folder) / "result.json"
        result.unlink(missing_ok=True)
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([paths, *self.standins]),
                           TILUS_CACHE_DIR=str(cache), PYTHONDONTWRITEBYTECODE="1")
        path = pathlib.Path(self.options.checkout) / "examples" / f"{example}.py"
        command = [sys.executable, str(HERE / "time_example.py"), str(path), str(result)]
        if self.options.rows:
            command.append(str(self.options.rows))
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              start_new_session=True) as process:
            try:
                output = process.communicate(timeout=limit)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                return {"why": f"not finished within {limit:.0f} s"}
        if process.returncode or not result.exists():
            return {"why": "failed: " + " | ".join(output.strip().splitlines()[-3:])}
        return json.loads(result.read_text())

    def compare(self, example):
        record = {}
        for name, paths in (("ours", self.options.ours), ("theirs", self.options.theirs)):
            with tempfile.TemporaryDirectory() as folder:
                cache = pathlib.Path(folder) / "cache"
                cold = self.run(example, paths, cache, folder)
                why = "no first run" if "why" in cold else "not asked for" if self.options.cold else None
                warm = {"why": why} if why else self.run(example, paths, cache, folder)
                record[name] = {"cold": cold, "warm": warm}
        return record


def print_record(example, record):
    ours, theirs = (record[name]["cold"] for name in ("ours", "theirs"))
    for name, run in (("ours", ours), ("theirs", theirs)):
        if "why" in run:
            print(f"{example:40} {name}: {run['why']}")
    for name in ("cold", "warm"):
        runs = [record[package][name] for package in ("ours", "theirs")]
        if any(not run.get("call_s") for run in runs):
            continue
        # One package imports at once what the other imports when it is used: only the sum compares.
        times = [run["import_s"] + run["call_s"] for run in runs]
        print(f"{example:40} import and first call, {name}: {times[0]:8.3f} s, theirs {times[1]:8.3f} s: "
              f"{times[1] / times[0]:6.1f} x", flush=True)
    best = [record[package]["warm"].get("rows") or record[package]["cold"].get("rows", []) for package in
            ("ours", "theirs")]
    for index, row in enumerate(best[0]):
        other = best[1][index]["ms"] if index < len(best[1]) else None
        ratio = f"theirs {other * 1e3:9.1f} us: {other / row['ms']:6.3f} x" if other else ""
        print(f"{example:40} {row['label'][:36]:36} {row['ms'] * 1e3:9.1f} us {ratio}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout")
    parser.add_argument("--ours", required=True)
    parser.add_argument("--theirs", required=True)
    parser.add_argument("--limit", type=float, default=120, help="seconds a process (default: 120)")
    parser.add_argument("--budget", type=float, default=3600, help="seconds for all (default: 3600)")
    parser.add_argument("--only", default="", help="the examples whose names contain this, several by commas")
    parser.add_argument("--rows", type=int, help="end each example after so many measurements")
    parser.add_argument("--cold", action="store_true", help="only from an empty cache")
    parser.add_argument("--json", help="where the report goes")
    options = parser.parse_args()
    import torch
    runner = Runner(options, time.monotonic() + options.budget)
    report = {"date": datetime.date.today().isoformat(), "gpu": torch.cuda.get_device_name(0),
              "torch": torch.__version__, "python": sys.version.split()[0], "limit_s": options.limit, "rows": options.rows, "examples": {}}
    for example in EXAMPLES:
        if not any(text in example for text in options.only.split(",")):
            continue
        report["examples"][example] = record = runner.compare(example)
        print_record(example, record)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
