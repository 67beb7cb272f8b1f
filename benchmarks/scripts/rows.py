#!/usr/bin/env python3
"""The example scripts that take a row to a block, beside a copy of the same matrix and PyTorch.

    rows.py [--json FILE]

Times by events on the device, the second-level cache emptied before each run, the median of 30; results are compared
with PyTorch's.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import datetime
import json
import pathlib
import sys

import torch
from tilus.utils import benchmark_func

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
sys.path[:0] = [str(EXAMPLES / "softmax"), str(EXAMPLES / "layer_norm")]
from layer_norm import LayerNorm  # noqa: E402
from softmax import Softmax  # noqa: E402

WARMUP, REPEAT = 3, 30
SIZES = [(8192, 8192), (16384, 8192), (32768, 4096)]


def time_us(function):
    return round(benchmark_func(function, WARMUP, REPEAT) * 1e3, 2)


def measure(m, n):
    x = torch.rand(m, n, dtype=torch.float16, device="cuda")
    gamma, beta = torch.rand(2, n, dtype=torch.float16, device="cuda")
    y = torch.empty_like(x)
    softmax, layer_norm = Softmax(), LayerNorm()
    softmax(m, n, x, y)
    torch.testing.assert_close(y, torch.softmax(x.float(), 1).half(), rtol=2e-3, atol=1e-6)
    layer_norm(m, n, x, gamma, beta, y, 1e-5)
    torch.testing.assert_close(y, torch.nn.functional.layer_norm(x, [n], gamma, beta, 1e-5), rtol=1e-2, atol=4e-3)
    return {
        "rows": m, "columns": n, "copy_us": time_us(lambda: y.copy_(x)),
        "softmax_us": time_us(lambda: softmax(m, n, x, y)),
        "layer_norm_us": time_us(lambda: layer_norm(m, n, x, gamma, beta, y, 1e-5)),
        "torch_softmax_us": time_us(lambda: torch.softmax(x, 1)),
        "torch_layer_norm_us": time_us(lambda: torch.nn.functional.layer_norm(x, [n], gamma, beta, 1e-5)),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="where the report goes")
    options = parser.parse_args()
    results = []
    for m, n in SIZES:
        results.append(measure(m, n))
        row = results[-1]
        shares = [f"{name} {row[f'{name}_us']} us, {row['copy_us'] / row[f'{name}_us']:.1%} of the copy's rate"
                  for name in ("softmax", "layer_norm")]
        print(f"{m} x {n}: copy {row['copy_us']} us; " + "; ".join(shares), flush=True)
    report = {"date": datetime.date.today().isoformat(), "gpu": torch.cuda.get_device_name(0),
              "torch": torch.__version__, "python": sys.version.split()[0], "results": results}
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
