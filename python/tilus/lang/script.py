# The class that scripts derive from.
#
# Owns how `K(args)` becomes an instantiated script, of which there is one for the same arguments.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilus.Script`."""

from __future__ import annotations

import threading
import weakref
from typing import Any, Optional

from tilus.lang.attributes import Attributes
from tilus.lang.classes import Members

_instances: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_lock = threading.Lock()


class Script(Members):
    """Base of kernels: a class whose `__call__` is compiled for the GPU.

    `__init__` is plain Python and takes what is chosen before compilation, by the caller or by `tilus.autotune`; it calls
    `super().__init__()`. `K(…)` gives an instantiated script, whose calls launch kernels. Kernels are of the module whose
    file defines them.

    debug_block: a block (x, y, z) whose values are printed.
    debug_schedule: the arguments of the one schedule to use, in place of those that are declared.
    """

    debug_block: Optional[tuple] = None
    debug_schedule: Optional[dict] = None
    attrs: Attributes

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        from tilus.lang.instantiated_script import InstantiatedScript

        key = _make_key(cls, args, kwargs)
        with _lock:
            found = _instances.setdefault(cls, {}).get(key)
        if found is None:
            # Without the lock, as the `__init__` of schedules may make other scripts. Of two threads the first counts.
            made = InstantiatedScript(cls, args, kwargs)
            with _lock:
                found = _instances[cls].setdefault(key, made)
        return found

    def __init__(self) -> None:
        object.__setattr__(self, "attrs", Attributes())


def make_script(cls: type, schedule: dict) -> Script:
    """The object of one schedule, which is transpiled."""
    script = object.__new__(cls)
    cls.__init__(script, **schedule)
    if "attrs" not in script.__dict__:
        raise TypeError(f"expected {cls.__name__}.__init__ to call super().__init__(), but it did not")
    return script


def _make_key(cls: type, args: tuple, kwargs: dict) -> Any:
    """A key in which values of different types differ; raises TypeError for arguments that have none."""
    parts = []
    for name, value in [*enumerate(args), *sorted(kwargs.items())]:
        try:
            part = freeze(value)
            hash(part)
        except TypeError:
            what = f"'{name}'" if isinstance(name, str) else f"number {name + 1}"
            raise TypeError(
                f"expected arguments of {cls.__name__} that are hashable (numbers, texts, tuples, lists, dicts), but got "
                f"argument {what} of type {type(value).__name__}"
            ) from None
        parts.append((name, part))
    return tuple(parts), freeze(cls.debug_schedule), freeze(cls.debug_block)


def freeze(value: Any) -> Any:
    """A hashable stand-in of a value; different for values of different types."""
    if isinstance(value, (list, tuple)):
        return tuple, tuple(map(freeze, value))
    if isinstance(value, dict):
        return dict, tuple((freeze(key), freeze(item)) for key, item in value.items())
    if isinstance(value, (set, frozenset)):
        return frozenset, frozenset(map(freeze, value))
    if isinstance(value, float):
        return float, value.hex()
    return type(value), value
