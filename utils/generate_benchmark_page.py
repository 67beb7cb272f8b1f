#!/usr/bin/env python3
"""Writes docs/benchmarks/results.md, and its plots, from the results in benchmarks/results.

With --check it only says whether they are up to date. A plot carries the hash of the figures that it shows and of the
code that drew it, so that this needs no matplotlib; writing does.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import hashlib
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
PLOTS = ROOT / "python/tilus/plots.py"
PAGE = ROOT / "docs/benchmarks/results.md"
KERNELS = ("h200_kernels", "h200_softmax")

sys.path.insert(0, str(ROOT / "benchmarks/kernels"))

import report  # noqa: E402

HEAD = """<!-- Written by utils/generate_benchmark_page.py from benchmarks/results. -->
# Benchmarks

What the runs in `benchmarks/results` measured, each on one machine on one day; how is in `benchmarks/README.md`. **r** is the
time of the best peer over ours.
"""


class Plot:
    """A plot of the page: its file's name and the bars that it shows."""

    def __init__(self, name, labels, values, title, line=None, mark=lambda label: True):
        self.path = PAGE.parent / f"{name}.svg"
        colours = [report.COLOURS["ours" if mark(label) else "peer"] for label in labels]
        self.arguments = (labels, [round(value, 6) for value in values], colours, title, line)

    @property
    def stamp(self):
        """The comment that says what is shown."""
        made_of = json.dumps(self.arguments) + PLOTS.read_text(encoding="utf-8")
        return f"<!-- {hashlib.sha256(made_of.encode()).hexdigest()} -->"

    def is_current(self):
        return self.path.exists() and self.stamp in self.path.read_text(encoding="utf-8")

    def write(self):
        text = report.PLOTS["draw_bars"](*self.arguments)
        lines = [line.rstrip() for line in text.splitlines()]
        self.path.write_text("\n".join([lines[0], self.stamp, *lines[1:]]) + "\n", encoding="utf-8")

    def __str__(self):
        return f"![{self.arguments[3]}]({self.path.name})\n"


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def kernels(name):
    """The section of a run of benchmarks/kernels."""
    data = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    known = [workload for workload in data["workloads"] if workload["ratio"]]
    plot = Plot(name.replace("_", "-"), [w["name"] for w in known], [w["ratio"] for w in known],
                "r = best peer's time / our time", 1.0)
    environment = data["environment"]
    about = f"{environment['device']}, {data['date'][:10]}, commit {data['commit']}, torch {environment['torch']}."
    parts = [f"## Kernels: {', '.join(sorted({w['suite'] for w in known}))}\n", about + "\n", plot]
    parts.append(table(report.SUMMARY_HEADINGS, report.summary_rows(data)))
    return parts, [plot]


def calls():
    """The section of benchmarks/launch/python_calls.py."""
    data = json.loads((RESULTS / "h200_python_calls.json").read_text(encoding="utf-8"))
    rows, labels, values = [], [], []
    for case, entries in data["calls"].items():
        for who, entry in entries.items():
            if who == "empty":
                continue
            rows.append([case, who, f"{entry['over_empty']:.0f}"])
            if who != "upstream with a launch":
                labels.append(f"{case}: {who}")
                values.append(entry["over_empty"])
    title = "nanoseconds of a call over an empty Python function"
    plot = Plot("python-calls", labels, values, title, mark=lambda label: "upstream" not in label)
    about = f"Calls of scripts with torch's tensors and a launch function that does nothing, Python {data['python']}.\n"
    imports = table(["import", "ms over nothing"],
                    [[name, f"{entry['over_nothing']:.1f}"] for name, entry in data["I1 import"].items() if name != "nothing"])
    return ["## Calls from Python\n", about, plot, table(["call", "", "ns over empty"], rows), imports], [plot]


def is_peer(label):
    """Whether a measurement of an example is of what the example compares itself with."""
    return label.split("+")[0] in ("torch", "triton", "flash-attn")


def first_results(examples):
    """Rows of a table: the import and the first call of the first script."""
    for example, sides in examples.items():
        for state in ("cold", "warm"):
            runs = [sides[side][state] for side in ("ours", "theirs")]
            if any(run.get("call_s") for run in runs):
                yield [example, state, *(f"{run['import_s'] + run['call_s']:.2f}" if run.get("call_s") else "-" for run in runs)]


def script_times(examples):
    """Rows of a table: the kernels' times in the order of the example's sizes."""
    for example, sides in examples.items():
        runs = [sides[side]["cold"].get("rows", []) for side in ("ours", "theirs")]
        own = [[row["ms"] * 1e3 for row in rows if not is_peer(row["label"])] for rows in runs]
        for index, ours in enumerate(own[0]):
            theirs = own[1][index] if index < len(own[1]) else None
            ratio = "-" if theirs is None else f"{theirs / ours:.2f}"
            yield [f"{example} {index + 1}", f"{ours:.1f}", "-" if theirs is None else f"{theirs:.1f}", ratio]


def scripts():
    """The section of benchmarks/scripts/side_by_side.py."""
    data = json.loads((RESULTS / "h200_scripts.json").read_text(encoding="utf-8"))
    about = f"NVIDIA's example scripts, unmodified, with this package and with theirs. {data['gpu']}, {data['date']}, torch " \
            f"{data['torch']}.\n"
    first = "Seconds of the import of the package and of the first call, with all schedules compiled and measured:\n"
    times = "Microseconds of the kernels that were chosen, at the example's sizes in turn:\n"
    return ["## Scripts\n", about, first,
            table(["example", "cache", "ours", "theirs"], first_results(data["examples"])), times,
            table(["example and size", "ours", "theirs", "r"], script_times(data["examples"]))], []


def rows():
    """The section of benchmarks/scripts/rows.py."""
    data = json.loads((RESULTS / "h200_rows.json").read_text(encoding="utf-8"))
    about = f"The scripts in `examples/` that keep a row in registers, as shares of a copy's rate. {data['gpu']}, {data['date']}.\n"
    body = [[f"{r['rows']} x {r['columns']}", f"{r['copy_us']:.1f}",
             *(f"{r[f'{name}_us']:.1f} ({r['copy_us'] / r[f'{name}_us']:.0%})" for name in ("softmax", "layer_norm"))]
            for r in data["results"]]
    return ["## Rows\n", about, table(["f16", "copy us", "softmax us", "layer norm us"], body)], []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    parts, plots = [HEAD], []
    for section_parts, section_plots in [*map(kernels, KERNELS), calls(), scripts(), rows()]:
        parts += section_parts
        plots += section_plots
    text = "\n".join(map(str, parts))
    if options.check:
        stale = [plot.path for plot in plots if not plot.is_current()]
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            stale.append(PAGE)
        for path in stale:
            print(f"{path.relative_to(ROOT)} is stale; run utils/generate_benchmark_page.py")
        sys.exit(bool(stale))
    PAGE.write_text(text, encoding="utf-8")
    for plot in plots:
        if not plot.is_current():
            plot.write()


if __name__ == "__main__":
    main()
