# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a report of tilus-run: check_report.py FILE KERNEL:TARGET... [run] [cubin] [grid=X,Y,Z].

`grid`: it was compiled for arguments, and not run."""

import json
import sys

KEYS = ["name", "target", "compile_ms", "registers", "spill_bytes", "shared_bytes", "cubin_bytes", "grid", "block",
        "workspaces", "device", "device_ms"]

path, *words = sys.argv[1:]
expected = [word.split(":") for word in words if ":" in word]
grids = [[int(n) for n in word[5:].split(",")] for word in words if word.startswith("grid=")]
with open(path, encoding="utf-8") as file:
    report = json.load(file)
assert list(report) == ["kernels"], list(report)
entries = report["kernels"]
assert [[e["name"], e["target"] or "-"] for e in entries] == expected, entries
for entry in entries:
    assert list(entry) == KEYS, list(entry)
    times = entry["compile_ms"]
    assert (times is not None) == (entry["target"] is not None)
    if times:
        assert list(times) == ["total", "passes", "llvm", "assembler"], times
        assert times["total"] >= sum(times.values()) - times["total"] > 0, times
    numbers = [entry[key] for key in ("registers", "spill_bytes", "shared_bytes", "cubin_bytes")]
    assert all(isinstance(n, int) for n in numbers) if "cubin" in words else numbers[0] is numbers[3] is None
    assert "cubin" not in words or entry["registers"] > 0 and entry["cubin_bytes"] > 500
    assert isinstance(entry["block"], list) and len(entry["block"]) == 3 and entry["block"][0] % 32 == 0
    if "run" in words:
        assert len(entry["grid"]) == 3 and entry["device"] == "cpu" and entry["device_ms"] > 0
    else:
        assert entry["device"] is entry["device_ms"] is None
        assert entry["grid"] == (grids[0] if grids else None), entry["grid"]
        assert entry["workspaces"] == ([] if grids else None), entry["workspaces"]
