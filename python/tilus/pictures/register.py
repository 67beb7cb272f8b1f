# Pictures of register layouts: which thread holds each element, and in which slot.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of register layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilus.pictures.grid import add_tile
from tilus.pictures.svg import Cell, Picture, get_color

if TYPE_CHECKING:
    from tilus.ir.layout import RegisterLayout


def add_register_layout(picture: Picture, layout: RegisterLayout, title: str) -> None:
    """A caption and the tile: in each box the lowest thread that holds the element, and the slot."""
    threads = layout.spatial_size
    picture.add_caption(title, is_title=True)
    picture.add_caption(layout.attribute_text)
    picture.add_caption(
        f"{threads} threads, {layout.local_size} slots each, each element in {layout.replication} of them; "
        "t thread, s slot"
    )

    def get_cell(element: tuple) -> Cell:
        holders = layout.get_spatial(element)
        slot = layout.get_local(element)
        more = f"+{len(holders) - 1}" if len(holders) > 1 else ""
        names = ", ".join(map(str, holders[:16])) + (", …" if len(holders) > 16 else "")
        hint = f"{list(element)}: thread{'s' if more else ''} {names}, slot {slot}"
        return Cell((f"t{holders[0]}{more}", f"s{slot}"), get_color(holders[0], threads), hint)

    add_tile(picture, layout.shape, get_cell)


def draw_register_layout(layout: RegisterLayout) -> str:
    """SVG of a register layout."""
    picture = Picture()
    add_register_layout(picture, layout, f"register layout {list(layout.shape)}")
    return picture.get_text()
