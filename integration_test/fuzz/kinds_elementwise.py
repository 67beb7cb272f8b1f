# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""arith, and the exact part of math, on scalars and tiles: their text and their meaning in numpy."""

import numpy as np

from element_types import as_unsigned
from program import KINDS, Kind
from values import Value, make_float, make_int, merge, require, require_exact


def same_type_text(printer, step):
    """`op %a, %b : type` with the type of the first operand."""
    return f"{step.kind} {printer.names(step.operands)} : {printer.type(step.operands[0])}"


def conversion_text(printer, step):
    flags = f" {step.attrs['rounding']}" if "rounding" in step.attrs else ""
    return f"{step.kind} {printer.names(step.operands)}{flags} : {printer.type(step.operands[0])} to {step.results[0][1]}"


# Integers


def unsigned(function):
    """An operation on numbers without sign."""

    def apply(element, a, b):
        return function(as_unsigned(element, a), as_unsigned(element, b)).view(np.int64)

    return apply


def signed(function):
    return lambda element, a, b: function(a, b)


def divide(function, is_signed):
    """Division: by zero, and of the least number by -1, there is no answer."""

    def apply(element, a, b):
        require(b != 0)
        if not is_signed:
            return function(as_unsigned(element, a), as_unsigned(element, b)).view(np.int64)
        require((b != -1) | (a != -(1 << (element.bits - 1))))
        return function(a, b)

    return apply


def shift(function, is_signed):
    def apply(element, a, b):
        require((b >= 0) & (b < element.bits))
        if is_signed:
            return function(a, b)
        return function(as_unsigned(element, a), as_unsigned(element, b)).view(np.int64)

    return apply


def divide_rounded(a, b, is_up):
    """Quotients rounded up where `is_up` says so, else down, without numbers that have no negative."""
    return np.floor_divide(a, b) + (is_up & (np.mod(a, b) != 0)).astype(np.int64)


INT_BINARY = {
    "arith.addi": signed(np.add),
    "arith.subi": signed(np.subtract),
    "arith.muli": signed(np.multiply),
    "arith.andi": signed(np.bitwise_and),
    "arith.ori": signed(np.bitwise_or),
    "arith.xori": signed(np.bitwise_xor),
    "arith.maxsi": signed(np.maximum),
    "arith.minsi": signed(np.minimum),
    "arith.maxui": unsigned(np.maximum),
    "arith.minui": unsigned(np.minimum),
    "arith.shli": shift(np.left_shift, True),
    "arith.shrsi": shift(np.right_shift, True),
    "arith.shrui": shift(np.right_shift, False),
    "arith.divsi": divide(lambda a, b: divide_rounded(a, b, (a < 0) != (b < 0)), True),
    "arith.remsi": divide(np.fmod, True),
    "arith.floordivsi": divide(np.floor_divide, True),
    "arith.ceildivsi": divide(lambda a, b: divide_rounded(a, b, True), True),
    "arith.divui": divide(np.floor_divide, False),
    "arith.remui": divide(np.remainder, False),
    "arith.ceildivui": divide(lambda a, b: a // b + (a % b != 0).astype(np.uint64), False),
}


def run_int_binary(machine, step, a, b):
    return [make_int(a.type, INT_BINARY[step.kind](a.type.element, a.data, b.data))]


def count_bits(element, values):
    return np.bitwise_count(as_unsigned(element, values)).astype(np.int64)


def count_leading(element, values):
    """Leading zeros: of the number with all bits below its first one set, those that are zero."""
    bits = as_unsigned(element, values)
    for by in (1, 2, 4, 8, 16, 32):
        bits = bits | (bits >> np.uint64(by))
    return element.bits - np.bitwise_count(bits).astype(np.int64)


def count_trailing(element, values):
    bits = as_unsigned(element, values)
    below = np.bitwise_count((bits & -bits) - np.uint64(1)).astype(np.int64)
    return np.where(bits == 0, element.bits, below)


INT_UNARY = {
    "math.absi": lambda element, a: np.abs(a),
    "math.ctpop": count_bits,
    "math.ctlz": count_leading,
    "math.cttz": count_trailing,
}


def run_int_unary(machine, step, a):
    return [make_int(a.type, INT_UNARY[step.kind](a.type.element, a.data))]


# Floats


def exact_product_error(element, a, b, rounded):
    """How far the rounded product is from the exact one."""
    if element.name != "f64":
        return np.where(np.isfinite(rounded), np.abs(a * b - rounded), 0.0)
    return np.where(np.isfinite(rounded), np.abs(rounded) * 2.0**-53, 0.0)


def run_add(machine, step, a, b):
    number = a.data + b.data if step.kind == "arith.addf" else a.data - b.data
    return [make_float(a.type, number, a.contracted_bound + b.contracted_bound)]


def run_mul(machine, step, a, b):
    error = np.abs(a.data) * b.bound + np.abs(b.data) * a.bound + a.bound * b.bound
    value = make_float(a.type, a.data * b.data, error)
    value.slack = exact_product_error(a.type.element, a.data, b.data, value.data)
    return [Value(value.type, value.data, value.error, value.slack)]


def run_div(machine, step, a, b):
    require_exact(b)
    require(b.data != 0)
    return [make_float(a.type, a.data / b.data, a.bound / np.abs(b.data))]


def extremum(value, keeps_nan):
    """The larger or smaller; one that is NaN wins or loses."""

    def run(machine, step, a, b):
        if not (a.is_exact and b.is_exact):
            require(np.isfinite(a.data) & np.isfinite(b.data))
        chosen = value[keeps_nan](a.data, b.data)
        return [Value(a.type, chosen, np.maximum(a.bound, b.bound))]

    return run


MAXIMA = {True: np.maximum, False: np.fmax}
MINIMA = {True: np.minimum, False: np.fmin}

FLOAT_BINARY = {
    "arith.addf": run_add,
    "arith.subf": run_add,
    "arith.mulf": run_mul,
    "arith.divf": run_div,
    "arith.maximumf": extremum(MAXIMA, True),
    "arith.minimumf": extremum(MINIMA, True),
    "arith.maxnumf": extremum(MAXIMA, False),
    "arith.minnumf": extremum(MINIMA, False),
}


def run_sign(machine, step, a):
    apply = np.negative if step.kind == "arith.negf" else np.abs
    return [Value(a.type, apply(a.data), a.error, a.slack if step.kind == "arith.negf" else None)]


def run_round_to_int(machine, step, a):
    require_exact(a)
    apply = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.rint}[step.kind.split(".")[1]]
    return [Value(a.type, apply(a.data))]


# Comparison and selection


def run_cmpi(machine, step, a, b):
    predicate = step.attrs["predicate"]
    left, right = a.data, b.data
    if predicate[0] == "u":
        left, right = as_unsigned(a.type.element, left), as_unsigned(a.type.element, right)
    compare = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
               "ge": np.greater_equal}[predicate[-2:]]
    return [Value(step.results[0][1], compare(left, right).astype(np.int64))]


def run_cmpf(machine, step, a, b):
    require_exact(a, b)
    predicate = step.attrs["predicate"]
    unordered = np.isnan(a.data) | np.isnan(b.data)
    if predicate in ("ord", "uno"):
        result = unordered if predicate == "uno" else ~unordered
    else:
        compare = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
                   "ge": np.greater_equal}[predicate[1:]]
        result = np.where(unordered, predicate[0] == "u", compare(a.data, b.data))
    return [Value(step.results[0][1], result.astype(np.int64))]


def compare_text(printer, step):
    return f"{step.kind} {step.attrs['predicate']}, {printer.names(step.operands)} : {printer.type(step.operands[0])}"


def run_select(machine, step, condition, a, b):
    chosen = condition.data != 0
    if not condition.type.is_tile:
        chosen = chosen.reshape((-1,) + (1,) * (a.data.ndim - 1))
    return [merge(chosen, a, b)]


def select_text(printer, step):
    condition, a, _ = step.operands
    # A scalar condition of tiles is written with its type left out.
    types = printer.type(a) if printer.type(condition) == "i1" else f"{printer.type(condition)}, {printer.type(a)}"
    return f"arith.select {printer.names(step.operands)} : {types}"


# Constants


def constant_text(printer, step):
    type_, number = step.results[0][1], step.attrs["number"]
    if type_.element.is_bool:
        text = "true" if number else "false"
    else:
        text = repr(float(number)) if type_.element.is_float else str(int(number))
    if type_.is_tile:
        return f"arith.constant dense<{text}> : {type_}"
    return f"arith.constant {text}" + ("" if type_.element.is_bool else f" : {type_}")


def run_constant(machine, step):
    type_ = step.results[0][1]
    shape = (machine.blocks,) + (type_.shape or ())
    return [Value(type_, np.full(shape, step.attrs["number"], np.float64 if type_.element.is_float else np.int64))]


def register():
    for names, run in ((INT_BINARY, run_int_binary), (INT_UNARY, run_int_unary)):
        for name in names:
            KINDS[name] = Kind(same_type_text, run)
    for name, run in FLOAT_BINARY.items():
        KINDS[name] = Kind(same_type_text, run)
    for name in ("arith.negf", "math.absf"):
        KINDS[name] = Kind(same_type_text, run_sign)
    for name in ("math.floor", "math.ceil", "math.trunc", "math.roundeven"):
        KINDS[name] = Kind(same_type_text, run_round_to_int)
    KINDS["arith.cmpi"] = Kind(compare_text, run_cmpi)
    KINDS["arith.cmpf"] = Kind(compare_text, run_cmpf)
    KINDS["arith.select"] = Kind(select_text, run_select)
    KINDS["arith.constant"] = Kind(constant_text, run_constant)


register()
