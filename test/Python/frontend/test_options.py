"""Options: changes in several threads, and from one call to the next."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess
import sys

import numpy as np
import pytest
import tilus
from runtime_kernels import VectorAdd

THREADS = """
import collections, importlib, sys, threading
sys.setswitchinterval(1e-6)
failures, start = collections.Counter(), threading.Barrier(16)
MODULES = ("option", "runtime.observers", "lang.script", "runtime.compilation", "target", "tensor", "runtime.records",
           "lang.instantiated_script")
def work(number):
    start.wait()
    try:
        importlib.import_module("tilus." + MODULES[number % len(MODULES)])
        import tilus
        for turn in range(20):
            tilus.option.fast_math(bool((number + turn) % 2))
            tilus.option.bench_repeat(7)
            tilus.option.device("cpu")
            values = [tilus.option.get_option(name) for name in ("fast_math", "bench_repeat", "device")]
            if values[0] not in (True, False) or values[1] not in (7, 50) or values[2] not in ("", "cpu"):
                failures[repr(values)] += 1
            tilus.option.reset()
    except Exception as error:
        failures[repr(error)] += 1
threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
from tilus import option
assert not failures and option.generation == 16 * 20 * 4, (failures, option.generation)
"""


def test_threads_import_and_change_options_at_a_time():
    for _ in range(6):
        done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_name_that_is_none():
    for function in (tilus.option.get_option, tilus.option.reset):
        with pytest.raises(KeyError, match="expected the name of an option .*cache_dir.*, but got 'cachedir'"):
            function("cachedir")


def test_what_changes_while_options_are_read_is_read_again(monkeypatch):
    from tilus.runtime import compilation

    read, reads = compilation.compiler_options, []

    def read_and_change():
        reads.append(read())
        if len(reads) == 1:
            tilus.option.fast_math(True)
        return reads[-1]

    script = VectorAdd(96)
    arrays = [np.zeros(64, np.float32) for _ in range(3)]
    monkeypatch.setattr(compilation, "compiler_options", read_and_change)
    tilus.option.line_info(False)
    try:
        for _ in range(3):
            script(64, *arrays)
        assert [options["fast_math"] for options in reads] == [False, True]
    finally:
        tilus.option.reset()


@pytest.mark.parametrize("value", [0, -1, 2**31, 2**70, 1.5, True, "2"])
@pytest.mark.parametrize("name", ["parallel_workers", "bench_warmup", "bench_repeat"])
def test_a_count_that_is_none(name, value):
    with pytest.raises(ValueError, match=f"expected an integer from 1 to 2147483647 as the number of .*, but got {value!r}"):
        getattr(tilus.option, name)(value)
