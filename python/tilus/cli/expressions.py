# Layouts as text: attributes of the dialect, or expressions of the functions that make layouts.
#
# An expression is Python's syntax, but it is not run by Python: only calls of the functions below, with numbers and
# lists of numbers, products and quotients of layouts are understood.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts written as text, such as `local(2, 1).spatial(8, 4).local(1, 2)`."""

from __future__ import annotations

import ast
from typing import Any, Union

from tilus.ir.layout import RegisterLayout, SharedLayout, Swizzle, ops, register_layout, shared_layout

_FUNCTIONS = {
    name: getattr(ops, name)
    for name in (
        "auto_local_spatial column_local column_spatial compose concat divide flatten left_divide local permute reduce "
        "reduce_to replicated reshape spatial squeeze unsqueeze shared_column_major shared_compose shared_permute "
        "shared_reshape shared_row_major shared_row_major_swizzle shared_slice shared_unsqueeze"
    ).split()
}
_FUNCTIONS.update(register_layout=register_layout, shared_layout=shared_layout, Swizzle=Swizzle)
_METHODS = (
    "local spatial column_local column_spatial reduce_to slice apply_swizzle prepend_dim transpose permute reshape unsqueeze"
).split()


def parse_layout(text: str) -> Union[RegisterLayout, SharedLayout]:
    """The layout that a text describes; a ValueError if it describes none."""
    text = text.strip()
    if text.startswith("#tilus.reg"):
        return RegisterLayout.from_attribute(text)
    if text.startswith("#tilus.smem"):
        return SharedLayout.from_attribute(text)
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise ValueError(f"expected a layout such as 'spatial(8, 4).local(1, 2)', but got '{text}'") from error
    value = _evaluate(tree.body)
    if not isinstance(value, (RegisterLayout, SharedLayout)):
        raise ValueError(f"expected a layout, but got '{text}', a {type(value).__name__}")
    return value


def parse_register_layout(text: str) -> RegisterLayout:
    """The register layout that a text describes."""
    layout = parse_layout(text)
    if not isinstance(layout, RegisterLayout):
        raise ValueError(f"expected a register layout, but got the shared layout '{text}'")
    return layout


def parse_shared_layout(text: str) -> SharedLayout:
    """The shared layout that a text describes."""
    layout = parse_layout(text)
    if not isinstance(layout, SharedLayout):
        raise ValueError(f"expected a shared layout, but got the register layout '{text}'")
    return layout


def _evaluate(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _evaluate(node.operand)
        if type(value) is int:
            return -value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_evaluate(element) for element in node.elts]
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        left, right = _evaluate(node.left), _evaluate(node.right)
        if isinstance(left, RegisterLayout) and isinstance(right, RegisterLayout):
            return left * right if isinstance(node.op, ast.Mult) else left / right
    if isinstance(node, ast.Call):
        return _call(node)
    raise ValueError(f"expected numbers, lists and functions of layouts, but got '{ast.unparse(node)}'")


def _call(node: ast.Call) -> Any:
    function = node.func
    if isinstance(function, ast.Attribute):
        receiver = _evaluate(function.value)
        if function.attr not in _METHODS or not hasattr(receiver, function.attr):
            raise ValueError(f"expected one of the methods {', '.join(_METHODS)}, but got '{function.attr}'")
        target = getattr(receiver, function.attr)
    elif isinstance(function, ast.Name) and function.id in _FUNCTIONS:
        target = _FUNCTIONS[function.id]
    else:
        raise ValueError(f"expected one of the functions {', '.join(_FUNCTIONS)}, but got '{ast.unparse(function)}'")
    arguments = [_evaluate(argument) for argument in node.args]
    keywords = {keyword.arg: _evaluate(keyword.value) for keyword in node.keywords if keyword.arg}
    try:
        return target(*arguments, **keywords)
    except TypeError as error:
        raise ValueError(f"expected other arguments in '{ast.unparse(node)}': {error}") from error
