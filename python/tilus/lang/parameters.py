# The parameters of a script's calls.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters: constants, numbers and pointers, by the annotations of `__call__`."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, NoReturn

from tilus.dtypes import DataType, PointerType, void_p
from tilus.lang.errors import Place, TilusProgramError
from tilus.lang.source import Source, place_of, source_of
from tilus.runtime.arguments import CONSTANT, FLOAT, INTEGER, POINTER, accepted_elements

CONSTANT_TYPES = (bool, int, float, str)
MISSING = inspect.Parameter.empty
# Which values constants take: bits of bool, int, float and str.
_CONSTANT_TYPES = {bool: 1 | 2, int: 1 | 2, float: 1 | 2 | 4, str: 8}


@dataclass(frozen=True)
class Parameter:
    """A parameter: `kind` is CONSTANT, INTEGER, FLOAT or POINTER of tilus.runtime.arguments."""

    name: str
    type: Any
    kind: int
    default: Any = MISSING

    @property
    def alignment(self) -> int:
        """The bytes of an element, of which addresses are multiples."""
        return max(self.type.base_type.nbits // 8, 1) if self.kind == POINTER else 1

    def row(self) -> tuple:
        """The parameter for the native dispatcher."""
        types = _CONSTANT_TYPES[self.type] if self.kind == CONSTANT else 0
        bits, codes = (0, 0) if self.kind != POINTER or self.type is void_p else accepted_elements(self.type.base_type)
        has_default = self.default is not MISSING
        text = getattr(self.type, "name", None) or self.type.__name__
        least, most = self.type.limits if self.kind == INTEGER else (0, 0)
        default = self.default if has_default else None
        return (self.name, self.kind, types, bits, codes, has_default, default, text, least, most)


def _kind_of(annotation: Any) -> int:
    if isinstance(annotation, PointerType):
        return POINTER
    if isinstance(annotation, DataType):
        return INTEGER if annotation.is_integer() else FLOAT
    return CONSTANT


def parameters_of(source: Source) -> list:
    """The parameters of a kernel behind `self`: pairs of a name and its type."""
    result = []
    signature = inspect.signature(source.function)
    for index, parameter in enumerate(signature.parameters.values()):
        if index == 0:
            continue
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            raise TilusProgramError(
                f"expected plain parameters of a kernel, but got '{parameter.name}' of another kind",
                _place_of_parameter(source, parameter.name),
                "leave out '*', '/', *args and **kwargs",
            )  # fmt: skip
        result.append((parameter.name, _parameter_type(source, parameter)))
    if signature.return_annotation not in (inspect.Signature.empty, None, "None"):
        raise TilusProgramError("expected a kernel to return nothing, but its return type is annotated", source.place,
                                "store results in global memory")  # fmt: skip
    return result


def _place_of_parameter(source: Source, name: str) -> Place:
    arguments = source.node.args
    nodes = {node.arg: node for node in (*arguments.args, *arguments.kwonlyargs, *arguments.posonlyargs)}
    return place_of(nodes[name], source.file) if name in nodes else source.place


def _parameter_type(source: Source, parameter: inspect.Parameter) -> Any:
    kind = parameter.annotation
    advice = "annotate it as int, float, bool or str for a constant, a type such as int32, or a pointer such as ~float32"

    def fail(got: str) -> NoReturn:
        place = _place_of_parameter(source, parameter.name)
        raise TilusProgramError(f"expected a type for parameter '{parameter.name}', but got {got}", place, advice) from None

    if kind is inspect.Parameter.empty:
        fail("none")
    try:
        kind = source.resolve(kind)
    except Exception as error:
        fail(f"{parameter.annotation!r}: {error}")
    if kind in CONSTANT_TYPES or isinstance(kind, (DataType, PointerType)):
        return kind
    fail(repr(getattr(kind, "__name__", kind)))


def read_parameters(cls: type) -> list:
    """The parameters of a script's `__call__`. Raises TilusProgramError at those that kernels do not take."""
    function = cls.__call__
    if not inspect.isfunction(function):
        raise TilusProgramError(f"expected {cls.__name__} to have a method __call__, but it has none")
    source = source_of(function)
    defaults = {p.name: p.default for p in inspect.signature(function).parameters.values()}
    return [Parameter(n, kind, _kind_of(kind), defaults[n]) for n, kind in parameters_of(source)]
