# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of math that are rounded, with the error that is allowed."""

import math

import numpy as np

from kinds_elementwise import same_type_text
from program import KINDS, Kind
from values import make_float, require, require_exact


def _erf(values):
    return np.vectorize(math.erf, otypes=[np.float64])(values)


# function, least and greatest argument, error in units of the last place of f32 (f64: of its own)
FUNCTIONS = {
    "math.exp": (np.exp, -20, 10, 4),
    "math.exp2": (np.exp2, -30, 14, 4),
    "math.log": (np.log, 1e-4, 1e6, 8),
    "math.log2": (np.log2, 1e-4, 1e6, 8),
    "math.sin": (np.sin, -60, 60, 8),
    "math.cos": (np.cos, -60, 60, 8),
    "math.tanh": (np.tanh, -20, 20, 8),
    "math.rsqrt": (lambda x: 1 / np.sqrt(x), 1e-4, 1e6, 4),
    "math.erf": (_erf, -6, 6, 12),
}


def run_function(machine, step, a):
    """A function that is not rounded correctly. Near a zero of it the absolute error counts."""
    function, low, high, places = FUNCTIONS[step.kind]
    require(np.isfinite(a.data) & (a.data - a.bound >= low) & (a.data + a.bound <= high))
    result = function(a.data)
    moved = np.maximum(np.abs(function(a.data + a.bound) - result), np.abs(function(a.data - a.bound) - result))
    moved = np.maximum(moved, a.bound) if step.kind in ("math.sin", "math.cos") else moved
    digits = 53 if a.type.element.name == "f64" else 24
    return [make_float(a.type, result, moved + places * 2.0**-digits * np.maximum(np.abs(result), 2.0**-4))]


def run_sqrt(machine, step, a):
    require_exact(a)
    require((a.data >= 0) & np.isfinite(a.data))
    return [make_float(a.type, np.sqrt(a.data))]


def run_fma(machine, step, a, b, c):
    product = a.data * b.data
    number = product + c.data
    error = np.abs(a.data) * b.bound + np.abs(b.data) * a.bound + a.bound * b.bound + c.bound
    # What float64 rounds away may decide the last place.
    part = number - product
    rest = (product - (number - part)) + (c.data - part)
    is_double = a.type.element.name == "f64"
    lost = np.where((rest != 0) | is_double, np.spacing(np.maximum(np.abs(number), np.abs(product))), 0.0)
    return [make_float(a.type, number, error + lost)]


def register():
    for name in FUNCTIONS:
        KINDS[name] = Kind(same_type_text, run_function)
    KINDS["math.sqrt"] = Kind(same_type_text, run_sqrt)
    KINDS["math.fma"] = Kind(same_type_text, run_fma)


register()
