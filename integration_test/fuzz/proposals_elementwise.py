# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proposals of arithmetic on tiles and scalars, comparisons, selections and conversions."""

import numpy as np

from element_types import TYPES
from generator import I1, I32
from kinds_elementwise import FLOAT_BINARY, INT_BINARY, INT_UNARY
from kinds_math import FUNCTIONS
from values import Type

BITWISE = ("arith.andi", "arith.ori", "arith.xori")
DIVISIONS = [name for name in INT_BINARY if "div" in name or "rem" in name]
SHIFTS = ("arith.shli", "arith.shrsi", "arith.shrui")
PLAIN = [name for name in INT_BINARY if name not in DIVISIONS and name not in SHIFTS]
INT_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = ("oeq", "one", "olt", "ole", "ogt", "oge", "ueq", "une", "ult", "ule", "ugt", "uge", "ord", "uno")
ARITH_FLOATS = ("f16", "bf16", "f32", "f64")


def is_arith_float(element):
    return element.name in ARITH_FLOATS


def is_arith_int(element):
    return element.is_int and element.bits >= 8


def other_operand(g, name):
    """A value of the same type: another one, a constant, or a scalar of the kernel broadcast."""
    type_ = g.types[name]
    choice = g.rng.random()
    if choice < 0.7:
        return g.pick_same(name)
    number = g.integer(-3, 5) if type_.element.is_int else float(g.choose((-2.0, -0.5, 0.25, 1.0, 1.5, 3.0)))
    if choice < 0.85 or not type_.is_tile:
        return g.constant(number, type_)
    scalar = g.scalar_param(number, type_.element)
    return g.add("tilus.broadcast", [scalar], [type_], visible=False)


def propose_int_binary(g):
    a = g.pick_tile(is_arith_int)
    g.add(g.choose(PLAIN), [a, other_operand(g, a)], [g.types[a]])


def propose_division(g):
    """By a number that is odd, so not zero, or by one that is chosen for it."""
    a = g.pick_tile(is_arith_int)
    type_ = g.types[a]
    if g.chance(0.5):
        divisor = g.constant(g.choose((1, 2, 3, 4, 5, 7, 8, 16, 100)), type_)
    else:
        divisor = g.add("arith.ori", [g.pick_same(a), g.constant(1, type_)], [type_], visible=False)
    g.add(g.choose(DIVISIONS), [a, divisor], [type_])


def propose_shift(g):
    a = g.pick_tile(is_arith_int)
    type_ = g.types[a]
    by = g.add("arith.andi", [g.pick_same(a), g.constant(type_.element.bits - 1, type_)], [type_], visible=False)
    g.add(g.choose(SHIFTS), [a, by], [type_])


def propose_int_unary(g):
    a = g.pick_tile(is_arith_int)
    g.add(g.choose(list(INT_UNARY)), [a], [g.types[a]])


def propose_bool_binary(g):
    a = g.pick_tile(lambda element: element.is_bool)
    g.add(g.choose(BITWISE), [a, g.pick_same(a)], [g.types[a]])


def propose_float_binary(g):
    a = g.pick_tile(is_arith_float)
    g.add(g.choose(list(FLOAT_BINARY)), [a, other_operand(g, a)], [g.types[a]])


def propose_float_unary(g):
    a = g.pick_tile(is_arith_float)
    g.add(g.choose(("arith.negf", "math.absf", "math.floor", "math.ceil", "math.trunc", "math.roundeven")), [a],
          [g.types[a]])


def propose_sqrt(g):
    a = g.pick_tile(is_arith_float)
    positive = g.add("math.absf", [a], [g.types[a]], visible=False)
    g.add("math.sqrt", [positive], [g.types[a]])


def propose_fma(g):
    a = g.pick_tile(is_arith_float)
    g.add("math.fma", [a, g.pick_same(a), other_operand(g, a)], [g.types[a]])


def propose_function(g):
    """A function, its argument first brought into a range where it is well behaved."""
    a = g.pick_tile(lambda element: element.name in ("f32", "f32", "f16", "bf16", "f64"))
    type_ = g.types[a]
    name = g.choose([name for name in FUNCTIONS if name != "math.erf" or type_.size <= 2048])
    low, high = {"math.log": (0.5, 64.0), "math.log2": (0.5, 64.0), "math.rsqrt": (0.25, 64.0)}.get(name, (-4.0, 4.0))
    a = g.add("arith.maximumf", [a, g.constant(low, type_)], [type_], visible=False)
    a = g.add("arith.minimumf", [a, g.constant(high, type_)], [type_], visible=False)
    g.add(name, [a], [type_])


def propose_compare(g):
    a = g.pick_tile(lambda element: is_arith_float(element) or is_arith_int(element))
    type_ = g.types[a]
    is_float = type_.element.is_float
    g.add("arith.cmpf" if is_float else "arith.cmpi", [a, other_operand(g, a)], [type_.of(I1)],
          predicate=g.choose(FLOAT_PREDICATES if is_float else INT_PREDICATES))


def propose_select(g):
    a = g.pick_tile()
    if g.chance(0.25):
        condition = g.pick(lambda type_: type_ == Type(I1))
    else:
        condition = g.pick(lambda type_: type_ == g.types[a].of(I1))
    g.add("arith.select", [condition, a, g.pick_same(a)], [g.types[a]])


# Conversions

INTS, FLOATS = ("i8", "i16", "i32", "i64"), ("f16", "bf16", "f32", "f64")
NARROW = ("f8E4M3FN", "f8E5M2", "tf32", "i4")


def propose_int_conversion(g):
    a = g.pick_tile(lambda element: is_arith_int(element) or element.is_bool)
    type_, target = g.types[a], g.element(INTS)
    if target.bits == type_.element.width:
        target = TYPES["i64" if type_.element.bits < 64 else "i16"]
    name = "arith.trunci" if target.bits < type_.element.width else g.choose(("arith.extsi", "arith.extui"))
    g.add(name, [a], [type_.of(target)])


def propose_int_float_conversion(g):
    if g.chance(0.5):
        a = g.pick_tile(is_arith_int)
        g.add(g.choose(("arith.sitofp", "arith.uitofp")), [a], [g.types[a].of(g.element(FLOATS))])
    else:
        a = g.pick_tile(is_arith_float)
        g.add(g.choose(("arith.fptosi", "arith.fptoui")), [a], [g.types[a].of(g.element(("i16", "i32", "i64")))])


def propose_float_conversion(g):
    a = g.pick_tile(is_arith_float)
    type_, target = g.types[a], g.element(FLOATS)
    if target.bits == type_.element.bits:
        target = TYPES["f64" if type_.element.bits < 64 else "f16"]
    g.add("arith.truncf" if target.bits < type_.element.bits else "arith.extf", [a], [type_.of(target)])


def propose_bitcast(g):
    a = g.pick_tile(lambda element: element.name in ("i16", "i32", "i64", "f16", "f32", "f64"))
    element = g.types[a].element
    g.add("arith.bitcast", [a], [g.types[a].of(TYPES[("i" if element.is_float else "f") + str(element.bits)])])


def propose_cast(g):
    """tilus.cast between any two types, narrow ones included, with or without rounding and saturation."""
    a = g.pick_tile()
    source, target = g.types[a].element, g.element(INTS + FLOATS + NARROW + ("i1",))
    if source == target:
        target = TYPES["f32" if source.name != "f32" else "f16"]
    flags = {}
    if target.is_float and g.chance(0.3):
        flags["rounding"] = g.choose(("nearest_even", "toward_zero", "down", "up"))
    if g.chance(0.4):
        flags["saturate"] = True
    if not source.is_float and g.chance(0.3):
        flags["unsigned_source"] = True
    if target.is_int and g.chance(0.3):
        flags["unsigned_result"] = True
    g.add("tilus.cast", [a], [g.types[a].of(target)], **flags)


def propose_narrow_round_trip(g):
    """To a narrow type and back, as quantised kernels do."""
    a = g.pick_tile(is_arith_float)
    type_ = g.types[a]
    narrow = g.add("tilus.cast", [a], [type_.of(g.element(NARROW))], saturate=True)
    g.add("tilus.cast", [narrow], [type_])


# Scalars


def propose_scalar(g):
    """Arithmetic on scalars, which all threads do alike."""
    a = g.pick(lambda type_: isinstance(type_, Type) and not type_.is_tile and (
        is_arith_int(type_.element) or is_arith_float(type_.element)))
    names = list(FLOAT_BINARY) if g.types[a].element.is_float else PLAIN
    g.add(g.choose(names), [a, other_operand(g, a)], [g.types[a]])


def propose_scalar_compare(g):
    a = g.pick(lambda type_: type_ == Type(I32))
    bound = g.i32(int(np.median(g.value(a).data)) + g.integer(0, 1))
    g.add("arith.cmpi", [a, bound], [Type(I1)], predicate=g.choose(INT_PREDICATES))


ELEMENTWISE = {
    propose_int_binary: 4, propose_division: 2, propose_shift: 1, propose_int_unary: 1, propose_bool_binary: 1,
    propose_float_binary: 5, propose_float_unary: 1, propose_sqrt: 1, propose_fma: 1, propose_function: 1,
    propose_compare: 2, propose_select: 2,
}
CONVERSIONS = {
    propose_int_conversion: 2, propose_int_float_conversion: 2, propose_float_conversion: 2, propose_bitcast: 1,
    propose_cast: 3, propose_narrow_round_trip: 1,
}
SCALARS = {propose_scalar: 1, propose_scalar_compare: 1}
