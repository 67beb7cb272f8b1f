# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checks of the examples share: running a kernel with tilus-run and comparing its results with numpy's.

A check.py describes its kernels as Example objects and ends with `sys.exit(common.main(EXAMPLES))`.
"""

import argparse
import dataclasses
import inspect
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib
from typing import Callable

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIMEOUT_SECONDS = 300


class Mismatch(Exception):
    """A kernel did not run, or its results are not those expected."""


@dataclasses.dataclass
class Example:
    """One kernel of a file and how to check it.

    `make(rng, *sizes)` gives the kernel's arguments in order: numbers and arrays. `expected(*arguments)` gives, for
    the index of each argument that the kernel writes, the value and the greatest error allowed at each element; it
    computes in a wider type than the kernel. `sizes` are checked by default: aligned ones, ragged ones, the smallest.
    """

    file: str
    kernel: str
    make: Callable
    expected: Callable
    sizes: list

    def __post_init__(self):
        self.folder = pathlib.Path(inspect.getfile(self.expected)).resolve().parent

    @property
    def path(self):
        return self.folder / self.file

    def arguments(self, sizes):
        """The same arguments whenever asked for."""
        seed = zlib.crc32(f"{self.kernel} {sizes}".encode())
        return self.make(np.random.default_rng(seed), *sizes)


def find_tool(name):
    """A tool of the build: from PATH, else from the build folder."""
    build = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", ROOT / "build"))
    tool = shutil.which(name) or shutil.which(name, path=str(build / "bin"))
    if not tool:
        raise Mismatch(f"expected {name} on PATH or in {build / 'bin'}, but got neither; build it first")
    return tool


def run(path, kernel, arguments, outputs, device, options=()):
    """Runs a kernel and returns {index: array} for the indices in `outputs`."""
    with tempfile.TemporaryDirectory(prefix="tilus-example-") as name:
        folder = pathlib.Path(name)
        command = [find_tool("tilus-run"), str(path), "--kernel", kernel, "--device", device, *options]
        for index, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                np.save(folder / f"in{index}.npy", argument)
                argument = f"@{folder / f'in{index}.npy'}"
            command += ["--arg", str(argument)]
        for index in outputs:
            command += ["--out", f"{index}={folder / f'out{index}.npy'}"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        if result.returncode != 0:
            raise Mismatch(f"{' '.join(command)}\nfailed with status {result.returncode}:\n{result.stderr[-4000:]}")
        return {index: np.load(folder / f"out{index}.npy") for index in outputs}


def compare(found, value, error):
    """Raises unless `found` equals `value` up to `error` at each element; NaN equals NaN."""
    if found.shape != np.shape(value):
        raise Mismatch(f"expected an array of shape {np.shape(value)}, but got {found.shape}")
    if found.dtype.kind in "iub":
        wrong = found != value
    else:
        with np.errstate(invalid="ignore"):
            difference = np.abs(found.astype(np.float64) - value)
        same = (found == value) | (np.isnan(found) & np.isnan(value))
        wrong = ~(same | (difference <= error))
    if np.any(wrong):
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        bound = np.broadcast_to(error, found.shape)[place]
        raise Mismatch(f"expected {np.asarray(value)[place]} within {bound:.3g} at {place}, but got {found[place]}; "
                       f"{np.count_nonzero(wrong)} of {found.size} elements differ")


def check(example, sizes, device, options=()):
    """Runs an example at one size and compares it with numpy. Returns its results."""
    arguments = example.arguments(sizes)
    expected = example.expected(*arguments)
    found = run(example.path, example.kernel, arguments, expected, device, options)
    for index, (value, error) in expected.items():
        compare(found[index], value, error)
    return found


def parse_sizes(text):
    """'128x64,5x7' as [(128, 64), (5, 7)]."""
    return [tuple(int(size) for size in part.split("x")) for part in text.split(",")]


def main(examples):
    """Checks the examples as the command line says; the exit status."""
    parser = argparse.ArgumentParser(description="Checks the kernels of this folder against numpy.")
    parser.add_argument("--device", default="auto", help="cpu, cuda, cuda:N or auto (default: auto)")
    parser.add_argument("--sizes", type=parse_sizes, help="sizes instead of the default ones, such as 128x64,5x7")
    parser.add_argument("--file", type=pathlib.Path, help="check only the kernels of this file")
    parser.add_argument("--kernel", help="check only this kernel")
    parser.add_argument("--check-hazards", action="store_true", help="look for races too (on the CPU)")
    arguments = parser.parse_args()
    options = ["--check-hazards"] if arguments.check_hazards else []
    failures = 0
    for example in examples:
        if arguments.file and arguments.file.name != example.file or \
                arguments.kernel and arguments.kernel != example.kernel:
            continue
        for sizes in arguments.sizes or example.sizes:
            name = f"{example.kernel} {'x'.join(map(str, sizes))} on {arguments.device}"
            try:
                check(example, sizes, arguments.device, options)
                print(f"passed: {name}")
            except Mismatch as mismatch:
                failures += 1
                print(f"FAILED: {name}: {mismatch}", file=sys.stderr)
    return 1 if failures else 0
