# Loops: over ranges and conditions of run time, and over lists, which are unrolled.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops."""

from __future__ import annotations

import ast
import builtins
from typing import Any, Callable

from tilus.dtypes import boolean, int32, int64
from tilus.lang import scalar_math
from tilus.lang.builder import current_builder
from tilus.lang.control_flow import Branches, ForLoop, RepeatLoop
from tilus.lang.errors import InstructionError
from tilus.lang.frames import UNSET, Cell
from tilus.lang.loop_range import LoopRange
from tilus.lang.merging import describe_content, is_tile
from tilus.lang.scalars import Constant, Pointer, Scalar, as_scalar, host_number, is_scalar, type_of
from tilus.lang.transpiler.assignments import assign_to
from tilus.lang.transpiler.core import Jump, LoopState, Transpiler, executes, is_runtime
from tilus.lang.transpiler.statements import condition_of


def host_items(t: Transpiler, iterable: Any, node: ast.AST) -> list:
    """What a loop over a value of Python goes through."""
    if is_scalar(iterable) or is_tile(iterable) or iterable is None:
        advice = "use range(n) for a count" if is_scalar(iterable) else "index the tile in a loop over range(…)"
        raise t.error(node, f"expected a range or a list to loop over, but got {describe_content(iterable)}", advice)
    try:
        return list(iterable)
    except TypeError:
        raise t.error(
            node, f"expected a range or a list to loop over, but got {describe_content(iterable)}", "use range(n) for a count"
        ) from None


# -- what a loop changes


def assigned_names(node: ast.AST) -> list:
    """The names that an expression or the body of a loop assigns, in the order of the text; those of functions inside of
    it are not."""
    found = getattr(node, "tilus_assigned", None)
    if found is None:
        names: dict = {}
        for part in node.body if isinstance(node, (ast.For, ast.While)) else [node]:
            _collect(part, names)
        found = node.tilus_assigned = list(names)
    return found


def _collect(node: ast.AST, names: dict) -> None:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        names[node.id] = True
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        for child in ast.walk(node):
            if isinstance(child, ast.NamedExpr):
                names[child.target.id] = True
    elif not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            _collect(child, names)


def _leaves(node: ast.AST, types: tuple, of_loop: bool) -> bool:
    """Whether a body has a jump of these types; of inner loops only those that leave this one too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, types):
            return True
        if isinstance(child, (ast.Lambda, ast.FunctionDef)):
            continue
        if of_loop and isinstance(child, (ast.For, ast.While)):
            # Jumps of the body are the inner loop's own; those of its else are this one's.
            if ast.Return in types and _leaves(ast.Module(child.body, []), (ast.Return,), of_loop):
                return True
            child = ast.Module(child.orelse, [])
        if _leaves(child, types, of_loop):
            return True
    return False


def _can_stop(t: Transpiler, node: Any) -> bool:
    """Whether a loop may end before its condition says so."""
    cached = getattr(node, "tilus_stops", None)
    if cached is None:
        body = ast.Module(node.body, [])
        cached = node.tilus_stops = (_leaves(body, (ast.Break,), True), _leaves(body, (ast.Return,), True))
    return cached[0] or cached[1] and not t.activation.is_kernel


def _prepare(t: Transpiler, node: Any, targets: tuple = ()) -> tuple:
    """Makes variables of what a loop of run time changes. Gives the loop's state and whether it may stop early."""
    hidden = {name for target in targets for name in assigned_names(target)}
    t.scope.promote(name for name in assigned_names(node) if name not in hidden)
    if isinstance(node, ast.While):
        t.scope.promote(assigned_names(node.test))
    stops = _can_stop(t, node)
    if stops and node.tilus_stops[1] and not t.activation.is_kernel:
        # A return inside leaves the loops around and the function as well.
        t.activation.function.make_runtime()
        for outer in t.activation.loops:
            outer.round.make_runtime()
            outer.loop.make_runtime()
    state = LoopState(Jump(t.builder, "whether a loop goes on"))
    if stops:
        state.loop.make_runtime()
    return state, stops


def _round(t: Transpiler, state: LoopState, body: Callable) -> None:
    """One round of a loop."""
    state.round = Jump(t.builder, "whether a round of a loop goes on")
    t.activation.loops.append(state)
    try:
        body()
    finally:
        t.activation.loops.pop()


def _otherwise(t: Transpiler, node: Any, state: LoopState) -> None:
    """The else of a loop: executed unless the loop was left by break."""
    if not node.orelse:
        return
    live = state.loop.live
    if live is True:
        t.block(node.orelse)
    elif live is not False:
        from tilus.lang.transpiler.statements import branch_on

        branch_on(t, live, node.orelse, [], node.orelse[0])


# -- for


@executes(ast.For)
def for_loop(t: Transpiler, node: ast.For) -> None:
    iterable = _iterable(t, node.iter)
    t.here(node)
    if not isinstance(iterable, LoopRange):
        _unrolled(t, node, host_items(t, iterable, node.iter))
    elif iterable.unroll == "all":
        try:
            values = iterable.host_values()
        except InstructionError as error:
            raise t.failure(error, node.iter) from None
        _unrolled(t, node, values)
    else:
        _range_loop(t, node, iterable)


def _iterable(t: Transpiler, node: ast.expr) -> Any:
    # `range(…)` of Python is a loop of run time, whether its bounds are known or not.
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if t.evaluate(node.func) is builtins.range:
            from tilus.lang.transpiler.expressions import elements

            bounds = elements(t, node.args)
            t.here(node)
            return LoopRange(*bounds)
    return t.evaluate(node)


def _unrolled(t: Transpiler, node: ast.For, items: list) -> None:
    state = LoopState(Jump(t.builder, "whether a loop goes on"))
    _unrolled_rounds(t, node, state, items, 0)
    _otherwise(t, node, state)


def _unrolled_rounds(t: Transpiler, node: ast.For, state: LoopState, items: list, start: int) -> None:
    for index in range(start, len(items)):

        def body(item: Any = items[index]) -> None:
            for name in assigned_names(node.target):
                t.scope.names.pop(name, None)
            assign_to(t, node.target, item)
            t.block(node.body)

        _round(t, state, body)
        live = state.loop.live
        if live is False:
            return
        if live is not True and index + 1 < len(items):
            t.here(node)
            _guarded(t, live, state, lambda: _unrolled_rounds(t, node, state, items, index + 1), node)
            return


def _guarded(t: Transpiler, live: Scalar, state: LoopState, rounds: Callable, node: ast.AST) -> None:
    branches = Branches(live.value, "the rounds of a loop behind a break")
    names, before = [], t.scope.names
    for index in (0, 1):
        t.scope.names = dict(before)
        with branches.side(index):
            state.loop.cell.content = index == 0
            if index == 0:
                t.activation.result.content = UNSET  # nothing was returned if this is executed
                rounds()
        names.append(t.scope.names)
    t.scope.names = before
    t.scope.join(branches, names, "a loop that may be left before", t.place(node))


def _range_loop(t: Transpiler, node: ast.For, bounds: LoopRange) -> None:
    state, stops = _prepare(t, node, (node.target,))
    t.here(node)
    try:
        lower, upper, step, index_of = _normalized(bounds)
    except InstructionError as error:
        raise t.failure(error, node.iter) from None
    place = t.place(node)
    what = f"the loop of line {place.line}"

    def body(index: Scalar) -> None:
        for name in assigned_names(node.target):
            t.scope.names.pop(name, None)
        assign_to(t, node.target, index_of(index))
        t.block(node.body)

    if not stops:
        loop = ForLoop(lower, upper, step, what)
        if bounds.unroll is not None:
            loop.attributes["tilus.unroll"] = f"{bounds.unroll} : i32"
        with t.scope.local(what, place), loop.body() as index:
            _round(t, state, lambda: body(index))
        t.here(node)
        loop.finish()
    else:
        _stopping_range(t, node, state, (lower, upper, step), body, what)
    _otherwise(t, node, state)


def _stopping_range(t: Transpiler, node: ast.For, state: LoopState, bounds: tuple, body: Callable, what: str) -> None:
    lower, upper, step = bounds
    dtype = lower.dtype
    counter = Cell(t.builder, Scalar(lower.value, dtype, lower.nonneg), "the index of a loop")

    def round_() -> None:
        index = counter.content
        _round(t, state, lambda: body(index))
        t.here(node)
        counter.content = index + step

    def test() -> Any:
        return counter.content < upper

    _repeat(t, node, state, test, round_, what)


def _repeat(t: Transpiler, node: Any, state: LoopState, test: Callable, round_: Callable, what: str) -> None:
    """A loop that evaluates a condition, a round, and then both again unless it was left."""
    place = t.place(node)
    loop = RepeatLoop(what)
    with t.scope.local(what, place), loop.body():
        condition = test()
        if condition is False:
            again: Any = Constant(False, boolean)
        elif condition is True:
            round_()
            again = state.loop.live
        else:
            t.here(node)
            branches = Branches(condition.value, what)
            with branches.side(0), t.scope.local(what, place):
                round_()
                live = state.loop.live
            again = branches.finish([(None, (live, False))])[0]
        t.here(node)
        value = as_scalar(again, boolean).value
    t.here(node)
    loop.finish(value)


# -- while


@executes(ast.While)
def while_loop(t: Transpiler, node: ast.While) -> None:
    state, stops = _prepare(t, node)
    t.here(node)
    if not stops and isinstance(node.test, ast.Constant) and node.test.value and not _exits(t, node):
        raise t.error(node.test, "expected a loop that ends, but got one without a condition and without break",
                      "add a break, or a condition that becomes false")  # fmt: skip
    what = f"the loop of line {t.place(node).line}"
    _repeat(t, node, state, lambda: condition_of(t, node.test), lambda: _round(t, state, lambda: t.block(node.body)), what)
    _otherwise(t, node, state)


def _exits(t: Transpiler, node: ast.While) -> bool:
    return t.activation.is_kernel and _leaves(ast.Module(node.body, []), (ast.Return,), True)


# -- ranges


def _bound(value: Any, what: str) -> Any:
    number = host_number(value)
    if isinstance(number, float) or not is_scalar(value) or isinstance(value, Pointer) or not type_of(value).is_integer():
        raise InstructionError(
            f"expected an integer for the {what} of a range, but got {describe_content(value)}", "convert it with .to(int32)"
        )
    return number if number is not None else value


def _normalized(bounds: LoopRange) -> tuple:
    """Lower and upper bound and positive step of an upward loop, and what its index is to the script."""
    start, stop, step = _bound(bounds.start, "start"), _bound(bounds.stop, "end"), _bound(bounds.step, "step")
    wide = any(type_of(value).nbits > 32 for value in (start, stop, step))
    dtype = int64 if wide else int32
    start, stop = as_scalar(start, dtype), as_scalar(stop, dtype)
    known = step if isinstance(step, int) else step.number if isinstance(step, Constant) else None
    if known == 0:
        raise InstructionError("expected a step that is not zero, but got 0", "use a positive or a negative step")
    if known is not None and known > 0:
        return start, stop, as_scalar(known, dtype), lambda index: index
    zero, one = Constant(0, dtype), Constant(1, dtype)
    if known is not None:
        count = (start - stop + (-known - 1)) // -known
        nonneg = isinstance(stop, Constant) and stop.number >= -1 or stop.nonneg
        return zero, count, one, lambda index: _signed(start + index * known, nonneg)
    step = as_scalar(step, dtype)
    up = step > 0
    distance = scalar_math.select(up, stop - start, start - stop)
    size = scalar_math.maximum(scalar_math.absolute(step), 1)
    count = (distance + (size - 1)) // size
    emit_nonzero(step)
    return zero, count, one, lambda index: start + index * step


def _signed(scalar: Scalar, nonneg: Any) -> Scalar:
    return Scalar(scalar.value, scalar.dtype, True) if nonneg is True and is_runtime(scalar) else scalar


def emit_nonzero(step: Scalar) -> None:
    """A range whose step is zero is an error of run time, as it is in Python."""
    current_builder().create("tilus.assert", ((step != 0).value,), {"message": '"the step of a range is zero"'})
