# Arithmetic on sizes and names, on nothing but Python.
#
# `cdiv`, `idiv` and `prod` are called with scalars of kernels too, so they use operators alone.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on sizes and names."""

from __future__ import annotations

import math
import re
from typing import Any, Iterable, Sequence


def cdiv(a: Any, b: Any) -> Any:
    """a / b rounded up."""
    return (a + (b - 1)) // b


def idiv(a: Any, b: Any) -> Any:
    """a / b, which must leave no remainder."""
    if isinstance(a, int) and isinstance(b, int) and a % b:
        raise ValueError(f"expected a multiple of {b}, but got {a}")
    return a // b


def prod(seq: Iterable[Any]) -> Any:
    """The product of all, 1 of none."""
    result: Any = None
    for item in seq:
        result = item if result is None else result * item
    return 1 if result is None else result


def gcd(a: int, b: int, *args: int) -> int:
    """The greatest common divisor."""
    return math.gcd(a, b, *args)


def lcm(a: int, b: int) -> int:
    """The least common multiple."""
    return math.lcm(a, b)


def floor_log2(n: int) -> int:
    """The number of the highest bit of a positive number, 0 for less."""
    return max(n.bit_length() - 1, 0) if n > 0 else 0


def is_power_of_two(n: int) -> bool:
    """Whether it is 1, 2, 4, 8 and so on."""
    return n > 0 and n & (n - 1) == 0


def nbytes_from_nbits(nbits: int) -> int:
    """The bytes of whole bytes of bits."""
    return idiv(nbits, 8)


def same_list(lhs: Sequence[Any], rhs: Sequence[Any], use_equal: bool = False) -> bool:
    """Whether two lists hold the same objects, or equal ones if they are numbers, strings or tuples, or if asked."""
    if len(lhs) != len(rhs):
        return False
    simple = (int, float, str, tuple)
    for left, right in zip(lhs, rhs):
        by_value = use_equal or (isinstance(left, simple) and isinstance(right, simple))
        if left != right if by_value else left is not right:
            return False
    return True


def to_snake_case(name: str) -> str:
    """`NameLikeThis` as `name_like_this`."""
    return re.sub(r"(?<=[^_])(?=[A-Z])", "_", name).lower()
