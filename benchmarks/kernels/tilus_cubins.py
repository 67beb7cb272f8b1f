# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the examples' kernels with tilus-run, each for the arguments it will get.

Owns the choice of kernels for a workload, the command line and the reading of the report. Needs no GPU: the binary, the
grid, the block and the shared memory are what a launch takes.
"""

import concurrent.futures
import dataclasses
import fnmatch
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import kernel_source

INTEGER_TYPES = ("index", "i8", "i16", "i32", "i64")
FLOAT_TYPES = ("f16", "bf16", "f32", "f64")


class Unusable(Exception):
    """A kernel cannot be used for a workload; the text says why."""


@dataclasses.dataclass
class CompiledKernel:
    """A kernel compiled for a workload, or the reason why it is not. A plain record, kept as JSON."""

    workload: str
    kernel: str
    file: str
    error: str = ""
    cubin: str = ""
    entry: str = ""
    grid: tuple = ()
    block: tuple = ()
    shared_bytes: int = 0
    # The arguments in order: [type, name] with the name of a size, a scalar or a tensor.
    arguments: tuple = ()
    # Bytes of buffers that are passed behind the arguments, filled with zeros before the first launch.
    workspaces: tuple = ()
    registers: int = 0
    spill_bytes: int = 0
    compile_ms: dict = dataclasses.field(default_factory=dict)

    @property
    def label(self):
        return f"tilus {self.kernel}"


def find_candidates(examples, suite):
    """(file, kernel) for each kernel of the examples that computes the suite."""
    found = []
    for path in sorted((pathlib.Path(examples) / suite.folder).glob("*.mlir")):
        for kernel in kernel_source.find_kernels(path.read_text(encoding="utf-8")):
            if any(fnmatch.fnmatchcase(kernel.name, pattern) for pattern in suite.kernels):
                found.append((path, kernel))
    return found


def bind(kernel, workload):
    """[(type, name, text for --arg)] for the parameters. A tensor is stood for by one of a single element: only its
    address, which is as aligned as any, has a part in compilation."""
    tensors = {tensor.name: tensor for tensor in workload.suite.tensors}
    bound = []
    for parameter in kernel.parameters:
        name = parameter.name
        if parameter.element:
            if name not in tensors or tensors[name].dtype != parameter.element:
                raise Unusable(f"expected a tensor of the suite for '%{name}: {parameter.type}', but got none")
            bound.append((parameter.type, name, f"zeros:1x{parameter.element}"))
        elif name in workload.arguments and parameter.type in INTEGER_TYPES + FLOAT_TYPES:
            bound.append((parameter.type, name, repr(workload.arguments[name])))
        else:
            raise Unusable(f"expected a size of the suite for '%{name}: {parameter.type}', but got none")
    return bound


def read_report(text, kernel):
    """The entry of the kernel in tilus-run's report."""
    try:
        entries = json.loads(text)["kernels"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise Unusable(f"expected a JSON report of tilus-run, but got {text[:200]!r} ({error})") from error
    for entry in entries:
        if entry.get("name") == kernel.name:
            return entry
    raise Unusable(f"expected an entry of '{kernel.name}' in tilus-run's report, but got none")


def compile_kernel(tool, target, path, kernel, workload, folder, timeout):
    """Compiles one kernel for one workload. Never raises for the kernel's sake: the record holds the error."""
    record = CompiledKernel(workload.name, kernel.name, path.name)
    try:
        bound = bind(kernel, workload)
        output = pathlib.Path(folder) / workload.name.replace("/", "-") / kernel.name
        command = [str(tool), str(path), "--kernel", kernel.name, "--target", target, "--device", "none", "--json",
                   "--emit", f"cubin={output}"]
        for _, _, text in bound:
            command += ["--arg", text]
        result = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        if result.returncode != 0:
            raise Unusable(result.stderr.strip()[:1000] or f"tilus-run ended with status {result.returncode}")
        fill_record(record, read_report(result.stdout, kernel), bound, kernel, output)
    except Unusable as error:
        record.error = str(error)
    except subprocess.TimeoutExpired:
        record.error = f"expected tilus-run to end within {timeout} s, but it did not"
    return record


def fill_record(record, entry, bound, kernel, output):
    cubins = sorted(output.glob(f"{kernel.name}.*.cubin"))
    if len(cubins) != 1:
        raise Unusable(f"expected one cubin of '{kernel.name}' in {output}, but got {len(cubins)}")
    if not entry.get("grid"):
        raise Unusable("expected the grid in tilus-run's report, but got none")
    if "alloc_global" in kernel.body and "workspaces" not in entry:
        raise Unusable("expected the sizes of the kernel's workspaces in tilus-run's report, but got none")
    record.cubin = str(cubins[0])
    record.entry = kernel.name
    record.grid = tuple(entry["grid"])
    record.block = tuple(entry["block"])
    record.shared_bytes = entry.get("shared_bytes") or 0
    record.arguments = tuple((type, name) for type, name, _ in bound)
    record.workspaces = tuple(entry.get("workspaces") or ())
    record.registers = entry.get("registers") or 0
    record.spill_bytes = entry.get("spill_bytes") or 0
    record.compile_ms = entry.get("compile_ms") or {}


def compile_all(tool, target, examples, workloads, folder, workers, timeout=120):
    """A record for each kernel and workload, in order."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        jobs = [pool.submit(compile_kernel, tool, target, path, kernel, workload, folder, timeout)
                for workload in workloads for path, kernel in find_candidates(examples, workload.suite)]
        return [job.result() for job in jobs]
