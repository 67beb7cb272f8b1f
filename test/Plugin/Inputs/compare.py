#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every .mlir file of a folder with tilus-opt and with mlir-opt and the plugin, and compares the bytes.

    compare.py <TilusPlugin.so> <folder> <folder for outputs>
"""

import pathlib
import subprocess
import sys

# A pipeline with options, one of them a list.
PIPELINE = "--pass-pipeline=builtin.module(tilus-to-ptx{targets=sm_90a,sm_80 opt-level=3 fast-math=true})"


def main():
    plugin, folder, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    stock = ["mlir-opt", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]
    files = sorted(path for path in folder.rglob("*.mlir") if "consumers" not in path.parts)
    for path in files:
        results = []
        for name, tool in (("tilus", ["tilus-opt"]), ("stock", stock)):
            result = out / f"{path.stem}.{name}.mlir"
            subprocess.run([*tool, str(path), PIPELINE, "-o", str(result)], check=True, timeout=240)
            results.append(result.read_bytes())
        if results[0] != results[1]:
            sys.exit(f"expected the same bytes for {path}, but got others: see {out}")
        if b".target sm_80" not in results[0]:
            sys.exit(f"expected PTX for sm_80 of {path}, but got none")
    if len(files) < 10:
        sys.exit(f"expected the examples in {folder}, but got {len(files)} files")
    print(f"{len(files)} examples are the same")


if __name__ == "__main__":
    main()
