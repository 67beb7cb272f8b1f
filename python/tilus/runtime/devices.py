# Properties of GPUs, under the names of CUDA's own structure.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a GPU is: its name, its capability, its units and memories."""

from __future__ import annotations

import functools
from types import SimpleNamespace

# CUDA's names, and the numbers of the driver's attributes (CUdevice_attribute).
_ATTRIBUTES = {
    "maxThreadsPerBlock": 1,
    "sharedMemPerBlock": 8,
    "totalConstMem": 9,
    "warpSize": 10,
    "regsPerBlock": 12,
    "multiProcessorCount": 16,
    "memoryBusWidth": 37,
    "l2CacheSize": 38,
    "maxThreadsPerMultiProcessor": 39,
    "sharedMemPerMultiprocessor": 81,
    "regsPerMultiprocessor": 82,
    "sharedMemPerBlockOptin": 97,
    "maxBlocksPerMultiProcessor": 106,
    "reservedSharedMemPerBlock": 111,
}


@functools.cache
def get_device_properties(device_id: int = 0) -> SimpleNamespace:
    """The properties of a GPU, asked of the driver. Raises RuntimeError where there is no driver or no such GPU."""
    from tilus._native import runtime

    name, (major, minor), _ = runtime.describe_device(device_id)
    found = {cuda: runtime.device_attribute(device_id, number) for cuda, number in _ATTRIBUTES.items()}
    return SimpleNamespace(name=name, major=major, minor=minor, totalGlobalMem=runtime.device_memory(device_id), **found)
