# Expressions: names, literals, operators, indices, attributes, comprehensions. Conditions are in logic.py, calls in calls.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions."""

from __future__ import annotations

import ast
import builtins
import difflib
import operator
import types
from typing import Any, Iterator

from tilus.dtypes import DataType, PointerType
from tilus.lang.errors import InstructionError, Note, TilusProgramError
from tilus.lang.instructions.unsupported import UNSUPPORTED_GROUPS
from tilus.lang.merging import describe_content, is_tile
from tilus.lang.scalars import Scalar, is_scalar
from tilus.lang.transpiler.core import Activation, Transpiler, evaluates, is_runtime

BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
IN_PLACE = {
    ast.Add: operator.iadd, ast.Sub: operator.isub, ast.Mult: operator.imul, ast.Div: operator.itruediv,
    ast.FloorDiv: operator.ifloordiv, ast.Mod: operator.imod, ast.Pow: operator.ipow, ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior, ast.BitXor: operator.ixor, ast.LShift: operator.ilshift, ast.RShift: operator.irshift,
}  # fmt: skip


@evaluates(ast.Constant)
def constant(t: Transpiler, node: ast.Constant) -> Any:
    if isinstance(node.value, (bytes, complex)):
        raise InstructionError(f"expected a number or a string, but got {node.value!r}", "use a list of numbers")
    return node.value


@evaluates(ast.Name)
def name(t: Transpiler, node: ast.Name) -> Any:
    activation = t.activations[-1]
    variable = activation.scope.names.get(node.id)
    if variable is not None:
        return variable.read()
    scope = activation.enclosing
    if scope is not None:
        variable = scope.names.get(node.id)
        if variable is not None:
            return variable.read()
    if node.id in activation.scope.lost:
        raise _lost(t, node, activation)
    if node.id in activation.source.local_names and activation.enclosing is None:
        raise _unassigned(node, activation)
    try:
        return activation.source.lookup(node.id)
    except KeyError:
        raise _unknown(node, activation) from None


def _lost(t: Transpiler, node: ast.Name, activation: Activation) -> TilusProgramError:
    what, place = activation.scope.lost[node.id]
    if what == "del":
        return t.error(node, f"expected '{node.id}' to have a value here, but it was deleted", "use it before, or leave the del out")
    error = t.error(
        node,
        f"expected '{node.id}' to have a value here, but it was assigned in {what} only",
        f"give it a value before, as in '{node.id}: int32 = 0' or with self.register_tensor",
    )
    return TilusProgramError(error.message, error.place, error.advice, (Note("here", place), *error.notes))


def _unassigned(node: ast.Name, activation: Activation) -> InstructionError:
    return InstructionError(
        f"expected '{node.id}' to have a value here, but it is assigned later",
        "assign it before this line; a loop's first round needs the value too",
    )


def _unknown(node: ast.Name, activation: Activation) -> InstructionError:
    known = [*activation.scope.names, *activation.source.globals, *dir(builtins)]
    close = difflib.get_close_matches(node.id, known, 1)
    advice = f"did you mean '{close[0]}'?" if close else "assign or import it first"
    return InstructionError(f"expected a name that is known, but got '{node.id}'", advice)


@evaluates(ast.BinOp)
def binary(t: Transpiler, node: ast.BinOp) -> Any:
    a, b = t.evaluate(node.left), t.evaluate(node.right)
    t.here(node)
    return operate(node.op, a, b)


def operate(op: ast.operator, a: Any, b: Any, in_place: bool = False) -> Any:
    """A binary operator on two values."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and type(a) is not type(b) and type(op) is ast.Add:
        return [*a, *b]
    function = (IN_PLACE if in_place else BINARY).get(type(op))
    if function is None:
        raise InstructionError("expected an operator of scalars and tiles, but got '@'", "use self.dot for matrix products")
    try:
        return function(a, b)
    except ZeroDivisionError:
        raise InstructionError("expected a divisor that is not zero, but got 0", "check the sizes that it follows from") from None
    except TypeError as error:
        if "unsupported operand" not in str(error) and "can only concatenate" not in str(error):
            raise
        symbol = _SYMBOLS[type(op)]
        raise InstructionError(
            f"expected two values that '{symbol}' takes, but got {describe_content(a)} and {describe_content(b)}",
            "operators take numbers, scalars and tiles; text is printed with self.printf",
        ) from None


_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


@evaluates(ast.UnaryOp)
def unary(t: Transpiler, node: ast.UnaryOp) -> Any:
    value = t.evaluate(node.operand)
    t.here(node)
    if isinstance(node.op, ast.USub):
        return -value
    if isinstance(node.op, ast.UAdd):
        return +value
    if isinstance(node.op, ast.Not):
        from tilus.lang.transpiler.logic import negation

        return negation(value)
    if is_tile(value) or isinstance(value, (int, Scalar, DataType, PointerType)):
        return ~value
    raise InstructionError(
        f"expected an integer or a data type for '~', but got {describe_content(value)}",
        "the address of an element is view[i, j].item_ptr()",
    )


@evaluates(ast.Attribute)
def attribute(t: Transpiler, node: ast.Attribute) -> Any:
    return t.attribute(t.evaluate(node.value), node.attr, node)


def get_attribute(t: Transpiler, owner: Any, name: str, node: ast.AST) -> Any:
    """`owner.name`."""
    t.here(node)
    try:
        return getattr(owner, name)
    except AttributeError:
        known = [n for n in dir(owner) if not n.startswith("_") and n not in UNSUPPORTED_GROUPS]
        close = difflib.get_close_matches(name, known, 1)
        if isinstance(owner, types.ModuleType):
            what = f"module '{owner.__name__}'"
        elif isinstance(owner, super):
            what = f"a base class of {owner.__thisclass__.__name__}"
        else:
            what = describe_content(owner)
        advice = f"did you mean '{close[0]}'?" if close else "assign it before it is used, or correct its name"
        error = t.failure(InstructionError(f"expected an attribute that {what} has, but got '{name}'", advice), node)
        if isinstance(node, ast.Attribute) and node.end_lineno == node.lineno:
            end = error.place.end
            error = TilusProgramError(error.message, error.place._replace(column=end - len(name)), advice, error.notes)
        raise error from None


Transpiler.attribute = get_attribute  # type: ignore[attr-defined]


@evaluates(ast.Subscript)
def subscript(t: Transpiler, node: ast.Subscript) -> Any:
    owner, index = t.evaluate(node.value), t.evaluate(node.slice)
    t.here(node)
    if is_scalar(owner) or owner is None:
        raise InstructionError(
            f"expected a tile, a view or a list to index, but got {describe_content(owner)}", "leave the index out"
        )
    if isinstance(owner, (list, tuple, str, range)):
        if is_runtime(index):
            raise InstructionError(
                "expected an index that is known when the script is transpiled, but got one of run time",
                "loop over the list itself, or keep the values in a tile, which takes such indices",
            )
        if isinstance(index, int) and not -len(owner) <= index < len(owner):
            raise InstructionError(f"expected an index below {len(owner)}, but got {index}", "count from 0, or from -1 at the end")
    elif not hasattr(owner, "__getitem__") and not hasattr(owner, "__class_getitem__"):
        raise InstructionError(
            f"expected a tile, a view or a list to index, but got {describe_content(owner)}", "leave the index out"
        )
    return owner[index]


@evaluates(ast.Slice)
def slice_of(t: Transpiler, node: ast.Slice) -> slice:
    parts = (None if part is None else t.evaluate(part) for part in (node.lower, node.upper, node.step))
    return slice(*parts)


@evaluates(ast.Tuple)
def tuple_of(t: Transpiler, node: ast.Tuple) -> tuple:
    return tuple(elements(t, node.elts))


@evaluates(ast.List)
def list_of(t: Transpiler, node: ast.List) -> list:
    return t.made(elements(t, node.elts))


@evaluates(ast.Set)
def set_of(t: Transpiler, node: ast.Set) -> set:
    return set(elements(t, node.elts))


def elements(t: Transpiler, nodes: list) -> list:
    """The values of expressions, of which some may be starred."""
    values: list = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            values.extend(t.evaluate(node.value))
        else:
            values.append(t.evaluate(node))
    return values


@evaluates(ast.Dict)
def dict_of(t: Transpiler, node: ast.Dict) -> dict:
    result: dict = t.made({})
    for key, value in zip(node.keys, node.values):
        if key is None:
            result.update(t.evaluate(value))
        else:
            result[t.evaluate(key)] = t.evaluate(value)
    return result


@evaluates(ast.NamedExpr)
def named(t: Transpiler, node: ast.NamedExpr) -> Any:
    value = t.evaluate(node.value)
    t.here(node)
    t.scope.assign(node.target.id, value)
    return value


# -- comprehensions: over values of Python, each in its own scope


def _rounds(t: Transpiler, generators: list) -> Iterator[None]:
    from tilus.lang.transpiler.assignments import assign_to
    from tilus.lang.transpiler.loops import host_items
    from tilus.lang.transpiler.statements import condition_of

    if not generators:
        yield
        return
    first = generators[0]
    for item in host_items(t, t.evaluate(first.iter), first.iter):
        for part in ast.walk(first.target):
            if isinstance(part, ast.Name):
                t.scope.names.pop(part.id, None)
        assign_to(t, first.target, item)
        conditions = []
        for test in first.ifs:
            condition = condition_of(t, test)
            if not isinstance(condition, bool):
                raise t.error(test, "expected a condition that is known when the script is transpiled, but got one of run time")
            conditions.append(condition)
        if all(conditions):
            yield from _rounds(t, generators[1:])


def _comprehension(t: Transpiler, generators: list, result: Any) -> list:
    before = t.scope.names
    t.scope.names = dict(before)
    try:
        return [result() for _ in _rounds(t, generators)]
    finally:
        t.scope.names = before


@evaluates(ast.ListComp, ast.GeneratorExp)
def list_comprehension(t: Transpiler, node: ast.ListComp) -> list:
    return t.made(_comprehension(t, node.generators, lambda: t.evaluate(node.elt)))


@evaluates(ast.SetComp)
def set_comprehension(t: Transpiler, node: ast.SetComp) -> set:
    return set(_comprehension(t, node.generators, lambda: t.evaluate(node.elt)))


@evaluates(ast.DictComp)
def dict_comprehension(t: Transpiler, node: ast.DictComp) -> dict:
    pairs = _comprehension(t, node.generators, lambda: (t.evaluate(node.key), t.evaluate(node.value)))
    return t.made(dict(pairs))


# -- lambdas


class Lambda:
    """A lambda of a script: evaluated where it is called, with the names of where it was made."""

    def __init__(self, t: Transpiler, node: ast.Lambda):
        self.transpiler = t
        self.node = node
        self.maker = t.activation

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from tilus.lang.transpiler.calls import bind_lambda

        t = self.transpiler
        maker = self.maker
        before = maker.scope.names
        t.activations.append(maker)
        maker.scope.names = dict(before)
        place = t.builder.place
        try:
            bind_lambda(t, self.node, args, kwargs)
            return t.evaluate(self.node.body)
        finally:
            maker.scope.names = before
            t.activations.pop()
            t.builder.place = place


@evaluates(ast.Lambda)
def lambda_of(t: Transpiler, node: ast.Lambda) -> Lambda:
    return Lambda(t, node)
