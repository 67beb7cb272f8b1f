# Calls: methods of scripts and helper classes are transpiled where they are called, everything else is executed as Python.
#
# Owns which is which, the binding of arguments, and what the builtins of Python mean on values of run time.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls."""

from __future__ import annotations

import ast
import builtins
import inspect
import types
import weakref
from typing import Any, Callable, Optional

from tilus.dtypes import DataType, PointerType, float32, int32, int64
from tilus.lang import scalar_math
from tilus.lang.classes import Class, Members
from tilus.lang.errors import InstructionError
from tilus.lang.frames import UNSET
from tilus.lang.index_tiles import function_of, is_index_tile
from tilus.lang.merging import describe_content, is_tile
from tilus.lang.scalars import Pointer, Scalar, as_scalar, is_scalar
from tilus.lang.transpiler.core import MAX_DEPTH, Activation, Transpiler, evaluates, is_runtime
from tilus.lang.transpiler.expressions import elements
from tilus.lang.transpiler.formats import FormatText
from tilus.lang.source import source_of

_signatures: "weakref.WeakKeyDictionary[types.CodeType, inspect.Signature]" = weakref.WeakKeyDictionary()

# Modules of this package whose functions are instructions; helper classes written as scripts say so themselves.
_NATIVE = ("tilus.",)

_CHANGING = frozenset((
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem", "add",
    "discard",
))  # fmt: skip


# Functions of Python that act outside of the script.
_REFUSED = (builtins.open, builtins.input, builtins.exec, builtins.eval, builtins.__import__)


def is_script_function(function: Any) -> bool:
    """Whether a function is transpiled where it is called: one of the user's, or marked so."""
    if not isinstance(function, types.FunctionType):
        return False
    if getattr(function, "__tilus_script__", False):
        return True
    return not function.__module__.startswith(_NATIVE) or "__tilus_script__" in function.__globals__


@evaluates(ast.Call)
def call(t: Transpiler, node: ast.Call) -> Any:
    callee = t.evaluate(node.func)
    args = elements(t, node.args)
    kwargs: dict = {}
    for keyword in node.keywords:
        value = t.evaluate(keyword.value)
        if keyword.arg is None:
            kwargs.update(value)
        else:
            kwargs[keyword.arg] = value
    t.here(node)
    return invoke(t, callee, args, kwargs, node)


def invoke(t: Transpiler, callee: Any, args: list, kwargs: dict, node: ast.AST) -> Any:
    """`callee(*args, **kwargs)`."""
    if callee is builtins.super and not args:
        return _super(t)
    if isinstance(callee, types.MethodType):
        if isinstance(callee.__self__, (Members, type)) and is_script_function(callee.__func__):
            if isinstance(callee.__self__, Members):
                return inline(t, callee.__func__, [callee.__self__, *args], kwargs, node)
    elif isinstance(callee, types.FunctionType):
        if args and isinstance(args[0], Members) and _is_method(callee, args[0]) and is_script_function(callee):
            return inline(t, callee, args, kwargs, node)
    elif isinstance(callee, type):
        if issubclass(callee, Class):
            return _construct(t, callee, args, kwargs, node)
    elif not callable(callee):
        raise InstructionError(f"expected something to call, but got {describe_content(callee)}", "leave the parentheses out")
    if any(map(is_index_tile, args)):
        special = function_of(callee)
        if special is not None:
            return special(*args, **kwargs)
    if any(map(is_runtime, args)) or any(map(_has_runtime, args)):
        special = _builtin(t, callee)
        if special is not None:
            return _call_builtin(callee, special, args, kwargs)
    return _execute(t, callee, args, kwargs)


def _call_builtin(callee: Any, special: Callable, args: list, kwargs: dict) -> Any:
    try:
        return special(*args, **kwargs)
    except TypeError:
        raise InstructionError(
            f"expected arguments of {callee.__name__} as numbers of run time take them, but got others",
            "give it numbers by position alone",
        ) from None


def _is_method(function: types.FunctionType, owner: Any) -> bool:
    return any(vars(cls).get(function.__name__) is function for cls in type(owner).__mro__)


def _super(t: Transpiler) -> Any:
    activation = t.activation
    if activation.source.owner is None or activation.self_object is None:
        raise InstructionError("expected super() in a method of a class, but got it elsewhere")
    return super(activation.source.owner, activation.self_object)


def _execute(t: Transpiler, callee: Callable, args: list, kwargs: dict) -> Any:
    """Calls an instruction, or a function of Python."""
    if callee in _REFUSED:
        raise InstructionError(
            f"expected a function for kernels, but got {callee.__name__}", "call it outside of the script, and pass the result"
        )
    if any(isinstance(arg, FormatText) for arg in args):
        args = _expanded(callee, args)
    owner = getattr(callee, "__self__", None)
    if isinstance(owner, (list, dict, set)) and callee.__name__ in _CHANGING:
        t.check_host_change(owner, f"'{callee.__name__}' changes a {type(owner).__name__}")
    check_tile_arguments(callee, args)
    place = t.builder.place
    try:
        result = callee(*args, **kwargs)
        return t.made(result) if isinstance(callee, type) and not isinstance(result, Scalar) else result
    except TypeError as error:
        raise _argument_error(callee, args, kwargs) or error from error
    except InstructionError as error:
        if error.advice is None and ";" not in error.message:
            error.advice = _usage(callee)
        raise
    finally:
        t.builder.place = place


def _expanded(callee: Callable, args: list) -> list:
    """printf(f"…") as a format and its arguments; elsewhere an f-string is text, in which values of run time are names."""
    if getattr(callee, "__name__", "") != "printf":
        return [arg.text if isinstance(arg, FormatText) else arg for arg in args]
    if len(args) != 1:
        raise InstructionError(
            "expected an f-string with values of run time alone, but got more arguments beside it",
            "put them into the f-string",
        )
    return [args[0].format, *args[0].arguments]


def _usage(callee: Any) -> Optional[str]:
    """How an instruction is called, and what it does."""
    if not isinstance(callee, (types.MethodType, types.FunctionType)) or not callee.__module__.startswith(_NATIVE):
        return None
    what = (inspect.getdoc(callee) or "").split("\n\n")[0].replace("\n", " ")
    return f"{callee.__name__}({', '.join(_parameters(inspect.signature(callee)))}): {what}".rstrip(": ")


def _parameters(signature: inspect.Signature) -> list:
    """The parameters of a signature without types."""
    shown = []
    for parameter in signature.parameters.values():
        if parameter.name != "self":
            star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
            shown.append(star + parameter.name + ("" if parameter.default is parameter.empty else f"={parameter.default}"))
    return shown


def _argument_error(callee: Any, args: list, kwargs: dict) -> Optional[InstructionError]:
    """What is wrong with the arguments of a call, if that is what the error is about."""
    try:
        signature = inspect.signature(callee)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*args, **kwargs)
    except TypeError as mismatch:
        name = getattr(callee, "__name__", "the callee")
        return _mismatch_error(name, signature, mismatch)
    return None


def _mismatch_error(name: str, signature: inspect.Signature, mismatch: TypeError) -> InstructionError:
    return InstructionError(
        f"expected the arguments of '{name}', but got {_mismatch(mismatch)}",
        f"call it as {name}({', '.join(_parameters(signature))})",
    )


def _mismatch(error: TypeError) -> str:
    text = str(error)
    for start, word in (("missing a required", "none for "), ("got an unexpected keyword argument", "an unexpected ")):
        if text.startswith(start):
            return word + text.rpartition("argument: ")[2].replace("got an unexpected keyword argument ", "")
    return text


# -- transpiled calls


def inline(t: Transpiler, function: types.FunctionType, args: list, kwargs: dict, node: Optional[ast.AST]) -> Any:
    """Transpiles a function's body here, and gives what it returns."""
    if len(t.activations) > MAX_DEPTH:
        raise InstructionError(
            f"expected at most {MAX_DEPTH} calls within each other, but '{function.__name__}' is called in more",
            "give a function that calls itself a constant that ends it",
        )
    activation = Activation(source_of(function), t.builder)
    activation.self_object = args[0] if args and isinstance(args[0], Members) else None
    activation.call_place = t.place(node) if node is not None else None
    bound = _bind(function, args, kwargs)
    caller = t.activation.source.node_name
    t.activations.append(activation)
    try:
        with t.builder.called(caller, activation.call_place):
            for parameter, value in bound:
                _bind_parameter(t, activation, parameter, value)
            t.block(activation.source.node.body)
            return _result(t, activation)
    finally:
        t.activations.pop()


def _result(t: Transpiler, activation: Activation) -> Any:
    if t.builder.frame.dead:
        return None
    result = activation.result.content
    if result is UNSET or result is None:
        return None
    if activation.function.live is not False:
        raise InstructionError(
            f"expected '{activation.source.node_name}' to return a value on every way, but it ends without one on some",
            "end it with a return",
        )
    return result


def _signature(function: types.FunctionType) -> inspect.Signature:
    found = _signatures.get(function.__code__)
    if found is None:
        found = _signatures[function.__code__] = inspect.signature(function)
    return found


def _bind(function: types.FunctionType, args: list, kwargs: dict) -> list:
    signature = inspect.signature(function) if function.__defaults__ or function.__kwdefaults__ else _signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise _mismatch_error(function.__name__, signature, error) from None
    bound.apply_defaults()
    return [(parameter, bound.arguments[name]) for name, parameter in signature.parameters.items()]


def _bind_parameter(t: Transpiler, activation: Activation, parameter: inspect.Parameter, value: Any) -> None:
    scope = activation.scope
    kind = parameter.annotation
    if kind is inspect.Parameter.empty or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        scope.bind(parameter.name, value)
        return
    if isinstance(kind, str):
        try:
            kind = activation.source.resolve(kind)
        except Exception:  # a name that only type checkers know
            kind = None
    if isinstance(kind, DataType):
        if not is_scalar(value) or isinstance(value, Pointer):
            raise InstructionError(
                f"expected a number for parameter '{parameter.name}: {kind.name}', but got {describe_content(value)}",
                "leave the annotation out for other values, or take a tile's element with .item()",
            )
        scope.bind(parameter.name, as_scalar(value, kind), kind)
        return
    if isinstance(kind, PointerType) and not isinstance(value, Pointer):
        raise InstructionError(
            f"expected a pointer for parameter '{parameter.name}: {kind.name}', but got {describe_content(value)}",
            "pass a parameter of the kernel, or a view's element with .item_ptr()",
        )
    scope.bind(parameter.name, value)


def bind_lambda(t: Transpiler, node: ast.Lambda, args: tuple, kwargs: dict) -> None:
    """Binds the arguments of a lambda in the current scope."""
    parameters = node.args
    names = [a.arg for a in (*parameters.posonlyargs, *parameters.args)]
    values = dict(zip(names, args))
    if len(args) > len(names):
        if parameters.vararg is None:
            raise InstructionError(f"expected {len(names)} arguments of a lambda, but got {len(args)}")
        values[parameters.vararg.arg] = tuple(args[len(names) :])
    elif parameters.vararg is not None:
        values[parameters.vararg.arg] = ()
    values.update(kwargs)
    for name, default in zip(reversed(names), reversed(parameters.defaults)):
        if name not in values:
            values[name] = t.evaluate(default)
    for argument, default in zip(parameters.kwonlyargs, parameters.kw_defaults):
        if argument.arg not in values and default is not None:
            values[argument.arg] = t.evaluate(default)
    for name in (*names, *(a.arg for a in parameters.kwonlyargs)):
        if name not in values:
            raise InstructionError(f"expected an argument '{name}' of a lambda, but got none")
    for name, value in values.items():
        t.scope.bind(name, value)


def _construct(t: Transpiler, cls: type, args: list, kwargs: dict, node: ast.AST) -> Any:
    """Makes an object of a helper class."""
    instance = cls.__new__(cls)
    initialize = cls.__init__
    if is_script_function(initialize):
        inline(t, initialize, [instance, *args], kwargs, node)
    else:
        _execute(t, initialize.__get__(instance), args, kwargs)
    return instance


# -- builtins on values of run time


def _has_runtime(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(map(is_runtime, value))


def _values(args: tuple) -> tuple:
    values = tuple(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    if len(args) == 1 and is_scalar(args[0]):
        raise InstructionError("expected two numbers or a list of them, but got one number", "give it the other number")
    for value in values:
        if not is_scalar(value):
            raise InstructionError(
                f"expected numbers, but got {describe_content(value)}", "use self.minimum or self.maximum for tiles"
            )
    return values


def _to_int(x: Any) -> Scalar:
    if x.dtype.is_integer():
        return x if not x.dtype.is_boolean() else x.to(int32)
    return x.to(int64 if x.dtype.nbits > 32 else int32)


def _round(x: Scalar, digits: Any = None) -> Scalar:
    if digits is not None:
        raise InstructionError("expected round(x) of a value of run time without digits, but got digits")
    return _to_int(scalar_math.unary("math.roundeven", x)) if x.dtype.is_float() else x


def _reduce(word: str) -> Callable:
    def function(values: Any) -> Any:
        result: Any = word == "all"
        for value in values:
            part = scalar_math.truth(value) if is_runtime(value) else bool(value)
            if isinstance(part, bool):
                if part is not (word == "all"):
                    return part
            else:
                result = part if isinstance(result, bool) else result & part if word == "all" else result | part
        return result

    return function


def _no_text(name: str) -> Callable:
    def function(*args: Any, **kwargs: Any) -> None:
        raise InstructionError(f"expected values that are known for {name}, but got one of run time", "use self.printf")

    return function


BUILTINS: dict = {
    builtins.min: lambda *args: scalar_math.minimum(*_values(args)),
    builtins.max: lambda *args: scalar_math.maximum(*_values(args)),
    builtins.int: _to_int,
    builtins.float: lambda x: x if x.dtype.is_float() and x.dtype.nbits == 64 else x.to(float32),
    builtins.bool: scalar_math.truth,
    builtins.round: _round,
    builtins.any: _reduce("any"),
    builtins.all: _reduce("all"),
    builtins.pow: lambda x, y: x**y,
    builtins.print: _no_text("print"),
    builtins.str: _no_text("str"),
    builtins.repr: _no_text("repr"),
    builtins.format: _no_text("format"),
    builtins.hash: _no_text("hash"),
}


def _builtin(t: Transpiler, callee: Any) -> Optional[Callable]:
    try:
        special = BUILTINS.get(callee)
    except TypeError:
        return None
    if special is None and getattr(callee, "__module__", None) == "math":
        special = scalar_math.math_function(callee)
    return special


def check_tile_arguments(callee: Any, args: list) -> None:
    """Refuses functions of `math` on tiles, which have instructions of their own."""
    if getattr(callee, "__module__", None) == "math" and any(map(is_tile, args)):
        raise InstructionError(
            f"expected numbers for math.{callee.__name__}, but got a tile", f"use self.{callee.__name__} if there is one"
        )

