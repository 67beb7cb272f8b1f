# Tensor-memory layouts: lanes and columns of tensor memory.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor-memory layouts: the lane and the column of each element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence


@dataclass(frozen=True)
class TMemoryLayout:
    """Place of a tile in tensor memory: dimension 0 runs over lanes from `lane_offset` on, the other dimensions over
    the elements of a lane, with one stride each."""

    shape: tuple
    column_strides: tuple
    lane_offset: int

    @staticmethod
    def create(shape: Sequence[int], column_strides: Sequence[int], lane_offset: int) -> TMemoryLayout:
        if len(shape) < 2 or len(shape) != len(column_strides):
            raise ValueError(
                f"expected rank 2 or more and one stride a dimension, but got shape {tuple(shape)} and strides "
                f"{tuple(column_strides)}"
            )
        if shape[0] not in (32, 64, 128) or column_strides[0] != 0:
            raise ValueError(
                "expected 32, 64 or 128 lanes in dimension 0, whose stride is 0, but got "
                f"{shape[0]} with stride {column_strides[0]}"
            )
        if lane_offset % 32 or not 0 <= lane_offset <= 128 - shape[0]:
            raise ValueError(f"expected whole warps of the 128 lanes, but got {shape[0]} lanes from {lane_offset} on")
        return TMemoryLayout(tuple(shape), tuple(column_strides), lane_offset)
