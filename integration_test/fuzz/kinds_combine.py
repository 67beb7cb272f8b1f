# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, scans and matrix products, with the errors that an unspecified order of summation allows."""

import numpy as np

from element_types import as_unsigned
from program import KINDS, Kind
from values import Value, lowest_digit, make_float, make_int, require, require_exact, sum_error


def accumulator_digits(element):
    """Binary digits of the sum of floats: f64 of f64, else f32."""
    return 53 if element.name == "f64" else 24


def combine_text(printer, step):
    flags = "".join(f" {flag}" for flag in ("keep_dim", "exclusive", "reverse") if step.attrs.get(flag))
    result = f" -> {step.results[0][1]}" if step.kind == "tilus.reduce" else ""
    return (f"{step.kind} {step.attrs['kind']}, {printer.name(step.operands[0])} dim({step.attrs['dim']}){flags} : "
            f"{printer.type(step.operands[0])}{result}")


INT_UFUNCS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "umax": np.maximum,
              "umin": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
FLOAT_UFUNCS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "maxnum": np.fmax,
                "minnum": np.fmin}


def int_operands(element, kind, data):
    """The numbers to combine, read without sign where the kind asks for it."""
    return as_unsigned(element, data) if kind in ("umax", "umin") else data


def int_identity(element, kind):
    low, high = -(2 ** (element.width - 1)), 2 ** (element.width - 1) - 1
    if element.is_bool:
        low, high = 1, 0
    return {"mul": 1, "max": low, "min": high, "umin": -1, "and": -1}.get(kind, 0)


def _product_error(value, product, axis):
    """Relative errors add up, but products of powers of two are exact."""
    require_exact(value)
    fraction, exponent = np.frexp(np.abs(value.data))
    # In some order all large factors come first, or all small ones: even then no product leaves the range.
    require(np.maximum(exponent, 0).sum(axis=axis) < 100)
    require(np.where(value.data == 0, 0, np.minimum(exponent - 1, 0)).sum(axis=axis) > -100)
    if np.all((fraction == 0.5) | (value.data == 0)):
        return None
    return np.abs(product) * value.data.shape[axis] * 2.0 ** (1 - accumulator_digits(value.type.element))


def _total_error(value, axis, accumulate):
    """The terms' own errors, those of products that are contracted with the sum among them, and its rounding."""
    bound = value.contracted_bound
    magnitude = accumulate(np.add, np.abs(value.data) + bound)
    # Near the end of the range of f32 the order decides whether a partial sum overflows.
    require(magnitude < 1e30)
    digits, terms = accumulator_digits(value.type.element), value.data.shape[axis]
    return accumulate(np.add, bound) + sum_error(magnitude, lowest_digit(value.data), terms, digits)


def _combine_float(type_, kind, value, axis, accumulate):
    """`accumulate` applies a ufunc to an array along the axis."""
    data = accumulate(FLOAT_UFUNCS[kind], value.data)
    if kind not in ("add", "mul"):
        require(value.is_exact or np.all(np.isfinite(value.data)))
        return Value(type_, data, None if value.is_exact else accumulate(np.maximum, value.bound))
    require(np.isfinite(value.data))
    error = _product_error(value, data, axis) if kind == "mul" else _total_error(value, axis, accumulate)
    return make_float(type_, data, error)


def run_reduce(machine, step, a):
    type_, kind, axis = step.results[0][1], step.attrs["kind"], step.attrs["dim"] + 1
    keep = step.attrs.get("keep_dim", False)
    if a.type.element.is_float:
        return [_combine_float(type_, kind, a, axis, lambda ufunc, x: ufunc.reduce(x, axis=axis, keepdims=keep))]
    data = INT_UFUNCS[kind].reduce(int_operands(a.type.element, kind, a.data), axis=axis, keepdims=keep)
    return [make_int(type_, data.astype(np.int64))]


def run_scan(machine, step, a):
    type_, kind, axis = a.type, step.attrs["kind"], step.attrs["dim"] + 1
    reverse, exclusive = step.attrs.get("reverse"), step.attrs.get("exclusive")

    def accumulate(ufunc, data):
        data = np.flip(data, axis) if reverse else data
        result = ufunc.accumulate(data, axis=axis)
        return np.flip(result, axis) if reverse else result

    if type_.element.is_float:
        value = _combine_float(type_, kind, a, axis, accumulate)
        identity = {"add": 0.0, "mul": 1.0}.get(kind, -np.inf if kind.startswith("max") else np.inf)
    else:
        data = accumulate(INT_UFUNCS[kind], int_operands(a.type.element, kind, a.data))
        value = make_int(type_, data.astype(np.int64))
        identity = int_identity(type_.element, kind)
    if not exclusive:
        return [value]

    def move(array, first):
        result = np.roll(array, -1 if reverse else 1, axis)
        edge = [slice(None)] * array.ndim
        edge[axis] = -1 if reverse else 0
        result[tuple(edge)] = first
        return result

    error = None if value.is_exact else move(value.error, 0.0)
    result = Value(type_, move(value.data, identity), error)
    return [result if type_.element.is_float else make_int(type_, result.data)]


# Products


def mma_text(printer, step):
    flags = "".join(f" {flag}" for flag in ("unsigned_a", "unsigned_b") if step.attrs.get(flag))
    types = ", ".join(printer.type(value) for value in step.operands)
    return f"tilus.mma {printer.names(step.operands)}{flags} : {types}"


def _mma_ints(step, a, b, acc):
    operands = []
    for value, flag in ((a, "unsigned_a"), (b, "unsigned_b")):
        is_unsigned = step.attrs.get(flag)
        operands.append(as_unsigned(value.type.element, value.data).view(np.int64) if is_unsigned else value.data)
    return make_int(acc.type, operands[0] @ operands[1] + acc.data)


def run_mma(machine, step, a, b, acc):
    if not acc.type.element.is_float:
        return [_mma_ints(step, a, b, acc)]
    require_exact(a, b)
    require(np.isfinite(a.data).all() and np.isfinite(b.data).all() and np.isfinite(acc.data).all())
    number = a.data @ b.data + acc.data
    # A product that is added to may be contracted with the sum, as one that becomes the accumulator.
    magnitude = np.abs(a.data) @ np.abs(b.data) + np.abs(acc.data) + acc.contracted_bound
    require(magnitude <= acc.type.element.largest)
    digit = min(lowest_digit(a.data) * lowest_digit(b.data), lowest_digit(acc.data))
    # Matrix instructions may truncate the sum of each of their steps, in f16 if they accumulate in it.
    digits = min(accumulator_digits(acc.type.element) - 1, 52 if acc.type.element.name == "f64" else 23)
    if acc.type.element.name in ("f16", "bf16"):
        digits = acc.type.element.digits
    terms = a.type.shape[1] + 1
    error = sum_error(magnitude, digit, terms, digits) + acc.contracted_bound
    return [make_float(acc.type, number, error)]


def register():
    KINDS["tilus.reduce"] = Kind(combine_text, run_reduce)
    KINDS["tilus.scan"] = Kind(combine_text, run_scan)
    KINDS["tilus.mma"] = Kind(mma_text, run_mma)


register()
