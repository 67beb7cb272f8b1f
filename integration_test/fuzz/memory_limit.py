# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bound on the memory of a tool, so that a fault in it does not take the machine down."""

import functools
import mmap
import resource
import shutil

# The driver reserves more addresses than that by itself.
MEMORY_BYTES = 6 << 30


def _limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


@functools.cache
def memory_limit(tool):
    """What a child process calls before it becomes the tool; None for AddressSanitizer, which reserves terabytes."""
    with open(shutil.which(tool) or tool, "rb") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return None if content.find(b"__asan_init") >= 0 else _limit
