# Statements: branches, returns, jumps, assertions, contexts. Assignments are in assignments.py, loops in loops.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements."""

from __future__ import annotations

import ast
from typing import Any, Optional

from tilus.lang import scalar_math
from tilus.lang.control_flow import Branches, GroupRegion
from tilus.lang.errors import InstructionError
from tilus.lang.frames import GroupFrame, LoopFrame
from tilus.lang.merging import is_tile
from tilus.lang.transpiler.core import Transpiler, executes, is_runtime
from tilus.lang.transpiler.formats import static_text


@executes(ast.Expr)
def expression(t: Transpiler, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        t.evaluate(node.value)


@executes(ast.Pass)
def nothing(t: Transpiler, node: ast.Pass) -> None:
    pass


def condition_of(t: Transpiler, node: ast.expr) -> Any:
    """The value of a condition: a Python bool if it is known now, else a boolean scalar."""
    value = t.evaluate(node)
    t.here(node)
    return as_condition(t, value, node)


def as_condition(t: Transpiler, value: Any, node: ast.expr) -> Any:
    """The value of an expression as a condition."""
    if is_runtime(value):
        return scalar_math.truth(value)
    if is_tile(value):
        raise t.error(
            node,
            f"expected a condition that is one value, but got a tile of shape {list(value.shape)}",
            "choose elements with self.where, or reduce the tile with self.any or self.all and take .item()",
        )
    return bool(value)


@executes(ast.If)
def branch(t: Transpiler, node: ast.If) -> None:
    condition = condition_of(t, node.test)
    if isinstance(condition, bool):
        t.block(node.body if condition else node.orelse)
        return
    t.here(node)
    branch_on(t, condition, node.body, node.orelse, node)


def branch_on(t: Transpiler, condition: Any, body: list, orelse: list, node: ast.AST) -> None:
    """A branch that run time decides."""
    place = t.place(node)
    branches = Branches(condition.value, f"the branch of line {place.line}")
    jump = t.activation.current_jump()
    names = []
    for index, statements in enumerate((body, orelse)):
        before = t.scope.names
        t.scope.names = dict(before)
        with branches.side(index):
            t.block(statements)
            branches.skipped[index] = jump.live is False
        names.append(t.scope.names)
        t.scope.names = before
    t.here(node)
    t.scope.join(branches, names, f"the branch of line {place.line}", place)


@executes(ast.Return)
def leave_function(t: Transpiler, node: ast.Return) -> None:
    activation = t.activation
    value = None if node.value is None else t.evaluate(node.value)
    t.here(node)
    if activation.is_kernel:
        if value is not None:
            raise InstructionError("expected a kernel to return nothing, but got a value", "store it in global memory")
        _check_return_of_group(t)
        if t.builder.frame.parent is not None:
            t.builder.create("tilus.exit")
            t.builder.frame.dead = True
    elif t.builder.group is not activation.function.group:
        raise InstructionError(
            "expected a function to be left outside of the thread groups that it opens, but got a return in one",
            "put the rest of the group in a branch",
        )
    activation.result.content = value
    for loop in activation.loops:
        loop.round.leave()
        loop.loop.leave()
    activation.function.leave()


def _check_return_of_group(t: Transpiler) -> None:
    """Threads that have returned cannot be of a group again, so those of a group return for good or not at all."""
    group, frame = t.builder.group, t.builder.frame
    if group is None or group.parent is None:
        return
    if group.kind == "any":
        raise InstructionError(
            "expected a return of threads that are known, but got one in a group that may be any threads",
            "say which threads they are, as in self.single_thread(0), or put the rest of the group in a branch",
        )
    is_inside = True
    while frame is not None:
        if isinstance(frame, LoopFrame) and not is_inside:
            raise InstructionError(
                "expected a return of threads that are not needed again, but got one in a thread group that a loop opens "
                "again",
                "put the rest of the group in a branch, or open the group around the loop",
            )
        is_inside = is_inside and not isinstance(frame, GroupFrame)
        frame = frame.parent
    t.builder.returned.append(group)


def _innermost_loop(t: Transpiler, word: str) -> Any:
    loop = t.activation.loops[-1]
    if loop.loop.group is not t.builder.group:
        raise InstructionError(
            f"expected a loop to be left outside of thread groups, but got {word} in one that the loop contains",
            "put the rest of the group in a branch, or open the group around the loop",
        )
    return loop


@executes(ast.Break)
def break_loop(t: Transpiler, node: ast.Break) -> None:
    loop = _innermost_loop(t, "break")
    loop.round.leave()
    loop.loop.leave()


@executes(ast.Continue)
def continue_loop(t: Transpiler, node: ast.Continue) -> None:
    _innermost_loop(t, "continue").round.leave()


@executes(ast.Assert)
def check(t: Transpiler, node: ast.Assert) -> None:
    value = t.evaluate(node.test)
    message = None if node.msg is None else static_text(t, node.msg)
    if is_runtime(value) or is_tile(value):
        t.here(node)
        emit_assert(t, value, message or ast.unparse(node.test))
    elif not value:
        raise InstructionError(
            f"assertion failed: {message or ast.unparse(node.test)}",
            "the condition is known when the script is transpiled, and does not hold",
        )


def emit_assert(t: Transpiler, value: Any, message: str) -> None:
    """An assertion of run time."""
    if is_tile(value):
        condition = value.value if value.dtype.is_boolean() else (value != 0).value
    else:
        condition = scalar_math.truth(value).value
    t.builder.create("tilus.assert", (condition,), {"message": quoted(message)})


def quoted(text: str) -> str:
    """A string as MLIR writes it."""
    parts = []
    for byte in text.encode():
        plain = 32 <= byte < 127 and byte not in b'"\\'
        parts.append(chr(byte) if plain else f"\\{byte:02X}")
    return '"' + "".join(parts) + '"'


@executes(ast.Raise)
def fail(t: Transpiler, node: ast.Raise) -> None:
    if t.builder.frame.parent is not None:
        raise InstructionError(
            "expected no exception where run time decides, but got raise", "use assert, which stops the kernel"
        )
    error = None if node.exc is None else t.evaluate(node.exc)
    text = str(error) if isinstance(error, BaseException) else getattr(error, "__name__", "")
    raise InstructionError(text, "the script raises this when it is transpiled")


@executes(ast.Delete)
def delete(t: Transpiler, node: ast.Delete) -> None:
    for target in node.targets:
        if not isinstance(target, ast.Name) or t.scope.lookup(target.id) is None:
            raise InstructionError("expected names of the script to delete, but got something else", "leave it out")
        t.scope.names.pop(target.id)
        t.scope.lost[target.id] = ("del", t.place(node))


@executes(ast.With)
def context(t: Transpiler, node: ast.With) -> None:
    _contexts(t, node, node.items)


def _contexts(t: Transpiler, node: ast.With, items: list) -> None:
    if not items:
        t.block(node.body)
        return
    item = items[0]
    manager = t.evaluate(item.context_expr)
    t.here(item.context_expr)
    if not isinstance(manager, GroupRegion):
        raise t.error(
            item.context_expr,
            f"expected a thread group in 'with', but got {_described(manager)}",
            "use self.thread_group, self.single_thread, self.single_warp or self.warp_group",
        )
    place = t.place(node)
    try:
        manager.check_threads(t.builder.returned)
    except InstructionError as error:
        raise t.failure(error, item.context_expr) from None
    with t.scope.local(f"the thread group of line {place.line}", place), manager as entered:
        if item.optional_vars is not None:
            from tilus.lang.transpiler.assignments import assign_to

            assign_to(t, item.optional_vars, entered)
        _contexts(t, node, items[1:])


def _described(value: Optional[Any]) -> str:
    from tilus.lang.scalars import describe

    return describe(value)
