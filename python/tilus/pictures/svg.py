# SVG as text: boxes with words in them, on a canvas that grows.
#
# The same calls give the same bytes. There are no scripts, no styles from outside and no fonts but the viewer's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small writer of SVG, and the tables that all pictures consist of."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from typing import Callable, Optional, Sequence
from xml.sax.saxutils import escape

_HEAD_HEIGHT = 18
_LETTER_WIDTH = 6.2
_MARGIN = 12

PLAIN = "#ffffff"
ALARM = "#ff8a80"
_INK = "#1b1b1b"
_FAINT = "#6b6b6b"


def get_color(number: int, count: int, strength: float = 0.45) -> str:
    """The color of one of `count` things; neighbours differ clearly, and all stay light enough to write on."""
    # A step that has no common divisor with the count walks through all hues.
    step = next(candidate for candidate in (7, 11, 13, 17, 1) if count % candidate or candidate == 1)
    hue = (number * step % count) / max(count, 1)
    channels = colorsys.hls_to_rgb(hue, 1 - strength * 0.5, 0.7)
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in channels)


@dataclass(frozen=True)
class Cell:
    """A box of a table: lines of words, a color, and what the pointer over it tells."""

    lines: Sequence[str] = ()
    color: str = PLAIN
    hint: str = ""


class Picture:
    """A column of captions and tables."""

    def __init__(self) -> None:
        self._parts: list = []
        self._width = 0.0
        self._height = float(_MARGIN)

    def add_caption(self, text: str, is_title: bool = False) -> None:
        """A line of words."""
        self._height += _HEAD_HEIGHT
        weight = ' font-weight="bold"' if is_title else ""
        self._parts.append(
            f'<text x="{_MARGIN}" y="{self._height - 5:g}" text-anchor="start"{weight}>{escape(text)}</text>'
        )
        self._grow(len(text) * (_LETTER_WIDTH + (0.8 if is_title else 0.4)))

    def add_table(
        self,
        num_rows: int,
        num_columns: int,
        get_cell: Callable[[int, int], Cell],
        row_name: Optional[Callable[[int], str]] = None,
        column_name: Optional[Callable[[int], str]] = None,
    ) -> None:
        """A grid of boxes with the names of rows and columns beside it; numbers if no names are given."""
        row_name, column_name = row_name or str, column_name or str
        cells = [[get_cell(row, column) for column in range(num_columns)] for row in range(num_rows)]
        words = [len(line) for row in cells for cell in row for line in cell.lines] or [1]
        lines = max([len(cell.lines) for row in cells for cell in row] or [1])
        width = round(max(words) * _LETTER_WIDTH + 8)
        height = max(lines, 1) * 12 + 6
        left = _MARGIN + round(max([len(row_name(row)) for row in range(num_rows)] or [0]) * _LETTER_WIDTH + 8)
        self._height += _HEAD_HEIGHT
        for column in range(num_columns):
            self._add_word(left + column * width + width / 2, self._height - 5, column_name(column), _FAINT)
        for row in range(num_rows):
            self._add_word(left - 4, self._height + height / 2 + 4, row_name(row), _FAINT, anchor="end")
            for column in range(num_columns):
                self._add_cell(left + column * width, self._height, width, height, cells[row][column])
            self._height += height
        self._height += 8
        self._grow(left - _MARGIN + num_columns * width)

    def get_text(self) -> str:
        """The picture as SVG."""
        width, height = self._width + 2 * _MARGIN, self._height + _MARGIN
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" font-family="monospace" font-size="10" fill="{_INK}" '
            f'text-anchor="middle">\n<rect width="100%" height="100%" fill="{PLAIN}"/>\n'
            + "\n".join(self._parts)
            + "\n</svg>\n"
        )

    def _grow(self, width: float) -> None:
        self._width = max(self._width, round(width))

    def _add_word(self, x: float, y: float, word: str, color: str, anchor: str = "") -> None:
        place = f' text-anchor="{anchor}"' if anchor else ""
        self._parts.append(f'<text x="{x:g}" y="{y:g}" fill="{color}"{place}>{escape(word)}</text>')

    def _add_cell(self, x: float, y: float, width: float, height: float, cell: Cell) -> None:
        hint = f"<title>{escape(cell.hint)}</title>" if cell.hint else ""
        parts = [f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{cell.color}" stroke="#999"/>']
        for number, line in enumerate(cell.lines):
            parts.append(f'<text x="{x + width / 2:g}" y="{y + 13 + 12 * number:g}">{escape(line)}</text>')
        self._parts.append(f"<g>{hint}{''.join(parts)}</g>")
