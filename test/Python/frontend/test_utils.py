"""The helpers of tilus.utils."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import concurrent.futures.process
import os
import time

import pytest

from tilus import utils
from tilus.utils import parallel, profilers


def test_arithmetic():
    assert [utils.cdiv(a, 4) for a in (-4, 0, 1, 4, 5)] == [-1, 0, 1, 1, 2]
    assert utils.idiv(12, 4) == 3 and utils.nbytes_from_nbits(24) == 3
    with pytest.raises(ValueError, match="a multiple of 8, but got 12"):
        utils.nbytes_from_nbits(12)
    assert utils.prod([]) == 1 and utils.prod([2, 3, 4]) == 24
    assert utils.gcd(12, 18) == 6 and utils.gcd(12, 18, 4) == 2 and utils.lcm(4, 6) == 12
    assert [utils.floor_log2(n) for n in (0, 1, 2, 3, 4, 1023)] == [0, 0, 1, 1, 2, 9]
    assert [n for n in range(-2, 17) if utils.is_power_of_two(n)] == [1, 2, 4, 8, 16]


def test_names_and_lists():
    assert utils.to_snake_case("MatmulV0") == "matmul_v0" and utils.to_snake_case("a_B") == "a_b"
    thing = object()
    assert utils.same_list([1, "a", thing], [1, "a", thing]) and not utils.same_list([1], [1, 2])
    assert not utils.same_list([[1]], [[1]]) and utils.same_list([[1]], [[1]], use_equal=True)


def test_benchmark_counts_runs():
    runs = []
    milliseconds = utils.benchmark_func(lambda: (runs.append(1), time.sleep(0.01)), warmup=2, repeat=3)
    assert len(runs) == 5 and milliseconds >= 10
    with pytest.raises(ValueError, match="at least 1 run"):
        utils.benchmark_func(lambda: None, repeat=0)


def test_parallel_work_keeps_the_order():
    offset = 7
    assert utils.parallel_map(lambda job: job + offset, range(20), num_workers=2) == list(range(7, 27))
    assert utils.parallel_map(lambda job: job, []) == []

    def fail(job):
        raise KeyError(job)

    with pytest.raises(KeyError):
        list(utils.parallel_imap(fail, [1, 2], num_workers=2))
    assert parallel._function is None
    # One that dies leaves nobody waiting.
    with pytest.raises(concurrent.futures.process.BrokenProcessPool):
        list(utils.parallel_imap(lambda job: os._exit(3), [1, 2], num_workers=2))


def test_profilers(tmp_path, monkeypatch):
    """A stand-in for the profiler runs the program that it is given, in a process of its own."""
    tool = tmp_path / "ncu"
    tool.write_text('#!/bin/sh\nshift 4\ntouch "$1.ncu-rep"\nshift\nexec "$@"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    script = tmp_path / "work.py"
    script.write_text("import pathlib\ndef work(path, text):\n    pathlib.Path(path).write_text(text)\n")
    scope = {}
    exec(compile(script.read_text(), str(script), "exec"), scope)
    report = utils.ncu_run(scope["work"], str(tmp_path / "out"), text="ran")
    assert (tmp_path / "out").read_text() == "ran" and report.is_file()
    with pytest.raises(RuntimeError, match="the program 'nsys'"):
        utils.nsys_run(scope["work"])
    with pytest.raises(ValueError, match="at the top of a file"):
        profilers._describe(lambda: None, (), {})
