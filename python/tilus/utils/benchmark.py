# Timing of functions that launch kernels.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Median times of functions, on the GPU's clock where there is one."""

from __future__ import annotations

import statistics
import time
from typing import Any, Callable

# At least this much is written to empty the second-level cache.
_MIN_FLUSH_BYTES = 128 << 20
# How long the GPU is kept busy for each measured run, so that none waits for the host.
_LEAD_CYCLES = 150_000


def benchmark_func(
    run_func: Callable[[], Any], warmup: int = 1, repeat: int = 5, clear_l2_cache: bool = True
) -> float:
    """The median time of a run in milliseconds.

    With a GPU: by events, after `warmup` runs, with the second-level cache emptied before each; in torch's current stream
    if torch has the GPU, else in the default one. Without a GPU by the host's clock.
    """
    if repeat < 1 or warmup < 0:
        raise ValueError(f"expected at least 1 run and no negative number of others, but got {repeat} and {warmup}")
    torch = _find_cuda_torch()
    if torch is not None:
        return _time_with_torch(torch, run_func, warmup, repeat, clear_l2_cache)
    if _has_gpu():
        return _time_with_driver(run_func, warmup, repeat, clear_l2_cache)
    return _time_on_host(run_func, warmup, repeat)


def _find_cuda_torch() -> Any:
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def _has_gpu() -> bool:
    from tilus._native import runtime

    try:
        return runtime.device_count() > 0
    except RuntimeError:  # there is no driver
        return False


def _time_on_host(run_func: Callable[[], Any], warmup: int, repeat: int) -> float:
    for _ in range(warmup):
        run_func()
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        run_func()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def _flush_bytes(l2_bytes: int) -> int:
    return max(2 * l2_bytes, _MIN_FLUSH_BYTES)


def _time_with_driver(run_func: Callable[[], Any], warmup: int, repeat: int, clear_l2_cache: bool) -> float:
    from tilus._native import runtime
    from tilus.runtime.devices import get_device_properties

    slab = runtime.Buffer(0, _flush_bytes(get_device_properties(0).l2CacheSize))
    timers = [runtime.Timer(0) for _ in range(repeat)]
    for _ in range(warmup):
        run_func()
    runtime.synchronize(0)
    if not clear_l2_cache:
        # Keeps the GPU busy meanwhile, so that no run waits for the host; what this took from the cache is read again.
        for _ in range(repeat):
            slab.fill(0)
        run_func()
    for timer in timers:
        if clear_l2_cache:
            slab.fill(0)
        timer.start()
        run_func()
        timer.stop()
    return float(statistics.median(timer.milliseconds for timer in timers))


def _time_with_torch(torch: Any, run_func: Callable[[], Any], warmup: int, repeat: int, clear_l2_cache: bool) -> float:
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    flush_bytes = _flush_bytes(getattr(properties, "L2_cache_size", 0))
    slab = torch.empty(flush_bytes if clear_l2_cache else 1, dtype=torch.int8, device="cuda")
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeat)]
    for _ in range(warmup):
        run_func()
    torch.cuda.synchronize()
    torch.cuda._sleep(repeat * _LEAD_CYCLES)
    for begin, end in events:
        if clear_l2_cache:
            slab.zero_()
        begin.record()
        run_func()
        end.record()
    torch.cuda.synchronize()
    return float(statistics.median(begin.elapsed_time(end) for begin, end in events))
