"""Attributes from values of Python: a converter for each kind that operations have.

A converter takes the value and a context, and gives an ir.Attribute; one that cannot raises TypeError or
ValueError with what it expects.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import enum as _enum
import operator

from tilus._compiler import ir


class OdsEnum(str, _enum.Enum):
    """An enumeration of the dialect: a case equals its word, and has a number."""

    def __new__(cls, word, number):
        case = str.__new__(cls, word)
        case._value_ = word
        case.number = number
        return case

    def __str__(self):
        return self._value_


class Converter:
    """A function from a value and a context to an attribute."""

    def __init__(self, function, is_unit=False):
        self.function = function
        self.is_unit = is_unit

    def __call__(self, value, context):
        return self.function(value, context)


def _check(value, kind, what):
    if not isinstance(value, kind) or isinstance(value, bool) and kind is int:
        raise TypeError(f"expected {what}, but got {type(value).__name__}")
    return value


def _to_unit(value, context):
    _check(value, bool, "True or False")
    return ir.UnitAttr.get(context)


def _to_attribute(value, context):
    raise TypeError(f"expected an ir.Attribute, but got {type(value).__name__}")


def _to_dictionaries(value, context):
    return ir.ArrayAttr.get([ir.DictAttr.get(entries, context) for entries in value], context)


unit = Converter(_to_unit, is_unit=True)
attribute = Converter(_to_attribute)
boolean = Converter(lambda value, context: ir.BoolAttr.get(_check(value, bool, "True or False"), context))
string = Converter(lambda value, context: ir.StringAttr.get(_check(value, str, "a string"), context))
symbol = Converter(lambda value, context: ir.FlatSymbolRefAttr.get(_check(value, str, "a name"), context))
type_ = Converter(lambda value, context: ir.TypeAttr.get(_check(value, ir.Type, "an ir.Type")))
dense_i32 = Converter(
    lambda value, context: ir.DenseI32ArrayAttr.get([operator.index(v) for v in value], context)
)
dense_i64 = Converter(
    lambda value, context: ir.DenseI64ArrayAttr.get([operator.index(v) for v in value], context)
)
dense_bool = Converter(lambda value, context: ir.DenseBoolArrayAttr.get(list(value), context))
string_array = Converter(
    lambda value, context: ir.ArrayAttr.get([string(element, context) for element in value], context)
)
dict_array = Converter(_to_dictionaries)


def integer(width):
    """The converter to integers of `width` bits."""
    return Converter(
        lambda value, context: ir.IntegerAttr.get(
            ir.IntegerType.get_signless(width, context), operator.index(value)
        )
    )


def _find_case(cases, value):
    try:
        return cases(value)
    except ValueError:
        words = ", ".join(repr(str(case)) for case in cases)
        raise ValueError(f"expected one of {words}, but got {value!r}") from None


def enum(cases, width):
    """The converter to the number of a case of the enumeration."""
    return Converter(
        lambda value, context: ir.IntegerAttr.get(
            ir.IntegerType.get_signless(width, context), _find_case(cases, value).number
        )
    )


def dialect_enum(cases, mnemonic):
    """The converter to an attribute that prints as its cases, one or (a sequence) several."""

    def convert(value, context):
        values = [value] if isinstance(value, str) else value
        words = ",".join(str(_find_case(cases, word)) for word in values)
        return ir.Attribute.parse(f"#{mnemonic}<{words}>", context)

    return Converter(convert)
