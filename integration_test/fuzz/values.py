# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of a random kernel and how far a correct implementation may be from them.

Every value holds its numbers in all blocks of the grid at once: `data` has the blocks as its first axis. `error`
bounds, element by element, the distance of any correct result from `data`; None where there is exactly one. `slack`
is the most by which a product moves if it is not rounded before it is added to something: the back end contracts.
"""

import dataclasses
import math

import numpy as np

import element_types


class Reject(Exception):
    """A step has no single answer on these values, so it is not made."""


@dataclasses.dataclass(frozen=True)
class Type:
    """A scalar (`shape` is None) or a tile."""

    element: element_types.ElementType
    shape: tuple = None

    @property
    def is_tile(self):
        return self.shape is not None

    @property
    def size(self):
        return math.prod(self.shape or ())

    def __str__(self):
        if not self.is_tile:
            return self.element.name
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + self.element.name + ">"

    def reshaped(self, shape):
        return Type(self.element, tuple(shape))

    def of(self, element):
        return Type(element, self.shape)


@dataclasses.dataclass
class Value:
    """What a scalar or tile is in each block."""

    type: Type
    data: np.ndarray
    error: np.ndarray = None
    slack: np.ndarray = None

    def __post_init__(self):
        for name in ("error", "slack"):
            bound = getattr(self, name)
            if bound is not None and not np.any(bound):
                setattr(self, name, None)

    @property
    def is_exact(self):
        return self.error is None

    @property
    def bound(self):
        return np.zeros(self.data.shape) if self.error is None else self.error

    @property
    def contracted_bound(self):
        """The bound as the operand of a sum."""
        return self.bound if self.slack is None else self.bound + self.slack

    def moved(self, type_, move):
        """The value after its elements moved: `move` maps arrays."""
        bounds = [None if bound is None else move(bound) for bound in (self.error, self.slack)]
        return Value(type_, move(self.data), *bounds)


def require(condition):
    if not np.all(condition):
        raise Reject


def require_exact(*values):
    for value in values:
        require(value.is_exact)


def merge(condition, one, other):
    """`one` where the condition holds, else `other`."""
    data = np.where(condition, one.data, other.data)
    error = slack = None
    if not (one.is_exact and other.is_exact):
        error = np.where(condition, one.bound, other.bound)
    if one.slack is not None or other.slack is not None:
        zero = np.zeros(data.shape)
        slack = np.where(condition, zero if one.slack is None else one.slack,
                         zero if other.slack is None else other.slack)
    return Value(one.type, data, error, slack)


def make_float(type_, number, error=None, slack=None):
    """Rounds float64 numbers, within `error` of every correct one before rounding, to a value of the type."""
    data = element_types.round_float(type_.element, number)
    if error is not None and np.any(error):
        # Two numbers that differ may be rounded away from each other.
        require(np.isfinite(data))
        error = np.where(error > 0, error + element_types.spacing(type_.element, np.abs(data) + error), 0.0)
        require(np.abs(data) + error <= type_.element.largest)
    return Value(type_, data, error, slack)


def make_int(type_, number):
    return Value(type_, element_types.wrap_int(type_.element, number))


def lowest_digit(numbers):
    """The weight of the last binary digit that is set in any of the finite numbers; inf if all are zero."""
    numbers = np.asarray(numbers, np.float64)
    numbers = numbers[numbers != 0]
    if not numbers.size:
        return np.inf
    fraction, exponent = np.frexp(numbers)
    digits = np.ldexp(fraction, 53).astype(np.int64)
    return float(np.min(np.ldexp((digits & -digits).astype(np.float64), exponent - 53)))


def sum_error(magnitude, digit, terms, accumulator_digits):
    """The error of a sum in any order, before it is rounded to its type.

    `magnitude` is the sum of the magnitudes, `digit` the weight of the terms' last digit. Sums whose partial sums
    all fit into the accumulator have none.
    """
    fits = magnitude <= digit * 2.0**accumulator_digits
    return np.where(fits, 0.0, magnitude * (terms + 2) * 2.0 ** (1 - accumulator_digits))


def differs(value, found):
    """Whether each found number is not what it may be. Zeros of either sign are equal, and so are all NaN."""
    same = (found == value.data) | (np.isnan(found) & np.isnan(value.data)) if value.type.element.is_float else (
        found == value.data)
    if value.is_exact:
        return ~same
    with np.errstate(invalid="ignore"):
        return ~(same | (np.abs(found - value.data) <= value.error))
