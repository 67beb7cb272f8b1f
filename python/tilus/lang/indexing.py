# Indices of tiles and views: what `t[i, :, None]` keeps, drops and adds.
#
# Owns the reading of an index expression and the conversion of offsets to operands. What is done with them is in
# tensors.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Index expressions on tiles and views."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

from tilus.dtypes import int32, int64
from tilus.lang.emit import constant
from tilus.lang.errors import InstructionError
from tilus.lang.scalars import Scalar


class Index(NamedTuple):
    """`offsets` of the dimensions that are indexed, by dimension; `kept` dimensions; `added` ones, counted in the result."""

    offsets: dict
    kept: tuple
    added: tuple


def offset_value(offset: Any, what: str = "an offset") -> Any:
    """An offset as an SSA integer of 32 or 64 bits, signed."""
    if isinstance(offset, bool):
        raise InstructionError(f"expected an integer as {what}, but got {offset}")
    if isinstance(offset, int):
        return constant(offset, int32 if -(1 << 31) <= offset < 1 << 31 else int64)
    if not isinstance(offset, Scalar) and callable(getattr(offset, "item", None)):
        offset = offset.item()
        if isinstance(offset, int):
            return offset_value(offset, what)
    if not isinstance(offset, Scalar) or offset.dtype.is_pointer() or not offset.dtype.is_integer():
        got = getattr(offset, "dtype", None) or type(offset).__name__
        raise InstructionError(f"expected an integer as {what}, but got {got}")
    if offset.dtype.is_boolean():
        raise InstructionError(f"expected an integer as {what}, but got a boolean; use where(…) to choose elements")
    if offset.dtype.is_unsigned() and offset.dtype.nbits < 64:
        offset = offset.to(int64 if offset.dtype.nbits == 32 else int32)
    return offset.value


def check_offsets(offsets: Any, rank: int, what: str) -> list:
    """One offset for each dimension of a tensor."""
    if isinstance(offsets, (int, Scalar)) and not isinstance(offsets, bool):
        offsets = [offsets]
    if not isinstance(offsets, (list, tuple)):
        raise InstructionError(f"expected a list of offsets, but got {type(offsets).__name__}")
    if len(offsets) != rank:
        raise InstructionError(f"expected one offset for each of the {rank} dimensions of {what}, but got {len(offsets)}")
    return list(offsets)


def check_dims(dims: Any, tile_rank: int, rank: int, what: str) -> tuple:
    """The tensor's dimension of each dimension of the tile; all of them in order without `dims`."""
    from tilus.lang.tile_ops import normalize_dim

    if dims is None:
        if tile_rank != rank:
            raise InstructionError(
                f"expected a tile of rank {rank} as {what} has, but got rank {tile_rank}",
                f"say with dims=[…] which dimensions of {what} the tile extends along",
            )
        return tuple(range(rank))
    if isinstance(dims, int) and not isinstance(dims, bool):
        dims = [dims]
    if not isinstance(dims, (list, tuple)):
        raise InstructionError(f"expected a list of dimensions as dims, but got {type(dims).__name__}")
    if len(dims) != tile_rank:
        raise InstructionError(f"expected as many dims as the tile has dimensions, {tile_rank}, but got {len(dims)}")
    found = tuple(normalize_dim(dim, rank, "each of dims") for dim in dims)
    if len(set(found)) != len(found):
        raise InstructionError(f"expected each dimension once in dims, but got {list(dims)}")
    return found


def _is_whole(item: slice, size: Any) -> bool:
    start_is_first = item.start is None or (isinstance(item.start, int) and item.start == 0)
    step_is_one = item.step is None or (isinstance(item.step, int) and item.step == 1)
    stop = item.stop
    stop_is_last = stop is None or stop is size or (isinstance(stop, int) and isinstance(size, int) and stop >= size)
    return start_is_first and step_is_one and stop_is_last


def _place(item: Any, size: Any, dim: int) -> Any:
    """An index of a dimension; a constant one is checked and counted from the front."""
    if isinstance(item, int) and not isinstance(item, bool) and isinstance(size, int):
        if not -size <= item < size:
            raise InstructionError(f"expected an index of {-size} to {size - 1} in dimension {dim}, but got {item}")
        return item % size
    if isinstance(item, int) and not isinstance(item, bool) and item < 0:
        return size + item
    return item


def parse_index(index: Any, shape: Sequence[Any]) -> Index:
    """Reads an index of a tensor of a shape whose sizes are integers or scalars."""
    items = list(index) if isinstance(index, (tuple, list)) else [index]
    rank = len(shape)
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise InstructionError("expected at most one '...' in an index, but got more")
    count = sum(1 for item in items if item is not None and item is not Ellipsis)
    if count > rank:
        raise InstructionError(f"expected at most {rank} indices for shape {_format(shape)}, but got {count}")
    fill = [slice(None)] * (rank - count)
    at = dots[0] if dots else len(items)
    items[at : at + len(dots)] = fill
    offsets: dict = {}
    kept: list = []
    added: list = []
    dim = 0
    for item in items:
        if item is None:
            added.append(len(kept) + len(added))
            continue
        if isinstance(item, slice):
            if not _is_whole(item, shape[dim]):
                raise InstructionError(
                    f"expected a whole dimension ':' or an index in dimension {dim}, but got a part of it",
                    "load the part with its own offsets and shape, or pass it through shared memory",
                )
            kept.append(dim)
        else:
            offsets[dim] = _place(item, shape[dim], dim)
        dim += 1
    return Index(offsets, tuple(kept), tuple(added))


def _format(shape: Sequence[Any]) -> str:
    return "(" + ", ".join(str(size) if isinstance(size, int) else "?" for size in shape) + ")"


def insert_ones(shape: Sequence[int], positions: Optional[Sequence[int]]) -> tuple:
    """A shape with sizes of 1 at positions of the result."""
    result = list(shape)
    for position in sorted(positions or ()):
        result.insert(position, 1)
    return tuple(result)
