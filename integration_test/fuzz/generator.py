# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows a random kernel step by step, each step evaluated at once so that only defined ones stay.

Owns the builder that proposals use and the loop over proposals. A kernel is a function of its seed and theme.
"""

import math

import numpy as np

import kinds_atomic  # noqa: F401: the modules fill KINDS
import kinds_combine  # noqa: F401
import kinds_control  # noqa: F401
import kinds_elementwise  # noqa: F401
import kinds_math  # noqa: F401
import kinds_memory  # noqa: F401
import kinds_tensor  # noqa: F401
from element_types import TYPES, round_float
from program import Machine, Param, PointerType, Program, Region, Step
from values import Reject, Type

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 100, 128)
ELEMENTS = ("f32", "f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i32", "i64")
MAX_SLOTS = 24  # elements of a tile a thread, if they divide evenly
MAX_UNEVEN_SLOTS = 72  # and if they do not, as of sizes such as 5x5x3: each takes some lines of code

I1, I32, I64 = TYPES["i1"], TYPES["i32"], TYPES["i64"]


class Generator:
    """A kernel under construction. `add` appends a step to the innermost region and evaluates it."""

    def __init__(self, name, rng, warps, grid):
        self.rng = rng
        self.program = Program(name, warps, grid, [], [])
        self.machine = Machine(self.program)
        self.bodies = [self.program.steps]
        self.scope = []
        self.types = {}
        self.threads = warps * 32
        self.counter = 0
        # Most values of a kernel have one of a few types, so that they meet.
        self.palette = [self.choose(ELEMENTS) for _ in range(3)]
        self.home = self.shape()

    # Choices

    def chance(self, probability):
        return self.rng.random() < probability

    def choose(self, options):
        return options[int(self.rng.integers(len(options)))]

    def integer(self, low, high):
        """From low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def element(self, names=ELEMENTS):
        known = [name for name in names if name in self.palette]
        return TYPES[self.choose(known if known and self.chance(0.7) else names)]

    @property
    def max_elements(self):
        return min(self.threads * MAX_SLOTS, 8192)

    def slots(self, shape):
        """Elements a thread of a tile spread as evenly as its sizes and the threads allow."""
        threads, slots = self.threads, 1
        for size in reversed(shape):
            shared = math.gcd(threads, size)
            threads, slots = threads // shared, slots * (size // shared)
        return slots

    def shape(self, rank=None, limit=None):
        limit = limit or self.max_elements
        rank = self.choose((0, 1, 1, 2, 2, 2, 3, 3, 4, 5)) if rank is None else rank
        while True:
            shape = tuple(self.choose(SIZES) for _ in range(rank))
            if math.prod(shape) <= limit and self.slots(shape) <= MAX_UNEVEN_SLOTS:
                return shape
            limit = max(limit, 2**rank)

    # Values

    def visible(self, condition):
        return [name for name in self.scope if condition(self.types[name])]

    def pick(self, condition):
        """A visible value of such a type, later ones more often."""
        names = self.visible(condition)
        if not names:
            raise Reject
        return names[min(int(len(names) * self.rng.beta(1.6, 1.0)), len(names) - 1)]

    def pick_tile(self, condition=lambda element: True):
        return self.pick(lambda type_: isinstance(type_, Type) and type_.is_tile and condition(type_.element))

    def pick_same(self, name):
        """A value of the same type, perhaps the same value."""
        return self.pick(lambda type_: type_ == self.types[name])

    def value(self, name):
        return self.machine.env[name]

    # Steps

    def new_name(self, type_):
        self.counter += 1
        self.types[self.counter] = type_
        return self.counter

    def add(self, kind, operands, results=(), /, *, visible=True, regions=(), **attrs):
        """Appends a step. Gives its result, a list of them if several, None if it has none."""
        for type_ in results:
            if isinstance(type_, Type) and type_.is_tile and self.slots(type_.shape) > MAX_UNEVEN_SLOTS:
                raise Reject
        names = [self.new_name(type_) for type_ in results]
        step = Step(kind, list(operands), attrs, list(zip(names, results)), list(regions))
        with np.errstate(all="ignore"):
            self.machine.execute(step)
        self.bodies[-1].append(step)
        if visible:
            self.scope.extend(names)
        return names[0] if len(names) == 1 else names or None

    def constant(self, number, type_):
        return self.add("arith.constant", [], [type_], visible=False, number=number)

    def i32(self, number):
        return self.constant(number, Type(I32))

    def param(self, type_, values, is_output=False, divisibility=None):
        name = self.new_name(type_)
        param = Param(name, type_, values, is_output, divisibility)
        self.program.params.append(param)
        self.machine.bind(param)
        return name

    def scalar_param(self, number, element=I32):
        divisor = None
        if element.is_int and number and self.chance(0.5):
            divisor = number & -number
        return self.param(Type(element), number, divisibility=divisor if divisor and divisor > 1 else None)

    def pointer(self, element, values, is_output=False):
        return self.param(PointerType(element), values, is_output)

    def assume(self, name, number):
        """States facts that hold of a scalar: a divisor, and a bound."""
        type_ = self.types[name]
        if number and self.chance(0.7):
            rest = self.add("arith.remsi", [name, self.constant(number & -number, type_)], [type_], visible=False)
            fact = self.add("arith.cmpi", [rest, self.constant(0, type_)], [Type(I1)], visible=False, predicate="eq")
        else:
            bound = self.constant(number + self.integer(0, 9), type_)
            fact = self.add("arith.cmpi", [name, bound], [Type(I1)], visible=False, predicate="sle")
        self.add("tilus.assume", [fact])

    def block_number(self):
        """The number of the block in the grid."""
        gx, gy, gz = self.program.grid
        number = self.add("tilus.block_id", [], [Type(I32)], visible=False, axis="x")
        for axis, stride, count in (("y", gx, gy), ("z", gx * gy, gz)):
            if count > 1:
                index = self.add("tilus.block_id", [], [Type(I32)], visible=False, axis=axis)
                part = self.add("arith.muli", [index, self.i32(stride)], [Type(I32)], visible=False)
                number = self.add("arith.addi", [number, part], [Type(I32)], visible=False)
        return number

    def region(self, arguments, build):
        """A region whose steps `build(names)` adds; it gives what the region yields."""
        names = [self.new_name(self.types[value]) for value in arguments]
        for name, value in zip(names, arguments):
            self.machine.env[name] = self.machine.env[value]
        region = Region([(name, self.types[name]) for name in names])
        visible, body = len(self.scope), len(self.bodies)
        self.bodies.append(region.steps)
        self.scope.extend(names)
        try:
            region.yields = list(build(names) or [])
        finally:
            del self.scope[visible:]
            del self.bodies[body:]
        return region

    def attempt(self, proposal):
        """Makes a proposal; leaves no trace if it is rejected."""
        marks = len(self.bodies[-1]), len(self.scope), len(self.program.params)
        try:
            proposal(self)
            return True
        except Reject:
            del self.bodies[-1][marks[0] :], self.scope[marks[1] :], self.program.params[marks[2] :]
            return False

    def attempt_some(self, proposals, weights, count):
        """Makes so many proposals, by weight; gives up after a number of rejections."""
        made, weights = 0, np.array(weights, np.float64) / sum(weights)
        for _ in range(count * 6):
            made += self.attempt(proposals[int(self.rng.choice(len(proposals), p=weights))])
            if made >= count:
                return


def random_values(rng, element, count):
    """Elements for an input: small numbers mostly, for which sums are exact, else numbers of all magnitudes."""
    if element.is_bool:
        return rng.integers(0, 2, count)
    if not element.is_float:
        if rng.random() < 0.5:
            return np.clip(rng.integers(-20, 21, count), *int_range(element))
        low, high = int_range(element)
        return rng.integers(low, high, count, endpoint=True)
    choice = rng.random()
    limit = min(8, element.largest)
    if choice < 0.5:
        return np.clip(rng.integers(-6, 7, count), -limit, limit).astype(np.float64)
    if choice < 0.7:
        return rng.integers(-16, 17, count) / 4.0 if element.digits > 4 else rng.integers(-2, 3, count) / 2.0
    numbers = rng.normal(size=count) * (1.0 if choice < 0.95 else 64.0)
    return round_float(element, np.clip(numbers, -element.largest / 2, element.largest / 2))


def int_range(element):
    return -(2 ** (element.width - 1)), 2 ** (element.width - 1) - 1


def random_grid(rng):
    grids = ((1, 1, 1), (2, 1, 1), (3, 1, 1), (5, 1, 1), (2, 2, 1), (1, 2, 2), (3, 1, 2))
    return grids[int(rng.integers(len(grids)))]
