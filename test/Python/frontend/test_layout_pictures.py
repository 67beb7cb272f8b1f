"""Pictures of layouts: golden files, what a picture must hold, and the program that draws them.

The golden files are compared byte by byte; TILUS_UPDATE_GOLDEN=1 writes them anew. What they show is checked here
against the layouts, since a golden file only says that nothing changed.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import re
import xml.etree.ElementTree as ElementTree

import pytest

from tilus.cli import main
from tilus.ir.layout import plan_conversion
from tilus.ir.layout.conversion import analyze_shared_access
from tilus.ir.layout.ops import local, replicated, shared_row_major, shared_row_major_swizzle, spatial
from tilus.pictures import draw_conversion, draw_register_layout, draw_shared_access, draw_shared_layout

GOLDEN = pathlib.Path(__file__).parent / "golden"
FRAGMENT = local(2, 1).spatial(8, 4).local(1, 2)
PICTURES = {
    "fragment": lambda: draw_register_layout(FRAGMENT),
    "replicated": lambda: draw_register_layout(replicated(1, 1, num_workers=4) * spatial(2, 2)),
    "swizzled": lambda: draw_shared_layout(shared_row_major_swizzle([8, 32], 2), "f16"),
    "access": lambda: draw_shared_access(
        analyze_shared_access(spatial(16, 2).local(1, 8), shared_row_major(16, 16), "f16")
    ),
    "shuffle": lambda: draw_conversion(plan_conversion(spatial(4, 2).local(1, 2), local(2, 1).spatial(2, 4), "f32")),
    "staging": lambda: draw_conversion(
        plan_conversion(spatial(8, 8).local(1, 2), spatial(4, 16).local(2, 1), "f32")
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_golden(name):
    text = PICTURES[name]()
    path = GOLDEN / f"{name}.svg"
    if os.environ.get("TILUS_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_plain_and_whole(name):
    """Well-formed, without scripts or anything from outside, and no box outside of the canvas."""
    text = PICTURES[name]()
    root = ElementTree.fromstring(text)
    assert not re.search(r"<script|<foreignObject|href|url\(|\bon\w+=", text)
    width, height = float(root.get("width")), float(root.get("height"))
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        if box.get("x"):
            assert float(box.get("x")) + float(box.get("width")) <= width
            assert float(box.get("y")) + float(box.get("height")) <= height


def list_hints(text):
    """What the pointer over each box tells."""
    return [node.text for node in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}title")]


def test_each_element_is_drawn_where_it_is():
    expected = [
        f"[{i}, {j}]: thread {FRAGMENT.get_spatial([i, j])[0]}, slot {FRAGMENT.get_local([i, j])}"
        for i in range(16)
        for j in range(8)
    ]
    assert list_hints(PICTURES["fragment"]()) == expected
    layout = shared_row_major_swizzle([8, 32], 2)
    expected = [
        f"[{i}, {j}]: offset {layout(i, j)}, byte {layout(i, j) * 2}, bank {layout(i, j) * 2 // 4 % 32}"
        for i in range(8)
        for j in range(32)
    ]
    assert list_hints(PICTURES["swizzled"]()) == expected


def test_large_tiles_are_cut_and_say_so():
    text = draw_register_layout(local(2, 3, 100, 100))
    assert "drawn: at most 4 tables of 64 rows and 64 columns of (2, 3, 100, 100)" in text
    assert len(list_hints(text)) == 4 * 64 * 64


def test_notebooks_get_the_same_pictures():
    assert FRAGMENT._repr_svg_() == draw_register_layout(FRAGMENT)
    assert shared_row_major(2, 3)._repr_svg_() == draw_shared_layout(shared_row_major(2, 3))
    conversion = plan_conversion(spatial(4), spatial(4), "f32")
    assert conversion._repr_svg_() == draw_conversion(conversion)


def test_tables_of_text():
    assert local(2).spatial(2).visualize("plain").splitlines()[1:] == ["0: 0  1: 0  0: 1  1: 1"]
    lines = shared_row_major(2, 2, 2).visualize().splitlines()
    assert lines[1] == "[0, :, :]" and lines[3] == "│ 0 │ 1 │" and lines[9] == "│ 4 │ 5 │"
    with pytest.raises(ValueError, match="'simple_grid' or 'plain'"):
        FRAGMENT.visualize("html")


def test_program(tmp_path, capsys):
    picture = tmp_path / "fragment.svg"
    written = "local(2, 1).spatial(8, 4).local(1, 2)"
    assert main(["layout", "register", written, "--svg", str(picture)]) == 0
    assert picture.read_text() == draw_register_layout(FRAGMENT)
    assert main(["layout", "register", FRAGMENT.attribute_text]) == 0
    assert "│ 28: 2 │ 28: 3 │" in capsys.readouterr().out
    assert main(["layout", "convert", "spatial(8, 4) * local(1, 2)", "local(2,1).spatial(4,8)"]) == 0
    assert "shuffle, about" in capsys.readouterr().out
    tile = ["--tile", "spatial(32, 1).local(1, 64)", "--dtype", "f16"]
    assert main(["layout", "shared", "shared_row_major(32, 64)", *tile]) == 0
    assert "256 bank cycles, 224 of them conflicts" in capsys.readouterr().out
    assert main(["layout", "shared", "shared_row_major_swizzle([32, 64], 2)", *tile]) == 0
    assert "32 bank cycles, 0 of them conflicts" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text, words",
    [
        ("spatial(8", "expected a layout such as"),
        ("__import__('os')", "expected one of the functions"),
        ("spatial(8).__class__", "expected numbers, lists and functions"),
        ("spatial(8).__reduce__()", "expected one of the methods"),
        ("spatial([8])", "expected other arguments"),
        ("shared_row_major(8)", "expected a register layout"),
        ("spatial(0)", "expected positive sizes"),
        ("8", "expected a layout, but got '8', a int"),
    ],
)
def test_program_refuses_in_words(text, words, capsys):
    assert main(["layout", "register", text]) == 1
    assert words in capsys.readouterr().err
