# Conditions: comparisons and their chains, and, or, not, conditional expressions.
#
# Owns what is evaluated when: the right side of `and`, and the sides of a conditional expression, only where Python would;
# what is cheap and has no effects is computed without a branch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions."""

from __future__ import annotations

import ast
import operator
from typing import Any, Callable

from tilus.dtypes import boolean
from tilus.lang import scalar_math
from tilus.lang.control_flow import Branches
from tilus.lang.errors import InstructionError
from tilus.lang.frames import Unusable
from tilus.lang.index_tiles import choose as choose_indices, is_index_tile, junction as junction_of_indices
from tilus.lang.merging import describe_content, is_tile
from tilus.lang.scalars import Pointer, Scalar, is_scalar, type_of
from tilus.lang.transpiler.core import Transpiler, evaluates, is_runtime
from tilus.lang.transpiler.statements import as_condition

_COMPARE = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip


def _both(a: Any, b: Any) -> Any:
    """`a and b` of two conditions that are computed already."""
    if isinstance(a, bool):
        return b if a else False
    if isinstance(b, bool) and not is_tile(a):
        return a if b else False
    return a & b


def _contains(container: Any, item: Any) -> Any:
    if is_tile(container) or is_scalar(container):
        raise InstructionError(
            f"expected a list or a tuple on the right of 'in', but got {describe_content(container)}",
            "compare a tile with == and reduce it with self.any",
        )
    if not is_runtime(item) and not any(map(is_runtime, container)):
        return item in container
    result: Any = False
    for value in container:
        equal = item == value
        result = equal if result is False else result if equal is False else result | equal
    return result


@evaluates(ast.Compare)
def comparison(t: Transpiler, node: ast.Compare) -> Any:
    left = t.evaluate(node.left)
    result: Any = True
    for op, right_node in zip(node.ops, node.comparators):
        right = t.evaluate(right_node)
        t.here(node)
        part = _compare(op, left, right)
        result = part if len(node.ops) == 1 else _both(result, part)
        if result is False:
            break
        left = right
    return result


def _compare(op: ast.cmpop, a: Any, b: Any) -> Any:
    if isinstance(op, ast.In):
        return _contains(b, a)
    if isinstance(op, ast.NotIn):
        return negation(_contains(b, a))
    if isinstance(op, (ast.Is, ast.IsNot)) and (is_runtime(a) and b is not None or is_runtime(b) and a is not None):
        raise InstructionError("expected None to compare with 'is', but got a value of run time", "use == or !=")
    try:
        return _COMPARE[type(op)](a, b)
    except TypeError as error:
        if "not supported between" not in str(error):
            raise
        raise InstructionError(
            f"expected two values to compare, but got {describe_content(a)} and {describe_content(b)}"
        ) from None


def negation(value: Any) -> Any:
    """`not value`."""
    if is_runtime(value):
        return scalar_math.logical_not(value)
    if is_tile(value):
        return value.logical_not()
    return not value


# -- choices


_FREE = ("arith.", "math.", "tilus.block_id", "tilus.grid_dim")
_FAULTING = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui", "arith.floordivsi", "arith.ceildivsi")
_MAX_FREE = 12


def _is_free(operations: list) -> bool:
    """Whether operations may be executed where Python would not: they are few, and have no effects and no faults."""
    if len(operations) > _MAX_FREE:
        return False
    for operation in operations:
        name = operation.name
        if not name.startswith(_FREE):
            return False
        if name in _FAULTING and getattr(operation.operands[1].owner, "name", "") != "arith.constant":
            return False
    return True


def choose(t: Transpiler, condition: Scalar, first: Callable, second: Callable, node: ast.AST) -> Any:
    """`first() if condition else second()`, of which run time evaluates one."""
    t.here(node)
    place = t.builder.place
    branches = Branches(condition.value, f"a side of the expression of line {place.line}")
    values, names = [], t.scope.names
    for index, side in enumerate((first, second)):
        t.scope.names = dict(names)
        with branches.side(index):
            values.append(side())
            t.here(node)
    t.scope.names = names
    a, b = values
    are_numbers = all(is_scalar(value) and not isinstance(value, Pointer) for value in values)
    if are_numbers and not any(map(_is_changed, [branches] * 2, (0, 1))):
        operations = [list(block.operations) for block in branches.blocks]
        if all(map(_is_free, operations)):
            for operation in [*operations[0], *operations[1]]:
                operation.move_before(branches.operation)
            branches.operation.erase()
            return _select(condition, a, b)
    result = branches.finish([(None, (a, b))])[0]
    if isinstance(result, Unusable):
        raise InstructionError(
            f"expected two values of one kind to choose from, but got {describe_content(a)} and {describe_content(b)}",
            "run time chooses among numbers, and among tiles of one type and shape; other values need a constant condition",
        )
    return result


def _is_changed(branches: Branches, index: int) -> bool:
    frame = branches.frames[index]
    return any(frame.outer(cell) and content is not frame.parent.get(cell) for cell, content in frame.values.items())


def _select(condition: Scalar, a: Any, b: Any) -> Any:
    if type_of(a) is boolean and type_of(b) is boolean:
        if b is False:
            return condition & a
        if a is True:
            return condition | b
    return scalar_math.select(condition, a, b)


@evaluates(ast.IfExp)
def conditional(t: Transpiler, node: ast.IfExp) -> Any:
    value = t.evaluate(node.test)
    if is_index_tile(value):
        return choose_indices(value, t.evaluate(node.body), t.evaluate(node.orelse))
    t.here(node.test)
    condition = as_condition(t, value, node.test)
    if isinstance(condition, bool):
        return t.evaluate(node.body if condition else node.orelse)
    return choose(t, condition, lambda: t.evaluate(node.body), lambda: t.evaluate(node.orelse), node)


@evaluates(ast.BoolOp)
def junction(t: Transpiler, node: ast.BoolOp) -> Any:
    return _junction(t, node, 0)


def _junction(t: Transpiler, node: ast.BoolOp, index: int) -> Any:
    value = t.evaluate(node.values[index])
    if index + 1 == len(node.values):
        return value
    if is_index_tile(value):
        return junction_of_indices(value, _junction(t, node, index + 1), isinstance(node.op, ast.And))
    if is_tile(value):
        word = "and" if isinstance(node.op, ast.And) else "or"
        raise t.error(
            node.values[index],
            f"expected a condition that is one value for '{word}', but got a tile of shape {list(value.shape)}",
            "use & or | to combine tiles of booleans",
        )
    is_and = isinstance(node.op, ast.And)
    if not is_runtime(value):
        return _junction(t, node, index + 1) if bool(value) == is_and else value
    t.here(node)
    condition = scalar_math.truth(value)
    short: Any = value if value.dtype is not boolean else not is_and
    if is_and:
        return choose(t, condition, lambda: _junction(t, node, index + 1), lambda: short, node)
    return choose(t, condition, lambda: short, lambda: _junction(t, node, index + 1), node)
