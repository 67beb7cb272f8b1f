# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a candidate is checked and timed.

Owns the sets of buffers, the comparison with the expected results, and the clocks. A candidate is launched on the sets
in turn; together they are larger than twice the L2 cache, so that no launch finds its data there. On a GPU the
launches are captured in a graph, whose replays are timed by events: the time between launches on the host does not
count. Rounds of all candidates are interleaved, so that a change of the clock rate meets all of them.
"""

import dataclasses
import math
import statistics
import time
from typing import Callable, Optional

from workloads import ITEM_BYTES

ROUNDS = 25
# A replay lasts about this long: the launch of a graph and its events, some microseconds, then hardly count.
REPLAY_SECONDS = 2e-3
MAX_LAUNCHES = 256
MAX_SETS = 64
FALLBACK_L2_BYTES = 32 << 20


@dataclasses.dataclass
class Candidate:
    """Something that computes a workload: `launch(tensors)` enqueues it once on the current stream.

    `group` is 'ours', 'peer', or 'limit' for what no implementation can beat. `prepare(sets)` may compile and tune
    on the sets of tensors; it is called once, before the first launch, and may take `patience` seconds. `info` goes into the report.
    """

    name: str
    group: str
    launch: Callable
    prepare: Optional[Callable] = None
    patience: float = 90
    info: dict = dataclasses.field(default_factory=dict)
    # False for what computes something else of the same size, such as a copy.
    is_checked: bool = True


class WrongResult(Exception):
    """A candidate's output is not what is expected."""


def torch_dtype(torch, dtype):
    return {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
            "i32": torch.int32}[dtype]


class BufferSets:
    """Sets of tensors of a workload. Inputs are random, outputs are poisoned with NaN."""

    def __init__(self, torch, workload, device, l2_bytes):
        self.torch, self.workload = torch, workload
        count = math.ceil(2 * l2_bytes / workload.bytes) + 1
        self.sets = [self.allocate(device) for _ in range(min(max(count, 2), MAX_SETS))]
        for index, tensors in enumerate(self.sets):
            self.fill(tensors, seed=index)

    def allocate(self, device):
        return {tensor.name: self.torch.empty(tensor.shape(self.workload.sizes), device=device,
                                              dtype=torch_dtype(self.torch, tensor.dtype))
                for tensor in self.workload.suite.tensors}

    def fill(self, tensors, seed):
        """New random inputs."""
        generator = self.torch.Generator(device=next(iter(tensors.values())).device)
        generator.manual_seed(seed)
        for tensor in self.workload.inputs:
            scale = tensor.scale(self.workload.sizes)
            tensors[tensor.name].normal_(tensor.mean, scale, generator=generator)

    def poison(self, tensors):
        for tensor in self.workload.outputs:
            tensors[tensor.name].fill_(math.nan)

    def check(self, tensors):
        """The error of the outputs relative to their norm. Raises WrongResult beyond the tolerance; NaN never
        passes."""
        suite = self.workload.suite
        expected = suite.expected(self.torch, tensors, suite.scalars)
        worst = 0.0
        for name, value in expected.items():
            worst = max(worst, self.compare(name, tensors[name], value, suite.tolerance))
        return worst

    def compare(self, name, found, value, tolerance):
        # In place where it can be: the largest results take gigabytes in f64.
        error = found.double().sub_(value).abs_()
        norm = value.double().norm().item()
        relative = error.norm().item() / norm if norm else error.norm().item()
        bound = value.double().abs().add_(norm / math.sqrt(value.numel())).mul_(tolerance.element)
        excess = error.sub_(bound).max().item()
        if not relative <= tolerance.norm or not excess <= 0:
            wrong = "" if math.isfinite(relative) else "; some elements are NaN, infinite or were not written"
            raise WrongResult(f"expected '{name}' within {tolerance.norm:g} of the norm and {tolerance.element:g} at "
                              f"each element, but got {relative:.3g} of the norm{wrong}")
        return relative


class GpuClock:
    """Times replays of a graph of launches, or, where a candidate cannot be captured, the launches themselves."""

    def __init__(self, torch):
        self.torch = torch
        self.device = "cuda"
        self.l2_bytes = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0) or FALLBACK_L2_BYTES

    def synchronize(self):
        self.torch.cuda.synchronize()

    def estimate(self, launch, sets):
        """Seconds a launch takes, roughly."""
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for tensors in sets:
            launch(tensors)
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3 / len(sets)

    def prepare(self, launch, sets, is_right):
        """(a function that enqueues the launches, their number, how they are timed). `is_right(enqueue)` says whether
        it did what the launches do."""
        enqueue, count = repeat_launches(launch, sets, self.estimate(launch, sets))
        graph = self.capture(enqueue)
        # What a candidate enqueues on a stream of its own is not in the graph.
        if graph and is_right(graph.replay):
            return graph.replay, count, "graph"
        return enqueue, count, "stream"

    def capture(self, enqueue):
        """The graph of what is enqueued; none if it cannot be captured."""
        torch = self.torch
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                enqueue()
            return graph
        except Exception:  # Any error of a candidate ends the capture.
            torch.cuda.synchronize()
            return None

    def time_round(self, enqueues):
        """The seconds of each, one after the other on the stream."""
        events = []
        for enqueue in enqueues:
            begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            enqueue()
            end.record()
            events.append((begin, end))
        self.torch.cuda.synchronize()
        return [begin.elapsed_time(end) * 1e-3 for begin, end in events]


class HostClock:
    """Times launches on the CPU; for trying the benchmarks out where there is no GPU."""

    device = "cpu"
    l2_bytes = 1 << 20

    def __init__(self, torch):
        self.torch = torch

    def synchronize(self):
        pass

    def prepare(self, launch, sets, is_right):
        begin = time.perf_counter()
        launch(sets[0])
        enqueue, count = repeat_launches(launch, sets, time.perf_counter() - begin)
        return enqueue, count, "host"

    def time_round(self, enqueues):
        times = []
        for enqueue in enqueues:
            begin = time.perf_counter()
            enqueue()
            times.append(time.perf_counter() - begin)
        return times


def repeat_launches(launch, sets, seconds):
    """(a function that launches on the sets in turn for about REPLAY_SECONDS, the number of its launches)."""
    wanted = min(max(REPLAY_SECONDS / max(seconds, 1e-7), 1), MAX_LAUNCHES)
    count = len(sets) * max(round(wanted / len(sets)), 1)

    def enqueue():
        for index in range(count):
            launch(sets[index % len(sets)])

    return enqueue, count


class Timing:
    """Times the candidates of one workload.

    `observe(candidate, patience)` is called before each step that may fail or hang. Results are records for the
    report: {name, group, status, reason, time_us, …}; the status is 'ok', 'wrong' or 'failed'.
    """

    def __init__(self, clock, buffers, observe):
        self.clock, self.buffers, self.observe = clock, buffers, observe
        self.records, self.ready = [], []

    def add(self, candidate):
        """Prepares and checks a candidate. Errors of the driver are raised on, for they break the context."""
        record = {"name": candidate.name, "group": candidate.group, "status": "ok", **candidate.info}
        self.records.append(record)
        self.observe(candidate.name, candidate.patience)
        try:
            begin = time.perf_counter()
            if candidate.prepare:
                candidate.prepare(self.buffers.sets)
            self.clock.synchronize()
            record["prepare_s"] = round(time.perf_counter() - begin, 3)
            if candidate.is_checked:
                record["error"] = self.check_all(candidate.launch)
            else:
                candidate.launch(self.buffers.sets[0])
            enqueue, count, mode = self.clock.prepare(
                candidate.launch, self.buffers.sets, lambda enqueue: self.is_right(candidate, enqueue))
            record.update(launches=count, timing=mode)
            self.ready.append((candidate, record, enqueue, count))
        except WrongResult as error:
            record.update(status="wrong", reason=str(error))
        except Exception as error:  # Whatever a peer raises is a line of the report.
            record.update(status="failed", reason=f"{type(error).__name__}: {error}"[:1000])
            self.clock.synchronize()

    def check_all(self, launch):
        """Launches on each set, whose outputs are poisoned before, and checks them all."""
        for tensors in self.buffers.sets:
            self.buffers.poison(tensors)
            launch(tensors)
        self.clock.synchronize()
        return max(self.buffers.check(tensors) for tensors in self.buffers.sets)

    def is_right(self, candidate, enqueue):
        if not candidate.is_checked:
            return True
        try:
            self.check_all(lambda tensors: enqueue() if tensors is self.buffers.sets[-1] else None)
            return True
        except WrongResult:
            return False

    def run(self, rounds=ROUNDS):
        """Times all that are ready, then checks them once more on new inputs."""
        times = {id(record): [] for _, record, _, _ in self.ready}
        for _, _, enqueue, _ in self.ready:
            enqueue()
        for index in range(rounds):
            # Another order each round: none always follows the same one.
            order = self.ready[index % len(self.ready):] + self.ready[:index % len(self.ready)] if self.ready else []
            self.observe("timed rounds", 60)
            for (_, record, _, count), seconds in zip(order, self.clock.time_round([entry[2] for entry in order])):
                times[id(record)].append(seconds / count * 1e6)
        for index, (candidate, record, enqueue, _) in enumerate(self.ready):
            record.update(summarize(times[id(record)]))
            if candidate.is_checked:
                self.check_again(candidate, record, enqueue, seed=1000 + index)
        return self.records

    def check_again(self, candidate, record, enqueue, seed):
        tensors = self.buffers.sets[0]
        self.observe(candidate.name, 60)
        self.buffers.fill(tensors, seed)
        self.buffers.poison(tensors)
        enqueue()
        self.clock.synchronize()
        try:
            record["error"] = max(record["error"], self.buffers.check(tensors))
        except WrongResult as error:
            record.update(status="wrong", reason=f"after timing, on new inputs: {error}")


def summarize(microseconds):
    quartiles = statistics.quantiles(microseconds, n=4) if len(microseconds) > 1 else [microseconds[0]] * 3
    return {"time_us": statistics.median(microseconds), "best_us": min(microseconds),
            "spread": (quartiles[2] - quartiles[0]) / quartiles[1], "rounds": len(microseconds)}
