# The helpers of `self.cuda`: layouts of matrix products and of plain tiles, properties of devices.
#
# Owns how a block's product is shared out among warps when a script asks for it by hand. The matrix instructions and
# their fragments are rows of the compiler's table; layouts that nobody asks for are the compiler's business.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers for CUDA devices: matrix instructions, layouts of products, default layouts, device properties."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from math import gcd
from operator import index
from typing import Any, Optional, Sequence

from tilus import dtypes
from tilus._compiler import layout as _native
from tilus.dtypes import DataType
from tilus.ir.layout import RegisterLayout, SharedLayout
from tilus.ir.layout.ops import auto_local_spatial, local, permute, reduce, shared_row_major, spatial
from tilus.ir.layout.ops.utils import prod

WARP_SIZE = 32
# 32-bit registers of a thread, less those that addresses and indices need.
MAX_TILE_REGISTERS = 256 - 32


@dataclass(frozen=True)
class AtomicMmaConfig:
    """A matrix instruction of a warp: d[m, n] = a[m, k] * b[k, n] + c[m, n], and its fragments."""

    name: str
    m: int
    n: int
    k: int
    operand_type: DataType
    acc_type: DataType
    la: RegisterLayout
    lb: RegisterLayout
    lc: RegisterLayout
    vec_k: int = 1


@dataclass(frozen=True)
class BlockMmaConfig:
    """The product of a block, and the layouts of its operands on `num_warps` warps."""

    operand_dtype: DataType
    accumulator_dtype: DataType
    m: int
    n: int
    k: int
    num_warps: int
    la: RegisterLayout
    lb: RegisterLayout
    lc: RegisterLayout

    @property
    def lb_T(self) -> RegisterLayout:
        """The layout of b transposed, shape [n, k]."""
        return permute(self.lb, [1, 0])


@functools.cache
def _atoms() -> dict:
    """The compiler's matrix instructions by name, in its order of preference among those of equal types."""
    by_mlir = {dtype.mlir: dtype for dtype in reversed(dtypes.TYPES)}
    by_mlir.update({"tf32": dtypes.tfloat32, "i8": dtypes.int8, "i32": dtypes.int32})
    atoms = {}
    for row in _native.get_mma_atoms():
        a_type, b_type, acc_type = (by_mlir[name] for name in row["types"])
        if a_type is not b_type:
            continue
        m, n, k = row["shape"]
        layouts = [RegisterLayout._wrap(handle) for handle in row["layouts"]]
        name = f"m{m}n{n}k{k}_{a_type.short_name}_{acc_type.short_name}"
        atoms[name] = AtomicMmaConfig(name, m, n, k, a_type, acc_type, *layouts)
    return atoms


class _AtomicMmaConfigs:
    """The matrix instructions by name, as in `m16n8k16_f16_f32`."""

    def __getattr__(self, name: str) -> AtomicMmaConfig:
        atom = _atoms().get(name)
        if atom is None:
            raise AttributeError(f"expected one of the matrix instructions {', '.join(_atoms())}, but got '{name}'")
        return atom

    def __dir__(self) -> list:
        return ["from_dtypes", *_atoms()]

    @staticmethod
    def from_dtypes(operand_dtype: DataType, accumulator_dtype: DataType) -> AtomicMmaConfig:
        """The preferred instruction for these types; a ValueError if there is none."""
        for atom in _atoms().values():
            if atom.operand_type is operand_dtype and atom.acc_type is accumulator_dtype:
                return atom
        known = sorted({f"{atom.operand_type.name} to {atom.acc_type.name}" for atom in _atoms().values()})
        raise ValueError(
            f"expected types of a matrix instruction ({', '.join(known)}), but got {operand_dtype.name} to "
            f"{accumulator_dtype.name}"
        )


def _count_registers(atom: AtomicMmaConfig, repeat: tuple) -> int:
    """32-bit registers of a thread for the operands of a warp that repeats the instruction so often."""
    repeat_m, repeat_n, repeat_k = repeat
    operand_bits = atom.operand_type.nbits
    bits = repeat_m * repeat_k * atom.la.local_size * operand_bits
    bits += repeat_n * repeat_k * atom.lb.local_size * operand_bits
    bits += repeat_m * repeat_n * atom.lc.local_size * atom.acc_type.nbits
    return bits // 32


class _Runtime:
    """What the devices are."""

    @staticmethod
    def get_device_properties(device_id: int = 0) -> Any:
        """The properties of a device: name, multiProcessorCount, sharedMemPerBlock, major, minor and others."""
        from tilus.runtime.devices import get_device_properties

        return get_device_properties(device_id)


class cuda:
    """The helpers that scripts know as `self.cuda`."""

    atomic_mma_configs = _AtomicMmaConfigs()
    runtime = _Runtime

    @staticmethod
    def resolve_dot_config(
        operand_dtype: DataType,
        acc_dtype: DataType,
        *,
        m: int,
        n: int,
        k: int,
        num_warps: Optional[int] = None,
        warp_m: Optional[int] = None,
        warp_n: Optional[int] = None,
    ) -> BlockMmaConfig:
        """The layouts of a product of a block that hold the fewest registers.

        The warps form a grid, `warp_m` by `warp_n` if given. Raises a ValueError for sizes that are no multiples of
        the instruction's, for warps that cannot share them out evenly, and for tiles too large for the registers.
        """
        if num_warps is None:
            if warp_m is None or warp_n is None:
                raise ValueError("expected 'num_warps', or both 'warp_m' and 'warp_n', but got neither")
            num_warps = warp_m * warp_n
        sizes = tuple(index(size) for size in (m, n, k))
        return _resolve(operand_dtype, acc_dtype, sizes, index(num_warps), warp_m, warp_n)

    @staticmethod
    def mma_dot_config(
        atomic_mma: AtomicMmaConfig, warp_spatial: Sequence[int], warp_repeat: Sequence[int]
    ) -> BlockMmaConfig:
        """The layouts of a product in which a grid of warps repeats an instruction.

        `warp_spatial` is the grid over m and n; `warp_repeat` says how often each warp repeats along m, n and k.
        """
        grid_m, grid_n = warp_spatial
        repeat_m, repeat_n, repeat_k = warp_repeat
        registers = _count_registers(atomic_mma, (repeat_m, repeat_n, repeat_k))
        if registers >= MAX_TILE_REGISTERS:
            raise ValueError(
                f"expected tiles of fewer than {MAX_TILE_REGISTERS} registers a thread, but got {registers}; use "
                "more warps or a smaller tile"
            )
        # The warps of a row share a, those of a column share b.
        warps_a = reduce(spatial(grid_m, 1, grid_n, ranks=[1, 0, 2]), dims=[2])
        warps_b = reduce(spatial(1, grid_n, grid_m, ranks=[0, 2, 1]), dims=[2])
        return BlockMmaConfig(
            operand_dtype=atomic_mma.operand_type,
            accumulator_dtype=atomic_mma.acc_type,
            m=atomic_mma.m * grid_m * repeat_m,
            n=atomic_mma.n * grid_n * repeat_n,
            k=atomic_mma.k * repeat_k * atomic_mma.vec_k,
            num_warps=grid_m * grid_n,
            la=warps_a.local(repeat_m, repeat_k) * atomic_mma.la,
            lb=warps_b.local(repeat_k, repeat_n) * atomic_mma.lb,
            lc=spatial(grid_m, grid_n).local(repeat_m, repeat_n) * atomic_mma.lc,
        )

    @staticmethod
    def shared_layout(shape: Sequence[int]) -> SharedLayout:
        """The row-major layout of a shape."""
        return shared_row_major(*shape)

    @staticmethod
    def default_register_layout(
        num_warps: int, dtype: DataType, shape: Sequence[int], vector_size: Optional[int] = None
    ) -> RegisterLayout:
        """A layout for coalesced accesses: vectors along the last dimension, of `vector_size` elements or of as many
        as 16 bytes, the row and a thread's share allow. The elements must be a multiple of the threads."""
        sizes = [index(size) for size in shape]
        threads = index(num_warps) * WARP_SIZE
        if not sizes or prod(sizes) % threads:
            raise ValueError(
                f"expected a shape whose elements are a multiple of {threads} threads, but got {tuple(sizes)}"
            )
        share = prod(sizes) // threads
        if vector_size is None:
            vector_size = gcd(share, max(1, 128 // dtype.nbits), sizes[-1])
        if share % vector_size or sizes[-1] % vector_size:
            raise ValueError(
                f"expected a vector that divides {share} elements a thread and rows of {sizes[-1]}, but got "
                f"{vector_size} elements"
            )
        vectors = auto_local_spatial(threads, sizes[:-1] + [sizes[-1] // vector_size])
        return vectors * local(*([1] * (len(sizes) - 1)), vector_size)


@functools.cache
def _resolve(
    operand_dtype: DataType,
    acc_dtype: DataType,
    sizes: tuple,
    num_warps: int,
    warp_m: Optional[int],
    warp_n: Optional[int],
) -> BlockMmaConfig:
    atom = cuda.atomic_mma_configs.from_dtypes(operand_dtype, acc_dtype)
    if any(size <= 0 or size % step for size, step in zip(sizes, (atom.m, atom.n, atom.k))):
        raise ValueError(f"expected multiples of [{atom.m}, {atom.n}, {atom.k}] for m, n and k, but got {list(sizes)}")
    count_m, count_n, count_k = sizes[0] // atom.m, sizes[1] // atom.n, sizes[2] // atom.k
    candidates = []
    for grid_m in range(1, num_warps + 1):
        grid_n = num_warps // grid_m
        if num_warps % grid_m or count_m % grid_m or count_n % grid_n:
            continue
        if warp_m not in (None, grid_m) or warp_n not in (None, grid_n):
            continue
        repeat = (count_m // grid_m, count_n // grid_n, count_k)
        candidates.append((_count_registers(atom, repeat), grid_m, grid_n, repeat))
    if not candidates:
        raise ValueError(
            f"expected warps that share out {count_m} by {count_n} instructions evenly, but got num_warps={num_warps}, "
            f"warp_m={warp_m} and warp_n={warp_n}"
        )
    _, grid_m, grid_n, repeat = min(candidates)
    return cuda.mma_dot_config(atom, (grid_m, grid_n), repeat)
