# Atomic updates of shared and global memory.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""self.atomic."""

from __future__ import annotations

from typing import Any, Callable, Optional

from tilus.dtypes import DataType
from tilus.lang.emit import i32, i64, segments, tile_type
from tilus.lang.builder import current_builder
from tilus.lang.errors import InstructionError
from tilus.lang.indexing import offset_value
from tilus.lang.instructions.base import InstructionGroup, check_choice, check_same_dtype, check_tensor, check_tile, finish
from tilus.lang.instructions.memory import scatter_operands
from tilus.lang.memory_tensors import GlobalTensor, SharedTensor
from tilus.lang.tensors import RegisterTensor

_KINDS = ("add", "sub", "max", "min", "umax", "umin", "and", "or", "xor", "exch", "cas")
_ORDERS = ("relaxed", "acquire", "release", "acq_rel")
_SCOPES = ("cta", "cluster", "gpu", "sys")
_SPACES = {"shared": (SharedTensor, "cta"), "global": (GlobalTensor, "gpu")}


def _check_element(dtype: DataType, op: str) -> None:
    is_word = dtype.is_integer() and dtype.nbits in (32, 64)
    is_sum = op in ("add", "sub") and dtype.is_float() and dtype.nbits >= 16 and dtype.name != "tfloat32"
    is_exchange = op == "exch" and dtype.name in ("float32", "float64")
    if is_word or is_sum or is_exchange:
        return
    raise InstructionError(
        f"expected integers of 32 or 64 bits (or floats of 16 to 64 bits for add and sub, of 32 or 64 for exch), but got '{op}' on {dtype.name}"
    )


def _kind(op: str, dtype: DataType) -> str:
    if op in ("max", "min") and dtype.is_unsigned():
        op = f"u{op}"
    return i32(_KINDS.index(op))


def _ordering(sem: str, scope: str) -> dict:
    return {"order": i32(check_choice(sem, _ORDERS, "sem")), "scope": i32(check_choice(scope, _SCOPES, "scope"))}


def _place(dst: Any, values: RegisterTensor) -> list:
    """The destination and its offsets, for values of its shape."""
    if values.ndim != dst.ndim:
        raise InstructionError(f"expected values of the rank of dst {dst.ndim}, but got {values.ndim}")
    for axis, size in enumerate(dst.shape):
        if isinstance(size, int) and size != values.shape[axis]:
            raise InstructionError(f"expected values of the size of dst, {size}, in dimension {axis}, but got {values.shape[axis]}")
    if isinstance(dst, SharedTensor):
        return [dst.value]
    rank = len(dst.sizes)
    if dst.kept == tuple(range(rank - dst.ndim, rank)):
        return dst.access([0] * dst.ndim, ())[0]
    return [dst.value, *(offset_value(0) for _ in range(dst.ndim))]


def _update(dst: Any, op: str, values: Any, compare: Any, sem: str, scope: str, output: Optional[RegisterTensor]) -> RegisterTensor:
    _check_element(dst.dtype, op)
    tiles = [values] if compare is None else [values, compare]
    for tile, name in zip(tiles, ("values", "compare")):
        check_same_dtype(check_tile(tile, name), dst.dtype, name)
        if tile.shape != values.shape:
            raise InstructionError(f"expected {name} of the shape of values {values.shape}, but got {tile.shape}")
    place = _place(dst, values)
    operands = [*place, *(tile.value for tile in tiles)]
    attributes = {
        "kind": _kind(op, dst.dtype),
        "operandSegmentSizes": segments(1, len(place) - 1, 1, len(tiles) - 1),
        **_ordering(sem, scope),
    }
    old = current_builder().create("tilus.atomic", operands, attributes, [tile_type(dst.dtype, values.shape)])
    return finish(old.results[0], dst.dtype, output)


def _scatter(dst: Any, op: str, dim: int, indices: Any, values: Any, sem: str, scope: str, output: Any) -> RegisterTensor:
    _check_element(dst.dtype, op)
    operands, dim = scatter_operands(dst, dim, indices, values)
    attributes = {"kind": _kind(op, dst.dtype), "dim": i64(dim), **_ordering(sem, scope)}
    old = current_builder().create("tilus.atomic_scatter", operands, attributes, [tile_type(dst.dtype, values.shape)])
    return finish(old.results[0], dst.dtype, output)


class AtomicInstructionGroup(InstructionGroup):
    """Read-modify-write of each element of a tensor with the tile's element, once each; the result holds what was there.

    `shared_*` act on shared tiles (scope "cta" unless another is given), `global_*` on global tensors (scope "gpu").
    `*_scatter_*` take a tile of indices along a dimension; indices outside are skipped.
    """


def _make_update(space: str, op: str) -> Callable:
    kind, default = _SPACES[space]

    def update(self: Any, dst: Any, values: Any, *, sem: str = "relaxed", scope: str = default, output: Any = None) -> RegisterTensor:
        return _update(check_tensor(dst, kind, "dst"), op, values, None, sem, scope, output)

    return update


def _make_cas(space: str) -> Callable:
    kind, default = _SPACES[space]

    def cas(
        self: Any, dst: Any, compare: Any, values: Any, *, sem: str = "relaxed", scope: str = default, output: Any = None
    ) -> RegisterTensor:
        return _update(check_tensor(dst, kind, "dst"), "cas", check_tile(values, "values"), compare, sem, scope, output)

    return cas


def _make_scatter(space: str, op: str) -> Callable:
    kind, default = _SPACES[space]

    def scatter(
        self: Any, dst: Any, *, dim: int, indices: Any, values: Any, sem: str = "relaxed", scope: str = default, output: Any = None
    ) -> RegisterTensor:
        return _scatter(check_tensor(dst, kind, "dst"), op, dim, indices, values, sem, scope, output)

    return scatter


def _add_method(name: str, method: Callable, doc: str) -> None:
    method.__name__ = name
    method.__doc__ = doc
    setattr(AtomicInstructionGroup, name, method)


for _space in _SPACES:
    for _op in ("add", "sub", "min", "max", "exch", "and", "or", "xor"):
        _add_method(f"{_space}_{_op}", _make_update(_space, _op), f"Atomic {_op} on a {_space} tensor.")
    _add_method(f"{_space}_cas", _make_cas(_space), f"Atomic compare-and-swap on a {_space} tensor.")
    for _op in ("add", "sub", "min", "max", "and", "or", "xor"):
        _add_method(f"{_space}_scatter_{_op}", _make_scatter(_space, _op), f"Atomic {_op} at indices of a {_space} tensor.")
