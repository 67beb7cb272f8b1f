# Tiles in shared memory and views of global memory as scripts see them.
#
# Owns SharedTensor and GlobalTensor: shapes, indices and pointers. A slice of a view of global memory keeps the view and
# its offsets, so that accesses through it are checked against the sizes of the whole view.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors in shared and global memory."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

from tilus.dtypes import DataType, int64, pointer_to
from tilus.lang.builder import check_number, current_builder
from tilus.lang.emit import emit, global_type, int_list, perform, shared_type, tile_type
from tilus.lang.errors import InstructionError, brief
from tilus.lang.indexing import offset_value, parse_index
from tilus.lang.scalars import Constant, Pointer, Scalar


class Tile:
    """What tiles in registers and in shared memory have in common: `shape` and `dtype` are known, `layout` is None
    unless one was pinned."""

    __slots__ = ()
    shape: tuple
    dtype: DataType
    layout: Any

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, packed, without what a layout adds."""
        return (self.size * self.dtype.nbits + 7) // 8

    def has_layout(self) -> bool:
        return self.layout is not None


class SharedTensor(Tile):
    """A tile in shared memory, or a part of one: `s[i]`, `s.permute(…)` and `reshape_shared` share its elements."""

    __slots__ = ("value", "dtype", "shape", "layout", "is_allocation")

    def __init__(self, value: Any, dtype: DataType, shape: Sequence[int], is_allocation: bool = False):
        self.value = value
        self.dtype = dtype
        self.shape = tuple(shape)
        self.layout: Any = None
        self.is_allocation = is_allocation

    @property
    def storage_nbytes(self) -> int:
        """Bytes that the tile takes: those up to its last element as the layout has it."""
        return self.nbytes if self.layout is None else (self.layout.count_size() * self.dtype.nbits + 7) // 8

    def as_shared_tensor(self) -> SharedTensor:
        """The tile itself; for type checkers."""
        return self

    def is_same(self, other: Any) -> bool:
        return isinstance(other, SharedTensor) and self.value == other.value

    def __repr__(self) -> str:
        return f"SharedTensor({self.dtype.name}{list(self.shape)})"

    def __setitem__(self, index: Any, source: Any) -> None:
        raise InstructionError("expected a register tile to assign to, but got a shared one", "use store_shared(s[i], tile)")

    def __iter__(self) -> Any:
        raise InstructionError("expected something to loop over, but got a shared tensor", "index it in a loop")

    def __getitem__(self, index: Any) -> SharedTensor:
        parsed = parse_index(index, self.shape)
        if parsed.added:
            raise InstructionError("expected an index without None for a shared tile, but got one with it")
        if not parsed.offsets:
            return self
        shape = tuple(self.shape[dim] for dim in parsed.kept)
        operands = [self.value] + [offset_value(offset, "an index") for offset in parsed.offsets.values()]
        value = emit("tilus.slice_shared", operands, shared_type(self.dtype, shape), dims=int_list(parsed.offsets))
        return SharedTensor(value, self.dtype, shape)

    def permute(self, *dims: Any) -> SharedTensor:
        """Dimension i of the result is dimension dims[i] of the tile."""
        from tilus.lang.tensors import check_permutation

        order = check_permutation(dims[0] if len(dims) == 1 and isinstance(dims[0], (list, tuple)) else dims, self.ndim)
        shape = tuple(self.shape[dim] for dim in order)
        value = emit("tilus.permute_shared", [self.value], shared_type(self.dtype, shape), permutation=int_list(order))
        return SharedTensor(value, self.dtype, shape)

    def transpose(self) -> SharedTensor:
        """A matrix with rows and columns exchanged."""
        if self.ndim != 2:
            raise InstructionError(f"expected a tile of rank 2 for transpose(), but got rank {self.ndim}", "use permute(dims)")
        return self.permute((1, 0))

    def item(self) -> Scalar:
        """The element of a tile of one."""
        if self.size != 1:
            raise InstructionError(f"expected a tile of one element for item(), but got shape {self.shape}", "index it first, as s[i].item()")
        tile = emit("tilus.load_shared", [self.value], tile_type(self.dtype, self.shape))
        return Scalar(emit("tilus.extract", [tile], current_builder().type(self.dtype)), self.dtype)

    def item_ptr(self) -> Any:
        raise InstructionError(
            "expected a tensor in global memory for item_ptr(), but got one in shared memory, whose addresses scripts do not have",
            "pass the tile itself, or use self.atomic.shared_… on it",
        )


class GlobalTensor:
    """A strided view of global memory, or the part of one that remains when some dimensions are indexed.

    `view` is the SSA value, `sizes` its sizes (integers, or scalars where they are known at run time only), `strides`
    likewise or None for a row-major view; `fixed` has the offsets of the dimensions that were indexed.
    """

    __slots__ = ("view", "dtype", "sizes", "strides", "fixed")

    def __init__(self, view: Any, dtype: DataType, sizes: Sequence[Any], strides: Optional[Sequence[Any]], fixed: Optional[dict] = None):
        self.view = view
        self.dtype = dtype
        self.sizes = tuple(sizes)
        self.strides = None if strides is None else tuple(strides)
        self.fixed = dict(fixed or {})

    @property
    def kept(self) -> tuple:
        """The dimensions of the whole view that are left."""
        return tuple(dim for dim in range(len(self.sizes)) if dim not in self.fixed)

    @property
    def shape(self) -> tuple:
        return tuple(self.sizes[dim] for dim in self.kept)

    @property
    def ndim(self) -> int:
        return len(self.sizes) - len(self.fixed)

    @property
    def size(self) -> Any:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def value(self) -> Any:
        """The SSA value of the part: the view itself, or a slice of it."""
        if not self.fixed:
            return self.view
        strides = None if self.strides is None else [_static(self.strides[dim]) for dim in self.kept]
        if strides is None:
            strides = row_major_strides(self.sizes)
            strides = [strides[dim] for dim in self.kept]
        shape = [_static(self.sizes[dim]) for dim in self.kept]
        if _is_row_major(shape, strides):
            strides = None
        dims = sorted(self.fixed)
        operands = [self.view] + [offset_value(self.fixed[dim], "an index") for dim in dims]
        return emit("tilus.slice_global", operands, global_type(self.dtype, shape, strides), dims=int_list(dims))

    def as_global_tensor(self) -> GlobalTensor:
        """The tensor itself; for type checkers."""
        return self

    def is_same(self, other: Any) -> bool:
        return isinstance(other, GlobalTensor) and self.view == other.view and self.fixed == other.fixed

    def access(self, offsets: Sequence[Any], dims: Sequence[int]) -> tuple:
        """The operands of an access to the whole view at offsets of the part, and the view's dimension of each of dims."""
        places = dict(self.fixed)
        places.update(zip(self.kept, offsets))
        operands = [offset_value(places[dim]) for dim in range(len(self.sizes))]
        return [self.view] + operands, [self.kept[dim] for dim in dims]

    def __repr__(self) -> str:
        return f"GlobalTensor({self.dtype.name}[{', '.join(str(s) if isinstance(s, int) else '?' for s in self.shape)}])"

    def __setitem__(self, index: Any, source: Any) -> None:
        raise InstructionError("expected a register tile to assign to, but got a global one", "use store_global(g, tile, offsets=[…])")

    def __iter__(self) -> Any:
        raise InstructionError("expected something to loop over, but got a global tensor", "index it in a loop")

    def __getitem__(self, index: Any) -> GlobalTensor:
        parsed = parse_index(index, self.shape)
        if parsed.added:
            raise InstructionError("expected an index without None for a global tensor, but got one with it")
        kept = self.kept
        fixed = dict(self.fixed)
        for dim, offset in parsed.offsets.items():
            offset_value_is_checked(offset)
            fixed[kept[dim]] = offset
        return GlobalTensor(self.view, self.dtype, self.sizes, self.strides, fixed)

    def _check_single(self, method: str) -> None:
        if any(not isinstance(size, int) or size != 1 for size in self.shape):
            raise InstructionError(f"expected a view of one element for {method}(), but got {self!r}", f"index it first, as g[i].{method}()")

    def item(self) -> Scalar:
        """The element of a view of one; zero where the index is outside."""
        self._check_single("item")
        operands, _ = self.access([0] * self.ndim, ())
        tile = emit("tilus.load_global", operands, tile_type(self.dtype, ()), dims=int_list(()))
        return Scalar(emit("tilus.extract", [tile], current_builder().type(self.dtype)), self.dtype)

    def item_ptr(self) -> Pointer:
        """The address of the element of a view of one."""
        self._check_single("item_ptr")
        operands, _ = self.access([0] * self.ndim, ())
        dtype = pointer_to(self.dtype)
        return Pointer(emit("tilus.element_pointer", operands, current_builder().type(dtype)), dtype)


def offset_value_is_checked(offset: Any) -> None:
    """Refuses what cannot be an index, at the place of the index."""
    if isinstance(offset, int) and not isinstance(offset, bool):
        return
    if isinstance(offset, Scalar) and not offset.dtype.is_pointer() and offset.dtype.is_integer() and not offset.dtype.is_boolean():
        return
    if callable(getattr(offset, "item", None)) and not isinstance(offset, Scalar):
        return
    raise InstructionError(f"expected an integer as an index, but got {getattr(offset, 'dtype', offset)!r}")


def _static(extent: Any) -> Optional[int]:
    return extent if isinstance(extent, int) else None


def row_major_strides(sizes: Sequence[Any]) -> list:
    """The strides of a dense view, None where they depend on sizes of run time."""
    strides: list = []
    stride: Optional[int] = 1
    for size in reversed(list(sizes)):
        strides.append(stride)
        stride = stride * size if stride is not None and isinstance(size, int) else None
    return strides[::-1]


def _is_row_major(shape: Sequence[Optional[int]], strides: Sequence[Optional[int]]) -> bool:
    return list(strides) == row_major_strides(shape) and None not in strides


def pointer_value(pointer: Any, dtype: DataType, what: str = "a pointer") -> Any:
    """The SSA address of a pointer, of elements of a type."""
    if not isinstance(pointer, Pointer):
        got = getattr(pointer, "dtype", None) or type(pointer).__name__
        raise InstructionError(f"expected a pointer as {what}, but got {got}", "annotate the parameter as ~dtype or void_p")
    builder = current_builder()
    value = pointer.value
    if pointer.offset is not None:
        base = emit("tilus.global_view", [value], global_type(pointer.dtype.base_type, [1]), operandSegmentSizes="array<i32: 1, 0, 0>")
        value = emit("tilus.element_pointer", [base, offset_value(pointer.offset)], value.type)
    target = builder.type(pointer_to(dtype))
    return value if value.type == target else emit("tilus.pointer_cast", [value], target)


def check_sizes(sizes: Any, what: str) -> list:
    """Sizes or strides of a view: integers where they are known, else scalars."""
    if isinstance(sizes, (int, Scalar)) and not isinstance(sizes, bool):
        sizes = [sizes]
    if not isinstance(sizes, (list, tuple)):
        raise InstructionError(f"expected a list as {what}, but got {type(sizes).__name__}")
    result: list = []
    for size in sizes:
        if isinstance(size, Constant) and size.dtype.is_integer():
            size = int(size)
        elif isinstance(size, bool) or not isinstance(size, (int, Scalar)):
            raise InstructionError(f"expected integers as {what}, but got {size!r}")
        if isinstance(size, int) and size < 0 and what == "shape":
            raise InstructionError(f"expected sizes of at least 0 as {what}, but got {brief(size)}")
        if isinstance(size, int):
            check_number(size, int64)
        result.append(size)
    if len(result) > 5:
        raise InstructionError(f"expected at most 5 dimensions as {what}, but got {len(result)}")
    return result


def dynamic_values(extents: Sequence[Any], what: str) -> list:
    """The operands of sizes or strides that are known at run time only."""
    return [offset_value(extent, what) for extent in extents if not isinstance(extent, int)]


def store_tile_shared(value: Any, dest: SharedTensor) -> None:
    perform("tilus.store_shared", [value, dest.value])


