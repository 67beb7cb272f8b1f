# Options of the package: where kernels are kept, how they are compiled, tuned and run.
#
# Owns the values and what they are by default. A change takes effect at the next call, in all threads.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options, one function each: `tilus.option.cache_dir(path)`. `get_option(name)` reads one, as set or by default."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Union


@dataclass(frozen=True)
class _Row:
    """What an option is by default, the variable that changes that, and whether kernels depend on it."""

    default: Callable[[], Any]
    variable: Optional[str] = None
    read: Callable[[str], Any] = str
    changes_code: bool = False


def _read_switch(text: str) -> bool:
    return text.strip().lower() not in ("", "0", "false", "off", "no")


def _read_device(text: str) -> str:
    if text not in ("", "cpu", "cuda"):
        raise ValueError(f"expected 'cpu' or 'cuda' in TILUS_DEVICE, but got {text!r}")
    return text


def _default_cache_dir() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return str(Path(base) / "tilus")


_ROWS = {
    "cache_dir": _Row(_default_cache_dir, "TILUS_CACHE_DIR"),
    "parallel_workers": _Row(lambda: os.cpu_count() or 1),
    "bench_warmup": _Row(lambda: 5),
    "bench_repeat": _Row(lambda: 50),
    "fast_math": _Row(lambda: False, changes_code=True),
    "line_info": _Row(lambda: False, changes_code=True),
    "device": _Row(lambda: "", "TILUS_DEVICE", _read_device),
    "dump_dir": _Row(lambda: "", "TILUS_DUMP"),
    "debug.dump_ir": _Row(lambda: False, "TILUS_DUMP_IR", _read_switch),
    "debug.disable_ptxas_opt": _Row(lambda: False, "TILUS_DISABLE_PTXAS_OPT", _read_switch, changes_code=True),
}
_values: dict = {}
_lock = threading.Lock()
# Counts changes; what was derived from options is looked at anew when it grows.
generation = 0


def _unknown(name: Any) -> KeyError:
    return KeyError(f"expected the name of an option ({', '.join(_ROWS)}), but got {name!r}")


def get_option(name: str) -> Any:
    """The value of an option, such as 'cache_dir' or 'debug.dump_ir'."""
    row = _ROWS.get(name)
    if row is None:
        raise _unknown(name)
    value = _values.get(name)
    if value is not None:
        return value
    text = os.environ.get(row.variable) if row.variable else None
    return row.read(text) if text else row.default()


def _change(values: Mapping[str, Any]) -> None:
    """Takes values of options; None stands for what the environment says."""
    global generation
    with _lock:
        _values.update(values)
        generation += 1
    from tilus.runtime import observers

    observers.note_options()


def _set(name: str, value: Any) -> None:
    _change({name: value})


def reset(name: Optional[str] = None) -> None:
    """Makes an option, or all, what the environment says."""
    if name is not None and name not in _ROWS:
        raise _unknown(name)
    _change(dict.fromkeys([name] if name else _ROWS))


def code_options() -> dict:
    """The values of the options that kernels depend on."""
    return {name: get_option(name) for name, row in _ROWS.items() if row.changes_code}


# Launches and workers are counted in 32 bits.
_MOST = 2**31 - 1


def _check_count(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST:
        raise ValueError(f"expected an integer from 1 to {_MOST} as {what}, but got {value!r}")
    return value


def _check_switch(value: bool) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected True or False, but got {value!r}")
    return value


def _check_path(value: Union[str, Path]) -> str:
    """The folder as an absolute path; '' as it is."""
    if not isinstance(value, (str, Path)):
        raise TypeError(f"expected a path as text or a pathlib.Path, but got {value!r}")
    return str(Path(value).expanduser().absolute()) if str(value) else ""


def cache_dir(dir_path: Union[str, Path]) -> None:
    """The folder where compiled kernels and tuned choices are kept."""
    path = _check_path(dir_path)
    if not path:
        raise ValueError("expected a folder for the cache, but got ''; the variable TILUS_CACHE=off does without one")
    _set("cache_dir", path)


def parallel_workers(n: int) -> None:
    """How many schedules are compiled at a time; by default as many as there are processors."""
    _set("parallel_workers", _check_count(n, "the number of workers"))


def bench_warmup(n: int) -> None:
    """Launches of a schedule before it is timed."""
    _set("bench_warmup", _check_count(n, "the number of launches"))


def bench_repeat(n: int) -> None:
    """The most launches of a schedule that are timed; the median counts. Long and slower ones are timed less."""
    _set("bench_repeat", _check_count(n, "the number of launches"))


def fast_math(enable: bool = True) -> None:
    """Approximate division, square root and functions in f32 and f16, and subnormals flushed to zero."""
    _set("fast_math", _check_switch(enable))


def line_info(enable: bool = True) -> None:
    """Line tables in the binaries, for profilers and debuggers."""
    _set("line_info", _check_switch(enable))


def device(name: Optional[str] = None) -> str:
    """Where scripts run: 'cpu' for the CPU reference, 'cuda' for GPUs alone, '' for where the arrays are.

    Without a name, tells the value.
    """
    if name is not None:
        if name not in ("", "cpu", "cuda"):
            raise ValueError(f"expected 'cpu', 'cuda' or '' as a device, but got {name!r}")
        _set("device", name)
    return get_option("device")


def dump_dir(path: Union[str, Path]) -> None:
    """The folder to which every stage of a compilation is written; '' for none."""
    _set("dump_dir", _check_path(path))


class debug:
    """Options for finding faults."""

    @staticmethod
    def dump_ir(enable: bool = True) -> None:
        """Writes every stage of a compilation below the script's folder in the cache, unless a folder is named."""
        _set("debug.dump_ir", _check_switch(enable))

    @staticmethod
    def disable_ptxas_opt(enabled: bool = True) -> None:
        """Compiles without optimisation."""
        _set("debug.disable_ptxas_opt", _check_switch(enabled))
