# Assignments: to names, attributes and slices, several at once, in place, and with a type.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assignments."""

from __future__ import annotations

import ast
from typing import Any

from tilus.dtypes import DataType, PointerType
from tilus.lang.classes import Members
from tilus.lang.errors import InstructionError
from tilus.lang.merging import describe_content, is_tile
from tilus.lang.scalars import Pointer, is_scalar
from tilus.lang.transpiler.core import Transpiler, executes, is_runtime
from tilus.lang.transpiler.expressions import IN_PLACE, operate


@executes(ast.Assign)
def assign(t: Transpiler, node: ast.Assign) -> None:
    value = t.evaluate(node.value)
    for target in node.targets:
        assign_to(t, target, value)


def assign_to(t: Transpiler, target: ast.expr, value: Any) -> None:
    """`target = value`; a failure is shown at the target."""
    try:
        _assign_to(t, target, value)
    except InstructionError as error:
        raise t.failure(error, target) from t.cause(error)


def _assign_to(t: Transpiler, target: ast.expr, value: Any) -> None:
    if isinstance(target, ast.Name):
        t.here(target)
        if target.id != "_":
            t.scope.assign(target.id, value)
        else:
            t.scope.bind("_", value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(t, target, value)
    elif isinstance(target, ast.Attribute):
        owner = t.evaluate(target.value)
        t.here(target)
        set_attribute(t, owner, target.attr, value)
    elif isinstance(target, ast.Subscript):
        owner, index = t.evaluate(target.value), t.evaluate(target.slice)
        t.here(target)
        set_item(t, owner, index, value)
    else:
        raise InstructionError("expected a name, an attribute or an element to assign to, but got something else")


def _unpack(t: Transpiler, target: Any, value: Any) -> None:
    if is_scalar(value) or is_tile(value) or value is None:
        raise _unpack_error(target, describe_content(value))
    try:
        values = list(value)
    except TypeError:
        raise _unpack_error(target, describe_content(value)) from None
    starred = [i for i, element in enumerate(target.elts) if isinstance(element, ast.Starred)]
    if starred:
        first, behind = starred[0], len(target.elts) - starred[0] - 1
        if len(values) < first + behind:
            raise _unpack_error(target, str(len(values)))
        middle = values[first : len(values) - behind]
        values = [*values[:first], middle, *values[len(values) - behind :]]
    if len(values) != len(target.elts):
        raise _unpack_error(target, str(len(values)))
    values = [_kept(t, element, item) for element, item in zip(target.elts, values)]
    for element, item in zip(target.elts, values):
        assign_to(t, element.value if isinstance(element, ast.Starred) else element, item)


def _kept(t: Transpiler, target: ast.expr, value: Any) -> Any:
    """A value that assignments to the other targets do not change: tiles are copied to."""
    if is_tile(value) and not (isinstance(target, ast.Name) and t.scope.lookup(target.id) is None):
        return type(value)(value.value, value.dtype)
    return value


def _unpack_error(target: Any, got: str) -> InstructionError:
    count = len(target.elts)
    starred = any(isinstance(element, ast.Starred) for element in target.elts)
    return InstructionError(
        f"expected {f'at least {count - 1}' if starred else count} values to unpack, but got {got}",
        "name as many targets as there are values, or one with a star for the rest",
    )


def set_attribute(t: Transpiler, owner: Any, name: str, value: Any) -> None:
    """`owner.name = value`."""
    if isinstance(owner, Members):
        owner.assign_member(name, value)
    elif is_tile(owner) or is_scalar(owner):
        raise InstructionError(f"expected an object with attributes, but got {describe_content(owner)}")
    else:
        if owner is not getattr(t.script, "attrs", None):
            t.check_host_change(owner, f"'{name}' of an object of {type(owner).__name__} is assigned")
            if hasattr(owner, "__dict__") and not isinstance(owner, type):
                t.builder.will_change(owner)
        setattr(owner, name, value)
        if owner is getattr(t.script, "attrs", None):
            t.note_attribute(name, value)


def set_item(t: Transpiler, owner: Any, index: Any, value: Any) -> None:
    """`owner[index] = value`."""
    if isinstance(owner, (list, dict)):
        if _assign_element(t, owner, index, value):
            return
        t.check_host_change(owner, "an element of a list or a dict is assigned")
    elif isinstance(owner, (tuple, str)) or is_scalar(owner):
        raise InstructionError(f"expected a tile or a list to assign an element of, but got {describe_content(owner)}")
    if isinstance(owner, list) and is_runtime(index):
        raise InstructionError(
            "expected an index of a list that is known when the script is transpiled, but got one of run time",
            "use a tile in registers or shared memory, which takes such indices",
        )
    owner[index] = value


def _assign_element(t: Transpiler, owner: Any, index: Any, value: Any) -> bool:
    """Copies to a tile that is an element of a list, where run time decides whether or how often."""
    if t.builder.frame.parent is None or not is_tile(value) or is_runtime(index):
        return False
    try:
        old = owner[index]
    except (LookupError, TypeError):
        return False
    if not is_tile(old) or old.dtype is not value.dtype or old.shape != value.shape:
        return False
    if old is not value:
        old.assign(value)
    return True


@executes(ast.AugAssign)
def update(t: Transpiler, node: ast.AugAssign) -> None:
    target = node.target
    if isinstance(target, ast.Name):
        old = t.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        store = None
    elif isinstance(target, ast.Attribute):
        owner = t.evaluate(target.value)
        old = t.attribute(owner, target.attr, target)
        store = lambda new: set_attribute(t, owner, target.attr, new)  # noqa: E731
    else:
        owner, index = t.evaluate(target.value), t.evaluate(target.slice)
        t.here(target)
        old = owner[index]
        store = lambda new: set_item(t, owner, index, new)  # noqa: E731
    value = t.evaluate(node.value)
    t.here(node)
    if isinstance(old, (list, dict, set)):
        t.check_host_change(old, "a list is extended")
    if is_tile(old):
        new = IN_PLACE[type(node.op)](old, value)
        if store is not None and isinstance(target, ast.Subscript):
            store(new)
        return
    if is_tile(value):
        raise InstructionError(
            f"expected a number to update {describe_content(old)} with, but got {describe_content(value)}",
            "assign the result to a new name",
        )
    new = operate(node.op, old, value, in_place=True)
    if store is None:
        assign_to(t, target, new)
    else:
        store(new)


@executes(ast.AnnAssign)
def declare(t: Transpiler, node: ast.AnnAssign) -> None:
    kind = annotation_of(t, node.annotation)
    if node.value is None:
        if isinstance(kind, DataType) and isinstance(node.target, ast.Name):
            t.here(node)
            t.scope.declare(node.target.id, 0, kind)
        return
    value = t.evaluate(node.value)
    t.here(node)
    if isinstance(kind, (DataType, PointerType)):
        value = _declared_value(value, kind)
        if isinstance(kind, DataType) and not is_tile(value):
            _declare(t, node.target, value, kind)
            return
    elif kind in (int, float, bool, str) and isinstance(value, (int, float, bool, str)):
        value = kind(value)
    assign_to(t, node.target, value)


def annotation_of(t: Transpiler, node: ast.expr) -> Any:
    """What an annotation stands for; None for those that mean nothing to a kernel."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.copy_location(ast.parse(node.value, mode="eval").body, node)
            ast.increment_lineno(node, 0)
            for child in ast.walk(node):
                ast.copy_location(child, node)
        except SyntaxError:
            return None
    if isinstance(node, (ast.Name, ast.Attribute, ast.UnaryOp)):
        try:
            return t.evaluate(node)
        except Exception:  # a name that only type checkers know
            return None
    return None


def _declared_value(value: Any, kind: Any) -> Any:
    if isinstance(kind, PointerType):
        if not isinstance(value, Pointer):
            raise InstructionError(
                f"expected a pointer of type {kind.name}, but got {describe_content(value)}",
                "a view's element has an address: view[i].item_ptr()",
            )
        return value.to(kind)
    if is_tile(value):
        if value.dtype is not kind:
            raise InstructionError(
                f"expected a tile of {kind.name}, as is declared, but got one of {value.dtype.name}",
                f"convert it with .to({kind.name})",
            )
        return value
    if not is_scalar(value) or isinstance(value, Pointer):
        raise InstructionError(
            f"expected a number to declare a {kind.name}, but got {describe_content(value)}", "leave the annotation out"
        )
    return value


def _declare(t: Transpiler, target: ast.expr, value: Any, kind: DataType) -> None:
    if isinstance(target, ast.Name):
        try:
            t.scope.declare(target.id, value, kind)
        except InstructionError as error:
            raise t.failure(error, target) from t.cause(error)
    elif isinstance(target, ast.Attribute):
        owner = t.evaluate(target.value)
        t.here(target)
        if not isinstance(owner, Members):
            raise InstructionError("expected an attribute of self to declare, but got one of another object")
        owner.declare_member(target.attr, value, kind)
    else:
        raise InstructionError(f"expected a name or an attribute to declare a {kind.name}, but got something else")
