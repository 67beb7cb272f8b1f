# The parameters of a script's calls.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters: constants, numbers and pointers, by the annotations of `__call__`."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from tilus.dtypes import DataType, PointerType, void_p
from tilus.lang.errors import TilusProgramError
from tilus.lang.transpiler.calls import source_of
from tilus.lang.transpiler.kernel import parameters_of
from tilus.lang.transpiler.source import place_of
from tilus.runtime.arguments import CONSTANT, FLOAT, INTEGER, POINTER, accepted_elements

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


def read_parameters(cls: type) -> list:
    """The parameters of a script's `__call__`. Raises TilusProgramError at those that kernels do not take."""
    function = cls.__call__
    if not inspect.isfunction(function):
        raise TilusProgramError(f"expected {cls.__name__} to have a method __call__, but it has none")
    source = source_of(function)
    place = place_of(source.node, source.file)
    defaults = {p.name: p.default for p in inspect.signature(function).parameters.values()}
    return [Parameter(n, kind, _kind_of(kind), defaults[n]) for n, kind in parameters_of(source, place)]
