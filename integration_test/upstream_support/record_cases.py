"""A pytest plugin that writes the cases that were collected and the result of each as it comes.

A line of JSON an event, in the file that UPSTREAM_RECORD names: what a crash or a time limit cut off is known too.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os


def _write(**event):
    with open(os.environ["UPSTREAM_RECORD"], "a", encoding="utf-8") as file:
        file.write(json.dumps(event) + "\n")


def _get_reason(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return crash.message
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    return str(report.longrepr)


def pytest_collection_finish(session):
    """The names of all cases."""
    for item in session.items:
        _write(event="case", name=item.nodeid)


def pytest_collectreport(report):
    """A file that cannot be imported."""
    if report.failed:
        _write(event="broken", name=report.nodeid, why=_get_reason(report)[-2000:])


def pytest_runtest_logreport(report):
    """The result of a case: that of its call, or that of what went wrong before or after."""
    if report.when == "call" or report.outcome != "passed":
        why = "" if report.outcome == "passed" else _get_reason(report)[:2000]
        _write(event="result", name=report.nodeid, status=report.outcome, seconds=report.duration, why=why)
