# Pictures of shared layouts: the address and the bank of each element, and the accesses of a warp phase by phase.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of shared layouts, and of what accesses to them cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilus.pictures.grid import add_tile
from tilus.pictures.svg import ALARM, PLAIN, Cell, Picture, get_color

if TYPE_CHECKING:
    from tilus.ir.layout import SharedLayout
    from tilus.ir.layout.conversion import Phase, SharedAccess

# Accesses that are drawn phase by phase; the counts are of all.
MAX_ACCESSES = 8


def add_shared_layout(picture: Picture, layout: SharedLayout, element_bits: int, title: str) -> None:
    """A caption and the tile: in each box the byte address of the element, and its bank."""
    from tilus.ir.layout.conversion import BANK_BYTES, NUM_BANKS

    picture.add_caption(title, is_title=True)
    picture.add_caption(layout.attribute_text)
    size = (layout.count_size() * element_bits + 7) // 8
    picture.add_caption(f"{size} bytes for elements of {element_bits} bits; @ byte address, b bank")

    def get_cell(element: tuple) -> Cell:
        offset = layout(*element)
        address, part = divmod(offset * element_bits, 8)
        bank = address // BANK_BYTES % NUM_BANKS
        bit = f" bit {part}" if part else ""
        hint = f"{list(element)}: offset {offset}, byte {address}{bit}, bank {bank}"
        return Cell((f"@{address}", f"b{bank}"), get_color(bank, NUM_BANKS), hint)

    add_tile(picture, layout.shape, get_cell)


def draw_shared_layout(layout: SharedLayout, dtype: Any = 32) -> str:
    """SVG of a shared layout for elements of a data type, or of a number of bits."""
    from tilus.ir.layout.conversion import _bits

    picture = Picture()
    add_shared_layout(picture, layout, _bits(dtype), f"shared layout {list(layout.shape)}")
    return picture.get_text()


def _words_of(phase: Phase, width_bytes: int) -> list:
    """For each bank, the words that are wanted of it, each with the lanes that want it."""
    from tilus.ir.layout.conversion import BANK_BYTES, NUM_BANKS

    banks: list = [{} for _ in range(NUM_BANKS)]
    for lane, address in zip(phase.lanes, phase.addresses):
        for word in range(address // BANK_BYTES, (address + width_bytes - 1) // BANK_BYTES + 1):
            banks[word % NUM_BANKS].setdefault(word, []).append(lane)
    return banks


def _bank_cell(bank: int, words: dict) -> Cell:
    """The number of words that a bank serves, one a cycle."""
    if not words:
        return Cell(("·",))
    lanes = sorted({lane for lanes in words.values() for lane in lanes})
    hint = f"bank {bank}: {len(words)} word(s) for lanes {', '.join(map(str, lanes))}"
    return Cell((str(len(words)),), ALARM if len(words) > 1 else "#c8e6c9", hint)


def draw_shared_access(access: SharedAccess) -> str:
    """SVG of a warp's accesses: the place of the tile, and the words that each bank serves in each phase."""
    from tilus.ir.layout.conversion import NUM_BANKS

    picture = Picture()
    picture.add_caption(f"access of warp {access.warp} to a shared tile {list(access.shared.shape)}", is_title=True)
    picture.add_caption(f"registers {access.tile.attribute_text}")
    picture.add_caption(
        f"vectors of {access.vector_size} elements ({access.width_bytes} bytes) along dimension {access.vector_dim}: "
        f"{len(access.accesses)} accesses, {access.cycles} bank cycles, {access.conflicts} of them conflicts"
    )
    if access.matrix_cycles is not None:
        picture.add_caption(f"with matrix instructions (ldmatrix, stmatrix): {access.matrix_cycles} bank cycles")
    phases = [(item, phase) for item in access.accesses[:MAX_ACCESSES] for phase in item.phases]
    if len(access.accesses) > MAX_ACCESSES:
        picture.add_caption(f"drawn: the first {MAX_ACCESSES} accesses")
    rows = [_words_of(phase, access.width_bytes) for _, phase in phases]

    def get_cell(row: int, column: int) -> Cell:
        if column < NUM_BANKS:
            return _bank_cell(column, rows[row][column])
        phase = phases[row][1]
        return Cell((f"{phase.cycles} cycles",), ALARM if phase.conflicts else PLAIN, f"{phase.conflicts} conflicts")

    def row_name(row: int) -> str:
        item, phase = phases[row]
        return f"slot {item.slot}, lanes {phase.lanes[0]}-{phase.lanes[-1]}"

    picture.add_table(
        len(rows), NUM_BANKS + 1, get_cell, row_name, lambda column: f"b{column}" if column < NUM_BANKS else ""
    )
    add_shared_layout(picture, access.shared, access.element_bits, "the shared tile")
    return picture.get_text()
