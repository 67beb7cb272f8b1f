# Pictures of conversions between register layouts: both layouts, and the way from one to the other.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of conversions between register layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilus.pictures.register import add_register_layout
from tilus.pictures.shared import add_shared_layout
from tilus.pictures.svg import Cell, Picture, get_color

if TYPE_CHECKING:
    from tilus.ir.layout import Conversion

_WAYS = {
    "identity": "nothing moves",
    "in_thread": "values move between the slots of each thread",
    "shuffle": "rounds of warp shuffles",
    "shared_memory": "a trip through shared memory",
}
MAX_ROUNDS = 64


def draw_conversion(conversion: Conversion) -> str:
    """SVG of a conversion."""
    picture = Picture()
    picture.add_caption(
        f"conversion of {conversion.element_bits}-bit elements: {_WAYS[conversion.kind]}, about {conversion.cost} "
        "cycles a warp",
        is_title=True,
    )
    add_register_layout(picture, conversion.source, "from")
    _add_way(picture, conversion)
    add_register_layout(picture, conversion.target, "to")
    return picture.get_text()


def _add_way(picture: Picture, conversion: Conversion) -> None:
    staging = conversion.staging
    if staging is not None:
        for side, vector, cycles, conflicts in (
            ("store", staging.store_vector, staging.store_cycles, staging.store_conflicts),
            ("load", staging.load_vector, staging.load_cycles, staging.load_conflicts),
        ):
            picture.add_caption(f"{side}: vectors of {vector}, {cycles} bank cycles a warp, {conflicts} of them conflicts")
        add_shared_layout(picture, staging.layout, staging.storage_bits, "through")
        return
    if conversion.num_rounds:
        _add_rounds(picture, conversion)


def _add_rounds(picture: Picture, conversion: Conversion) -> None:
    """A row a round, a column a lane of the first warp: the lane and slot that a value comes from, and its new slot."""
    lanes = min(32, conversion.source.spatial_size)
    rounds = min(conversion.num_rounds, MAX_ROUNDS)
    picture.add_caption(
        f"{conversion.num_rounds} rounds; in each, a lane takes the value of slot s of lane t and writes it to its slot"
    )

    def get_cell(row: int, lane: int) -> Cell:
        _, source_lane, write = conversion.get_move(row, lane)
        publish = conversion.get_move(row, source_lane)[0]
        hint = f"lane {lane}: slot {write} from slot {publish} of lane {source_lane}"
        return Cell((f"t{source_lane}.s{publish}", f"→ s{write}"), get_color(source_lane, lanes), hint)

    picture.add_table(rounds, lanes, get_cell, lambda row: f"round {row}", lambda lane: f"t{lane}")
