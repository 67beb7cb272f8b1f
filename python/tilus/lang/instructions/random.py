# Random numbers of a counter.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Philox 4x32 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011)."""

from __future__ import annotations

from typing import Any

from tilus.dtypes import float32, int32, uint32, uint64
from tilus.lang import tile_ops
from tilus.lang.emit import constant, emit, i32, int_list, tile_type
from tilus.lang.errors import InstructionError
from tilus.lang.instructions.base import InstructionGroup, check_constant, check_tile
from tilus.lang.scalars import as_scalar
from tilus.lang.tensors import RegisterTensor

# The largest step of 31 bits that keeps the largest word below 1.
_STEP = 4.6566127342e-10
_TWO_PI = 6.283185307179586


def _words(seed: Any, offset: Any, n_rounds: int, count: int) -> list:
    """The first words of each counter, as tiles of uint32."""
    if check_tile(offset, "offset").dtype not in (uint32, int32):
        raise InstructionError(f"expected offsets of uint32, but got {offset.dtype.name}", "convert them with .to(uint32)")
    rounds = check_constant(n_rounds, "n_rounds")
    if rounds < 1:
        raise InstructionError(f"expected at least one round as n_rounds, but got {rounds}")
    key = as_scalar(seed)
    if key.dtype.is_float():
        raise InstructionError(f"expected an integer as seed, but got {key.dtype.name}")
    if offset.ndim == 5:
        raise InstructionError("expected offsets of at most 4 dimensions, but got 5", "reshape them first")
    shape = offset.shape
    value = emit("tilus.random", [key.to(uint64).value, offset.value], tile_type(uint32, (4, *shape)), rounds=i32(rounds))
    type_ = tile_type(uint32, shape)
    return [
        RegisterTensor(emit("tilus.extract_slice", [value, constant(word, int32)], type_, dims=int_list([0])), uint32)
        for word in range(count)
    ]


def _uniform(word: RegisterTensor) -> RegisterTensor:
    """A word as a float32 of at least 0 and less than 1: its magnitude in 31 bits."""
    number = RegisterTensor(tile_ops.cast_value(word.value, uint32, int32), int32)
    negative = number < 0
    flipped = RegisterTensor(tile_ops.unary_value("invert", number), int32)
    choice = emit("arith.select", [negative.value, flipped.value, number.value], tile_type(int32, number.shape))
    return RegisterTensor(choice, int32).to(float32) * _STEP


class RandomInstructions(InstructionGroup):
    """Random numbers that depend on a seed of 64 bits and an offset alone, so that all targets give the same words."""

    def randint4x(self, seed: Any, offset: RegisterTensor, n_rounds: int = 10) -> tuple:
        """Four tiles of random uint32 words for each offset."""
        return tuple(_words(seed, offset, n_rounds, 4))

    def randint(self, seed: Any, offset: RegisterTensor, n_rounds: int = 10) -> RegisterTensor:
        """A tile of random uint32 words, the first of each offset."""
        return _words(seed, offset, n_rounds, 1)[0]

    def rand(self, seed: Any, offset: RegisterTensor, n_rounds: int = 10) -> RegisterTensor:
        """A tile of float32 that are uniform in [0, 1)."""
        return _uniform(self.randint(seed, offset, n_rounds))

    def randn(self, seed: Any, offset: RegisterTensor, n_rounds: int = 10) -> RegisterTensor:
        """A tile of float32 of mean 0 and variance 1 (Box and Muller)."""
        first, second = (_uniform(word) for word in _words(seed, offset, n_rounds, 2))
        first = first._binary("max", first, 1e-7)
        radius = RegisterTensor(tile_ops.unary_value("sqrt", RegisterTensor(tile_ops.unary_value("log", first), float32) * -2.0), float32)
        return radius * RegisterTensor(tile_ops.unary_value("cos", second * _TWO_PI), float32)
