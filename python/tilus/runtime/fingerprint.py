# What the kernels of a script follow from, as a text: equal texts give equal kernels.
#
# Owns the walk from a script's class and objects over all that its methods can reach: functions by their source and by what
# the names in it mean; values by what they are. Only what is listed here has a text. Where anything else is met, such as an
# enumeration, an object of a library, or a user's module of which more than `module.name` is used, there is none, and the
# script is transpiled in each process. Modules of this package are taken by their version, as they were installed.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fingerprints of scripts."""

from __future__ import annotations

import ast
import builtins
import os
import re
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from tilus.lang.source import SOURCE_ATTRIBUTE, read_cells, source_of

_PACKAGE = str(Path(__file__).parent.parent) + os.sep
# Modules whose functions depend on nothing but their arguments.
_PURE = frozenset({"builtins", "math", "operator", "itertools", "typing"})
# Names in code behind which anything may be.
_OPAQUE = frozenset({
    "option", "get_option", "get_device_properties", "current_device", "getattr", "vars", "globals", "locals", "eval", "exec",
    "__import__", "open", "id", "hash", "input", "dir", "__dict__",
})  # fmt: skip
_WORD = re.compile(r"[^\W\d]\w*")
_BUILTIN_TYPES = frozenset(value for value in vars(builtins).values() if isinstance(value, type))
_SKIPPED = frozenset({"__dict__", "__weakref__", "__module__", "__firstlineno__", "_autotune_space"})


class _Unknown(Exception):
    """A value that has no text."""


def describe(schedules: Sequence[Any], has_lines: bool) -> Optional[str]:
    """The text of the scripts of these schedules, with the lines of their functions if kernels have those; None if there is
    none."""
    walk = _Walk(has_lines)
    try:
        for schedule in schedules:
            walk.add("schedule", schedule.text)
            walk.visit(schedule.arguments)
            try:
                script = schedule.script
            except Exception as error:  # it fails whenever it is made
                walk.add("fails", type(error).__name__, error)
                continue
            walk.visit(script)
    except Exception:  # objects of users may raise anything when they are looked at
        return None
    return "\n".join(walk.lines)


def describe_values(values: Any) -> Optional[str]:
    """The text of values; None if there is none."""
    walk = _Walk(False)
    try:
        walk.visit(values)
    except Exception:
        return None
    return "\n".join(walk.lines)


def freeze_constants(constants: Mapping[str, Any]) -> list:
    """Constants by name, in texts in which values of different types differ."""
    return [(n, type(v).__name__, v.hex() if isinstance(v, float) else v) for n, v in sorted(constants.items())]


def _is_ours(value: Any) -> bool:
    """Whether a class or a function was made by this package: names alone can be borrowed."""
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    if module is None or not _is_in_package(module):
        return False
    if not isinstance(value, type):
        return getattr(value, "__globals__", None) is vars(module)
    methods = [member for member in vars(value).values() if isinstance(member, types.FunctionType)]
    return all(str(method.__code__.co_filename).startswith((_PACKAGE, "<")) for method in methods)


def _is_in_package(module: types.ModuleType) -> bool:
    return str(getattr(module, "__file__", None) or "").startswith(_PACKAGE)


class _Walk:
    """Writes a line for each thing that is reached, once."""

    def __init__(self, has_lines: bool) -> None:
        self.lines: list = []
        self._has_lines = has_lines
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
        if kind in (tuple, list):
            self._visit_all(kind.__name__, value)
        elif kind in (set, frozenset):
            if any(type(part) not in (int, str, bool, float) for part in value):
                raise _Unknown(kind)
            self._visit_all(kind.__name__, sorted(value, key=lambda part: (type(part).__name__, part)))
        elif kind in (dict, types.MappingProxyType):
            self._visit_all("dict", [part for item in value.items() for part in item])
        elif kind is types.ModuleType:
            self._visit_module(value)
        elif isinstance(value, type):
            self._visit_class(value)
        elif kind in (types.FunctionType, types.MethodType, staticmethod, classmethod, property):
            self._visit_callable(value)
        else:
            self._visit_instance(value, kind)

    def _visit_all(self, what: str, values: Sequence[Any]) -> None:
        self.add(what, len(values))
        for value in values:
            self.visit(value)

    def _visit_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        if not _is_known(module):
            raise _Unknown(name)
        version = getattr(sys.modules.get(name.partition(".")[0]), "__version__", "")
        self.add("library", name, version, sysconfig.get_python_version())

    def _visit_class(self, cls: type) -> None:
        if cls in _BUILTIN_TYPES or _is_ours(cls):
            return self.add("class", cls.__module__, cls.__qualname__)
        if type(cls) is not type and not _is_ours(type(cls)):
            raise _Unknown(cls)
        self.add("class", cls.__qualname__)
        for base in cls.__bases__:
            self.visit(base)
        for name, member in vars(cls).items():
            if name not in _SKIPPED and type(member) is not types.GetSetDescriptorType:
                self.add("member", name)
                self.visit(member)

    def _visit_callable(self, value: Any) -> None:
        if isinstance(value, property):
            return self._visit_all("property", [value.fget, value.fset])
        if isinstance(value, types.MethodType):
            self.add("method")
            self.visit(value.__self__)
        self.add(type(value).__name__)
        function = value if isinstance(value, types.FunctionType) else value.__func__
        if type(function) is not types.FunctionType:
            raise _Unknown(function)
        if function.__name__ in _OPAQUE:
            raise _Unknown(function)
        if _is_ours(function):
            return self.add("function", function.__module__, function.__qualname__)
        self._visit_function(function)

    def _visit_function(self, function: types.FunctionType) -> None:
        source = source_of(function)
        if any(name != SOURCE_ATTRIBUTE for name in vars(function)):
            raise _Unknown(function)  # attributes, which code may read
        code = function.__code__
        text = source.node.tilus_text
        nodes = list(ast.walk(source.node))
        if any(getattr(n, "id", getattr(n, "attr", None)) in _OPAQUE for n in nodes):
            raise _Unknown(function)
        names = {n.id: True for n in nodes if isinstance(n, ast.Name) and n.id not in source.local_names}
        # Annotations may be texts.
        texts = [n.value for n in nodes if isinstance(n, ast.Constant)] + list(function.__annotations__.values())
        names.update((word, True) for other in texts if isinstance(other, str) for word in _WORD.findall(other))
        self.add("function", function.__qualname__, code.co_flags, sys.flags.optimize, code.co_code.hex(), repr(text))
        if self._has_lines:
            self.add("lines", code.co_filename, code.co_firstlineno)
        self._visit_all("defaults", [function.__defaults__, function.__kwdefaults__, function.__annotations__, function.__doc__])
        scope = {**function.__globals__, **read_cells(function)}
        for name in names:
            if name not in scope:
                continue
            self.add("name", name)
            value = scope[name]
            if type(value) is types.ModuleType and not _is_known(value):
                self._visit_parts(value, name, source.node)
            else:
                self.visit(value)

    def _visit_parts(self, module: types.ModuleType, name: str, node: ast.AST) -> None:
        """What a function reads of a user's module, if all that it does with it is `module.name`."""
        parts = [n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and _is_name(n.value, name)]
        uses = sum(_is_name(n, name) for n in ast.walk(node))
        in_texts = any(isinstance(n, ast.Constant) and isinstance(n.value, str) and name in n.value for n in ast.walk(node))
        if len(parts) != uses or in_texts or any(part not in vars(module) for part in parts):
            raise _Unknown(module)
        for part in dict.fromkeys(parts):
            self.add("part", part)
            self.visit(vars(module)[part])

    def _visit_instance(self, value: Any, kind: type) -> None:
        if isinstance(value, types.BuiltinFunctionType):
            if not isinstance(value.__self__, types.ModuleType):
                raise _Unknown(value)
            self.add("builtin", value.__qualname__)
            return self.visit(value.__self__)
        if kind.__module__ == "tilus.dtypes" and _is_ours(kind):
            return self.add("type", value.name)
        if kind.__module__ == "tilus.lang.attributes" and _is_ours(kind):
            return self.add("attributes")
        if kind.__module__.startswith("tilus.ir.layout") and _is_ours(kind):
            return self.add("layout", value)
        if not _has_plain_state(kind):
            raise _Unknown(kind)
        state = vars(value)
        self.add("object")
        self.visit(kind)
        self._visit_all("state", [part for name in sorted(state) for part in (name, state[name])])


def _is_known(module: types.ModuleType) -> bool:
    """Whether a module is of this package, or one of Python's whose functions have no state."""
    name = module.__name__
    is_pure = name in _PURE and (name in sys.builtin_module_names or _is_of_python(module))
    return sys.modules.get(name) is module and (is_pure or _is_in_package(module))


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_of_python(module: types.ModuleType) -> bool:
    """Whether a module is one of Python's own library, and no file of the same name."""
    file = getattr(module, "__file__", None)
    places = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
    return file is None or (file.startswith(places) and "site-packages" not in file)


# What classes of C have among their members, and those of Python have not.
_OF_C = (
    types.WrapperDescriptorType, types.MethodDescriptorType, types.MemberDescriptorType, types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
)  # fmt: skip


def _has_plain_state(kind: type) -> bool:
    """Whether all that instances of a class are is in their `__dict__`: of classes written in Python."""
    if kind.__getattribute__ is not object.__getattribute__:
        return False
    for base in kind.__mro__:
        if base is not object and not _is_ours(base) and any(isinstance(m, _OF_C) for m in vars(base).values()):
            return False
    return True
