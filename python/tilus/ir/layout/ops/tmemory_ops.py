# Operations on tensor-memory layouts as functions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making tensor-memory layouts, and slices of them."""

from typing import Sequence

from tilus.ir.layout.ops.utils import prod
from tilus.ir.layout.tmem_layout import TMemoryLayout


def tmemory_row_major(shape: Sequence[int]) -> TMemoryLayout:
    """Compact within a lane, the last dimension fastest."""
    strides = [0] + [prod(shape[dim + 1 :]) for dim in range(1, len(shape))]
    return TMemoryLayout.create(shape, strides, lane_offset=0)


def tmemory_slice(
    tmem_layout: TMemoryLayout, lane_offset: int, slice_dims: Sequence[int], shape: Sequence[int]
) -> TMemoryLayout:
    """The part from a lane on that keeps `slice_dims` with sizes `shape`."""
    strides = [tmem_layout.column_strides[dim] for dim in slice_dims]
    return TMemoryLayout.create(shape, strides, tmem_layout.lane_offset + lane_offset)
