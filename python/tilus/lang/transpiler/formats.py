# f-strings: text of what is known now, and formats with arguments for what run time prints.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""f-strings."""

from __future__ import annotations

import ast
import re
from typing import Any

from tilus.lang.errors import InstructionError
from tilus.lang.merging import describe_content, is_tile
from tilus.lang.scalars import Constant, Pointer, Scalar
from tilus.lang.transpiler.core import Transpiler, evaluates, is_runtime


class FormatText:
    """An f-string with values of run time: a format of C's printf and its arguments, and the text that shows their names."""

    def __init__(self, format: str, arguments: list, text: str):
        self.format = format
        self.arguments = arguments
        self.text = text

    def __str__(self) -> str:
        raise InstructionError(
            "expected text that is known when the script is transpiled, but got an f-string with values of run time",
            "print such values with self.printf",
        )


@evaluates(ast.JoinedStr)
def joined(t: Transpiler, node: ast.JoinedStr) -> Any:
    text, format, arguments = [], [], []
    for part in node.values:
        if isinstance(part, ast.Constant):
            text.append(part.value)
            format.append(part.value.replace("%", "%%"))
            continue
        value = t.evaluate(part.value)
        spec = "" if part.format_spec is None else t.evaluate(part.format_spec)
        if is_runtime(value):
            format.append(conversion(value, spec))
            arguments.append(value)
            text.append("{" + ast.unparse(part.value) + "}")
            continue
        if is_tile(value):
            raise t.error(part.value, f"expected a scalar in an f-string, but got {describe_content(value)}",
                          "print tiles with self.print_tensor")  # fmt: skip
        if isinstance(value, Constant):
            value = value.number
        value = {-1: lambda x: x, 115: str, 114: repr, 97: ascii}[part.conversion](value)
        shown = builtin_format(value, spec)
        text.append(shown)
        format.append(shown.replace("%", "%%"))
    return FormatText("".join(format), arguments, "".join(text)) if arguments else "".join(text)


builtin_format = format

_SPEC = re.compile(r"(?P<align>[<>]?)(?P<sign>[+ ]?)(?P<alt>#?)(?P<zero>0?)(?P<width>\d*)(?:\.(?P<digits>\d+))?(?P<kind>[dxXofeEgG]?)")


def conversion(value: Scalar, spec: str = "") -> str:
    """The conversion of printf that shows a scalar as a format of Python's would."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise InstructionError(f"expected a format such as ':5d' or ':.3f' for a value of run time, but got ':{spec}'")
    if isinstance(value, Pointer):
        return "%p"
    kind, is_float = match["kind"], value.dtype.is_float()
    if is_float and kind in tuple("dxXo") or not is_float and kind in tuple("feEgG"):
        raise InstructionError(
            f"expected a format for {value.dtype.name}, but got ':{spec}'", "use d, x and o for integers, f, e and g for floats"
        )
    flags = ("-" if match["align"] == "<" else "") + match["sign"] + match["alt"] + match["zero"]
    digits = f".{match['digits']}" if match["digits"] else ""
    length = "" if is_float or value.dtype.nbits <= 32 else "ll"
    if not kind:
        kind = "g" if is_float else "d" if value.dtype.is_signed() else "u"
    elif kind == "d" and value.dtype.is_unsigned():
        kind = "u"
    return f"%{flags}{match['width']}{digits}{length}{kind}"


def static_text(t: Transpiler, node: ast.expr) -> str:
    """The text of a message that is fixed when the script is transpiled: values of run time are shown by their names."""
    if not isinstance(node, ast.JoinedStr):
        return str(t.evaluate(node))
    parts = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(part.value)
            continue
        value = t.evaluate(part.value)
        if is_runtime(value) or is_tile(value):
            parts.append("{" + ast.unparse(part.value) + "}")
        else:
            spec = "" if part.format_spec is None else t.evaluate(part.format_spec)
            parts.append(builtin_format(value.number if isinstance(value, Constant) else value, spec))
    return "".join(parts)
