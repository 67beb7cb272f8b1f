# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random register layouts, and their meaning written down independently of lib/Layout."""

import dataclasses
import math

import numpy as np

from element_types import as_unsigned, wrap_int


@dataclasses.dataclass(frozen=True)
class Layout:
    """`#tilus.reg`: the modes refine the shape; `spatial` are the digits of the thread, `local` those of the slot."""

    shape: tuple
    modes: tuple
    spatial: tuple
    local: tuple

    def __str__(self):
        parts = (("shape", self.shape), ("modes", self.modes), ("spatial", self.spatial), ("local", self.local))
        return "#tilus.reg<" + ", ".join(f"{name} = {list(value)}" for name, value in parts) + ">"

    @property
    def slots(self):
        return math.prod(self.modes[mode] for mode in self.local)

    @property
    def threads(self):
        return math.prod(-mode if mode < 0 else self.modes[mode] for mode in self.spatial)

    def table(self):
        """The element number (row-major) of each thread and slot."""
        digits = {}
        thread, slot = np.arange(self.threads), np.arange(self.slots)
        for modes, position, is_thread in ((self.spatial, thread, True), (self.local, slot, False)):
            for mode in reversed(modes):
                size = -mode if mode < 0 else self.modes[mode]
                if mode >= 0:
                    digits[mode] = position[:, None] % size if is_thread else position[None, :] % size
                position = position // size
        # The modes of a shape in order are the digits of the row-major number.
        number = np.zeros((self.threads, self.slots), np.int64)
        for mode, size in enumerate(self.modes):
            number = number * size + digits[mode]
        return number


def prime_factors(number):
    factors, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors


def random_layout(rng, shape, threads):
    """A layout of the shape over the threads: prime factors of sizes are dealt to threads while those divide."""
    modes = []
    for size in shape:
        factors = prime_factors(size)
        rng.shuffle(factors)
        modes += factors
    remaining, spatial, local = threads, [], []
    for mode in rng.permutation(len(modes)) if modes else []:
        if remaining % modes[mode] == 0 and rng.random() < 0.85:
            remaining //= modes[mode]
            spatial.append(int(mode))
        else:
            local.append(int(mode))
    for factor in prime_factors(remaining):
        if spatial and rng.random() < 0.5:
            spatial.insert(int(rng.integers(len(spatial) + 1)), -factor)
        else:
            spatial.insert(0, -factor)
    return Layout(tuple(shape), tuple(modes), tuple(spatial), tuple(local))


def random_even_layout(rng, shape, threads, slots):
    """A layout without replicas in which each thread has so many slots; None if this draw finds none."""
    for _ in range(20):
        layout = random_layout(rng, shape, threads)
        if layout.slots == slots:
            return layout
    return None


def view(pair, value, type_):
    """The numbers of the tile that reads the bits of `value` in the first layout by the second one."""
    source, result = pair
    codes = as_unsigned(value.type.element, value.data).reshape(len(value.data), -1)[:, source.table()]
    bits = np.unpackbits(codes[..., None].view(np.uint8), axis=-1, bitorder="little")[..., : value.type.element.bits]
    bits = bits.reshape(codes.shape[0], codes.shape[1], result.slots, type_.element.bits)
    padded = np.concatenate([bits, np.zeros(bits.shape[:-1] + (64 - bits.shape[-1],), np.uint8)], axis=-1)
    numbers = np.packbits(padded, axis=-1, bitorder="little").view(np.int64)[..., 0]
    data = np.zeros((len(value.data), math.prod(type_.shape)), np.int64)
    data[:, result.table()] = wrap_int(type_.element, numbers)
    return data.reshape((len(value.data),) + type_.shape)
