#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the kernels of examples/ at many sizes, on the CPU reference or on a GPU, and writes a report.

With --device cpu the CPU reference is compared with numpy. With --device cuda the GPU is compared with numpy and
with the CPU reference, which must agree to twice the error that each may have, integers exactly; at sizes that are too
large for the reference, with numpy alone. Errors are those that the examples' check.py state.
"""

import argparse
import datetime
import importlib.util
import json
import pathlib
import platform
import shutil
import subprocess
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))
import common

# (folder, kernel, element types, sizes). Sizes that are no multiples of a tile or of a vector come first.
CASES = [
    ("vector_add", "vector_add", "f32", [(1,), (3,), (1023,), (1025,), (4096,), (70001,)]),
    ("softmax", "softmax", "f16", [(1, 1), (3, 7), (5, 257), (13, 1000), (64, 128), (9, 2049), (2, 9001)]),
    ("layer_norm", "layer_norm", "f16", [(1, 2), (3, 7), (5, 257), (13, 1000), (64, 128), (9, 2049), (2, 9001)]),
    ("transpose", "transpose_f32", "f32", [(1, 1), (1, 97), (63, 65), (128, 192)]),
    ("transpose", "transpose_f16", "f16", [(1, 1), (97, 1), (65, 63), (128, 192)]),
    ("reduce", "sum_rows", "f32", [(1, 1), (3, 300), (129, 33), (64, 1024)]),
    ("reduce", "sum_columns", "f32", [(1, 1), (300, 3), (33, 129), (1024, 64)]),
    ("reduce", "max_rows", "i32", [(1, 1), (3, 300), (129, 33), (64, 1024)]),
    ("scan", "scan_inclusive", "f32", [(1, 1), (3, 300), (33, 513), (8, 1024)]),
    ("scan", "scan_exclusive", "i32", [(1, 1), (3, 300), (33, 513), (8, 1024)]),
    ("histogram", "histogram", "i32", [(1,), (255,), (1025,), (100003,)]),
    ("matmul", "matmul_simple", "f16", [(1, 1, 1), (17, 9, 5), (65, 63, 33), (96, 72, 48), (128, 128, 128)]),
    ("matmul", "matmul_shared", "f16", [(1, 1, 1), (17, 9, 5), (129, 127, 65), (136, 72, 40), (256, 128, 128)]),
    ("matmul", "matmul_pipelined", "f16", [(1, 1, 1), (17, 9, 5), (129, 127, 165), (136, 72, 40), (256, 128, 256)]),
    ("matmul", "matmul_pipelined_wide", "f16", [(1, 1, 1), (129, 255, 165), (136, 264, 40), (128, 512, 256)]),
    ("matmul", "matmul_splitk", "f16", [(1, 1, 1), (17, 9, 5), (65, 63, 257), (64, 64, 1024)]),
]
# On the GPU only, against numpy.
LARGE_CASES = [
    ("vector_add", "vector_add", "f32", [(10_000_019,)]),
    ("softmax", "softmax", "f16", [(4097, 4099), (8192, 1024)]),
    ("layer_norm", "layer_norm", "f16", [(4097, 4099), (8192, 1024)]),
    ("transpose", "transpose_f32", "f32", [(4099, 2053)]),
    ("transpose", "transpose_f16", "f16", [(4096, 2048)]),
    ("reduce", "sum_rows", "f32", [(4099, 2053)]),
    ("reduce", "sum_columns", "f32", [(4099, 2053)]),
    ("reduce", "max_rows", "i32", [(4099, 2053)]),
    ("scan", "scan_inclusive", "f32", [(1031, 2053)]),
    ("scan", "scan_exclusive", "i32", [(1031, 2053)]),
    ("histogram", "histogram", "i32", [(10_000_019,)]),
    ("matmul", "matmul_simple", "f16", [(1031, 517, 263)]),
    ("matmul", "matmul_shared", "f16", [(1031, 517, 263), (1024, 1024, 1024)]),
    ("matmul", "matmul_pipelined", "f16", [(1031, 517, 263), (2048, 2048, 2048)]),
    ("matmul", "matmul_pipelined_wide", "f16", [(1031, 517, 263), (2048, 2048, 2048)]),
    ("matmul", "matmul_splitk", "f16", [(257, 131, 4099)]),
]


def load_examples(folder):
    """The examples of a folder by kernel."""
    spec = importlib.util.spec_from_file_location(f"check_{folder}", ROOT / "examples" / folder / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {example.kernel: example for example in module.EXAMPLES}


def check_case(example, sizes, device, against_reference, options):
    """Checks one case. Raises common.Mismatch if it fails."""
    found = common.check(example, sizes, device, options)
    if not against_reference:
        return
    arguments = example.arguments(sizes)
    expected = example.expected(*arguments)
    reference = common.run(example.path, example.kernel, arguments, expected, "cpu")
    for index, (_, error) in expected.items():
        common.compare(found[index], reference[index].astype(np.float64), 2 * np.asarray(error))


def run_case(case, arguments):
    """The row of the report for one case."""
    example, dtype, sizes, against_reference = case
    row = {"kernel": example.kernel, "type": dtype, "sizes": list(sizes),
           "against": ["numpy", "cpu"] if against_reference else ["numpy"]}
    start = time.monotonic()
    try:
        options = ["--check-hazards"] if arguments.check_hazards else []
        check_case(example, sizes, arguments.device, against_reference, options)
        row["result"] = "passed"
    except (common.Mismatch, subprocess.TimeoutExpired) as mismatch:
        row.update(result="failed", message=str(mismatch))
    row["seconds"] = round(time.monotonic() - start, 3)
    return row


def describe_gpu():
    """Name and driver of the first GPU; None without one."""
    if not shutil.which("nvidia-smi"):
        return None
    result = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"],
                            capture_output=True, text=True)
    return result.stdout.splitlines()[0] if result.returncode == 0 and result.stdout else None


def describe_commit():
    """The commit of the sources; None outside a repository."""
    result = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N (default: cpu)")
    parser.add_argument("--kernel", help="only this kernel")
    parser.add_argument("--json", type=pathlib.Path, help="file for the report")
    parser.add_argument("--check-hazards", action="store_true", help="look for races too (on the CPU)")
    arguments = parser.parse_args()
    on_gpu = arguments.device != "cpu"
    tables = [(CASES, on_gpu)] + ([(LARGE_CASES, False)] if on_gpu else [])
    cases = [(load_examples(folder)[kernel], dtype, sizes, against_reference)
             for table, against_reference in tables for folder, kernel, dtype, all_sizes in table
             for sizes in all_sizes if arguments.kernel in (None, kernel)]
    rows = []
    for case in cases:
        row = run_case(case, arguments)
        rows.append(row)
        print(f"{row['result']}: {row['kernel']} {'x'.join(map(str, row['sizes']))} {row['type']} "
              f"({row['seconds']} s)" + (f"\n  {row['message']}" if "message" in row else ""))
    failed = sum(row["result"] == "failed" for row in rows)
    print(f"{len(rows)} cases on {arguments.device}: {len(rows) - failed} passed, {failed} failed")
    if arguments.json:
        report = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                  "device": arguments.device, "gpu": describe_gpu() if on_gpu else None,
                  "commit": describe_commit(), "python": platform.python_version(), "numpy": np.__version__,
                  "machine": platform.platform(), "passed": len(rows) - failed, "failed": failed, "cases": rows}
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
