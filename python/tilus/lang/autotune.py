# Spaces of schedules: what `@tilus.autotune` declares, and the schedules that it spans.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning: the schedules of a script."""

from __future__ import annotations

import inspect
import itertools
from typing import Any, Callable, Mapping, Sequence

_SPACE = "_autotune_space"


def split_names(names: str) -> list:
    """The names of "a, b"."""
    return [name.strip() for name in names.split(",")]


def autotune(arg_names: str, arg_values: Sequence[Any]) -> Callable[[type], type]:
    """Declares values of parameters of a script's `__init__` among which the best are chosen by measuring.

    `@tilus.autotune("block", [64, 128])`, or for several parameters together
    `@tilus.autotune("block_m, block_n", [(64, 64), (128, 64)])`. Decorators add up: the schedules are all combinations,
    the lowest decorator first. A class that derives from a decorated one has its schedules, and may add to them.
    """
    if not isinstance(arg_names, str):
        raise TypeError(f"expected names of parameters in one text, but got {arg_names!r}")
    names = split_names(arg_names)
    values = list(arg_values)
    if not all(name.isidentifier() for name in names):
        raise ValueError(f"expected names of parameters apart by commas, but got {arg_names!r}")
    if len(set(names)) != len(names):
        raise ValueError(f"expected different names of parameters, but got {arg_names!r}")
    if not values:
        raise ValueError(f"expected at least one value of {arg_names!r}, but got none")
    if len(names) > 1:
        for value in values:
            if not isinstance(value, (tuple, list)) or len(value) != len(names):
                raise ValueError(f"expected {len(names)} values for {arg_names!r}, but got {value!r}")

    def decorate(script: type) -> type:
        space = dict(getattr(script, _SPACE, {}))
        taken = {name for key in space for name in split_names(key)}
        for name in names:
            if name in taken:
                raise ValueError(f"expected one set of values for parameter '{name}' of {script.__name__}, but got two")
        space[", ".join(names)] = values
        setattr(script, _SPACE, space)
        return script

    return decorate


def span_space(space: Mapping[str, Sequence[Any]]) -> list:
    """All combinations of a space, as a dictionary of parameters each."""
    schedules = []
    names = [split_names(key) for key in space]
    for choice in itertools.product(*space.values()):
        schedule: dict = {}
        for group, value in zip(names, choice):
            schedule.update(zip(group, value if len(group) > 1 else (value,)))
        schedules.append(schedule)
    return schedules


def generate_schedules(
    space: Mapping[str, Sequence[Any]], script_cls: type, script_args: Sequence[Any], script_kwargs: Mapping[str, Any]
) -> list:
    """The arguments of `__init__` of each schedule, all by name: the user's, and one combination of the space."""
    signature = inspect.signature(script_cls.__init__)
    schedules = []
    for combination in span_space(space):
        for name in combination:
            if name in script_kwargs:
                raise TypeError(f"expected parameter '{name}' of {script_cls.__name__} to be tuned or given, but it is both")
        try:
            bound = signature.bind(None, *script_args, **script_kwargs, **combination)
        except TypeError as error:
            raise TypeError(f"expected the parameters of {script_cls.__name__}{signature}, but got others: {error}") from None
        schedules.append(_flatten(bound, signature))
    return schedules


def _flatten(bound: inspect.BoundArguments, signature: inspect.Signature) -> dict:
    schedule: dict = {}
    for index, (name, value) in enumerate(bound.arguments.items()):
        if index == 0:
            continue
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            schedule.update(value)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            raise TypeError("expected a script whose __init__ has no *args, but got one that has")
        else:
            schedule[name] = value
    return schedule


def describe_schedules(schedules: Sequence[Mapping[str, Any]]) -> list:
    """The schedules in words, each differently: "block_m=64, block_n=128"; with numbers if some print alike."""
    texts = [", ".join(f"{name}={_describe(value)}" for name, value in schedule.items()) for schedule in schedules]
    return texts if len(set(texts)) == len(texts) else [f"#{number}: {text}" for number, text in enumerate(texts)]


def _describe(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(_describe, value)) + ")"
    if isinstance(value, (bool, int, float, str, type(None))):
        return repr(value)
    text = str(value)
    return text if text.isprintable() else repr(text)[1:-1]
