# The same function on many jobs, in processes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions applied to many jobs in parallel processes."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence

_function: Optional[Callable] = None


def _call(job: Any) -> Any:
    assert _function is not None, "the function is set before the processes fork"
    return _function(job)


def parallel_imap(func: Callable, jobs: Sequence[Any], num_workers: Optional[int] = None) -> Iterator[Any]:
    """The results of the jobs in their order, as they come. The function may be any, as the processes are forks."""
    global _function
    workers = min(len(jobs), num_workers or os.cpu_count() or 1)
    if workers <= 1:
        yield from map(func, jobs)
        return
    if _function is not None:
        raise RuntimeError("expected one parallel_imap at a time, but got one inside another")
    _function = func
    try:
        # multiprocessing.Pool waits for ever for a worker that died, or that it ends while it holds a lock.
        with concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
            yield from pool.map(_call, jobs)
    finally:
        _function = None


def parallel_map(func: Callable, jobs: Iterable[Any], num_workers: Optional[int] = None) -> list:
    """The results of the jobs in their order."""
    return list(parallel_imap(func, list(jobs), num_workers))
