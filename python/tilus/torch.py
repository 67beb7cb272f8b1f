# Scripts as operators of torch.
#
# Owns the schema of the operator, what it makes and changes, and its fake kernel; the launch is the script's own call.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilus.torch.op`: a script as a custom operator of torch, which torch.compile keeps in one graph."""

from __future__ import annotations

import inspect
import threading
from typing import Any, Callable, Mapping, Optional, Sequence

from tilus.runtime.arguments import FLOAT, INTEGER, POINTER
from tilus.utils.py import to_snake_case

__all__ = ["op"]

_SCALARS = {bool: "bool", int: "SymInt", float: "float", str: "str"}
_made: dict = {}
_lock = threading.Lock()


def op(
    script: Any,
    name: Optional[str] = None,
    *,
    outputs: Optional[Mapping[str, Callable[..., Any]]] = None,
    derive: Optional[Mapping[str, Callable[..., Any]]] = None,
    mutates: Optional[Sequence[str]] = None,
) -> Any:
    """A custom operator that calls the script; a `CustomOpDef` of torch, to which gradients may be registered.

    script: an instantiated script.
    name: the operator's name as "library::name"; by default "tilus::" and the class's name in snake case.
    outputs: pointers that the operator allocates and returns, in this order. Each has a function that makes the tensor
        from inputs that its parameters name, such as `{"y_ptr": lambda x_ptr: torch.empty_like(x_ptr)}`.
    derive: parameters that follow from inputs, such as `{"n": lambda x_ptr: x_ptr.shape[0]}`.
    mutates: pointers among the inputs that the kernel writes to. By default none if there are outputs, else all.

    The other parameters of the script are the inputs, in their order.
    """
    outputs, derive = dict(outputs or {}), dict(derive or {})
    parameters = {parameter.name: parameter for parameter in script.parameters}
    _check_names(parameters, outputs, derive, mutates)
    inputs = [p for p in parameters.values() if p.name not in outputs and p.name not in derive]
    if mutates is None:
        mutates = () if outputs else [p.name for p in inputs if p.kind == POINTER]
    _check_sources(outputs, derive, [p.name for p in inputs])
    name = name or f"tilus::{to_snake_case(script.script_cls.__name__)}"
    key = (script, tuple(outputs.items()), tuple(derive.items()), tuple(mutates))
    with _lock:
        known = _made.get(name)
        if known is None:
            known = _made[name] = (key, _define(name, script, list(parameters), inputs, outputs, derive, mutates))
    if known[0] != key:
        raise ValueError(f"expected another name for an operator of {script!r}, but got '{name}', which another one has")
    return known[1]


def _check_names(parameters: Mapping, outputs: Mapping, derive: Mapping, mutates: Optional[Sequence[str]]) -> None:
    for what, names in (("outputs", outputs), ("derive", derive), ("mutates", mutates or ())):
        for name in names:
            if name not in parameters:
                raise ValueError(f"expected parameters of the script ({', '.join(parameters)}) in {what}, but got '{name}'")
            if what != "derive" and parameters[name].kind != POINTER:
                raise ValueError(f"expected pointers in {what}, but got '{name}'")
    if shared := (outputs.keys() & derive.keys()) or (set(mutates or ()) & (outputs.keys() | derive.keys())):
        raise ValueError(f"expected each parameter in one place, but got '{min(shared)}' in two")


def _check_sources(outputs: Mapping, derive: Mapping, inputs: Sequence[str]) -> None:
    for target, function in {**outputs, **derive}.items():
        for name in inspect.signature(function).parameters:
            if name not in inputs:
                raise ValueError(
                    f"expected inputs of the operator ({', '.join(inputs)}) as parameters of the function of '{target}', "
                    f"but got '{name}'"
                )


def _write_schema(inputs: Sequence[Any], outputs: Mapping, mutates: Sequence[str]) -> str:
    parts = []
    for number, parameter in enumerate(inputs):
        if parameter.kind == POINTER:
            kind = f"Tensor(a{number}!)" if parameter.name in mutates else "Tensor"
        elif parameter.kind in (INTEGER, FLOAT):
            kind = "SymInt" if parameter.kind == INTEGER else "float"
        else:
            kind = _SCALARS[parameter.type]
        default = "" if parameter.default is inspect.Parameter.empty else f"={_spell(parameter.default)}"
        parts.append(f"{kind} {parameter.name}{default}")
    returned = ["Tensor"] * len(outputs)
    return f"({', '.join(parts)}) -> {returned[0] if len(returned) == 1 else '(' + ', '.join(returned) + ')'}"


def _spell(value: Any) -> str:
    """A default value as schemas write it."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def _apply(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    return function(**{name: values[name] for name in inspect.signature(function).parameters})


def _define(
    name: str, script: Any, order: list, inputs: Sequence[Any], outputs: Mapping, derive: Mapping, mutates: Sequence[str]
) -> Any:
    import torch

    names = [parameter.name for parameter in inputs]

    def make_outputs(arguments: Sequence[Any]) -> tuple:
        values = dict(zip(names, arguments))
        return values, {target: _apply(function, values) for target, function in outputs.items()}

    def returned(made: Mapping) -> Any:
        tensors = tuple(made.values())
        return None if not tensors else tensors[0] if len(tensors) == 1 else tensors

    def run(*arguments: Any) -> Any:
        values, made = make_outputs(arguments)
        derived = {target: _apply(function, values) for target, function in derive.items()}
        values = {**values, **derived, **made}
        script(*(values[parameter] for parameter in order))
        return returned(made)

    def pretend(*arguments: Any) -> Any:
        return returned(make_outputs(arguments)[1])

    schema = _write_schema(inputs, outputs, mutates)
    operator = torch.library.custom_op(name, run, mutates_args=tuple(mutates), schema=schema)
    operator.register_fake(pretend)
    return operator
