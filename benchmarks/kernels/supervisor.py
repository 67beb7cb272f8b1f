# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs jobs in a worker process, and in another one after a candidate has hung it or broken its context.

Owns the processes, their time limits and who is left out after a failure. Knows nothing of GPUs.
"""

import dataclasses
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time
from typing import Callable

WORKER = pathlib.Path(__file__).resolve().parent / "worker.py"
START_SECONDS = 120
# A candidate may fail in each workload, but a machine that fails always must not be asked for ever.
MAX_FAILURES = 40
# Failures before any job has begun: the machine's fault, not a candidate's.
MAX_FAILED_STARTS = 2


@dataclasses.dataclass
class Job:
    """A workload to be timed with some peers; `excluded` are the candidates that failed before, with the reasons."""

    workload: str
    peers: list
    excluded: dict = dataclasses.field(default_factory=dict)
    # Not begun when less time than this is left.
    needs_seconds: float = 0


class EventReader:
    """Events from a process's end of a pipe, with a time limit for each."""

    def __init__(self, descriptor, process):
        self.descriptor, self.process, self.buffer = descriptor, process, b""

    def read(self, seconds):
        """The next event; None at the end, and TimeoutError if none comes in time. The process's own end counts too:
        what it has forked may hold the pipe open."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            has_ended = self.process.poll() is not None
            left = max(deadline - time.monotonic(), 0)
            ready, _, _ = select.select([self.descriptor], [], [], 0 if has_ended else min(left, 1))
            if not ready and has_ended:
                return None
            if not ready and left == 0:
                raise TimeoutError
            if not ready:
                continue
            chunk = os.read(self.descriptor, 1 << 16)
            if not chunk:
                return None
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)


class Supervisor:
    """Runs jobs in order. `plan` holds what the worker gets beside the jobs; `on_event(event)` gets each event of the
    worker, and {event: failure, workload, candidate, reason} for each failure; `deadline` is a time.monotonic()."""

    def __init__(self, plan, folder, on_event: Callable, deadline, worker=WORKER):
        self.plan, self.folder, self.on_event, self.deadline, self.worker = plan, folder, on_event, deadline, worker
        self.failures, self.failed_starts = 0, 0

    def left(self):
        return self.deadline - time.monotonic()

    def run(self, jobs):
        """Runs the jobs; returns those that were not done, for lack of time or after too many failures."""
        todo = list(jobs)
        while todo and self.failures < MAX_FAILURES and self.failed_starts < MAX_FAILED_STARTS:
            # Those that do not fit are left out, not in the way of shorter ones behind them.
            fitting = [job for job in todo if job.needs_seconds < self.left()]
            if not fitting:
                break
            done = self.run_worker(fitting)
            todo = [job for job in todo if not any(job is other for other in done)]
        return todo

    def run_worker(self, jobs):
        """Runs jobs in one process until it ends; the jobs that are done."""
        plan = pathlib.Path(self.folder) / "plan.json"
        plan.write_text(json.dumps({**self.plan, "jobs": [
            {"workload": job.workload, "peers": job.peers, "excluded": list(job.excluded)} for job in jobs]}))
        reading, writing = os.pipe()
        process = subprocess.Popen([sys.executable, str(self.worker), str(plan), str(writing)], pass_fds=[writing],
                                   start_new_session=True)
        os.close(writing)
        try:
            return self.follow(process, EventReader(reading, process), jobs)
        finally:
            os.close(reading)
            self.end(process)

    def end(self, process):
        """Ends the process and what it has started."""
        if process.poll() is None:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()

    def follow(self, process, reader, jobs):
        done, current, patience = [], None, START_SECONDS
        while True:
            if len(done) < len(jobs) and current is None and jobs[len(done)].needs_seconds >= self.left():
                return done
            try:
                event = reader.read(max(min(patience, self.left()), 0))
            except TimeoutError:
                self.blame(current, jobs, done, f"did not end within {patience:.0f} s"
                           if self.left() > 0 else "the time for the whole run was over")
                return done
            if event is None:
                process.wait()
                if len(done) < len(jobs):
                    self.blame(current, jobs, done, f"ended the process, with status {process.returncode}")
                return done
            if event["event"] == "begin":
                current, patience = event, event["patience"]
            elif event["event"] == "result":
                event["excluded"] = jobs[len(done)].excluded
                done.append(jobs[len(done)])
                current, patience = None, START_SECONDS
            elif event["event"] == "limits":
                self.plan["limits"], current = False, None
            self.on_event(event)

    def blame(self, current, jobs, done, reason):
        """Takes the candidate at fault out of its job. A job that fails by itself is given up."""
        if self.left() <= 0:
            return
        if current is None:
            self.failed_starts += 1
            self.on_event({"event": "failure", "workload": "", "candidate": "worker", "reason": reason})
            return
        self.failures += 1
        self.on_event({"event": "failure", "workload": current["workload"], "candidate": current["candidate"],
                       "reason": reason})
        if current["workload"] == "limits":
            self.plan["limits"] = False
            return
        job = jobs[len(done)]
        if current["candidate"] in ("buffers", "timed rounds") or current["candidate"] in job.excluded:
            done.append(job)
        else:
            job.excluded[current["candidate"]] = reason
