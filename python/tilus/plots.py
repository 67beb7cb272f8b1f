# Plots of times, as SVG. They need matplotlib, which `pip install tilus-mlir[plots]` brings.
#
# The same figures give the same bytes with one release of matplotlib: there are no dates and no random names in them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of times: bars, and reports of tunings, as SVG."""

from __future__ import annotations

import io
from typing import Any, Mapping, Optional, Sequence

BEST, OTHER, LIMIT = "#2a7f2a", "#7f7f7f", "#c9a227"
# The bars of a report, at most: the fastest schedules.
_MAX_BARS = 40


def draw_bars(
    labels: Sequence[str], values: Sequence[float], colors: Sequence[str], title: str, line: Optional[float] = None
) -> str:
    """Horizontal bars from the top down, as the text of an SVG; `line` is a value that is marked. Raises RuntimeError
    where matplotlib is not installed."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise RuntimeError("expected matplotlib for plots, but it is not installed; pip install 'tilus-mlir[plots]'") from None
    with matplotlib.rc_context({"svg.hashsalt": "tilus", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 0.8 + 0.3 * len(labels)), layout="constrained")
        axes = figure.subplots()
        bars = axes.barh(range(len(labels)), values, color=colors)
        axes.set_yticks(range(len(labels)), labels)
        axes.invert_yaxis()
        axes.bar_label(bars, fmt="%.4g", padding=3)
        axes.margins(x=0.14)
        axes.set_title(title)
        if line is not None:
            axes.axvline(line, color="#a00", linewidth=1)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def draw_tuning_report(report: Mapping[str, Any]) -> str:
    """The times of the schedules of a report, the fastest first, as SVG: one of `script.tuning_reports`, or of the cache."""
    measured = [(ms, schedule, number) for number, (schedule, ms, _) in enumerate(report["outcomes"]) if ms is not None]
    measured.sort(key=lambda row: row[0])
    shown = measured[:_MAX_BARS]
    of_all = f", the fastest {len(shown)} of {len(measured)} schedules" if len(shown) < len(measured) else ""
    return draw_bars(
        [schedule or "the only schedule" for _, schedule, _ in shown],
        [ms for ms, _, _ in shown],
        [BEST if number == report["best"] else OTHER for _, _, number in shown],
        f"milliseconds, {report['key']}{of_all}",
    )
