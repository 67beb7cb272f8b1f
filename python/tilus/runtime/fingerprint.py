# What the kernels of a script follow from, as a text: equal texts give equal kernels.
#
# Owns the walk from a script's class and objects over all that its methods can reach: functions by their code, and by what
# their names mean; values by what they are. Where something is met whose value cannot be told, there is no text, and the
# script is transpiled in each process. Modules of this package and of Python's own library are taken by their version.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fingerprints of scripts."""

from __future__ import annotations

import enum
import opcode
import sys
import sysconfig
import types
from typing import Any, Mapping, Optional, Sequence

from tilus import option

_EXTENDED_ARG, _LOAD_GLOBAL, _LOAD_NAME = (opcode.opmap[n] for n in ("EXTENDED_ARG", "LOAD_GLOBAL", "LOAD_NAME"))
_PACKAGES = {"tilus", "builtins", "math", "typing", "functools", "itertools", "operator", "numpy", "torch"}
_STDLIB = getattr(sys, "stdlib_module_names", frozenset())


class _Unknown(Exception):
    """A value that has no text."""


def describe(schedules: Sequence[Any]) -> Optional[str]:
    """The text of the scripts of these schedules; None if there is none."""
    walk = _Walk()
    try:
        for schedule in schedules:
            walk.add("schedule", schedule.text)
            try:
                script = schedule.script
            except Exception as error:  # it fails whenever it is made
                walk.add("fails", type(error).__name__, error)
                continue
            walk.visit(script)
    except _Unknown:
        return None
    return "\n".join(walk.lines)


def freeze_constants(constants: Mapping[str, Any]) -> list:
    """Constants by name, in texts in which values of different types differ."""
    return [(n, type(v).__name__, v.hex() if isinstance(v, float) else v) for n, v in sorted(constants.items())]


class _Walk:
    """Writes a line for each thing that is reached, once."""

    def __init__(self) -> None:
        self.lines: list = []
        # By identity; the objects are kept, so that identities last.
        self._seen: dict = {}

    def add(self, *words: Any) -> None:
        self.lines.append(" ".join(map(str, words)))

    def visit(self, value: Any) -> None:
        kind = type(value)
        if value is None or kind in (bool, int, str, bytes, complex, type(...)):
            self.add(kind.__name__, repr(value))
        elif kind is float:
            self.add("float", value.hex())
        elif id(value) in self._seen:
            self.add("again", self._seen[id(value)][0])
        else:
            self._seen[id(value)] = (len(self._seen), value)
            self._visit_object(value, kind)

    def _visit_object(self, value: Any, kind: type) -> None:
        if isinstance(value, (tuple, list)):
            self._visit_all(kind.__qualname__, value)
        elif isinstance(value, (set, frozenset)):
            self._visit_all(kind.__qualname__, sorted(value, key=repr))
        elif isinstance(value, (dict, types.MappingProxyType)):
            self._visit_all("dict", [part for item in value.items() for part in item])
        elif isinstance(value, types.ModuleType):
            self._visit_module(value)
        elif isinstance(value, type):
            self._visit_class(value)
        elif isinstance(value, (types.FunctionType, types.MethodType, staticmethod, classmethod, property)):
            self._visit_callable(value)
        elif isinstance(value, enum.Enum):
            self.add("enum", kind.__module__, kind.__qualname__, value.name)
        else:
            self._visit_instance(value, kind)

    def _visit_all(self, what: str, values: Sequence[Any]) -> None:
        self.add(what, len(values))
        for value in values:
            self.visit(value)

    @staticmethod
    def _is_known(module: Optional[str]) -> bool:
        root = (module or "").partition(".")[0]
        return root in _PACKAGES or root in _STDLIB

    def _visit_module(self, module: types.ModuleType) -> None:
        if not self._is_known(module.__name__):
            # What a script uses of it is looked up when its code is walked; the rest does not matter.
            return self.add("module", module.__name__)
        version = getattr(sys.modules.get(module.__name__.partition(".")[0]), "__version__", "")
        self.add("library", module.__name__, version, sysconfig.get_python_version())

    def _visit_class(self, cls: type) -> None:
        if self._is_known(cls.__module__):
            return self.add("class", cls.__module__, cls.__qualname__)
        self.add("class", cls.__qualname__)
        for base in cls.__bases__:
            self.visit(base)
        for name, member in vars(cls).items():
            if name not in ("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "_autotune_space"):
                self.add("member", name)
                self.visit(member)

    def _visit_callable(self, value: Any) -> None:
        if isinstance(value, property):
            return self._visit_all("property", [value.fget, value.fset])
        if isinstance(value, types.MethodType):
            self.add("method")
            self.visit(value.__self__)
        function = value if isinstance(value, types.FunctionType) else value.__func__
        if self._is_known(function.__module__):
            return self.add("function", function.__module__, function.__qualname__)
        self.add("function", function.__qualname__)
        self._visit_all("defaults", [function.__defaults__, function.__kwdefaults__, _annotations_of(function)])
        scope = dict(function.__globals__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                scope[name] = cell.cell_contents
            except ValueError:
                continue
        self._visit_code(function.__code__, scope)

    def _visit_code(self, code: types.CodeType, scope: Mapping[str, Any]) -> None:
        # The text of functions is what is transpiled, lines and columns are in messages alone.
        self.add("code", code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars)
        if option.get_option("line_info"):
            self.add("lines", code.co_filename, code.co_firstlineno, getattr(code, "co_linetable", code.co_lnotab).hex())
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._visit_code(constant, scope)
            else:
                self.visit(constant)
        for name in (*_global_names(code), *code.co_freevars):
            if name in scope:
                self.add("name", name)
                self.visit(scope[name])
                if isinstance(scope[name], types.ModuleType) and not self._is_known(scope[name].__name__):
                    self._visit_parts(scope[name], code.co_names)

    def _visit_parts(self, module: types.ModuleType, names: Sequence[str]) -> None:
        for name in names:
            if name in vars(module):
                self.add("part", name)
                self.visit(vars(module)[name])

    def _visit_instance(self, value: Any, kind: type) -> None:
        if kind.__module__ == "tilus.dtypes":
            return self.add("type", value.name)
        if isinstance(value, (types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodDescriptorType)):
            return self.add("builtin", getattr(value, "__module__", ""), value.__qualname__)
        if kind.__module__ == "tilus.lang.attributes":
            return self.add("attributes")
        if kind.__module__.startswith("tilus.ir.layout"):
            return self.add("layout", value)
        state = getattr(value, "__dict__", None)
        if state is None or not self._has_plain_state(kind):
            raise _Unknown(kind)
        self.add("object")
        self.visit(kind)
        self._visit_all("state", [part for name in sorted(state) for part in (name, state[name])])

    def _has_plain_state(self, kind: type) -> bool:
        """Whether all that instances of a class are is in their `__dict__`."""
        for base in kind.__mro__:
            if base is object:
                continue
            if base.__flags__ & (1 << 9) == 0 and not kind.__module__.startswith("tilus."):
                return False  # of C
            if any(name not in ("__dict__", "__weakref__") for name in getattr(base, "__slots__", ())):
                return False
        return True


def _global_names(code: types.CodeType) -> list:
    """The names that code looks up outside of itself: not those of attributes, which are among `co_names` too."""
    names, high = {}, 0
    for place in range(0, len(code.co_code), 2):
        operation, argument = code.co_code[place], code.co_code[place + 1] | high
        high = argument << 8 if operation == _EXTENDED_ARG else 0
        if operation == _LOAD_GLOBAL:
            names[code.co_names[argument >> 1 if sys.version_info >= (3, 11) else argument]] = True
        elif operation == _LOAD_NAME:
            names[code.co_names[argument]] = True
    return list(names)


def _annotations_of(function: types.FunctionType) -> dict:
    try:
        return dict(function.__annotations__)
    except Exception:
        raise _Unknown(function) from None
