#!/usr/bin/env python3
"""Measures a script's first call in a process, with nothing on disk and then with all its kernels kept.

    second_process.py [--device fake|cuda] [--rounds N] [--schedules N] [--json FILE]

Two scripts: an addition of vectors, and a softmax of N schedules, whose choice the first process measures and the others
find. Each call is in a process of its own. Time runs from before the import to after the call, or on a GPU to the checked
result; there torch is imported and the device is used before. The fake driver launches nothing. For each script it
prints the first process, the median of the others, and which libraries of Tilus these loaded.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", ROOT / "build"))
SCRIPTS = ("vector_add", "softmax")
ROWS, COLUMNS = 256, 1000


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("fake", "cuda"), default="fake")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--schedules", type=int, default=24)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--worker", choices=SCRIPTS, help=argparse.SUPPRESS)
    return parser.parse_args()


# -- in the process that is measured


def make_vector_add(_):
    import tilus
    from tilus import float32, int32

    class VectorAdd(tilus.Script):
        def __init__(self):
            super().__init__()

        def __call__(self, n: int32, x_ptr: ~float32, y_ptr: ~float32):
            self.attrs.warps = 4
            self.attrs.blocks = [(n + 1023) // 1024]
            offset = self.blockIdx.x * 1024
            x = self.load_global(self.global_view(x_ptr, dtype=float32, shape=[n]), offsets=[offset], shape=[1024])
            self.store_global(self.global_view(y_ptr, dtype=float32, shape=[n]), x + x, offsets=[offset])

    return VectorAdd(), (ROWS * COLUMNS,), lambda x: x + x


def make_softmax(count):
    import tilus
    from tilus import float32, int32

    shapes = list(itertools.product((1, 2, 4), (1, 2, 4, 8), (1024, 2048)))[:count]

    @tilus.autotune("shape", shapes)
    class Softmax(tilus.Script):
        def __init__(self, shape):
            super().__init__()
            self.rows, self.warps, self.columns = shape

        def __call__(self, m: int32, n: int32, x_ptr: ~float32, y_ptr: ~float32):
            self.attrs.warps = self.warps
            self.attrs.blocks = [(m + self.rows - 1) // self.rows]
            row = self.blockIdx.x * self.rows
            x = self.global_view(x_ptr, dtype=float32, shape=[m, n])
            tile = self.load_global(x, offsets=[row, 0], shape=[self.rows, self.columns])
            column = self.register_tensor(dtype=int32, shape=[1, self.columns], init=lambda i, j: j)
            power = self.where(column < n, self.exp(tile - self.max(tile, dim=1, keepdim=True)), 0.0)
            y = self.global_view(y_ptr, dtype=float32, shape=[m, n])
            self.store_global(y, power / self.sum(power, dim=1, keepdim=True), offsets=[row, 0])

    return Softmax(), (ROWS, COLUMNS), lambda x: x.softmax(1)


def prepare(device):
    """Two arrays of ROWS x COLUMNS; for a GPU the framework and the device are used before the clock runs."""
    if device == "cuda":
        import torch

        return [torch.rand(ROWS, COLUMNS, device="cuda") for _ in range(2)]
    import python_calls

    sys.path.insert(0, str(BUILD / "python-tests"))
    import fake_tensors

    return [fake_tensors.Tensor(python_calls.allocate(4 * ROWS * COLUMNS), (ROWS, COLUMNS)) for _ in range(2)]


def work(options):
    x, y = prepare(options.device)
    begin, begin_cpu = time.perf_counter(), time.process_time()
    import tilus  # noqa: F401

    imported = time.perf_counter()
    script, sizes, reference = {"vector_add": make_vector_add, "softmax": make_softmax}[options.worker](options.schedules)
    script(*sizes, x, y)
    if options.device == "cuda":
        import torch

        torch.testing.assert_close(y, reference(x))
    end, end_cpu = time.perf_counter(), time.process_time()
    with open("/proc/self/maps") as maps:
        files = {line.rpartition("/")[2].partition(".so")[0] for line in maps if "/" in line}
    (table,) = script.dispatch_tables.values()
    ((instance, chosen),) = table.values()
    print(json.dumps({
        "import_ms": 1e3 * (imported - begin), "total_ms": 1e3 * (end - begin), "cpu_ms": 1e3 * (end_cpu - begin_cpu),
        "libraries": sorted(name for name in files if name.startswith("libTilus")),
        "stats": next(iter(script.stats().values())), "chosen": chosen, "ptx": instance.artifacts[chosen].ptx,
    }))  # fmt: skip


# -- the processes


def run_worker(options, script, cache):
    environment = {**os.environ, "TILUS_CACHE_DIR": str(cache)}
    environment.setdefault("PYTHONPATH", str(BUILD / "python"))
    if options.device == "fake":
        environment |= {"TILUS_CUDA_DRIVER": str(BUILD / "lib/libFakeCuda.so"), "FAKE_CUDA_DEVICES": "90", "TILUS_MEASURE": ""}
    command = [sys.executable, __file__, "--worker", script, "--device", options.device, "--schedules", str(options.schedules)]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout)


def measure(options, script):
    with tempfile.TemporaryDirectory() as cache:
        first, *others = [run_worker(options, script, cache) for _ in range(options.rounds + 1)]
    names = ("import_ms", "total_ms", "cpu_ms")
    medians = {name: statistics.median(run[name] for run in others) for name in names}
    return {"first": first, "second": {**others[0], **medians}, "agree": all(run["ptx"] == first["ptx"] for run in others)}


def main():
    options = read_options()
    if options.worker:
        return work(options)
    results = {script: measure(options, script) for script in SCRIPTS}
    for script, result in results.items():
        for which in ("first", "second"):
            row = result[which]
            print(f"{script:11} {which:7} import {row['import_ms']:7.1f} ms  with the first result {row['total_ms']:8.1f} ms  "
                  f"processor {row['cpu_ms']:8.1f} ms  {' '.join(row['libraries'])}")  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
