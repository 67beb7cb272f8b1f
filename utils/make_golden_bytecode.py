#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the golden files of a version of the dialect in bytecode: the examples of all ops, each in a module.

    utils/make_golden_bytecode.py VERSION [--tilus-opt build/bin/tilus-opt]

Writes test/IR/Bytecode/Inputs/version-<VERSION>.mlirbc, and the text that it is read to (.expected). Run it once, by the
last build that writes that version; a file that was released is never written again.
"""

import argparse
import pathlib
import subprocess

import check_op_coverage

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", type=int)
    parser.add_argument("--tilus-opt", default=str(ROOT / "build" / "bin" / "tilus-opt"))
    options = parser.parse_args()
    examples = [example for op in check_op_coverage.load_ops(ROOT) for example in op.examples]
    text = "".join(f"module {{\n{example}\n}}\n" for example in examples)
    path = ROOT / "test" / "IR" / "Bytecode" / "Inputs" / f"version-{options.version}.mlirbc"
    if path.exists():
        parser.error(f"expected a new version, but got one that has '{path}'")
    subprocess.run([options.tilus_opt, "-", "--emit-bytecode", "-o", str(path)], input=text.encode(), check=True)
    subprocess.run([options.tilus_opt, str(path), "-o", str(path.with_suffix(".expected"))], check=True)
    print(f"{len(examples)} examples in {path}")


if __name__ == "__main__":
    main()
