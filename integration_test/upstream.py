#!/usr/bin/env python3
"""Runs upstream's own tests and examples, unmodified, with this package in place of theirs.

    upstream.py <checkout> [--device cuda|cpu] [--jobs N] [--timeout SECONDS] [--only TEXT] [--json FILE] [--logs DIR]

The checkout is that of NVIDIA/tilus; its package is kept out of the way, and nothing is written to it. Each file runs
in a process of its own with a time limit. Printed are the cases that passed and failed of each file, with reasons;
the same goes to FILE. The exit status is 0 if all passed. Modules that examples need and that are not installed
(pandas, einops, flash_attn) are replaced by the stand-ins in upstream_support/standins; the report names them.
With --device cpu the files that are small enough run on the CPU reference.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from upstream_support import report, suite  # noqa: E402

SUPPORT = pathlib.Path(__file__).resolve().parent / "upstream_support"
STANDINS = {path.name: path for path in (SUPPORT / "standins").iterdir() if path.is_dir()}

# What the interpreter has, told by itself.
PROBE = """
import importlib.util, json, sys
facts = {"python": sys.version.split()[0], "missing": [n for n in sys.argv[1:] if not importlib.util.find_spec(n)]}
try:
    import torch
    facts["torch"] = torch.__version__
    facts["gpu"] = torch.cuda.get_device_name(0) if torch.cuda.is_available() else None
except ImportError:
    facts["torch"] = facts["gpu"] = None
try:
    import tilus
    facts["package"], facts["version"] = tilus.__file__, tilus.__version__
except ImportError as error:
    facts["package"], facts["error"] = None, str(error)
print(json.dumps(facts))
"""


def make_environment(options, extra=()):
    """The environment of a run: this package first, never the checkout's."""
    environment = dict(os.environ)
    kept = [os.path.abspath(path) for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    kept = [path for path in kept if not pathlib.Path(path).is_relative_to(options.checkout)]
    environment["PYTHONPATH"] = os.pathsep.join([*map(str, extra), *kept])
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment["TILUS_CACHE_DIR"] = str(options.logs / "cache")
    if options.device == "cpu":
        environment["TILUS_DEVICE"] = "cpu"
    return environment


def probe(options):
    """What there is to run with; ends the program if the package cannot be used."""
    names = sorted({name for item in suite.list_items(options.checkout) for name in item.needs + item.oracle})
    command = [sys.executable, "-c", PROBE, *names]
    result = subprocess.run(command, capture_output=True, text=True, env=make_environment(options), cwd=options.logs)
    if result.returncode:
        sys.exit(f"upstream.py: expected an interpreter that runs, but got: {result.stderr.strip()[-500:]}")
    facts = json.loads(result.stdout.splitlines()[-1])
    if facts["package"] is None:
        sys.exit(f"upstream.py: expected the package tilus on PYTHONPATH, but got: {facts['error']}")
    if pathlib.Path(facts["package"]).resolve().is_relative_to(options.checkout):
        sys.exit(f"upstream.py: expected this project's package, but got the checkout's, {facts['package']}")
    return facts


def find_obstacle(item, options, facts):
    """(status, reason) of a file that cannot be run, or None."""
    if not (options.checkout / item.path).is_file():
        return "missing", "the checkout has no such file"
    if options.device == "cpu" and not item.on_cpu:
        return "skipped", "too large for the CPU reference"
    if not item.plain and facts["torch"] is None:
        return "skipped", "torch is not installed"
    if not item.plain and options.device == "cuda" and facts["gpu"] is None:
        return "skipped", "torch sees no GPU"
    lacking = [name for name in item.needs if name in facts["missing"] and name not in STANDINS]
    return ("skipped", f"{', '.join(lacking)} is not installed") if lacking else None


def make_command(item, options, facts):
    """The command that runs a file, and the folders that it needs on PYTHONPATH."""
    replaced = [name for name in item.needs + item.oracle if name in facts["missing"] and name in STANDINS]
    folders = [STANDINS[name] for name in replaced]
    if item.is_example:
        return [sys.executable, str(SUPPORT / "run_example.py"), item.path], folders
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "record_cases"]
    if options.device == "cpu" and facts["torch"] is not None:
        command += ["-p", "cpu_device"]
    if facts["torch"] is None:
        command.append("--noconftest")  # upstream's needs torch
    return [*command, item.path], [SUPPORT, *folders]


def run_item(item, options, facts):
    """The cases of a file."""
    obstacle = find_obstacle(item, options, facts)
    if obstacle is not None:
        return [report.Case(item.path, item.path, obstacle[0], why=obstacle[1])]
    stem = item.path.replace("/", "_").removesuffix(".py")
    record, log = options.logs / f"{stem}.jsonl", options.logs / f"{stem}.log"
    record.unlink(missing_ok=True)
    command, folders = make_command(item, options, facts)
    environment = make_environment(options, folders)
    environment.update(UPSTREAM_RECORD=str(record), UPSTREAM_NAME=item.path)
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command, cwd=options.checkout, env=environment, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait(options.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
    ending = ""
    if status is None:
        ending = f"over the limit of {options.timeout:g} s"
    elif status < 0 or status > 2:
        ending = f"the process ended with status {status}; see {log.name}"
    return report.read_record(item.path, record, ending)


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds for one file")
    parser.add_argument("--only", action="append", default=[], help="run the files whose path has this text")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--logs", type=pathlib.Path, help="where output, records and the cache are kept")
    return parser.parse_args(arguments)


def main():
    options = parse_arguments()
    if not (options.checkout / "tests").is_dir():
        sys.exit(f"upstream.py: expected a checkout of NVIDIA/tilus, but got {options.checkout}")
    options.logs = (options.logs or pathlib.Path(tempfile.mkdtemp(prefix="upstream-"))).resolve()
    options.logs.mkdir(parents=True, exist_ok=True)
    facts = probe(options)
    items = suite.list_items(options.checkout)
    items = [item for item in items if not options.only or any(text in item.path for text in options.only)]
    cases = []
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for item, found in zip(items, pool.map(lambda item: run_item(item, options, facts), items)):
            cases += found
            print(f"{item.path}: {report.summarize(found)}", file=sys.stderr, flush=True)
    used = {name for item in items for name in item.needs + item.oracle}
    facts["standins"] = sorted(name for name in facts.pop("missing") if name in STANDINS and name in used)
    facts.update(device=options.device, checkout=str(options.checkout))
    print(json.dumps(facts))
    print(report.format_table(cases))
    if options.json is not None:
        report.write_json(options.json, cases, facts)
    return 0 if all(case.status != "failed" for case in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
