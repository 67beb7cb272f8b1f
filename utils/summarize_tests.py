#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts test cases of all kinds and prints one total.

Reads the JUnit XML files in a results folder: the one of ctest (ctest.xml, one entry a program or suite) and
those that the entries wrote themselves (gtest programs, lit suites, pytest). An entry with a file of its own
is counted by its cases, every other entry as one case. An entry that failed although its file shows no
failure (a crash, a leak report, a collection error) adds one failed case.

The last line is 'N passed, N failed, N skipped'; the exit code is 1 if a case failed or none was found.
"""

import argparse
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


class Count:
    """Numbers of cases by outcome, and the names of those that failed."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []

    def add(self, outcome, name):
        setattr(self, outcome, getattr(self, outcome) + 1)
        if outcome == "failed":
            self.failures.append(name)

    def merge(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def outcome_of(case):
    """The outcome of a JUnit testcase element: 'passed', 'failed' or 'skipped'."""
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    skipped = case.find("skipped")
    # ctest calls a program that was not built skipped.
    if skipped is not None and skipped.get("message", "").startswith("Unable to find executable"):
        return "failed"
    # gtest marks a disabled case by status="notrun"; ctest marks what it did not run the same way.
    if skipped is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def read_cases(path):
    """(name, outcome) of each case of a JUnit file."""
    for case in ElementTree.parse(path).iter("testcase"):
        group = case.get("classname", "")
        name = case.get("name", "")
        yield (f"{group}.{name}" if group and group != name else name), outcome_of(case)


def report_of(entry, results):
    """The file that a ctest entry wrote: gtest programs into gtest/, the others beside ctest.xml."""
    kind, _, rest = entry.partition(".")
    path = results / "gtest" / f"{rest}.xml" if kind == "unit" else results / f"{entry}.xml"
    return path if path.is_file() else None


def count_entry(entry, outcome, results):
    count = Count()
    path = report_of(entry, results)
    if path is None:
        count.add(outcome, entry)
        return count
    try:
        for name, case_outcome in read_cases(path):
            count.add(case_outcome, f"{entry}: {name}")
    except ElementTree.ParseError as error:
        count.add("failed", f"{entry}: expected a JUnit file, but got {error}")
    if outcome == "failed" and count.failed == 0:
        count.add("failed", f"{entry}: failed outside its cases")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path, help="folder with ctest.xml and the reports of its entries")
    parser.add_argument("--passed", action="append", default=[], metavar="NAME", help="a step that passed")
    parser.add_argument("--failed", action="append", default=[], metavar="NAME", help="a step that failed")
    arguments = parser.parse_args()

    rows = []
    steps = Count()
    for outcome in ("passed", "failed"):
        for name in getattr(arguments, outcome):
            steps.add(outcome, name)
    if arguments.passed or arguments.failed:
        rows.append(("steps", steps))
    ctest = arguments.results / "ctest.xml"
    if ctest.is_file():
        for entry, outcome in read_cases(ctest):
            rows.append((entry, count_entry(entry, outcome, arguments.results)))

    total = Count()
    print("\nSummary")
    for name, count in rows:
        print(f"  {name:<32} {count}")
        total.merge(count)
    for failure in total.failures:
        print(f"  FAILED {failure}")
    print(total)
    return 1 if total.failed or not (total.passed or total.skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
