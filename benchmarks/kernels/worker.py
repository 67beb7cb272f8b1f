# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process that uses the GPU: times the jobs it is given and reports each as it is done.

Owns the context, the peers and the order of things within a job. A kernel that hangs or breaks the context ends this
process, not the benchmark: run.py, which started it, knows from the last event whose fault it was, and goes on with
another process. Reads its plan as JSON from the file named by the first argument; writes events, a JSON object a line,
to the file descriptor given by the second.

Plan: {device, upstream, rounds, records, jobs: [{workload, peers, excluded}]}.
Events: {event: environment | begin | result | limits | peer}.
"""

import dataclasses
import json
import os
import pathlib
import platform
import sys
from typing import Any, Optional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import measurement
import ours
import peers
import tilus_cubins
import workloads

COPY_BYTES = 4 << 30
PRODUCT_SIZE = 8192


@dataclasses.dataclass
class Context:
    """What the peers get."""

    torch: Any
    device: str
    upstream: Optional[str]


class Worker:
    """One run of a plan."""

    def __init__(self, plan, events):
        import torch

        self.plan, self.events = plan, events
        self.context = Context(torch, plan["device"], plan.get("upstream"))
        self.torch = torch
        self.clock = measurement.GpuClock(torch) if plan["device"] == "cuda" else measurement.HostClock(torch)
        self.records = [tilus_cubins.CompiledKernel(**record) for record in plan["records"]]
        self.driver = None
        if plan["device"] == "cuda":
            torch.zeros(1, device="cuda")  # Makes the context.
            self.driver = ours.cuda_driver.Driver()
        self.peers = {}

    def emit(self, event, **fields):
        self.events.write(json.dumps({"event": event, **fields}) + "\n")
        self.events.flush()

    def environment(self):
        torch = self.torch
        found = {"python": platform.python_version(), "torch": torch.__version__, "host": platform.platform(),
                 "cpus": len(os.sched_getaffinity(0)), "l2_bytes": self.clock.l2_bytes, "device": "CPU"}
        if self.plan["device"] == "cuda":
            properties = torch.cuda.get_device_properties(0)
            found.update(device=properties.name, multiprocessors=properties.multi_processor_count,
                         memory_bytes=properties.total_memory, cuda=torch.version.cuda,
                         driver_cuda=self.driver.version(),
                         capability=".".join(map(str, torch.cuda.get_device_capability(0))))
        return found

    def measure_limits(self):
        """The rates that nothing can exceed: a large copy, and a large product through cuBLAS."""
        torch, is_gpu = self.torch, self.plan["device"] == "cuda"
        count, size = (COPY_BYTES, PRODUCT_SIZE) if is_gpu else (COPY_BYTES >> 6, 512)
        source = torch.randint(256, (count // 2,), dtype=torch.uint8, device=self.context.device)
        target = torch.empty_like(source)
        a, b = (torch.randn(size, size, dtype=torch.float16, device=self.context.device) for _ in range(2))
        c = torch.empty_like(a)
        rounds = [self.clock.time_round([lambda: target.copy_(source), lambda: torch.matmul(a, b, out=c)])
                  for _ in range(12)][2:]
        copy, product = (sorted(times)[len(times) // 2] for times in zip(*rounds))
        return {"copy_bytes_per_s": count / copy, "product_flops_per_s": 2 * size**3 / product,
                "copy_bytes": count, "product": f"f16 {size}^3"}

    def load_peer(self, name):
        """The peer's module; None if it cannot be used, which is reported once."""
        if name not in self.peers:
            try:
                module, version = peers.load(name, self.context)
                self.emit("peer", name=name, version=version)
                self.peers[name] = module
            except peers.Missing as missing:
                self.emit("peer", name=name, skipped=str(missing))
                self.peers[name] = None
        return self.peers[name]

    def candidates(self, workload, job):
        found = []
        if self.driver:
            found += ours.candidates(self.torch, self.driver, workload, self.records)
        for name in job["peers"]:
            module = self.load_peer(name)
            found += module.candidates(self.context, workload) if module else []
        return [candidate for candidate in found if candidate.name not in job["excluded"]]

    def run_job(self, job):
        workload = workloads.find_workloads([job["workload"]])[0]
        self.emit("begin", workload=workload.name, candidate="buffers", patience=60)
        buffers = measurement.BufferSets(self.torch, workload, self.context.device, self.clock.l2_bytes)

        def observe(candidate, patience):
            self.emit("begin", workload=workload.name, candidate=candidate, patience=patience)

        timing = measurement.Timing(self.clock, buffers, observe)
        for candidate in self.candidates(workload, job):
            timing.add(candidate)
        records = timing.run(self.plan["rounds"])
        self.emit("result", workload=workload.name, sets=len(buffers.sets), candidates=records)
        del buffers, timing
        if self.plan["device"] == "cuda":
            self.torch.cuda.empty_cache()

    def run(self):
        self.emit("environment", **self.environment())
        if self.plan["limits"]:
            self.emit("begin", workload="limits", candidate="torch", patience=60)
            self.emit("limits", **self.measure_limits())
        for job in self.plan["jobs"]:
            self.run_job(job)


def main():
    plan = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    with os.fdopen(int(sys.argv[2]), "w", encoding="utf-8") as events:
        Worker(plan, events).run()


if __name__ == "__main__":
    main()
