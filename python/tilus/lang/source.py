# The source of functions: their syntax trees, parsed once a file, and what their names mean outside of them.
#
# Owns finding the definition of a function in its file, and the places of nodes. Nothing here is about the IR.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Syntax trees of functions."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
import textwrap
import types
from typing import Any, Optional

from tilus.lang.errors import InstructionError, Place

# Where a function keeps its source.
SOURCE_ATTRIBUTE = "__tilus_source__"
_files: dict = {}


class Source:
    """A function's definition, and its globals and free variables."""

    def __init__(self, function: types.FunctionType):
        self.function = function
        self.file = function.__code__.co_filename
        self.globals = function.__globals__
        self.owner: Optional[type] = self.free.get("__class__")
        self.local_names = frozenset(function.__code__.co_varnames + function.__code__.co_cellvars)

    @property
    def free(self) -> dict:
        """The free variables as they are now."""
        return read_cells(self.function)

    @functools.cached_property
    def node(self) -> ast.AST:
        """The syntax tree, parsed when it is needed first. With its text, as `tilus_text`."""
        return _find(self.function, self.function.__code__)

    @property
    def place(self) -> Place:
        """Where the definition is."""
        return place_of(self.node, self.file)

    @property
    def node_name(self) -> str:
        return self.function.__name__

    def lookup(self, name: str) -> Any:
        """What a name means outside of the function; raises KeyError if nothing."""
        free = self.free
        if name in free:
            return free[name]
        if name in self.globals:
            return self.globals[name]
        return vars(builtins)[name]

    def resolve(self, annotation: Any) -> Any:
        """The object that an annotation in text stands for; other annotations are what they are."""
        for _ in range(2):  # a text in a module whose annotations are texts
            if isinstance(annotation, str):
                annotation = eval(annotation, self.globals, self.free)  # noqa: S307 - the module's own text
        return annotation


def read_cells(function: types.FunctionType) -> dict:
    """The values of a function's free variables, but of those that are not assigned yet."""
    values = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            values[name] = cell.cell_contents
        except ValueError:
            continue
    return values


def source_of(function: types.FunctionType) -> Source:
    """The source of a function, made once. The function keeps it, so that it ends with the function."""
    found = vars(function).get(SOURCE_ATTRIBUTE)
    if found is None:
        found = vars(function)[SOURCE_ATTRIBUTE] = Source(function)
    return found


def _parse_file(file: str) -> dict:
    """The functions and lambdas of a file by the line of their definition (or of their first decorator)."""
    linecache.checkcache(file)
    lines = linecache.getlines(file)
    found = _files.get(file)
    if found is not None and found[0] == lines:
        return found[1]
    by_line: dict = {}
    try:
        tree = ast.parse("".join(lines), file)
    except SyntaxError:
        tree = ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            by_line.setdefault((first, node.name), node)
        elif isinstance(node, ast.Lambda):
            by_line.setdefault((node.lineno, "<lambda>"), []).append(node)
    _files[file] = (lines, by_line)
    return by_line


def _find(function: types.FunctionType, code: types.CodeType) -> ast.AST:
    node = _parse_file(code.co_filename).get((code.co_firstlineno, code.co_name))
    if isinstance(node, ast.FunctionDef):
        if not hasattr(node, "tilus_text"):
            node.tilus_text = "".join(_files[code.co_filename][0][code.co_firstlineno - 1 : node.end_lineno])
        return node
    # Not a file as it was when it was imported, or no file: what inspect finds, moved to its line.
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        raise InstructionError(
            f"expected a function whose source can be read, but got '{function.__qualname__}' without one",
            "define scripts in a file, or in a notebook's cell",
        ) from None
    node = tree.body[0]
    node.tilus_text = "".join(lines)
    if isinstance(node, ast.FunctionDef) and code.co_name not in (node.name, "<lambda>"):
        raise InstructionError(
            f"expected the source of '{function.__qualname__}' at line {code.co_firstlineno} of its file, but got that of "
            f"'{node.name}': the file was changed since it was imported",
            "start the process anew, or reload the module",
        )
    ast.increment_lineno(node, max(first, 1) - 1)
    indent = len(lines[0]) - len(lines[0].lstrip())
    for child in ast.walk(node):
        if hasattr(child, "col_offset"):
            child.col_offset += indent
            child.end_col_offset += indent
    return node


def span_at(place: Place) -> Place:
    """A place of which only the start is known, with the end of the expression that starts there."""
    widest: Optional[ast.AST] = None
    for node in _all_nodes(place.file):
        if node.lineno != place.line or node.col_offset != place.column - 1:
            continue
        if widest is None or (node.end_lineno, node.end_col_offset) > (widest.end_lineno, widest.end_col_offset):
            widest = node
    return place if widest is None else place_of(widest, place.file)


def _all_nodes(file: str) -> list:
    _parse_file(file)
    lines = linecache.getlines(file)
    try:
        return [node for node in ast.walk(ast.parse("".join(lines))) if isinstance(node, (ast.expr, ast.stmt))]
    except SyntaxError:
        return []


def place_of(node: ast.AST, file: str) -> Place:
    """The place of a node of a file; what spans lines is shown up to the end of its first."""
    place = getattr(node, "tilus_place", None)
    if place is None:
        line, column, end = node.lineno, node.col_offset, node.end_col_offset
        text = linecache.getline(file, line)
        if node.end_lineno != line:
            end = len(text.rstrip().rstrip(":").encode())
        if not text.isascii():  # columns of trees count bytes
            encoded = text.encode()
            column, end = (len(encoded[:n].decode(errors="replace")) for n in (column, end))
        place = Place(file, line, column + 1, end + 1)
        node.tilus_place = place
    return place
