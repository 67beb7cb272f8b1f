"""Makes operations from their descriptions: what the generated functions of `tilus.ir.ops` call."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from collections import namedtuple

from tilus._compiler import ir
from tilus.ir.context import current_builder

# How many values an operand stands for.
ONE, MAYBE, MANY = range(3)
# Where the types of results come from if they are not given; or the type's text, or the number of the operand
# that has the same type.
NO_RESULTS, GIVEN, INFERRED = (object() for _ in range(3))

# `operands` are pairs of a name and ONE, MAYBE or MANY; `attributes` pairs of a name and a converter.
OpDescription = namedtuple("OpDescription", "name operands attributes results regions has_segments")


def _as_value(description, name, value):
    """The value, or that of a variable or tile."""
    if isinstance(value, ir.Value):
        return value
    value = getattr(value, "value", value)
    if isinstance(value, ir.Value):
        return value
    raise TypeError(
        f"expected a value for operand '{name}' of '{description.name}', but got {type(value).__name__}"
    )


def _flatten(description, operands):
    """The values of all operands, and how many each of them has."""
    values, segments = [], []
    for (name, count), operand in zip(description.operands, operands):
        before = len(values)
        if count == MANY:
            values += [_as_value(description, name, value) for value in operand]
        elif operand is not None:
            values.append(_as_value(description, name, operand))
        elif count == ONE:
            raise TypeError(f"expected a value for operand '{name}' of '{description.name}', but got None")
        segments.append(len(values) - before)
    return values, segments


def _convert(description, attributes, context):
    converted = {}
    for (name, converter), value in zip(description.attributes, attributes):
        if value is None or value is False and converter.is_unit:
            continue
        if not isinstance(value, ir.Attribute):
            try:
                value = converter(value, context)
            except (TypeError, ValueError) as error:
                raise type(error)(f"attribute '{name}' of '{description.name}': {error}") from None
        converted[name] = value
    return converted


def _find_results(rule, operands, context):
    """The types of results that are not given; None where MLIR infers them."""
    if rule is INFERRED:
        return None
    if isinstance(rule, str):
        return [ir.Type.parse(rule, context)]
    if isinstance(rule, int):
        operand = operands[rule]
        return [(operand if isinstance(operand, ir.Value) else operand.value).type]
    return []


def build(description, operands, attributes, results, location):
    """Makes the operation and gives it to the current builder.

    Returns the operation if it has regions or no results, else its value or the tuple of its values.
    """
    builder = current_builder()
    values, segments = _flatten(description, operands)
    converted = _convert(description, attributes, builder.context)
    if description.has_segments:
        converted["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(segments, builder.context)
    if isinstance(results, ir.Type):
        results = [results]
    elif results is None:
        results = _find_results(description.results, operands, builder.context)
    operation = ir.Operation.create(
        description.name, results, values, converted, description.regions, location or builder.location
    )
    builder.insert(operation)
    if description.regions:
        return operation
    made = operation.results
    if not made:
        return operation
    return made[0] if len(made) == 1 else tuple(made)
