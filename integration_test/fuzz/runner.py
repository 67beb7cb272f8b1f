# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one kernel with tilus-run and compares what it writes with numpy's evaluation, and devices with each other."""

import dataclasses
import pathlib
import re
import shlex
import subprocess

import numpy as np

from element_types import from_array, to_array
from memory_limit import memory_limit
from program import PointerType, Printer
from values import Type, Value, differs

# How the compiler refuses, by design, types that only the reference has: with the place and what to do.
REFUSAL = re.compile(r"kernel\.mlir:\d+:\d+: error: .* for the GPU, but got '\w+'; run the kernel on the CPU reference")


@dataclasses.dataclass(frozen=True)
class Settings:
    """What is done with each kernel. `cuda` is a device such as "cuda", or empty."""

    tilus_run: str
    cpu: bool = True
    cuda: str = ""
    targets: tuple = ()
    wrapper: tuple = ()  # the command before the one that runs on the GPU
    timeout: float = 180  # seconds for one command


@dataclasses.dataclass
class Failure:
    """What went wrong: the stage ('cpu', 'cuda', 'compile'), one line that says how, and all of the output."""

    stage: str
    summary: str
    output: str = ""

    @property
    def signature(self):
        """What two failures of the same cause agree on: the text without its numbers and names."""
        words = [word for word in self.summary.split() if not any(c.isdigit() for c in word)]
        return self.stage, " ".join(words)[:160]


class KernelFiles:
    """A kernel's text and arguments in a folder, and the commands on them."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "kernel.mlir").write_text(Printer(program).print())
        self.arguments = []
        for index, param in enumerate(program.params):
            if isinstance(param.type, PointerType):
                np.save(self.folder / f"{index}.npy", to_array(param.type.element, param.values))
                self.arguments.append(f"@{index}.npy")
            else:
                number = float(param.values) if param.type.element.is_float else int(param.values)
                self.arguments.append(repr(number))

    def output_file(self, index, device):
        return f"{index}.{device}.npy"

    def run_command(self, settings, device):
        words = [settings.tilus_run, "kernel.mlir", "--device", device]
        words += ["--check-hazards"] if device == "cpu" else []
        # One word each: an argument may begin with a minus.
        words += [f"--arg={text}" for text in self.arguments]
        for index, param in enumerate(self.program.params):
            if param.is_output:
                words += ["--out", f"{index}={self.output_file(index, device.split(':')[0])}"]
        return (list(settings.wrapper) if device.startswith("cuda") else []) + words

    def compile_command(self, settings):
        return [settings.tilus_run, "kernel.mlir", "--device", "none", "--target", ",".join(settings.targets),
                "--emit", "cubin=cubins"]

    def execute(self, command, stage, timeout):
        """A failure, or None."""
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=timeout,
                                  errors="replace", preexec_fn=None if stage == "cuda" else memory_limit(command[0]))
        except subprocess.TimeoutExpired:
            return Failure(stage, f"expected an end within {timeout} s, but got none")
        if done.returncode == 0:
            return None
        lines = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line.lower()]
        first = lines[0] if lines else (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
        return Failure(stage, f"{how}: {first.strip()}", done.stdout + done.stderr)

    def read_output(self, index, device):
        param = self.program.params[index]
        return from_array(param.type.element, np.load(self.folder / self.output_file(index, device)), param.count)


def compare(value, found, stage, what):
    """A failure if numbers found in an output are not what they may be."""
    wrong = differs(value, found)
    if not np.any(wrong):
        return None
    place = int(np.argmax(wrong))
    bound = "exactly" if value.is_exact else f"within {value.error[place]:.3g} of"
    return Failure(stage, f"expected {bound} {value.data[place]!r} in element {place} of {what}, but got "
                   f"{found[place]!r}; {int(np.sum(wrong))} of {len(found)} elements differ")


def check_outputs(files, outputs, device):
    for index, param in enumerate(files.program.params):
        if not param.is_output:
            continue
        memory, what = outputs[param.name], f"output {index} ({param.type.element.name})"
        found = files.read_output(index, device)
        failure = compare(Value(Type(memory.element, ()), memory.data, memory.error), found, device, what)
        if failure:
            return failure
        if device == "cuda" and (files.folder / files.output_file(index, "cpu")).exists():
            # Either may be off by the bound, in opposite directions.
            reference = Value(Type(memory.element, ()), files.read_output(index, "cpu"), 2 * memory.error)
            failure = compare(reference, found, "cuda", what + " of the CPU reference")
            if failure:
                return failure
    return None


@dataclasses.dataclass
class Outcome:
    """All failures of a kernel, at most one a stage; and whether the compiler refused it as it should."""

    failures: list = dataclasses.field(default_factory=list)
    is_refused: bool = False


def is_refusal(program, failure):
    return failure.stage != "cpu" and not program.is_for_gpu and bool(REFUSAL.search(failure.summary))


def check_kernel(program, outputs, folder, settings):
    files, outcome = KernelFiles(program, folder), Outcome()

    def note(failure):
        if failure and is_refusal(program, failure):
            outcome.is_refused = True
        elif failure:
            outcome.failures.append(failure)

    for device in (["cpu"] if settings.cpu else []) + ([settings.cuda] if settings.cuda else []):
        name = device.split(":")[0]
        failure = files.execute(files.run_command(settings, device), name, settings.timeout)
        note(failure or check_outputs(files, outputs, name))
    if settings.targets:
        note(files.execute(files.compile_command(settings), "compile", settings.timeout))
    write_script(files, settings)
    return outcome


def write_script(files, settings):
    """The commands that repeat the runs, for a folder that is kept."""
    commands = []
    if settings.targets:
        commands.append(files.compile_command(settings))
    commands += [files.run_command(settings, device) for device in ("cpu", settings.cuda or "cuda")]
    lines = ["#!/bin/sh", 'cd "$(dirname "$0")"'] + [shlex.join(command) for command in commands]
    (files.folder / "run.sh").write_text("\n".join(lines) + "\n")
