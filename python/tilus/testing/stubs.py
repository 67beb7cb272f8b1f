# Functions in place of launches.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stubs of launches."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

from tilus.runtime import observers


@contextlib.contextmanager
def stub_launch(function: Callable[[Any, Any, tuple], Any]) -> Iterator[None]:
    """Calls `function(target, kernel, args)` in place of each launch, in all threads, until the block ends.

    `kernel` is the compiled kernel that would be launched, and `args` are the call's arguments. Nothing needs a GPU: under
    a scope the call compiles for its target, elsewhere for the GPU's. Of schedules between which nobody has chosen, the
    first is taken.
    """
    observers.push_stub(function)
    try:
        yield
    finally:
        observers.pop_stub(function)
