# `tilus tuning`: what was measured when schedules were chosen, as text or as a page with plots.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilus tuning`: shows the reports of tunings that the cache keeps."""

from __future__ import annotations

import argparse
import html
import json
import pathlib
from typing import Any

_STYLE = """body{font:15px system-ui,sans-serif;max-width:75em;margin:2em auto;padding:0 1em}
td,th{padding:.2em .6em;border-bottom:1px solid #ddd;text-align:left}tr.best{font-weight:bold}svg{max-width:100%}"""


def add_commands(commands: Any) -> None:
    """Adds `tuning`."""
    parser = commands.add_parser("tuning", help="show what was measured when schedules were chosen")
    parser.add_argument("script", nargs="?", default="", help="the name of a script (default: all)")
    parser.add_argument("--cache", type=pathlib.Path, metavar="DIR", help="the cache (default: as the environment says)")
    parser.add_argument("--html", type=pathlib.Path, metavar="FILE", help="write a page with plots instead of text")
    parser.set_defaults(run=_show)


def _read_reports(root: pathlib.Path, script: str) -> list:
    """The reports of the scripts of this name, or of all, in the order of their folders and keys."""
    from tilus.runtime import kept

    reports = []
    for path in sorted((root / "scripts").glob("*/latency/*.json")):
        try:
            report = _parse_report(kept.read_text(path) or "")
        except (ValueError, LookupError, TypeError, RecursionError):
            continue  # what is wrong in a cache is as good as not there
        if script in ("", report["script"]):
            reports.append(report)
    return reports


def _parse_report(text: str) -> dict:
    report = json.loads(text)
    outcomes = [(str(schedule), None if ms is None else float(ms), str(reason)) for schedule, ms, reason in report["outcomes"]]
    words = {name: str(report[name]) for name in ("script", "target", "device", "key")}
    return {**words, "best": report["best"], "outcomes": outcomes}


def _show(options: argparse.Namespace) -> int:
    from tilus import option
    from tilus.runtime.tuning import describe_report

    root = options.cache or pathlib.Path(option.get_option("cache_dir"))
    reports = _read_reports(root, options.script)
    if not reports:
        raise ValueError(f"expected reports of tunings{' of ' + options.script if options.script else ''} in {root}, but there are none")
    if options.html is not None:
        options.html.write_text(_make_page(reports), encoding="utf-8")
    else:
        print("\n".join(f"{report['script']}, {describe_report(report)}" for report in reports), end="")
    return 0


def _make_page(reports: list) -> str:
    from tilus.plots import draw_tuning_report
    from tilus.runtime.tuning import order_outcomes

    parts = ["<!DOCTYPE html><meta charset=utf-8><title>Tunings</title>", f"<style>{_STYLE}</style>"]
    for report in reports:
        title = f"{report['script']} for {report['target']}"
        parts += [f"<h2>{html.escape(title)}</h2>", f"<p>{html.escape(report['device'])}</p>", draw_tuning_report(report)]
        rows = []
        for number, (schedule, ms, reason) in order_outcomes(report):
            cells = (schedule, "" if ms is None else f"{ms:.4f} ms", reason)
            kind = ' class="best"' if number == report["best"] else ""
            rows.append(f"<tr{kind}>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
        parts.append("<table>" + "".join(rows) + "</table>")
    return "\n".join(parts) + "\n"
