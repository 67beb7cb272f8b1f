# What stands between calls and launches: functions in place of launches, and options that change.
#
# Calls on the fast path look at two numbers of the native module; this module sets them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stubs of launches, and news of options."""

from __future__ import annotations

import threading
from typing import Any, Callable, Optional

from tilus import option

_stubs: list = []
_lock = threading.Lock()
# The native module, once scripts can be called. Before that another thread may be at loading it.
_runtime: Any = None


def _update() -> None:
    if _runtime is not None:
        _runtime.observe_calls(bool(_stubs) or option.get_option("device") == "cpu")
        _runtime.note_options(option.generation)


def attach(runtime: Any) -> None:
    """Tells the native module from now on; called once it is loaded."""
    global _runtime
    with _lock:
        _runtime = runtime
        _update()


def note_options() -> None:
    """An option has changed."""
    with _lock:
        _update()


def push_stub(stub: Callable) -> None:
    """Makes a function stand for each launch of the process."""
    with _lock:
        _stubs.append(stub)
        _update()


def pop_stub(stub: Callable) -> None:
    """Ends what push_stub began."""
    with _lock:
        _stubs.remove(stub)
        _update()


def current_stub() -> Optional[Callable]:
    """The function that stands for launches, or None."""
    return _stubs[-1] if _stubs else None
