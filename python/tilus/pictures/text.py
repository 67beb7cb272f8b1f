# Tables of text for terminals.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of text."""

from __future__ import annotations

from typing import Callable, Sequence

from tilus.pictures.grid import get_element, iterate_tables, split_shape

# (first line, between rows, last line): left end, between columns, right end.
_GRID = (("┌", "┬", "┐"), ("├", "┼", "┤"), ("└", "┴", "┘"))


def format_table(rows: Sequence[Sequence[str]], tablefmt: str = "simple_grid") -> str:
    """A table: "simple_grid" with lines, "plain" without."""
    if tablefmt not in ("simple_grid", "plain"):
        raise ValueError(f"expected 'simple_grid' or 'plain' for the format of a table, but got {tablefmt!r}")
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    words = [[word.ljust(width) for word, width in zip(row, widths)] for row in rows]
    if tablefmt == "plain":
        return "\n".join("  ".join(row).rstrip() for row in words)
    top, middle, bottom = (
        left + between.join("─" * (width + 2) for width in widths) + right for left, between, right in _GRID
    )
    body = [f"│ {' │ '.join(row)} │" for row in words]
    return "\n".join([top, f"\n{middle}\n".join(body), bottom])


def draw_tables(head: str, shape: Sequence[int], get_cell: Callable[[tuple], str], tablefmt: str) -> str:
    """The head, and a table for each index of the leading dimensions of a tile."""
    _, rows, columns = split_shape(shape)
    parts = [head]
    for lead in iterate_tables(shape):
        if lead:
            parts.append(f"[{', '.join(map(str, lead))}, :, :]")
        table = [[get_cell(get_element(shape, lead, i, j)) for j in range(columns)] for i in range(rows)]
        parts.append(format_table(table, tablefmt))
    return "\n".join(parts)
