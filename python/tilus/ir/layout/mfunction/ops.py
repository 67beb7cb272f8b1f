# Operations on multi-functions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making multi-functions, and comparing them."""

from __future__ import annotations

from typing import Sequence

from tilus.ir.layout.mfunction.mfunction import MultiFunction, make_function, multi_function, refine
from tilus.ir.layout.ops.utils import LayoutOperationError


def identity(shape: Sequence[int]) -> MultiFunction:
    """Each element to its row-major place."""
    return multi_function(shape, shape, range(len(shape)))


def collapse(func: MultiFunction, dims: Sequence[int]) -> MultiFunction:
    """The function to the digits that do not come from `dims`: elements that differ there alone go together."""
    return make_function(func.shape, [digit for digit in func.digits if digit.dim not in dims])


def collapse_by_shape(func: MultiFunction, shape: Sequence[int]) -> MultiFunction:
    """Collapses the leading dimensions that `shape` lacks, and those that have size 1 there."""
    missing = len(func.shape) - len(shape)
    if missing < 0 or any(small not in (1, size) for small, size in zip(shape, func.shape[missing:])):
        raise LayoutOperationError(f"expected a shape that stretches to {func.shape}, but got {tuple(shape)}")
    dims = [dim for dim in range(len(func.shape)) if dim < missing or (shape[dim - missing] == 1 and func.shape[dim] > 1)]
    return collapse(func, dims)


def cover(fa: MultiFunction, fb: MultiFunction) -> bool:
    """Whether the numbers of `fb` are among those of `fa`, for each element."""
    if fa.shape != fb.shape or fa.image_size != fb.image_size:
        return False
    try:
        first, second = refine(fa.digits, fb.digits)
    except LayoutOperationError:
        return False
    return all(a.dim < 0 or a == b for a, b in zip(first, second))
