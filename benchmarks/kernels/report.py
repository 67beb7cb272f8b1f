# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of a run: figures derived from the times, and the page that shows them.

Owns the ratio r = best peer's time / our best time, and the share of the limit. Plots are made where matplotlib is
installed; the tables are there in any case.
"""

import html
import json
import pathlib
import runpy

# By its file: another package of the name 'tilus' may be one of the peers.
PLOTS = runpy.run_path(str(pathlib.Path(__file__).resolve().parents[2] / "python/tilus/plots.py"))

GROUPS = {"ours": "ours", "peer": "peer", "limit": "limit"}


def best(candidates, group):
    """The fastest candidate of a group whose results were right; None if there is none."""
    right = [entry for entry in candidates if entry["group"] == group and entry["status"] == "ok"]
    return min(right, key=lambda entry: entry["time_us"], default=None)


def add_rates(workload, limits):
    """Adds to each candidate its rate and its share of the limit, and to the workload the comparison."""
    for entry in workload["candidates"]:
        if entry["status"] != "ok":
            continue
        seconds = entry["time_us"] * 1e-6
        if workload["flops"]:
            entry["tflops"] = workload["flops"] / seconds * 1e-12
            limit = limits.get("product_flops_per_s")
            share = workload["flops"] / seconds / limit if limit else None
        else:
            entry["gb_per_s"] = workload["bytes"] / seconds * 1e-9
            limit = limits.get("copy_bytes_per_s")
            share = workload["bytes"] / seconds / limit if limit else None
        if share:
            entry["limit_percent"] = 100 * share
    ours, peer = best(workload["candidates"], "ours"), best(workload["candidates"], "peer")
    workload["ours"] = ours["name"] if ours else None
    workload["best_peer"] = peer["name"] if peer else None
    workload["ratio"] = peer["time_us"] / ours["time_us"] if ours and peer else None


def describe_rate(entry):
    if "tflops" in entry:
        return f"{entry['tflops']:.1f} TFLOP/s"
    return f"{entry['gb_per_s']:.0f} GB/s" if "gb_per_s" in entry else ""


def describe_limit(entry):
    return f"{entry['limit_percent']:.1f}%" if "limit_percent" in entry else ""


def order(entry):
    return (entry["status"] != "ok", entry.get("time_us", 0))


def rows_of(workload):
    """The table of a workload, the fastest first."""
    rows = []
    for entry in sorted(workload["candidates"], key=order):
        note = entry.get("reason", "")
        if entry["status"] == "ok" and entry.get("timing") == "stream":
            note = "timing: stream"
        rows.append([entry["name"], GROUPS[entry["group"]], entry["status"],
                     f"{entry['time_us']:.2f}" if "time_us" in entry else "",
                     f"{100 * entry['spread']:.1f}%" if "spread" in entry else "", describe_rate(entry),
                     describe_limit(entry), str(entry.get("registers", "")), str(entry.get("spill_bytes", "")),
                     first_line(note)])
    for skipped in workload.get("not_compiled", []):
        rows.append([f"tilus {skipped['kernel']}", "ours", "not compiled", "", "", "", "", "", "",
                     first_line(skipped["error"])])
    return rows


CANDIDATE_HEADINGS = ["candidate", "", "result", "time (us)", "spread", "rate", "of the limit", "registers",
                      "spilled bytes", "note"]
SUMMARY_HEADINGS = ["workload", "r", "ours", "time (us)", "of the limit", "best peer", "time (us)", "of the limit"]


def first_line(text):
    lines = text.strip().splitlines()
    return lines[0][:200] if lines else ""


def summary_rows(report):
    rows = []
    for workload in report["workloads"]:
        ours, peer = (best(workload["candidates"], group) for group in ("ours", "peer"))
        row = [workload["name"], f"{workload['ratio']:.3f}" if workload["ratio"] else "-"]
        for entry in (ours, peer):
            row += [entry["name"], f"{entry['time_us']:.2f}", describe_limit(entry)] if entry else ["-", "", ""]
        rows.append(row)
    return rows


def facts(report):
    """[(name, text)] of what a reader has to know of the run."""
    environment, limits = report["environment"], report["limits"]
    found = [("date", report["date"]), ("commit", report["commit"]), ("tilus-run", report["tilus_run"])]
    found += [(name, str(value)) for name, value in environment.items()]
    if limits:
        found += [("copy", f"{limits['copy_bytes_per_s'] * 1e-12:.3f} TB/s"),
                  ("product", f"{limits['product_flops_per_s'] * 1e-12:.0f} TFLOP/s, {limits['product']}")]
    for name, peer in report["peers"].items():
        found.append((f"peer {name}", peer.get("version") or f"skipped: {peer['skipped']}"))
    return found


METHOD = ("Times are medians of interleaved rounds over buffers that exceed twice the L2 cache, by events around "
          "replayed graphs of launches ('stream': around the launches themselves). Every result was compared with "
          "torch's in f64, before and after timing. r is the best peer's time over ours. Limits are the copy and the "
          "product measured in the same run.")


def to_markdown(report):
    def table(headings, rows):
        lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
        return lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows] + [""]

    lines = ["# Kernel benchmarks", "", METHOD, ""]
    lines += table(["", ""], facts(report)) + ["## Summary", ""] + table(SUMMARY_HEADINGS, summary_rows(report))
    for workload in report["workloads"]:
        lines += [f"## {workload['name']}", "", workload["title"], ""]
        lines += table(CANDIDATE_HEADINGS, rows_of(workload))
    for failure in report["failures"]:
        lines.append(f"- {failure['workload']} {failure['candidate']}: {failure['reason']}")
    if report["not_run"]:
        lines += ["", "Not run: " + ", ".join(report["not_run"])]
    return "\n".join(lines) + "\n"


STYLE = """body{font:15px system-ui,sans-serif;max-width:75em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .6em;border-bottom:1px solid #ddd;text-align:left}
tr.ours{font-weight:bold}tr.bad{color:#a00}"""


def to_html(report):
    def cells(tag, row):
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)

    def table(headings, rows, classes=None):
        body = "".join(f'<tr class="{classes(row) if classes else ""}">{cells("td", row)}</tr>' for row in rows)
        return f"<table><tr>{cells('th', headings)}</tr>{body}</table>"

    def candidate_class(row):
        return "bad" if row[2] != "ok" else row[1]

    parts = ["<!DOCTYPE html><meta charset=utf-8><title>Kernel benchmarks</title>", f"<style>{STYLE}</style>",
             "<h1>Kernel benchmarks</h1>", f"<p>{html.escape(METHOD)}</p>", table(["", ""], facts(report)),
             "<h2>Summary</h2>", plot_ratios(report), table(SUMMARY_HEADINGS, summary_rows(report))]
    for workload in report["workloads"]:
        parts += [f"<h2>{html.escape(workload['name'])}</h2>", f"<p>{html.escape(workload['title'])}</p>",
                  plot_times(workload), table(CANDIDATE_HEADINGS, rows_of(workload), candidate_class)]
    for failure in report["failures"]:
        parts.append(f"<p>{html.escape('{workload} {candidate}: {reason}'.format(**failure))}</p>")
    if report["not_run"]:
        parts.append(f"<p>Not run: {html.escape(', '.join(report['not_run']))}</p>")
    return "\n".join(parts) + "\n"


COLOURS = {"ours": PLOTS["BEST"], "peer": PLOTS["OTHER"], "limit": PLOTS["LIMIT"]}


def plot_bars(labels, values, colours, title, line=None):
    """The text of an SVG; empty where there is nothing to show or to show it with."""
    try:
        return PLOTS["draw_bars"](labels, values, colours, title, line) if labels else ""
    except RuntimeError:  # matplotlib is not installed
        return ""


def plot_ratios(report):
    known = [workload for workload in report["workloads"] if workload["ratio"]]
    return plot_bars([workload["name"] for workload in known], [workload["ratio"] for workload in known],
                     [COLOURS["ours"]] * len(known), "r = best peer's time / our time", line=1)


def plot_times(workload):
    right = sorted((entry for entry in workload["candidates"] if entry["status"] == "ok"), key=order)
    return plot_bars([entry["name"] for entry in right], [entry["time_us"] for entry in right],
                     [COLOURS[entry["group"]] for entry in right], "time (us)")


def write(report, folder):
    """Writes report.json, report.md and report.html; each is complete at any moment."""
    for workload in report["workloads"]:
        add_rates(workload, report["limits"])
    for name, text in (("report.json", json.dumps(report, indent=1)), ("report.md", to_markdown(report)),
                       ("report.html", to_html(report))):
        path = pathlib.Path(folder) / name
        unfinished = path.with_suffix(path.suffix + ".new")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
