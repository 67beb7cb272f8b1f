"""Runs one example as a program and records each of its own checks.

    run_example.py <script>

A check is a call of torch.testing.assert_close. One that fails is recorded and the example goes on, so that the
checks after it count too; the exit status is 1 if one failed. The record is that of record_cases.py.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import os
import runpy
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import record_cases  # noqa: E402


class Checks:
    """Counts the checks of an example."""

    def __init__(self, name):
        self.name = name
        self.count = 0
        self.failures = 0
        self.begin = time.monotonic()

    def record(self, status, why=""):
        """The result of one check, with the time since the last."""
        now = time.monotonic()
        self.count += 1
        self.failures += status != "passed"
        name = f"{self.name}::check{self.count}"
        record_cases._write(event="case", name=name)
        record_cases._write(event="result", name=name, status=status, seconds=now - self.begin, why=why[:2000])
        self.begin = now

    def wrap(self, function):
        """A check that records its result and lets the example go on."""

        @functools.wraps(function)
        def checked(*args, **kwargs):
            try:
                function(*args, **kwargs)
            except AssertionError as error:
                self.record("failed", str(error))
            else:
                self.record("passed")

        return checked


def main():
    script = sys.argv[1]
    checks = Checks(os.environ["UPSTREAM_NAME"])
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    if os.environ.get("TILUS_DEVICE") == "cpu":
        import cpu_device  # noqa: F401
    import torch

    torch.testing.assert_close = checks.wrap(torch.testing.assert_close)
    sys.argv = [script]
    try:
        runpy.run_path(script, run_name="__main__")
    except BaseException as error:  # noqa: BLE001 - whatever an example dies of is its result
        if not isinstance(error, SystemExit) or error.code not in (None, 0):
            traceback.print_exc()
            lines = traceback.format_exception_only(type(error), error)
            checks.record("failed", "".join(lines).strip())
    return 1 if checks.failures or not checks.count else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Past the exit handlers of a device that a fault may have left unusable.
    os._exit(status)
