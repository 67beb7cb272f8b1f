# Instantiated scripts: callables that compile, choose and launch.
#
# Owns the schedules of a script with its arguments, the parameters of its calls, and which way a call takes that is not an
# ordinary launch. The launch itself is the native dispatcher's, compiling is runtime/compilation.py's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts with their arguments: what `K(…)` gives."""

from __future__ import annotations

import threading
from typing import Any, Mapping, Optional, Sequence

from tilus import option
from tilus._native import runtime
from tilus.lang.autotune import describe_schedules, generate_schedules, span_space
from tilus.lang.errors import shows_script_only
from tilus.lang.parameters import MISSING, Parameter, read_parameters
from tilus.lang.script import make_script
from tilus.runtime import compilation, observers, records
from tilus.runtime.arguments import CONSTANT, POINTER, stream_handle
from tilus.runtime.instance import JitInstance
from tilus.runtime.tuning import collect_tuning_metadata, make_tuner, tilus_version, tuning_metadata_matches
from tilus.target import Target, current_device, default_target, find_scoped_target, get_current_target

__all__ = [
    "InstantiatedScript", "JitInstance", "collect_tuning_metadata", "generate_schedules", "span_space",
    "tuning_metadata_matches",
]  # fmt: skip

_tilus_version = tilus_version
# The divisor of integers and addresses between which kernels are specialised.
DIVISORS = 16
_RESERVED = ("stream", "device", "check_hazards")


class Schedule:
    """One way to make a script: the arguments of `__init__`, and the object that is transpiled."""

    def __init__(self, index: int, cls: type, arguments: dict, text: str):
        self.index = index
        self.arguments = arguments
        self.text = text
        self.lock = threading.Lock()
        self._script: Any = None
        self._error: Optional[Exception] = None
        try:
            self._script = make_script(cls, arguments)
        except Exception as error:  # a schedule that refuses its arguments is one that fails
            self._error = error

    @property
    def script(self) -> Any:
        """The object; raises what its `__init__` raised."""
        if self._error is not None:
            raise self._error
        return self._script


class InstantiatedScript(runtime.Dispatcher):
    """A script with the arguments of its `__init__`. A call launches the kernel for the current target.

    A call takes the parameters of the script's `__call__`, by position or by name, and where these names are free:

    stream: the CUDA stream, an object of torch or a handle; by default the current one of the tensors' framework.
    device: "cpu" for the CPU reference, or a GPU as "cuda:1"; by default where the tensors are.
    check_hazards: on the CPU reference, whether races and reads of what nobody wrote are reported.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return runtime.Dispatcher.__new__(cls)

    def __init__(self, script_cls: type, args: tuple, kwargs: Mapping[str, Any]):
        self.script_cls = script_cls
        self.script_args = args
        self.script_kwargs = dict(kwargs)
        self.__name__ = script_cls.__name__
        self.parameters: list[Parameter] = read_parameters(script_cls)
        self._names = [parameter.name for parameter in self.parameters]
        self._schedule_lock = threading.Lock()
        self._made_schedules: Optional[list] = None
        self._arguments = generate_schedules(self._space(), script_cls, args, kwargs)
        self._refresh_lock = threading.Lock()
        self._states: dict = {}
        self._state: Any = None
        observers.note_options()
        self._refresh()

    def _space(self) -> Mapping:
        debug = self.script_cls.debug_schedule
        if debug is not None:
            return {name: [value] for name, value in debug.items() if name not in self.script_kwargs}
        return getattr(self.script_cls, "_autotune_space", {})

    # -- what it is

    @property
    def schedules(self) -> list:
        """The arguments of `__init__` of each schedule."""
        return [dict(arguments) for arguments in self._arguments]

    def _get_schedules(self) -> list:
        with self._schedule_lock:
            if self._made_schedules is None:
                rows = enumerate(zip(self._arguments, describe_schedules(self._arguments)))
                self._made_schedules = [Schedule(number, self.script_cls, *row) for number, row in rows]
            return self._made_schedules

    @property
    def jit_instances(self) -> dict:
        """What was compiled: instances by their target and what they are specialised for."""
        state = self._state
        for target in list(state.targets):
            self._table(target)
        return dict(state.instances)

    @property
    def dispatch_tables(self) -> dict:
        """For each target that was used, its table: from the keys of calls to an instance and the number of a schedule."""
        return {target: self._table(target) for target in list(self._state.targets)}

    @property
    def dispatch_table(self) -> dict:
        """The table of the current target."""
        return self._table(get_current_target())

    def _table(self, target: Target) -> dict:
        table = {}
        for jit_key, tuning_key, native, number in self._entries(target.handle):
            table[jit_key, tuning_key] = (native.record.get_instance(native, jit_key), number)
        return table

    def stats(self) -> dict:
        """What calls did, by the name of the target; see the documentation of the dispatcher."""
        return {target.name: self._stats(target.handle) for target in list(self._state.targets)}

    @property
    def tuning_reports(self) -> list:
        """What was measured in this process: dictionaries of target, device, key, outcomes and the best one."""
        return list(self._state.reports)

    def __repr__(self) -> str:
        arguments = [*map(repr, self.script_args), *(f"{k}={v!r}" for k, v in self.script_kwargs.items())]
        return f"{self.__name__}({', '.join(arguments)})"

    # -- options

    def _refresh(self) -> None:
        """Uses the dispatcher of the options as they are; called when they have changed."""
        with self._refresh_lock:
            generation = option.generation  # before the options are read: what changes from here on is read again
            compiler = compilation.compiler_options()
            bench = (option.get_option("bench_warmup"), option.get_option("bench_repeat"))
            # What was compiled without its stages is compiled again where they are asked for.
            dump = (option.get_option("dump_dir"), option.get_option("debug.dump_ir"))
            key = repr((sorted(compiler.items()), bench, dump))
            state = self._states.get(key)
            if state is None:
                state = records.State(self, compiler)
                rows = [parameter.row() for parameter in self.parameters]
                self._set_up(state, self.__name__, rows, DIVISORS, make_tuner(state, *bench) if len(self._arguments) > 1 else None)
                self._states[key] = state
            self._select(state, generation)
            self._state = state

    # -- compiling

    @shows_script_only
    def compile(self, *args: Any, **kwargs: Any) -> JitInstance:
        """The instance of the current target for the arguments, compiled if need be. Needs no GPU under a scope.

        Pointers may be arrays of any device, or None.
        """
        self._refresh()
        arguments = self._bind(args, kwargs)
        target = find_scoped_target() or self._default_target(arguments)
        native = self._compile(arguments, target.handle)
        return native.record.get_instance(native, self._key(arguments)[0])

    def _default_target(self, arguments: tuple) -> Target:
        device, _, _ = self._place(arguments)
        return get_current_target() if device is None else default_target(device)

    def _specialize(self, values: Sequence, divisibility: Sequence) -> tuple:
        """The constants by name, and what integers and addresses are multiples of where kernels may rely on it."""
        constants, divisors = {}, {}
        for parameter, value, divisor in zip(self.parameters, values, divisibility):
            if parameter.kind == CONSTANT:
                constants[parameter.name] = value
            elif parameter.kind == POINTER:
                divisors[parameter.name] = max(divisor, parameter.alignment)
            elif divisor > 1:
                divisors[parameter.name] = divisor
        return constants, divisors

    # -- calls that are no ordinary launches

    def _bind(self, args: tuple, kwargs: Mapping[str, Any]) -> tuple:
        name = self.__name__
        if len(args) > len(self._names):
            raise TypeError(f"expected at most {len(self._names)} arguments of {name}, but got {len(args)}")
        bound = dict(zip(self._names, args))
        for key, value in kwargs.items():
            if key not in self._names:
                raise TypeError(f"expected a parameter of {name} ({', '.join(self._names)}), but got '{key}'")
            if key in bound:
                raise TypeError(f"expected one value for parameter '{key}' of {name}, but got two")
            bound[key] = value
        for parameter in self.parameters:
            if parameter.name not in bound:
                if parameter.default is MISSING:
                    raise TypeError(f"expected a value for parameter '{parameter.name}' of {name}, but got none")
                bound[parameter.name] = parameter.default
        return tuple(bound[name] for name in self._names)

    @shows_script_only
    def _call_by_name(self, *args: Any, **kwargs: Any) -> None:
        extra = {name: kwargs.pop(name) for name in _RESERVED if name in kwargs and name not in self._names}
        arguments = self._bind(args, kwargs)
        device, hazards = extra.get("device"), bool(extra.get("check_hazards"))
        if device == "cpu" or (device is None and hazards):
            return self._run_reference(arguments, hazards)
        if hazards:
            raise ValueError("expected check_hazards on the CPU reference alone, but got it for a GPU; add device='cpu'")
        if device is None and "stream" not in extra:
            return self._call_elsewhere(arguments, self._place(arguments)[1])
        stream = extra.get("stream")
        handle = None if stream is None else stream_handle(stream)
        return self._launch(arguments, _device_number(device), handle)

    @shows_script_only
    def _call_elsewhere(self, arguments: tuple, has_host: bool) -> None:
        stub = observers.current_stub()
        if stub is not None:
            return self._call_stub(stub, arguments)
        device = self._place(arguments)[0]
        chosen = option.device()
        if chosen == "cpu" or (has_host and device is None and chosen != "cuda"):
            return self._run_reference(arguments, False)
        return self._launch(arguments, current_device() if device is None else device, None)

    def _call_stub(self, stub: Any, arguments: tuple) -> None:
        target = find_scoped_target() or self._default_target(arguments)
        native, number, _ = self._find(arguments, target.handle)
        instance = native.record.get_instance(native, self._key(arguments)[0])
        stub(target, instance.artifacts[number], arguments)

    def _run_reference(self, arguments: tuple, hazards: bool) -> None:
        from tilus.runtime import reference

        target = find_scoped_target() or get_current_target_of_reference()
        constants, divisors = self._specialize(arguments, self._place(arguments)[2])
        executable = self._state.get_reference(target, constants, divisors, self._key(arguments)[0])
        kept = [(p, v) for p, v in zip(self.parameters, arguments) if p.kind != CONSTANT]
        reference.run(
            executable, [p.name for p, _ in kept], [v for _, v in kept], [p.kind == POINTER for p, _ in kept], hazards
        )


runtime.finish_class(InstantiatedScript)
observers.attach(runtime)


def get_current_target_of_reference() -> Target:
    """What a script on the CPU reference is told where no scope names a target: the GPU's target if there is one."""
    from tilus.target import REFERENCE_TARGET, parse

    try:
        return get_current_target()
    except RuntimeError:
        return parse(REFERENCE_TARGET)


def _device_number(device: Any) -> Optional[int]:
    """The number of "cuda:1", of torch's device, or of an integer; None for any GPU."""
    if device is None or (isinstance(device, int) and not isinstance(device, bool)):
        return device
    kind, _, number = str(device).partition(":")
    if kind != "cuda" or (number and not number.isdigit()):
        raise ValueError(f"expected 'cpu', 'cuda' or 'cuda:N' as a device, but got {device!r}")
    return int(number) if number else None
