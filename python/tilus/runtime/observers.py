# What stands between calls and launches: functions in place of launches, and options that change.
#
# Calls on the fast path look at two numbers of the native module; this module sets them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stubs of launches, and news of options."""

from __future__ import annotations

import sys
import threading
from typing import Callable, Optional

from tilus import option

_stubs: list = []
_lock = threading.Lock()


def _update() -> None:
    native = sys.modules.get("tilus._native")
    if native is not None:
        native.runtime.observe_calls(bool(_stubs) or option.get_option("device") == "cpu")
        native.runtime.note_options(option.generation)


def note_options() -> None:
    """An option has changed, or the native module was loaded."""
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
