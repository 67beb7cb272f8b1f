#!/usr/bin/env python3
"""Measures what a call from Python costs, over an empty Python function with the same arguments.

    python_calls.py [--device fake|noop|cuda] [--rounds N] [--calls N] [--json FILE] [--upstream FOLDER] [--peers NAME,...]

L3: three tensors and two integers, the same each time; L4: nineteen arguments (five tensors, nine integers, five
constants); L5: alternating arguments, and alternating targets; I1: the import in a new process. The launch function
does nothing with `--device fake`, where tensors are those of the tests, and with `--device noop`, where they are
torch's on a GPU; with `--device cuda` the launch is real. All ways to call take turns in rounds of one run, and the
median of the rounds counts. Upstream's package, in the FOLDER, has the name of this one: it runs in a process of its
own, next, on a kernel whose grid is empty, which it does not launch, and on one of one block. Peers that are not
installed are skipped, and said to be.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import gc
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", ROOT / "build"))


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("fake", "noop", "cuda"), default="fake")
    parser.add_argument("--rounds", type=int, default=201)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--imports", type=int, default=11)
    parser.add_argument("--peers", default="triton")
    parser.add_argument("--upstream", type=pathlib.Path)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


# -- what is called


def make_scripts(blocks=1):
    """The scripts: `first` of three tensors and two integers, `many` of nineteen arguments; both are autotuned."""
    import tilus
    from tilus import float32, int32

    @tilus.autotune("block", [32, 64])
    class First(tilus.Script):
        def __init__(self, block: int):
            super().__init__()
            self.block = block

        def __call__(self, m: int32, n: int32, a_ptr: ~float32, b_ptr: ~float32, c_ptr: ~float32):
            self.attrs.warps = 1
            self.attrs.blocks = blocks
            self.global_view(a_ptr, dtype=float32, shape=[m, n])

    @tilus.autotune("block", [32, 64])
    class Many(tilus.Script):
        def __init__(self, block: int):
            super().__init__()
            self.block = block

        def __call__(
            self, i0: int32, i1: int32, i2: int32, i3: int32, i4: int32, i5: int32, i6: int32, i7: int32, i8: int32,
            k0: int, k1: int, k2: int, k3: bool, k4: float,
            t0: ~float32, t1: ~float32, t2: ~float32, t3: ~float32, t4: ~float32,
        ):  # fmt: skip
            self.attrs.warps = 1
            self.attrs.blocks = blocks
            self.global_view(t0, dtype=float32, shape=[i0, i1])

    return First(), Many()


def quieten(options):
    """Makes launches of the fake driver cost next to nothing."""
    if options.device != "cuda":
        import ctypes

        ctypes.CDLL(os.environ["TILUS_CUDA_DRIVER"]).fakeCudaRecord(False)


def make_tensors(device):
    if device != "fake":
        import torch

        return [torch.zeros(1024, device="cuda") for _ in range(5)]
    sys.path.insert(0, str(BUILD / "python-tests"))
    import fake_tensors

    return [fake_tensors.Tensor(allocate(4096), (1024,)) for _ in range(5)]


def allocate(size):
    """Memory of the fake driver's first device."""
    import ctypes

    driver = ctypes.CDLL(os.environ["TILUS_CUDA_DRIVER"])
    context, address = ctypes.c_void_p(), ctypes.c_uint64()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)
    driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size))
    return address.value


def make_empty(count):
    names = ", ".join(f"a{index}" for index in range(count))
    scope = {}
    exec(f"def empty({names}):\n    pass", scope)
    return scope["empty"]


# -- timing


def make_loop(function, argument_lists):
    """A function that calls the function `count` times, with the lists of arguments in turn."""
    scope = {"f": function, "clock": time.perf_counter_ns}
    lines = []
    for number, arguments in enumerate(argument_lists):
        for index, value in enumerate(arguments):
            scope[f"a{number}_{index}"] = value
        lines.append(f"f({', '.join(f'a{number}_{index}' for index in range(len(arguments)))})")
    names = [name for name in scope if name != "clock"]
    parameters = ", ".join(f"{name}={name}" for name in names)
    body = "\n        ".join(lines)
    exec(
        f"def loop(count, clock=clock, {parameters}):\n"
        f"    begin = clock()\n    for _ in range(count):\n        {body}\n    return clock() - begin",
        scope,
    )
    return scope["loop"], len(lines)


def compete(contestants, rounds, calls, settle):
    """The median of nanoseconds a call of each: contestants are (name, function, lists of arguments)."""
    loops = {name: make_loop(function, arguments) for name, function, arguments in contestants}
    times = {name: [] for name in loops}
    gc.disable()
    for round_number in range(rounds + 3):
        for name, (loop, per_pass) in loops.items():
            taken = loop(max(calls // per_pass, 1)) / (max(calls // per_pass, 1) * per_pass)
            settle()
            if round_number >= 3:
                times[name].append(taken)
    gc.enable()
    return {name: statistics.median(values) for name, values in times.items()}


# -- rows


class ScopedCall:
    """Calls under one target and then under another, as a program that serves two kinds of GPU does."""

    def __init__(self, script, targets):
        import tilus

        self.scopes = [tilus.target.scope(target) for target in targets]
        self.script = script

    def pair(self, *arguments):
        first, second = self.scopes
        with first:
            self.script(*arguments)
        with second:
            self.script(*arguments)

    def alone(self, *arguments):
        first, second = self.scopes
        with first:
            self.script(*arguments)
        with first:
            self.script(*arguments)


def make_arguments(tensors):
    """The arguments of the rows: L3's, others for L5, L4's, and others."""
    return (
        (4096, 1023, *tensors[:3]),
        (4096, 4095, tensors[1], tensors[2], tensors[0]),
        (*range(100, 109), 1, 2, 3, True, 0.5, *tensors),
        (*range(100, 108), 9000, 1, 2, 3, True, 0.5, *reversed(tensors)),
    )


def measure_calls(options):
    first, many = make_scripts()
    tensors = make_tensors(options.device)
    settle = make_settle(options)
    same, other, nineteen, nineteen_other = make_arguments(tensors)
    rows = {}

    def row(name, contestants):
        result = compete(contestants, options.rounds, options.calls, settle)
        rows[name] = {who: {"ns": ns, "over_empty": ns - result["empty"]} for who, ns in result.items()}

    for arguments in (same, other):
        first(*arguments)
    for arguments in (nineteen, nineteen_other):
        many(*arguments)
    quieten(options)
    peers = load_peers(options)
    for name, lists in (("L3 same arguments", [same]), ("L5 alternating arguments", [same, other])):
        row(name, [("empty", make_empty(5), lists), ("tilus", first, lists), *peers(lists)])
    for name, lists in (("L4 nineteen arguments", [nineteen]), ("L4 alternating", [nineteen, nineteen_other])):
        row(name, [("empty", make_empty(19), lists), ("tilus", many, lists)])
    targets = target_pair()
    scoped = ScopedCall(first, targets)
    scoped.pair(*same)
    contestants = [("alternating targets", scoped.pair, [same]), ("one target", scoped.alone, [same])]
    row("L5 two scopes (a pair of calls)", [("empty", make_empty(5), [same]), *contestants])
    row("after a scope was entered", [("empty", make_empty(5), [same]), ("tilus", first, [same])])
    import tilus

    with tilus.target.scope(targets[0]):
        first(*same)
        row("under a scope", [("empty", make_empty(5), [same]), ("tilus", first, [same])])
    return rows


def target_pair():
    import tilus

    target = tilus.target.default_target()
    return target.chip, target.chip.rstrip("af")


def make_settle(options):
    if options.device != "cuda":
        return lambda: None
    import torch

    return torch.cuda.synchronize


# -- peers


def load_peers(options):
    """A function from lists of arguments to contestants of the peers that are there."""
    makers = {}
    for name, load in (("triton", load_triton),):
        if name not in options.peers.split(","):
            continue
        try:
            if options.device != "cuda":
                raise ImportError("it launches on the real driver alone")
            makers[name] = load()
        except Exception as error:
            print(f"skipped: {name}: {error}", file=sys.stderr)
    return lambda lists: [(name, make(lists), lists) for name, make in makers.items()]


def load_triton():
    import triton

    @triton.jit
    def kernel(m, n, a, b, c):
        pass

    def make(lists):
        def call(m, n, a, b, c):
            kernel[(1,)](m, n, a, b, c)

        for arguments in lists:
            call(*arguments)
        return call

    return make


def measure_upstream(options):
    """The rows of upstream's package, from a process of its own."""
    if options.upstream is None:
        print("skipped: upstream: --upstream does not name the folder of its package", file=sys.stderr)
        return {}
    command = [sys.executable, __file__, "--worker", "--device", "cuda", "--rounds", str(options.rounds)]
    environment = {**os.environ, "PYTHONPATH": str(options.upstream)}
    environment.pop("TILUS_CUDA_DRIVER", None)
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        print(f"skipped: upstream: its process ended with {result.returncode}", file=sys.stderr)
        return {}
    return json.loads(result.stdout.splitlines()[-1])


def run_worker(options):
    """What runs in upstream's process."""
    tensors = make_tensors("cuda")
    same, other, nineteen, _ = make_arguments(tensors)
    rows = {}
    for what, blocks in (("without a launch", 0), ("with a launch", 1)):
        first, many = make_scripts(blocks)
        lists = {"L3 same arguments": (first, [same]), "L5 alternating arguments": (first, [same, other]),
                 "L4 nineteen arguments": (many, [nineteen])}  # fmt: skip
        for row, (script, arguments) in lists.items():
            for one in arguments:
                script(*one)
            contestants = [("empty", make_empty(len(arguments[0])), arguments), ("upstream", script, arguments)]
            result = compete(contestants, options.rounds, options.calls, make_settle(options))
            rows.setdefault(row, {})[f"upstream {what}"] = {
                "ns": result["upstream"], "over_empty": result["upstream"] - result["empty"]
            }  # fmt: skip
    print(json.dumps(rows))


# -- imports


def measure_imports(options):
    """Milliseconds of imports in new processes, over one that imports nothing."""
    rows = {}
    for name in ("", "tilus", "numpy", "triton"):
        if name and importlib.util.find_spec(name) is None:
            print(f"skipped: import {name}: it is not installed", file=sys.stderr)
            continue
        command = [sys.executable, "-c", f"import {name}" if name else ""]
        times = []
        for _ in range(options.imports):
            begin = time.perf_counter()
            subprocess.run(command, check=True)
            times.append(1000 * (time.perf_counter() - begin))
        rows[name or "nothing"] = statistics.median(times)
    return {name: {"ms": ms, "over_nothing": ms - rows["nothing"]} for name, ms in rows.items()}


def main():
    options = read_options()
    if options.worker:
        return run_worker(options)
    if options.device != "cuda":
        os.environ["TILUS_CUDA_DRIVER"] = str(BUILD / "lib/libFakeCuda.so")
        os.environ.setdefault("FAKE_CUDA_DEVICES", "90")
        os.environ["TILUS_MEASURE"] = ""
    report = {"device": options.device, "python": sys.version.split()[0], "calls": measure_calls(options)}
    for name, values in measure_upstream(options).items():
        report["calls"][name].update(values)
    report["I1 import"] = measure_imports(options)
    for name, row in report["calls"].items():
        print(name)
        for who, values in row.items():
            print(f"  {who:24} {values['ns']:8.1f} ns {values['over_empty']:8.1f} over an empty function")
    print("I1 import")
    for name, values in report["I1 import"].items():
        print(f"  {name:24} {values['ms']:8.1f} ms {values['over_nothing']:8.1f} over an empty program")
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
