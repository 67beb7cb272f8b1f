"""What the driver tells of GPUs, and the time of runs by its events, where torch is not installed."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

import pytest
from runtime_kernels import VectorAdd
from tilus._native import runtime
from tilus.lang.cuda import cuda
from tilus.utils import benchmark_func


@pytest.fixture(autouse=True)
def no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)


def test_properties_are_the_drivers():
    properties = cuda.runtime.get_device_properties(0)
    assert (properties.name, properties.major, properties.minor) == ("Fake GPU 0", 9, 0)
    assert (properties.multiProcessorCount, properties.l2CacheSize, properties.totalGlobalMem) == (4, 1 << 20, 1 << 30)
    assert (properties.warpSize, properties.sharedMemPerBlock, properties.sharedMemPerBlockOptin) == (32, 49152, 232448)
    assert cuda.runtime.get_device_properties(1).major == 10
    with pytest.raises(RuntimeError, match="expected a device number below 2"):
        cuda.runtime.get_device_properties(2)


def test_an_attribute_that_the_driver_does_not_know():
    with pytest.raises(RuntimeError, match="cuDeviceGetAttribute"):
        runtime.device_attribute(0, 100000)


@pytest.mark.parametrize("clear, runs", [(True, 2 + 5), (False, 2 + 1 + 5)])
def test_runs_are_timed_by_events(driver, monkeypatch, clear, runs):
    made = []
    monkeypatch.setattr(runtime, "Timer", lambda device, make=runtime.Timer: made.append(make(device)) or made[-1])
    script, tensors, before = VectorAdd(32), [driver.tensor() for _ in range(3)], driver.launches()
    milliseconds = benchmark_func(lambda: script(1000, *tensors), warmup=2, repeat=5, clear_l2_cache=clear)
    assert len(driver.launches()) - len(before) == runs
    assert milliseconds == sorted(timer.milliseconds for timer in made)[2] and len(made) == 5
