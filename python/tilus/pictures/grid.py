# Tiles of any rank as tables: the last two dimensions are rows and columns, a table for each index of the others.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of any rank as tables."""

from __future__ import annotations

import itertools
from typing import Callable, Iterator, Sequence

from tilus.pictures.svg import Cell, Picture

# What is drawn of a large tile: it is cut off, and the caption says so.
MAX_TABLES = 4
MAX_ROWS = 64
MAX_COLUMNS = 64


def split_shape(shape: Sequence[int]) -> tuple:
    """(sizes of the leading dimensions, rows, columns)."""
    sizes = list(shape)
    columns = sizes.pop() if sizes else 1
    rows = sizes.pop() if sizes else 1
    return sizes, rows, columns


def get_element(shape: Sequence[int], lead: Sequence[int], row: int, column: int) -> tuple:
    """The index of the element in a row and a column of the table of `lead`."""
    return (*lead, row, column)[2 - min(len(shape), 2) :]


def iterate_tables(shape: Sequence[int]) -> Iterator[tuple]:
    """The indices of the leading dimensions."""
    leading, _, _ = split_shape(shape)
    return itertools.product(*(range(size) for size in leading))


def add_tile(picture: Picture, shape: Sequence[int], get_cell: Callable[[tuple], Cell]) -> None:
    """The elements of a tile, one box each, and a caption if not all are drawn."""
    _, rows, columns = split_shape(shape)
    shown_rows, shown_columns = min(rows, MAX_ROWS), min(columns, MAX_COLUMNS)
    tables = list(itertools.islice(iterate_tables(shape), MAX_TABLES + 1))
    if shown_rows < rows or shown_columns < columns or len(tables) > MAX_TABLES:
        picture.add_caption(
            f"drawn: at most {MAX_TABLES} tables of {MAX_ROWS} rows and {MAX_COLUMNS} columns of {tuple(shape)}"
        )
    for lead in tables[:MAX_TABLES]:
        if lead:
            picture.add_caption(f"[{', '.join(map(str, lead))}, :, :]")
        picture.add_table(
            shown_rows,
            shown_columns,
            lambda row, column, lead=lead: get_cell(get_element(shape, lead, row, column)),
        )
