# Properties of GPUs, under the names of CUDA's own structure.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a GPU is: its name, its capability, its units and memories."""

from __future__ import annotations

import functools
from types import SimpleNamespace

# CUDA's names, and torch's of the same.
_NAMES = {
    "name": "name",
    "major": "major",
    "minor": "minor",
    "totalGlobalMem": "total_memory",
    "multiProcessorCount": "multi_processor_count",
    "l2CacheSize": "L2_cache_size",
    "warpSize": "warp_size",
    "regsPerMultiprocessor": "regs_per_multiprocessor",
    "maxThreadsPerMultiProcessor": "max_threads_per_multi_processor",
    "sharedMemPerBlock": "shared_memory_per_block",
    "sharedMemPerBlockOptin": "shared_memory_per_block_optin",
    "sharedMemPerMultiprocessor": "shared_memory_per_multiprocessor",
}


@functools.cache
def get_device_properties(device_id: int = 0) -> SimpleNamespace:
    """The properties of a GPU, asked of torch, which must be installed."""
    try:
        import torch
    except ImportError:
        raise RuntimeError("expected torch, which tells the properties of GPUs, but it is not installed") from None
    if not torch.cuda.is_available() or device_id >= torch.cuda.device_count():
        raise RuntimeError(f"expected GPU {device_id}, but torch sees {torch.cuda.device_count()} GPUs")
    found = torch.cuda.get_device_properties(device_id)
    return SimpleNamespace(**{cuda: getattr(found, name) for cuda, name in _NAMES.items() if hasattr(found, name)})
