#!/usr/bin/env python3
"""Writes docs/generated/script-language.md: what scripts may say, from what the Python front end supports.

Statements, expressions, refused syntax, builtins, instructions and data types come from the package itself, which must be
on PYTHONPATH. With --check it only says whether the page is up to date.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import ast
import inspect
import math
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/generated/script-language.md"

# What each kind of syntax means in a script; each one that is supported must be here, and no other.
MEANINGS = {
    "Assign": "`x = e`, `a, b = e`, `a, *b = e`, `a = b = e`, `self.x = e`, `t[i, :] = e`. A name that is bound to a scalar keeps "
    "its type; a name that is bound to a tile of the same type and shape is copied to; any other name is bound anew.",
    "AnnAssign": "`x: int32 = e` declares a variable of that type, in `self.x: int32 = e` an attribute. Other annotations are for "
    "the reader.",
    "AugAssign": "`x += e`, `self.x += e`, `t += e`, `t[i, :] += e`: tiles are changed in place, all else is assigned.",
    "Assert": "of what is known when the script is transpiled an error then; of run time an assertion that stops the kernel. In its "
    "message values of run time are shown by their names.",
    "Break": "leaves the innermost loop.",
    "Continue": "ends a round of the innermost loop.",
    "Delete": "`del x` ends a name.",
    "Expr": "a call for its effect; texts alone are comments.",
    "For": "over `range(…)` and `self.range(…, unroll=…)`, whose bounds and step may be of run time and of either sign; over lists, "
    "tuples, `enumerate`, `zip`, dicts the rounds are executed one by one. `else` is executed unless the loop was left by `break`.",
    "If": "of what is known when the script is transpiled only the side that is taken is looked at, else both are; names that both "
    "sides assign are visible behind it.",
    "Pass": "nothing.",
    "Raise": "an error when the script is transpiled, where no run time decides.",
    "Return": "in the kernel ends the block, or the thread group that executes it; in a method ends the method.",
    "While": "evaluates its condition before each round. `else` as with `for`.",
    "With": "a thread group, or several inside of one another.",
    "Attribute": "an attribute.",
    "BinOp": "`+ - * / // % ** & | ^ << >>`. `//` and `%` round down, as in Python; `/` of integers truncates.",
    "BoolOp": "`and`, `or`: the right side is evaluated only if Python would; of tiles use `&` and `|`.",
    "Call": "methods of the script and of `tilus.Class` are transpiled where they are called, with or without annotations, `*args` "
    "and `**kwargs`; other functions are executed as Python, with scalars and tiles of run time as arguments.",
    "Compare": "also chains such as `0 <= x < n`, and `in` for lists.",
    "Constant": "numbers, texts, `None`.",
    "Dict": "a dict of Python.",
    "DictComp": "a dict over what is known.",
    "GeneratorExp": "a list over what is known.",
    "IfExp": "`a if c else b`: one of both is evaluated.",
    "JoinedStr": "f-strings: in `self.printf` with values of run time, elsewhere with what is known.",
    "Lambda": "evaluated where it is called.",
    "List": "a list of Python.",
    "ListComp": "a list over what is known.",
    "Name": "a name of the script, of the module or of Python.",
    "NamedExpr": "`(x := e)`.",
    "Set": "a set of Python.",
    "SetComp": "a set over what is known.",
    "Slice": "a whole dimension, `:`.",
    "Subscript": "elements of lists by what is known, parts of tiles and views by anything.",
    "Tuple": "a tuple of Python.",
    "UnaryOp": "`- + ~ not`; `~dtype` is the type of a pointer.",
}
# Functions that only say what to do instead.
REFUSED = ("print", "str", "repr", "format", "hash")
HEAD = """# The language of scripts

<!-- Written by utils/generate_language_page.py from what the package supports. -->

The `__call__` of a `tilus.Script` is Python of which values are known either when the script is transpiled (numbers, texts,
lists, constants of parameters) or at run time (scalars and tiles). A Python number becomes a scalar where it meets one: an `int`
an `int32`, a `float` a `float32`. Whatever is not on this page is refused, at its line and with what to do instead.
"""


def rows(title, columns, lines):
    """A section with a table."""
    head = f"\n## {title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
    return head + "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def syntax(registry, title):
    names = sorted(kind.__name__ for kind in registry)
    missing = [name for name in names if name not in MEANINGS]
    if missing:
        raise SystemExit(f"expected a meaning for each kind of syntax, but got none for {', '.join(missing)}")
    return rows(title, ("Python", "in a script"), [(f"`{name}`", MEANINGS[name]) for name in names])


def first_sentence(member):
    text = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())
    return text


def instructions(owner, prefix):
    found = []
    for name in sorted(dir(owner)):
        member = inspect.getattr_static(owner, name)
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            found.append((f"`{prefix}{name}`", first_sentence(member)))
        elif isinstance(member, staticmethod) or inspect.isfunction(member):
            function = getattr(owner, name)
            found.append((f"`{prefix}{call_text(name, function)}`", first_sentence(function)))
    return found


def call_text(name, function):
    parts, keyword_only = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        keyword_only = keyword_only or star == "*"
        parts.append(star + parameter.name + ("" if parameter.default is parameter.empty else f"={parameter.default!r}"))
    return f"{name}({', '.join(parts)})"


def page():
    from tilus import dtypes
    from tilus.lang.instructions import InstructionGroup, Instructions
    from tilus.lang.scalar_math import math_function
    from tilus.lang.transpiler import calls, kernel  # noqa: F401
    from tilus.lang.transpiler.core import EVALUATE, EXECUTE
    from tilus.lang.transpiler.failures import UNSUPPORTED

    text = HEAD + syntax(EXECUTE, "Statements") + syntax(EVALUATE, "Expressions")
    refused = [(f"`{name}`", advice) for name, (_, advice) in UNSUPPORTED.items() if hasattr(ast, name)]
    text += rows("Refused", ("Python", "instead"), [row for row in refused if row[0] not in ("`TryStar`", "`TypeAlias`")])
    builtins = ", ".join(f"`{function.__name__}`" for function in calls.BUILTINS if function.__name__ not in REFUSED)
    functions = ", ".join(f"`{name}`" for name in sorted(dir(math)) if has_math(math_function, getattr(math, name)))
    text += f"\n## Functions of Python on scalars of run time\n\n{builtins}, `abs`, `sum`, `divmod`; of `math`: {functions}.\n"
    text += rows("Instructions", ("instruction", "does"), instructions(Instructions(), "self."))
    for name, group in sorted(vars(Instructions).items()):
        if isinstance(group, InstructionGroup) and not (type(group).__doc__ or "").endswith("not supported yet."):
            text += rows(f"`self.{name}`", ("instruction", "does"), instructions(group, f"self.{name}."))
    types = [(f"`{t.name}`", f"`{t.short_name}`", str(t.nbits), " to ".join(f"{x:g}" if t.is_float() else str(x) for x in t.limits))
             for t in dtypes.TYPES]  # fmt: skip
    return text + rows("Data types", ("name", "short", "bits", "finite values"), types)


def has_math(math_function, function):
    made = math_function(function) if callable(function) else None
    return made is not None and "refuse" not in getattr(made, "__qualname__", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="say whether the page is up to date")
    options = parser.parse_args()
    text = page()
    if not options.check:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit(f"expected {PAGE.name} to say what the package supports, but it is out of date: run utils/{pathlib.Path(__file__).name}")


if __name__ == "__main__":
    main()
