"""Runs one example of upstream with the package that PYTHONPATH names, and writes what it took to a file.

    time_example.py <example.py> <result.json> [<measurements>]

Owns how times are taken: the same way for each package, by events on the device, the second-level cache emptied before
each run, the median of 20. "call_s" is the first call of the example's first script until the device is done, the making of the
script included: so compilation of all schedules, tuning and the launch. "first_s" counts from the example's main() to its
first measurement, so all of that, the example's own check and what else it runs; torch and the device were started before.
With a number of measurements the example ends after so many, so after its first sizes.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import importlib.util
import json
import os
import pathlib
import runpy
import sys
import time

import torch

WARMUP, REPEAT = 5, 20
TIMER = pathlib.Path(__file__).resolve().parents[2] / "python/tilus/utils/benchmark.py"


def load_timer():
    """This tree's `benchmark_func`, whichever package is timed by it."""
    spec = importlib.util.spec_from_file_location("event_timer", TIMER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.benchmark_func


class Enough(Exception):
    """As many measurements were taken as were asked for."""


class Recorder:
    """Stands for `tilus.utils.benchmark_func`."""

    def __init__(self, limit):
        self.rows, self.begin, self.first, self.limit = [], None, None, limit
        self.timer = load_timer()

    def __call__(self, function, *_, **__):
        torch.cuda.synchronize()
        if self.first is None:
            self.first = time.perf_counter() - self.begin
        median = self.timer(function, WARMUP, REPEAT)
        self.rows.append({"label": self.get_label(function), "ms": round(median, 5)})
        if len(self.rows) == self.limit:
            raise Enough
        return median

    @staticmethod
    def get_label(function):
        """What is measured: examples that loop over implementations call them by a variable `name`."""
        name = sys._getframe(2).f_locals.get("name")
        code = function.__code__
        return name or "+".join((*code.co_names, *code.co_freevars))


class FirstCall:
    """Takes the time of the first call of the first script of an example that is called."""

    def __init__(self, base):
        self.base, self.seconds = base, None

    def watch(self, names):
        """Puts a factory for each class of scripts among a module's names."""
        for name, value in list(names.items()):
            if isinstance(value, type) and issubclass(value, self.base) and value is not self.base:
                names[name] = functools.partial(self.make, value)

    def make(self, kind, *arguments, **keywords):
        begin = time.perf_counter()
        script = kind(*arguments, **keywords)
        made = time.perf_counter() - begin

        def call(*operands, **others):
            if self.seconds is not None:
                return script(*operands, **others)
            torch.cuda.synchronize()
            start = time.perf_counter()
            result = script(*operands, **others)
            torch.cuda.synchronize()
            self.seconds = made + time.perf_counter() - start
            return result

        return call


def main():
    example, result = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else None
    warm = torch.rand(256, 256, device="cuda", dtype=torch.float16)
    (warm @ warm).sum().item()
    begin = time.perf_counter()
    import tilus.utils
    imported = time.perf_counter() - begin
    recorder = Recorder(limit)
    tilus.utils.benchmark_func = recorder
    sys.path.insert(0, str(example.parent))
    sys.argv = [str(example)]
    module = runpy.run_path(str(example), run_name="example")
    first_call = FirstCall(tilus.Script)
    first_call.watch(module["main"].__globals__)
    for other in list(sys.modules.values()):
        if (getattr(other, "__file__", None) or "").startswith(str(example.parent) + os.sep):
            first_call.watch(vars(other))
    torch.manual_seed(0)
    recorder.begin = time.perf_counter()
    try:
        module["main"]()
    except Enough:
        pass
    total = time.perf_counter() - recorder.begin
    facts = {"package": tilus.__file__, "import_s": round(imported, 3),
             "call_s": first_call.seconds and round(first_call.seconds, 3), "first_s": round(recorder.first, 3),
             "main_s": round(total, 3), "rows": recorder.rows}
    result.write_text(json.dumps(facts))


if __name__ == "__main__":
    main()
