# Multi-functions: from the elements of a tile to sets of numbers, such as the threads that hold them.
#
# A function is a list of digits of its numbers, outermost first: a part of the index along a dimension, or a digit that
# takes all values. Owns that form, its canonical form, and composition.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multi-functions: sets of numbers for the elements of a tile."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple, Optional, Sequence

from tilus.ir.layout.ops.utils import LayoutOperationError, get_mode_groups, prod


class Digit(NamedTuple):
    """A digit of the numbers: `(index[dim] // stride) % size`, or with dimension -1 each of `size` values."""

    dim: int
    stride: int
    size: int

    def split(self, inner: int) -> tuple:
        """The same as two digits, of which the second has size `inner`."""
        if self.dim < 0:
            return Digit(-1, 0, self.size // inner), Digit(-1, 0, inner)
        return Digit(self.dim, self.stride * inner, self.size // inner), Digit(self.dim, self.stride, inner)


@dataclass(frozen=True)
class MultiFunction:
    """The element with mode indices μ goes to all numbers whose digits are μ[m] for each mode m of `modes`, and anything
    below r for each entry -r. Modes that are not listed do not matter."""

    shape: tuple
    mode_shape: tuple
    modes: tuple

    @property
    def digits(self) -> list:
        """The digits of the numbers, outermost first."""
        made = {}
        for dim, group in enumerate(get_mode_groups(self.shape, self.mode_shape)):
            stride = 1
            for mode in reversed(group):
                made[mode] = Digit(dim, stride, self.mode_shape[mode])
                stride *= self.mode_shape[mode]
        return [made[mode] if mode >= 0 else Digit(-1, 0, -mode) for mode in self.modes]

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def image_shape(self) -> list:
        """The sizes of the digits."""
        return [self.mode_shape[mode] if mode >= 0 else -mode for mode in self.modes]

    @property
    def image_size(self) -> int:
        """The number of numbers: all images are below it."""
        return prod(self.image_shape)

    def get_images(self, index: Sequence[int]) -> list:
        """The numbers that an element goes to, in ascending order."""
        choices = [range(d.size) if d.dim < 0 else (index[d.dim] // d.stride % d.size,) for d in self.digits]
        images = []
        for values in itertools.product(*choices):
            number = 0
            for value, size in zip(values, self.image_shape):
                number = number * size + value
            images.append(number)
        return sorted(images)

    def collapse(self, dims: Sequence[int]) -> MultiFunction:
        from tilus.ir.layout.mfunction.ops import collapse

        return collapse(self, dims)

    def collapse_by_shape(self, shape: Sequence[int]) -> MultiFunction:
        from tilus.ir.layout.mfunction.ops import collapse_by_shape

        return collapse_by_shape(self, shape)

    def cover(self, other: MultiFunction) -> bool:
        from tilus.ir.layout.mfunction.ops import cover

        return cover(self, other)

    def __mul__(self, after: MultiFunction) -> MultiFunction:
        """`after` of the numbers of this function, which are the row-major places of its elements."""
        if not isinstance(after, MultiFunction):
            return NotImplemented
        if self.image_size != after.size:
            raise LayoutOperationError(
                f"expected a function of {self.image_size} elements to follow, but got one of {after.size}"
            )
        inner = MultiFunction(after.shape, after.mode_shape, tuple(range(len(after.mode_shape)))).digits
        mine, theirs = refine(self.digits, inner)
        supplied = dict(zip(theirs, mine))
        digits = []
        for digit in after.digits:
            if digit.dim < 0:
                digits.append(digit)
                continue
            end = digit.stride * digit.size
            parts = [d for d in theirs if d.dim == digit.dim and digit.stride <= d.stride < end]
            digits += [supplied[part] for part in parts]
        return make_function(self.shape, digits)


def refine(first: Sequence[Digit], second: Sequence[Digit]) -> tuple:
    """Both lists with digits split so that their sizes agree; raises LayoutOperationError where that is impossible."""
    left = [digit for digit in first if digit.size > 1]
    right = [digit for digit in second if digit.size > 1]
    done_left: list = []
    done_right: list = []
    while left and right:
        a, b = left.pop(), right.pop()
        size = min(a.size, b.size)
        if a.size % size or b.size % size:
            raise LayoutOperationError(f"expected digits that split each other, but got sizes {a.size} and {b.size}")
        if a.size > size:
            outer, a = a.split(size)
            left.append(outer)
        if b.size > size:
            outer, b = b.split(size)
            right.append(outer)
        done_left.insert(0, a)
        done_right.insert(0, b)
    if left or right:
        raise LayoutOperationError("expected functions to as many numbers, but got different ones")
    return done_left, done_right


def _merge(digits: Sequence[Digit]) -> list:
    """Without digits of one value, and with neighbours that are one digit together merged."""
    merged: list = []
    for digit in digits:
        last: Optional[Digit] = merged[-1] if merged else None
        if digit.size == 1:
            continue
        if last is not None and last.dim == digit.dim and (digit.dim < 0 or last.stride == digit.stride * digit.size):
            merged[-1] = Digit(digit.dim, digit.stride, last.size * digit.size)
        else:
            merged.append(digit)
    return merged


def make_function(shape: Sequence[int], digits: Sequence[Digit]) -> MultiFunction:
    """The canonical function with these digits."""
    merged = _merge(digits)
    mode_shape: list = []
    numbers = {}
    for dim, size in enumerate(shape):
        cuts = {1, size}
        for digit in merged:
            if digit.dim == dim:
                cuts |= {digit.stride, digit.stride * digit.size}
        steps = sorted(cuts, reverse=True)
        for outer, stride in zip(steps, steps[1:]):
            numbers[dim, stride] = len(mode_shape)
            mode_shape.append(outer // stride)
    modes = tuple(-digit.size if digit.dim < 0 else numbers[digit.dim, digit.stride] for digit in merged)
    return MultiFunction(tuple(shape), tuple(mode_shape), modes)


def canonicalize_multi_function(func: MultiFunction) -> MultiFunction:
    """The one form of all functions that are equal."""
    return make_function(func.shape, func.digits)


def multi_function(shape: Sequence[int], mode_shape: Sequence[int], modes: Sequence[int]) -> MultiFunction:
    """The canonical function of modes; LayoutOperationError if they do not describe one."""
    kept = [mode for mode, size in enumerate(mode_shape) if size > 1]
    used = [mode for mode in modes if mode >= 0]
    if len(set(used)) != len(used) or any(mode >= len(mode_shape) for mode in used):
        raise LayoutOperationError(f"expected each mode of {tuple(mode_shape)} at most once, but got {tuple(modes)}")
    renumbered = [kept.index(mode) if mode >= 0 else mode for mode in modes if mode < 0 or mode in kept]
    plain = MultiFunction(tuple(shape), tuple(mode_shape[mode] for mode in kept), tuple(renumbered))
    return canonicalize_multi_function(plain)
