# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks and the clock of the kernel benchmarks, with torch on the CPU and a stand-in for its CUDA part."""

import pathlib
import sys
import time
import types

import pytest

torch = pytest.importorskip("torch")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "kernels"))

import measurement
import workloads


class Event:
    def __init__(self, enable_timing=False):
        self.time = None

    def record(self):
        self.time = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return (end.time - self.time) * 1e3


class FakeTorch:
    """torch, whose graphs hold what is launched through `launch` during their capture."""

    def __init__(self):
        self.capturing = None
        self.cuda = types.SimpleNamespace(
            Event=Event, CUDAGraph=FakeGraph, graph=self.capture, synchronize=lambda: None,
            get_device_properties=lambda device: types.SimpleNamespace(L2_cache_size=1 << 14))

    def __getattr__(self, name):
        return getattr(torch, name)

    def launch(self, action):
        if self.capturing:
            self.capturing.actions.append(action)
        else:
            action()

    def capture(self, graph):
        fake = self

        class Capture:
            def __enter__(self):
                fake.capturing = graph

            def __exit__(self, *error):
                fake.capturing = None

        return Capture()


class FakeGraph:
    def __init__(self):
        self.actions = []

    def replay(self):
        for action in self.actions:
            action()


def softmax(tensors):
    torch.softmax(tensors["x"], dim=1, out=tensors["y"])


def run(make_launch):
    """The record of one candidate; `make_launch(fake)` gives its launch."""
    fake = FakeTorch()
    clock = measurement.GpuClock(fake)
    suite = next(suite for suite in workloads.SUITES if suite.name == "softmax")
    buffers = measurement.BufferSets(fake, workloads.Workload(suite, {"rows": 32, "columns": 16}), "cpu",
                                     clock.l2_bytes)
    timing = measurement.Timing(clock, buffers, lambda candidate, patience: None)
    timing.add(measurement.Candidate("candidate", "peer", make_launch(fake)))
    return timing.run(rounds=3)[0]


def test_sets_exceed_twice_the_cache():
    suite = next(suite for suite in workloads.SUITES if suite.name == "softmax")
    workload = workloads.Workload(suite, {"rows": 32, "columns": 16})
    assert len(measurement.BufferSets(torch, workload, "cpu", 1 << 14).sets) * workload.bytes > 2 << 14


def test_launches_are_captured_and_replayed():
    record = run(lambda fake: lambda tensors: fake.launch(lambda: softmax(tensors)))
    assert (record["status"], record["timing"], record["rounds"]) == ("ok", "graph", 3)
    assert 0 < record["error"] < 1e-3


def test_what_is_not_in_the_graph_is_timed_directly():
    def on_another_stream(fake):
        return lambda tensors: None if fake.capturing else softmax(tensors)

    def refusing_capture(fake):
        def launch(tensors):
            if fake.capturing:
                raise RuntimeError("operation not permitted when stream is capturing")
            softmax(tensors)

        return launch

    for make_launch in (on_another_stream, refusing_capture):
        record = run(make_launch)
        assert (record["status"], record["timing"]) == ("ok", "stream")


def wrong_element(tensors):
    softmax(tensors)
    tensors["y"][3, 5] += 0.1


def unwritten_row(tensors):
    tensors["y"][:-1] = torch.softmax(tensors["x"], dim=1)[:-1]


@pytest.mark.parametrize("launch", [wrong_element, unwritten_row])
def test_wrong_results_are_not_timed(launch):
    record = run(lambda fake: launch)
    assert record["status"] == "wrong" and "time_us" not in record


def test_remembered_results_are_found_out():
    known = {}

    def remembering(fake):
        return lambda tensors: tensors["y"].copy_(
            known.setdefault(id(tensors), torch.softmax(tensors["x"], dim=1)))

    assert "on new inputs" in run(remembering)["reason"]


def test_an_exception_is_a_line_of_the_report():
    def raising(tensors):
        raise ValueError("no")

    assert run(lambda fake: raising)["reason"] == "ValueError: no"
