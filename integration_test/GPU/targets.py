#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks on a GPU that the code that runs is that of the target asked for.

Runs a kernel that writes a marker of the target it was compiled for: under the device's default target, under the base
target of its capability, under the default again, and under one that the device does not run, which must be refused.
The same from an artifact file that holds several targets, which takes neither compiler nor assembler:

    tilus-translate --tilus-to-artifact --targets=sm_80,sm_90,sm_90a,sm_100a test/Tools/Inputs/marker.mlir -o marker.tilus
    integration_test/GPU/targets.py --tilus-run build-static/bin/tilus-run --artifact marker.tilus

Needs tilus-run (static will do), Python alone, and the driver. Without --artifact, and unless --artifact-only, it needs
an assembler too. Exits with 1 if a marker is wrong.
"""

import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

KERNEL = pathlib.Path(__file__).resolve().parents[2] / "test" / "Tools" / "Inputs" / "marker.mlir"


def expected_marker(target):
    """The marker that the kernel's code for a target writes, such as 901 for 'sm_90a'."""
    number = int(re.fullmatch(r"sm_(\d+)[af]?", target)[1])
    newest = max(capability for capability in (80, 90, 100) if capability <= max(number, 80))
    return newest * 10 + (target in ("sm_90a", "sm_100a"))


def run(options, source, target, folder):
    """The exit code, the target whose code ran, the marker, and the errors of one run."""
    out = pathlib.Path(folder) / "marker.npy"
    out.unlink(missing_ok=True)
    command = [options.tilus_run, str(source), "--device", options.device, "--kernel", "marker", "--json",
               "--arg", "zeros:1xi32", "--out", f"0={out}"] + (["--target", target] if target else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return done.returncode, None, None, done.stderr.strip()
    ran = [kernel["target"] for kernel in json.loads(done.stdout)["kernels"] if kernel["device"]]
    return 0, ran[0], struct.unpack("<i", out.read_bytes()[-4:])[0], ""


def check(options, source, folder):
    """Rows of (what was asked for, what ran, marker, problem) for the kernel of one file."""
    rows = []
    base = None
    for asked in ("default", "base", "default"):
        code, ran, marker, errors = run(options, source, base if asked == "base" else None, folder)
        if code:
            rows.append((asked, None, None, errors))
            continue
        base = base or ran.rstrip("af")
        problem = "" if marker == expected_marker(ran) else f"expected {expected_marker(ran)}"
        if asked == "base" and ran != base:
            problem = f"expected the code of {base}"
        rows.append((asked, ran, marker, problem))
    # A cubin runs within its major capability: one of these two is for another.
    other = "sm_80" if base != "sm_80" else "sm_90"
    code, ran, marker, errors = run(options, source, other, folder)
    refused = code != 0 and other in errors and "expected a" in errors
    rows.append((other, ran, marker, "" if refused else f"expected a refusal, but got: {errors or marker}"))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilus-run", default="tilus-run")
    parser.add_argument("--artifact", type=pathlib.Path, help="a file of the kernel for several targets")
    parser.add_argument("--artifact-only", action="store_true", help="do not compile")
    parser.add_argument("--device", default="cuda:0")
    options = parser.parse_args()
    sources = ([] if options.artifact_only else [KERNEL]) + ([options.artifact] if options.artifact else [])
    if not sources:
        parser.error("expected --artifact with --artifact-only, but got none")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            for asked, ran, marker, problem in check(options, source, folder):
                failed |= bool(problem)
                what = f"ran {ran}, marker {marker}" if ran else "refused"
                print(f"{source.name}: asked for {asked}: {problem or what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
