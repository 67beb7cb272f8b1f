# Tiles in registers as scripts see them: a value that operators combine and assignments change.
#
# Owns RegisterTensor: its current SSA value, its operators and methods, and the check that a view of a tile is not used
# after either of the two was changed in place. Tiles in memory are in memory_tensors.py, what operators compute in
# tile_ops.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles in registers."""

from __future__ import annotations

import itertools
import math
from typing import Any, Optional, Sequence, Union

from tilus.dtypes import DataType
from tilus.lang import tile_ops
from tilus.lang.builder import current_builder
from tilus.lang.emit import emit, int_list, tile_type
from tilus.lang.errors import InstructionError
from tilus.lang.frames import Cell
from tilus.lang.indexing import insert_ones, offset_value, parse_index
from tilus.lang.memory_tensors import GlobalTensor, SharedTensor, Tile
from tilus.lang.scalars import Scalar

__all__ = ["GlobalTensor", "RegisterTensor", "SharedTensor"]

Operand = Union["RegisterTensor", Scalar, int, float, bool]

# Numbers the changes of all tiles, so that it can be said which of two came first.
_clock = itertools.count(1)


class RegisterTensor(Tile):
    """A tile in the registers of the current threads.

    `dtype` and `shape` never change; the elements do by assignment, augmented assignment, `r[…] = …` and `out=`.
    Operators make new tiles. `transpose`, `squeeze`, `unsqueeze`, `reshape` and `view` make new tiles too; if one of
    such a pair is changed in place afterwards, using the other one is an error, for scripts differ in what they expect.
    """

    __slots__ = ("cell", "dtype", "shape", "layout", "is_index", "_base", "_born", "_changed", "_views")

    def __init__(self, value: Any, dtype: DataType, base: Optional[RegisterTensor] = None, what: str = "a tile"):
        self.cell = Cell(current_builder(), value, what)
        self.dtype = dtype
        self.shape = tuple(value.type.shape)
        self.layout: Any = None
        self.is_index = False
        self._base = base
        self._born = self._changed = next(_clock)
        self._views: list = []
        if base is not None:
            base._views.append(self)

    # -- the value

    @property
    def value(self) -> Any:
        """The current SSA value."""
        self._check_views()
        return self.cell.content

    def assign(self, source: Operand) -> RegisterTensor:
        """Replaces all elements; the source has the tile's type and a shape that stretches to the tile's."""
        if isinstance(source, RegisterTensor) and source.dtype is not self.dtype:
            raise InstructionError(
                f"expected a tile of {self.dtype.name}, but got {source.dtype.name}", f"convert it with .to({self.dtype.name})"
            )
        self._store(tile_ops.converted_operand(source, self.dtype, self.shape))
        return self

    def _store(self, value: Any) -> None:
        self.cell.content = value
        self._changed = next(_clock)

    def add_view(self, view: RegisterTensor) -> None:
        """Says that another tile may be this one: one of them that is changed must not be used as the other."""
        self._views.append(view)

    def _check_views(self) -> None:
        base = self._base
        if base is not None and base._changed > self._born and base._changed > self._changed:
            raise InstructionError(
                "expected a tile whose source is unchanged, but the tile that this one is a view of was changed in place",
                "copy it with self.register_tensor and self.assign, or change a new name",
            )
        for view in self._views:
            if view._changed > view._born and view._changed > self._changed:
                raise InstructionError(
                    "expected a tile of which no view was changed, but a view of it (transpose, squeeze, reshape or "
                    "view) was changed in place",
                    "assign the changed view back first, or change a new name",
                )

    def _view(self, value: Any, dtype: Optional[DataType] = None) -> RegisterTensor:
        return RegisterTensor(value, dtype or self.dtype, base=self, what="a view of a tile")

    # -- what it is

    def __len__(self) -> int:
        if not self.shape:
            raise InstructionError("expected a tile with dimensions for len(), but got one of rank 0")
        return self.shape[0]

    def __bool__(self) -> bool:
        raise InstructionError(
            "expected a condition that is one value, but got a tile",
            "use self.any, self.all, self.where or .item(); of tiles self.maximum is the max, self.minimum the min",
        )

    def __iter__(self):
        raise InstructionError("expected something to loop over, but got a tile", "use .tolist(), or index it in a loop")

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"RegisterTensor({self.dtype.name}{list(self.shape)})"

    def as_register_tensor(self) -> RegisterTensor:
        """The tile itself; for type checkers."""
        return self

    # -- elements

    def item(self) -> Scalar:
        """The element of a tile of one, as a scalar that all threads have."""
        if self.size != 1:
            raise InstructionError(f"expected a tile of one element for item(), but got shape {self.shape}")
        return Scalar(emit("tilus.extract", [self.value], current_builder().type(self.dtype)), self.dtype)

    def tolist(self) -> Any:
        """The elements as nested lists of scalars."""
        if not self.shape:
            return self.item()
        return [self[i].tolist() for i in range(self.shape[0])]

    def __getitem__(self, index: Any) -> RegisterTensor:
        parsed = parse_index(index, self.shape)
        shape = tuple(self.shape[dim] for dim in parsed.kept)
        value = self.value
        if parsed.offsets:
            operands = [value] + [offset_value(offset, "an index") for offset in parsed.offsets.values()]
            value = emit("tilus.extract_slice", operands, tile_type(self.dtype, shape), dims=int_list(parsed.offsets))
        result = RegisterTensor(value, self.dtype, what="a slice of a tile")
        if parsed.added:
            result = result.reshape(insert_ones(shape, parsed.added))
        return result

    def __setitem__(self, index: Any, source: Operand) -> None:
        parsed = parse_index(index, self.shape)
        shape = tuple(self.shape[dim] for dim in parsed.kept)
        if parsed.added:
            raise InstructionError("expected an index without None to assign to, but got one with it")
        if isinstance(source, RegisterTensor) and source.dtype is not self.dtype:
            raise InstructionError(
                f"expected a tile of {self.dtype.name} for a slice, but got {source.dtype.name}", f"convert it with .to({self.dtype.name})"
            )
        value = tile_ops.converted_operand(source, self.dtype, shape)
        if parsed.offsets:
            operands = [value, self.value] + [offset_value(offset, "an index") for offset in parsed.offsets.values()]
            value = emit("tilus.insert_slice", operands, tile_type(self.dtype, self.shape), dims=int_list(parsed.offsets))
        self._store(value)

    # -- shapes and types

    def to(self, dtype: DataType) -> RegisterTensor:
        """The elements converted: floats to nearest even, floats of 8 bits and less at most their largest number, integers
        from floats truncated; integers out of range wrap."""
        tile_ops.optional_dtype(dtype)
        return RegisterTensor(tile_ops.cast_value(self.value, self.dtype, dtype), dtype)

    def reshape(self, *shape: Any) -> RegisterTensor:
        """The elements in row-major order under another shape; one size may be -1."""
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (list, tuple)) else shape
        sizes = self._fill_shape(list(sizes))
        if sizes == self.shape:
            return self._view(self.value)
        return self._view(emit("tilus.reshape", [self.value], tile_type(self.dtype, sizes)))

    def _fill_shape(self, sizes: list) -> tuple:
        if sizes.count(-1) == 1:
            rest = math.prod(size for size in sizes if size != -1)
            if rest and self.size % rest == 0:
                sizes[sizes.index(-1)] = self.size // rest
        sizes = tile_ops.check_shape(sizes)
        if math.prod(sizes) != self.size:
            raise InstructionError(f"expected a shape of {self.size} elements, but got {sizes} of {math.prod(sizes)}")
        return sizes

    def squeeze(self, dim: Union[int, Sequence[int], None] = None) -> RegisterTensor:
        """Without dimensions of size 1: those given, or all."""
        if dim is None:
            dims = [d for d, size in enumerate(self.shape) if size == 1]
        else:
            dims = [tile_ops.normalize_dim(d, self.ndim) for d in ([dim] if isinstance(dim, int) else dim)]
        for d in dims:
            if self.shape[d] != 1:
                raise InstructionError(f"expected a dimension of size 1 to squeeze, but got size {self.shape[d]} in dimension {d}")
        return self.reshape([size for d, size in enumerate(self.shape) if d not in dims])

    def unsqueeze(self, dim: Union[int, Sequence[int]]) -> RegisterTensor:
        """With dimensions of size 1 at these places of the result."""
        dims = [dim] if isinstance(dim, int) else list(dim)
        rank = self.ndim + len(dims)
        places = [tile_ops.normalize_dim(d, rank) for d in dims]
        if len(set(places)) != len(places):
            raise InstructionError(f"expected each dimension once, but got {dims}")
        return self.reshape(insert_ones(self.shape, places))

    def flatten(self) -> RegisterTensor:
        """All elements in one dimension."""
        return self.reshape([self.size])

    def permute(self, *dims: Any) -> RegisterTensor:
        """Dimension i of the result is dimension dims[i] of the tile."""
        order = dims[0] if len(dims) == 1 and isinstance(dims[0], (list, tuple)) else dims
        order = check_permutation(order, self.ndim)
        shape = [self.shape[d] for d in order]
        return self._view(emit("tilus.transpose", [self.value], tile_type(self.dtype, shape), permutation=int_list(order)))

    def transpose(self, *dims: int) -> RegisterTensor:
        """A matrix with rows and columns exchanged; with two dimensions, these exchanged."""
        if not dims and self.ndim != 2:
            raise InstructionError(f"expected a tile of rank 2 for transpose(), but got rank {self.ndim}", "use permute(dims)")
        first, second = (tile_ops.normalize_dim(d, self.ndim) for d in (dims or (0, 1)))
        order = list(range(self.ndim))
        order[first], order[second] = second, first
        return self.permute(order)

    @property
    def T(self) -> RegisterTensor:  # noqa: N802
        return self.transpose()

    # -- operators

    def _binary(self, op: str, a: Any, b: Any) -> RegisterTensor:
        value, dtype, _ = tile_ops.binary_value(op, a, b)
        result = RegisterTensor(value, dtype)
        result.is_index = all(not isinstance(x, RegisterTensor) or x.is_index for x in (a, b))
        return result

    def _in_place(self, op: str, other: Operand) -> RegisterTensor:
        value, dtype, shape = tile_ops.binary_value(op, self, other)
        if shape != self.shape:
            raise InstructionError(f"expected a tile that stretches to {self.shape}, but got {other.shape}")
        if dtype is not self.dtype and tile_ops.kind_rank(dtype) > tile_ops.kind_rank(self.dtype):
            raise InstructionError(
                f"expected a result of {self.dtype.name} to store in place, but got {dtype.name}",
                f"convert the operand with .to({self.dtype.name}), or assign the result to a new name",
            )
        self._store(tile_ops.cast_value(value, dtype, self.dtype))
        return self

    def _unary(self, op: str) -> RegisterTensor:
        result = RegisterTensor(tile_ops.unary_value(op, self), self.dtype)
        result.is_index = self.is_index
        return result

    def __neg__(self) -> RegisterTensor:
        return self._unary("neg")

    def __pos__(self) -> RegisterTensor:
        return RegisterTensor(self.value, self.dtype)

    def __abs__(self) -> RegisterTensor:
        return self._unary("abs")

    def __invert__(self) -> RegisterTensor:
        return self._unary("invert")

    def logical_not(self) -> RegisterTensor:
        """Which elements are zero: what `not` means for a tile."""
        value = tile_ops.truth_value(self)
        return RegisterTensor(value, tile_ops.boolean)._unary("invert")

    def __divmod__(self, other: Operand) -> tuple:
        return self // other, self % other


def check_permutation(dims: Any, rank: int) -> list:
    """A permutation of the dimensions, counted from the front."""
    order = [tile_ops.normalize_dim(d, rank, "each of dims") for d in dims]
    if sorted(order) != list(range(rank)):
        raise InstructionError(f"expected each of the {rank} dimensions once, but got {list(dims)}")
    return order


def _make_operators() -> None:
    """Defines the arithmetic operators in their plain, reflected and in-place forms, and the comparisons."""
    names = {
        "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floordiv", "mod": "mod", "pow": "pow",
        "and": "and", "or": "or", "xor": "xor", "lshift": "shl", "rshift": "shr",
    }  # fmt: skip
    for name, op in names.items():
        setattr(RegisterTensor, f"__{name}__", lambda a, b, op=op: a._binary(op, a, b))
        setattr(RegisterTensor, f"__r{name}__", lambda a, b, op=op: a._binary(op, b, a))
        setattr(RegisterTensor, f"__i{name}__", lambda a, b, op=op: a._in_place(op, b))
    for op in tile_ops.COMPARISONS:
        setattr(RegisterTensor, f"__{op}__", lambda a, b, op=op: a._binary(op, a, b))


_make_operators()
