# `tilus layout`: layouts and what the compiler makes of them, as text or SVG.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilus layout`: shows layouts, accesses to shared memory and conversions."""

from __future__ import annotations

import argparse
import pathlib
from typing import Any

_LAYOUT = "an attribute '#tilus.reg<…>' or an expression such as 'local(2, 1).spatial(8, 4).local(1, 2)'"
_SHARED = "an attribute '#tilus.smem<…>' or an expression such as 'shared_row_major_swizzle([64, 64], 2)'"


def add_commands(commands: Any) -> None:
    """Adds `layout` and its subcommands."""
    parser = commands.add_parser("layout", help="show layouts, accesses to shared memory and conversions")
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    register = kinds.add_parser("register", help="which thread holds each element, in which slot")
    register.add_argument("layout", help=_LAYOUT)
    register.set_defaults(run=_show_register)
    shared = kinds.add_parser("shared", help="address and bank of each element, and conflicts of an access")
    shared.add_argument("layout", help=_SHARED)
    shared.add_argument("--tile", help="count the accesses of a tile with this register layout")
    shared.add_argument("--warp", type=int, default=0, help="the warp whose accesses are counted")
    shared.set_defaults(run=_show_shared)
    convert = kinds.add_parser("convert", help="how the compiler converts from one register layout to another")
    convert.add_argument("source", help=_LAYOUT)
    convert.add_argument("target", help=_LAYOUT)
    convert.set_defaults(run=_show_conversion)
    for kind in (register, shared, convert):
        kind.add_argument("--svg", type=pathlib.Path, metavar="FILE", help="write a picture instead of text")
    for kind in (shared, convert):
        kind.add_argument("--dtype", default="f32", help="type of the elements, such as f16 (default: f32)")


def _show(options: argparse.Namespace, svg: Any, text: Any) -> int:
    """Writes the picture if a file was named, else prints the text."""
    if options.svg is None:
        print(text())
    else:
        options.svg.write_text(svg(), encoding="utf-8")
    return 0


def _show_register(options: argparse.Namespace) -> int:
    from tilus.cli.expressions import parse_register_layout
    from tilus.pictures import draw_register_layout

    layout = parse_register_layout(options.layout)
    return _show(
        options,
        lambda: draw_register_layout(layout),
        lambda: f"{layout.attribute_text}\n{layout.visualize()}",
    )


def _show_shared(options: argparse.Namespace) -> int:
    from tilus.cli.expressions import parse_register_layout, parse_shared_layout
    from tilus.ir.layout.conversion import analyze_shared_access
    from tilus.pictures import draw_shared_access, draw_shared_layout

    layout = parse_shared_layout(options.layout)
    if options.tile is None:
        return _show(
            options,
            lambda: draw_shared_layout(layout, options.dtype),
            lambda: f"{layout.attribute_text}\n{layout.visualize()}",
        )
    access = analyze_shared_access(parse_register_layout(options.tile), layout, options.dtype, options.warp)
    return _show(options, lambda: draw_shared_access(access), lambda: _describe_access(access))


def _describe_access(access: Any) -> str:
    lines = [
        access.shared.attribute_text,
        f"vectors of {access.vector_size} elements ({access.width_bytes} bytes) along dimension {access.vector_dim}",
    ]
    for item in access.accesses:
        phases = " ".join(f"{phase.cycles}" for phase in item.phases)
        lines.append(f"slot {item.slot}: cycles a phase {phases}, conflicts {item.conflicts}")
    lines.append(f"{access.cycles} bank cycles, {access.conflicts} of them conflicts")
    if access.matrix_cycles is not None:
        lines.append(f"{access.matrix_cycles} bank cycles with matrix instructions (ldmatrix, stmatrix)")
    return "\n".join(lines)


def _show_conversion(options: argparse.Namespace) -> int:
    from tilus.cli.expressions import parse_register_layout
    from tilus.ir.layout import plan_conversion
    from tilus.pictures import draw_conversion

    conversion = plan_conversion(
        parse_register_layout(options.source), parse_register_layout(options.target), options.dtype
    )
    return _show(options, lambda: draw_conversion(conversion), lambda: _describe_conversion(conversion))


def _describe_conversion(conversion: Any) -> str:
    lines = [
        f"from {conversion.source.attribute_text}",
        f"to   {conversion.target.attribute_text}",
        f"{conversion.kind}, about {conversion.cost} cycles a warp, {conversion.num_rounds} rounds",
    ]
    staging = conversion.staging
    if staging is not None:
        lines += [
            f"through {staging.layout.attribute_text}, {staging.size_bytes} bytes",
            f"store: vectors of {staging.store_vector}, {staging.store_cycles} bank cycles, "
            f"{staging.store_conflicts} of them conflicts",
            f"load: vectors of {staging.load_vector}, {staging.load_cycles} bank cycles, "
            f"{staging.load_conflicts} of them conflicts",
        ]
    return "\n".join(lines)
