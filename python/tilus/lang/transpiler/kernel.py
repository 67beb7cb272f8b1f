# From a script to a module with one kernel: parameters, body, grid, checks.
#
# Owns the kernel operation, its parameters and attributes. The body is what the transpiler makes of `__call__`, the grid
# is copied in grid.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transpilation of a script."""

from __future__ import annotations

import inspect
import re
import threading
from typing import Any, Callable, Mapping, Optional

from tilus._compiler import ir
from tilus.dtypes import PointerType
from tilus.ir.context import use_builder
from tilus.lang import signs
from tilus.lang.builder import Builder
from tilus.lang.classes import load_instructions
from tilus.lang.errors import InstructionError, Place, TilusProgramError
from tilus.lang.parameters import CONSTANT_TYPES, parameters_of
from tilus.lang.scalars import Pointer, Scalar
from tilus.lang.source import Source, source_of
from tilus.lang.transpiler import assignments, calls, expressions, formats, logic, loops, statements  # noqa: F401
from tilus.lang.transpiler.core import Activation, Transpiler
from tilus.lang.transpiler.failures import from_diagnostics
from tilus.lang.transpiler.grid import make_grid

_threads = threading.local()


def thread_context() -> ir.Context:
    """The context of this thread, which all its transpilations share."""
    context = getattr(_threads, "context", None)
    if context is None:
        context = _threads.context = ir.Context()
    return context


def transpile(
    script: Any,
    method: Callable,
    constants: Optional[Mapping[str, Any]] = None,
    target: Any = None,
    divisibility: Optional[Mapping[str, int]] = None,
    context: Optional[ir.Context] = None,
    name: Optional[str] = None,
) -> ir.Module:
    """A module with the kernel of a script's method.

    `constants` are the values of the parameters that are annotated as bool, int, float or str. `divisibility` are numbers
    that parameters are multiples of (bytes for pointers). `target` is what `get_current_target` says meanwhile; the module
    does not depend on it unless the script asks.
    """
    function = getattr(method, "__func__", method)
    load_instructions()
    context = context or thread_context()
    context.take_diagnostics()
    builder = Builder(context, target)
    builder.will_change(script)
    reset = getattr(getattr(script, "attrs", None), "reset", None)
    if reset is not None:
        reset()
    try:
        return _transpile(builder, script, function, constants or {}, divisibility or {}, name)
    except TilusProgramError as error:
        if error.__cause__ is None:
            error.__traceback__ = None  # the user's place says it all
        raise
    finally:
        builder.restore_objects()


def _transpile(
    builder: Builder, script: Any, function: Any, constants: Mapping, divisibility: Mapping, name: Optional[str]
) -> ir.Module:
    source = source_of(function)
    place = source.place
    builder.place = place._replace(end=0)
    module = ir.Module.create(builder.location)
    parameters = parameters_of(source)
    kept = [p for p in parameters if p[1] not in CONSTANT_TYPES]
    kernel = _make_kernel(builder, module, name or snake_case(type(script).__name__), kept, divisibility)
    grid, body = (region.append([builder.type(kind) for _, kind in kept]) for region in kernel.regions)
    transpiler = Transpiler(builder)
    with builder.active(), use_builder(builder), builder.inside(body):
        _transpile_body(transpiler, script, source, parameters, constants, body)
        builder.place = place._replace(end=0)
        builder.create("tilus.return")
        signs.settle(builder)
        for unfinished in builder.unfinished:
            unfinished.settle()
        _finish_kernel(builder, kernel, script, place)
        if getattr(script.attrs, "blocks", None) is None:
            raise TilusProgramError("expected the numbers of blocks, but self.attrs.blocks is not set", place,
                                    "assign self.attrs.blocks, as in 'self.attrs.blocks = [cdiv(n, 128)]'")  # fmt: skip
        with builder.inside(grid):
            make_grid(builder, script.attrs.blocks, builder.blocks_place or place, body, grid)
    verify(module, place)
    return module


def _transpile_body(t: Transpiler, script: Any, source: Source, parameters: list, constants: Mapping, body: Any) -> None:
    activation = Activation(source, t.builder, is_kernel=True)
    activation.self_object = script
    t.activations.append(activation)
    t.script = script
    names = list(inspect.signature(source.function).parameters)
    activation.scope.bind(names[0], script)
    arguments = iter(body.arguments)
    for name, kind in parameters:
        if kind in CONSTANT_TYPES:
            if name not in constants:
                raise TilusProgramError(f"expected a value for the constant '{name}', but got none")
            activation.scope.bind(name, constants[name])
        elif isinstance(kind, PointerType):
            activation.scope.bind(name, Pointer(next(arguments), kind))
        else:
            activation.scope.bind(name, Scalar(next(arguments), kind, kind.is_unsigned()), kind)
    t.block(source.node.body)
    t.activations.pop()


def snake_case(name: str) -> str:
    """`FusedSoftmax` as `fused_softmax`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"\W", "_", words).lower().strip("_") or "kernel"


# -- the kernel operation


def _make_kernel(builder: Builder, module: ir.Module, name: str, parameters: list, divisibility: Mapping) -> ir.Operation:
    types = ", ".join(kind.mlir for _, kind in parameters)
    # A pointer of which nothing is said is a multiple of 16 to the compiler.
    notes = [
        f"{{tilus.divisibility = {divisibility[parameter]} : i64}}"
        if parameter in divisibility and (divisibility[parameter] > 1 or isinstance(kind, PointerType))
        else "{}"
        for parameter, kind in parameters
    ]
    attributes = {
        "sym_name": statements.quoted(name),
        "function_type": f"({types}) -> ()",
        "warps": "1 : i32",
        "param_names": f"[{', '.join(statements.quoted(p) for p, _ in parameters)}]",
    }
    if any(note != "{}" for note in notes):
        attributes["arg_attrs"] = f"[{', '.join(notes)}]"
    with builder.inside(module.body):
        return builder.create("tilus.kernel", (), attributes, (), 2)


def _finish_kernel(builder: Builder, kernel: ir.Operation, script: Any, place: Place) -> None:
    attrs = script.attrs
    if getattr(attrs, "warps", None) is None:
        raise TilusProgramError("expected the number of warps of a block, but self.attrs.warps is not set", place,
                                "assign self.attrs.warps at the start, as in 'self.attrs.warps = 4'")  # fmt: skip
    kernel.attributes["warps"] = builder.attribute(f"{int(attrs.warps)} : i32")
    cluster = getattr(attrs, "cluster_blocks", None)
    if cluster is not None:
        sizes = list(cluster) if isinstance(cluster, (tuple, list)) else [cluster]
        if not 1 <= len(sizes) <= 3 or not all(isinstance(n, int) and n > 0 for n in sizes):
            raise TilusProgramError(f"expected one to three constants as self.attrs.cluster_blocks, but got {cluster!r}", place,
                                    "use positive numbers that are known when the script is transpiled")  # fmt: skip
        sizes += [1] * (3 - len(sizes))
        if any(n != 1 for n in sizes):
            kernel.attributes["cluster"] = builder.attribute(f"array<i32: {', '.join(map(str, sizes))}>")


# -- verification


def verify(module: ir.Module, place: Place) -> None:
    """Raises the compiler's diagnostics at the script's lines."""
    try:
        module.verify()
    except ir.MLIRError as error:
        raise from_diagnostics(error.diagnostics, place) from None
    except InstructionError as error:
        raise TilusProgramError(error.message, place, error.advice) from None
