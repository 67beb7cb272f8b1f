# What the operations on layouts share: their error, and the modes of dimensions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The error of layout operations, and the modes of dimensions."""

from typing import Iterable, Sequence

from tilus._compiler.layout import LayoutOperationError as LayoutOperationError


def prod(sizes: Iterable[int]) -> int:
    """The product of sizes, 1 for none."""
    result = 1
    for size in sizes:
        result *= size
    return result


def get_mode_groups(shape: Sequence[int], mode_shape: Sequence[int]) -> list:
    """The numbers of the modes of each dimension, where consecutive modes multiply up to the sizes of `shape`."""
    if any(size <= 1 for size in mode_shape):
        raise LayoutOperationError(f"expected modes of more than 1 element, but got {tuple(mode_shape)}")
    groups, mode = [], 0
    for size in shape:
        group = []
        while size > 1 and mode < len(mode_shape) and size % mode_shape[mode] == 0:
            size //= mode_shape[mode]
            group.append(mode)
            mode += 1
        groups.append(group)
        if size > 1:
            break
    if len(groups) != len(shape) or mode != len(mode_shape) or prod(mode_shape) != prod(shape):
        raise LayoutOperationError(
            f"expected modes that multiply up to shape {tuple(shape)}, but got {tuple(mode_shape)}"
        )
    return groups
