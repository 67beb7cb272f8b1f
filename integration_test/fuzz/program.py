# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random kernel as data: its steps, their text as MLIR, and their evaluation in numpy.

Owns the structure. What each kind of step means is a row of KINDS, which the kinds_*.py modules fill.
"""

import dataclasses
import math
from typing import Callable

import numpy as np

import element_types
from values import Reject, Type, Value, require

SENTINEL = 77  # what outputs hold where the kernel writes nothing


@dataclasses.dataclass(frozen=True)
class ViewType:
    """A view of global memory. Sizes and strides of -1 are dynamic; without strides it is dense."""

    element: element_types.ElementType
    shape: tuple
    strides: tuple = None

    def __str__(self):
        sizes = "".join(f"{'?' if size < 0 else size}x" for size in self.shape)
        strides = ""
        if self.strides is not None:
            strides = ", strides = [" + ", ".join("?" if s < 0 else str(s) for s in self.strides) + "]"
        return f"!tilus.global<{sizes}{self.element.name}{strides}>"


@dataclasses.dataclass(frozen=True)
class SharedType:
    element: element_types.ElementType
    shape: tuple

    def __str__(self):
        return "!tilus.shared<" + "".join(f"{size}x" for size in self.shape) + self.element.name + ">"


@dataclasses.dataclass(frozen=True)
class PointerType:
    element: element_types.ElementType

    def __str__(self):
        return f"!tilus.ptr<{self.element.name}>"


@dataclasses.dataclass
class Memory:
    """Elements in global memory, or, with the blocks as first axis, in shared memory."""

    element: element_types.ElementType
    data: np.ndarray
    error: np.ndarray
    defined: np.ndarray = None


@dataclasses.dataclass
class View:
    """A view: the memory, and in each block the place of its first element, its sizes and its strides."""

    memory: Memory
    base: np.ndarray
    sizes: list
    strides: list


@dataclasses.dataclass
class SharedTile:
    """A shared tile: the memory, and the place of each of its elements in each block."""

    memory: Memory
    places: np.ndarray


@dataclasses.dataclass
class Step:
    """An operation: `results` are pairs of a name (a number) and a type."""

    kind: str
    operands: list
    attrs: dict
    results: list
    regions: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Region:
    arguments: list
    steps: list = dataclasses.field(default_factory=list)
    yields: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Param:
    """A parameter. `values` are a scalar's number or a pointer's elements; `is_output` if they are compared."""

    name: int
    type: object
    values: object
    is_output: bool = False
    divisibility: int = None

    @property
    def count(self):
        return len(self.values)


@dataclasses.dataclass
class Kind:
    """How a step is written and what it does: `run(machine, step, *operands)` gives the results' values.

    A step that has an effect is kept although nothing uses its results.
    """

    text: Callable
    run: Callable
    has_effect: bool = False


KINDS = {}


@dataclasses.dataclass
class Program:
    name: str
    warps: int
    grid: tuple
    params: list
    steps: list

    @property
    def blocks(self):
        return math.prod(self.grid)

    @property
    def is_for_gpu(self):
        """Whether all elements have types that GPUs hold in registers: narrower ones than a byte may be refused."""
        return all(type_.element.bits >= 8 for step in self.walk() for _, type_ in step.results)

    def walk(self):
        """All steps, those in regions included, outer ones first."""
        pending = list(reversed(self.steps))
        while pending:
            step = pending.pop()
            yield step
            for region in reversed(step.regions):
                pending.extend(reversed(region.steps))


# Text


class Printer:
    """Prints a program as the text of a kernel."""

    def __init__(self, program):
        self.program = program
        self.types = {}
        self.lines = []

    def name(self, value):
        return f"%v{value}"

    def names(self, values):
        return ", ".join(self.name(value) for value in values)

    def typed_names(self, values):
        """Offsets as the dialect writes them: the type follows unless it is i32."""
        return ", ".join(self.name(v) + ("" if str(self.types[v]) == "i32" else f" : {self.types[v]}") for v in values)

    def type(self, value):
        return str(self.types[value])

    def print(self):
        params = []
        for param in self.program.params:
            self.types[param.name] = param.type
            attribute = f" {{tilus.divisibility = {param.divisibility} : i64}}" if param.divisibility else ""
            params.append(f"{self.name(param.name)}: {param.type}{attribute}")
        axes = ["%gx", "%gy", "%gz"]
        self.lines = [f"tilus.kernel @{self.program.name}({', '.join(params)}) warps({self.program.warps}) grid {{"]
        for axis, count in zip(axes, self.program.grid):
            self.lines.append(f"  {axis} = arith.constant {count} : i32")
        self.lines += [f"  tilus.grid [{', '.join(axes)}]", "} {"]
        self.print_steps(self.program.steps, "  ")
        return "\n".join(self.lines + ["}", ""])

    def print_steps(self, steps, indent):
        for step in steps:
            for name, type_ in step.results:
                self.types[name] = type_
            results = ", ".join(self.name(name) for name, _ in step.results)
            text = KINDS[step.kind].text(self, step)
            head, *rest = [text] if isinstance(text, str) else text
            self.lines.append(indent + (results + " = " if results else "") + head)
            for region, tail in zip(step.regions, rest):
                self.print_region(region, indent + "  ")
                self.lines.append(indent + tail)

    def print_region(self, region, indent):
        for name, type_ in region.arguments:
            self.types[name] = type_
        self.print_steps(region.steps, indent)
        if region.yields:
            types = ", ".join(self.type(value) for value in region.yields)
            self.lines.append(f"{indent}scf.yield {self.names(region.yields)} : {types}")


# Evaluation


class Machine:
    """Evaluates a program in all blocks at once. Raises Reject where it has no single answer."""

    def __init__(self, program):
        self.program = program
        self.blocks = program.blocks
        counts = np.arange(self.blocks)
        gx, gy, _ = program.grid
        self.ids = (counts % gx, counts // gx % gy, counts // (gx * gy))
        self.exited = np.zeros(self.blocks, bool)
        self.active = np.ones(self.blocks, bool)
        self.env = {}
        for param in program.params:
            self.bind(param)

    def bind(self, param):
        if isinstance(param.type, PointerType):
            data = np.array(param.values, np.float64 if param.type.element.is_float else np.int64)
            self.env[param.name] = Memory(param.type.element, data, np.zeros(data.shape))
        else:
            kind = np.float64 if param.type.element.is_float else np.int64
            self.env[param.name] = Value(param.type, np.full(self.blocks, param.values, kind))

    def run(self):
        with np.errstate(all="ignore"):
            self.run_steps(self.program.steps)
        return self

    def run_steps(self, steps):
        for step in steps:
            self.execute(step)

    def execute(self, step):
        results = KINDS[step.kind].run(self, step, *[self.env[operand] for operand in step.operands])
        for (name, type_), value in zip(step.results, results or []):
            if isinstance(value, Value) and value.data.shape != (self.blocks,) + (type_.shape or ()):
                raise AssertionError(f"{step.kind}: expected the shape of {type_}, but got {value.data.shape}")
            self.env[name] = value

    @property
    def active(self):
        """The blocks that execute the current step."""
        return self.reached & ~self.exited

    @active.setter
    def active(self, reached):
        self.reached = reached

    def run_region(self, region, arguments):
        for (name, _), value in zip(region.arguments, arguments):
            self.env[name] = value
        self.run_steps(region.steps)
        return [self.env[name] for name in region.yields]

    def scalar(self, value):
        """An integer scalar in each block."""
        require(value.is_exact)
        return value.data


def spread(array, rank):
    """An array with one entry a block, shaped to go with tiles of the rank."""
    return np.asarray(array).reshape(np.asarray(array).shape + (1,) * rank)


def evaluate(program):
    """The memory of each output after the kernel, by the parameter's name; raises Reject if it has no one answer."""
    machine = Machine(program).run()
    return {param.name: machine.env[param.name] for param in program.params if param.is_output}


def is_valid(program):
    try:
        evaluate(program)
    except Reject:
        return False
    return True
