# What the compiler makes of layouts: conversions between them, and accesses to shared memory.
#
# The plans and the counts are the compiler's own; what is added here is their arrangement for people.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the compiler converts between register layouts, and what accesses to shared memory cost."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any, Optional, Union

from tilus._compiler import layout as _native
from tilus.ir.layout.register_layout import RegisterLayout
from tilus.ir.layout.shared_layout import SharedLayout

WARP_SIZE = 32
NUM_BANKS = 32
BANK_BYTES = 4


def _bits(dtype: Any) -> int:
    """The width of a data type, of its name, or a number of bits."""
    if isinstance(dtype, str):
        from tilus.dtypes import data_type

        dtype = data_type(dtype)
    return index(getattr(dtype, "nbits", dtype))


@dataclass(frozen=True)
class Staging:
    """A trip through shared memory. The cycles and conflicts are those of all accesses of a warp to the banks."""

    layout: SharedLayout
    storage_bits: int
    size_bytes: int
    store_vector: int
    store_cycles: int
    store_conflicts: int
    load_vector: int
    load_cycles: int
    load_conflicts: int


class Conversion:
    """How the compiler converts a tile from one register layout to another.

    `kind` is "identity", "in_thread" (values move between the slots of a thread), "shuffle" (rounds of warp shuffles)
    or "shared_memory"; `cost` is the estimate, in cycles of a scheduler for one warp, that it was chosen by.
    """

    def __init__(self, source: RegisterLayout, target: RegisterLayout, dtype: Any):
        self.source = source
        self.target = target
        self.element_bits = _bits(dtype)
        self._handle = _native.Conversion.plan(source._handle, target._handle, self.element_bits)

    @property
    def kind(self) -> str:
        return self._handle.kind

    @property
    def cost(self) -> int:
        return self._handle.cost

    @property
    def num_rounds(self) -> int:
        """Rounds of moves; 0 for an identity and a trip through shared memory."""
        return self._handle.num_rounds

    def get_move(self, round: int, thread: int) -> tuple:
        """(slot that the thread offers, lane whose offer it takes, slot that it writes) in a round."""
        return self._handle.get_move(index(round), index(thread))

    @property
    def staging(self) -> Optional[Staging]:
        """The trip through shared memory, if it is one."""
        parts = self._handle.staging
        if parts is None:
            return None
        return Staging(**{**parts, "layout": SharedLayout._wrap(parts["layout"])})

    def __repr__(self) -> str:
        return f"Conversion(kind={self.kind!r}, cost={self.cost}, source={self.source}, target={self.target})"

    def _repr_svg_(self) -> str:
        from tilus.pictures import draw_conversion

        return draw_conversion(self)


def plan_conversion(source: RegisterLayout, target: RegisterLayout, dtype: Any) -> Conversion:
    """The cheapest conversion of elements of a data type, or of a number of bits."""
    return Conversion(source, target, dtype)


@dataclass(frozen=True)
class Phase:
    """Lanes that shared memory serves together: what each wants, and the cycles that the banks take."""

    lanes: tuple
    addresses: tuple
    cycles: int
    conflicts: int


@dataclass(frozen=True)
class Access:
    """One access of a warp: the slot that it moves from on, and its phases."""

    slot: int
    phases: tuple

    @property
    def cycles(self) -> int:
        return sum(phase.cycles for phase in self.phases)

    @property
    def conflicts(self) -> int:
        return sum(phase.conflicts for phase in self.phases)


@dataclass(frozen=True)
class SharedAccess:
    """How one warp's part of a tile in registers meets its place in shared memory, by loads and stores of vectors.

    `vector_size` elements along `vector_dim` are neighbours in slots and in memory. `cycles` are those that the banks
    are busy for all accesses, `conflicts` those of them that are due to bank conflicts.
    """

    tile: RegisterLayout
    shared: SharedLayout
    element_bits: int
    warp: int
    vector_dim: int
    vector_size: int
    accesses: tuple
    matrix_cycles: Union[int, None]

    @property
    def width_bytes(self) -> int:
        return max(1, self.vector_size * self.element_bits // 8)

    @property
    def cycles(self) -> int:
        return sum(access.cycles for access in self.accesses)

    @property
    def conflicts(self) -> int:
        return sum(access.conflicts for access in self.accesses)


def count_phase(addresses: tuple, width_bytes: int) -> tuple:
    """(cycles, conflicts) of an access at the byte addresses of the lanes of one phase."""
    return _native.get_access_cost(list(addresses), width_bytes)


def analyze_shared_access(tile: RegisterLayout, shared: SharedLayout, dtype: Any, warp: int = 0) -> SharedAccess:
    """The accesses of a warp that move its part of the tile between registers and shared memory."""
    bits = _bits(dtype)
    dim, size = _native.get_access_vector(tile._handle, shared._handle, bits)
    width = max(1, size * bits // 8)
    lanes = range(min(WARP_SIZE, tile.spatial_size - warp * WARP_SIZE))
    per_phase = NUM_BANKS * BANK_BYTES // max(width, BANK_BYTES)
    accesses = []
    for slot in range(0, tile.local_size, size):
        addresses = []
        for lane in lanes:
            element = tile.get_global(spatial_index=warp * WARP_SIZE + lane, local_index=slot)
            addresses.append(shared(*element) * bits // 8)
        phases = []
        for begin in range(0, len(addresses), per_phase):
            part = tuple(addresses[begin : begin + per_phase])
            cycles, conflicts = count_phase(part, width)
            phases.append(Phase(tuple(lanes[begin : begin + per_phase]), part, cycles, conflicts))
        accesses.append(Access(slot, tuple(phases)))
    found = [
        _native.get_access_cycles(kind, tile._handle, shared._handle, bits) for kind in ("matrix", "matrix_transposed")
    ]
    matrix = min((cycles for cycles in found if cycles is not None), default=None)
    return SharedAccess(tile, shared, bits, warp, dim, size, tuple(accesses), matrix)
