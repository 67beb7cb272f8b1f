# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats: NaN in extrema, the codes of fp8, subnormal numbers and constants, division of special values."""

import struct

import numpy as np

from edges.cases import DTYPES, add, add_tiles, kernel, store_text

INF, NAN = np.inf, np.nan
MANTISSA = {"f8E4M3FN": 3, "f8E5M2": 2}


def codes(element, values):
    """The numbers as they lie in memory; bf16 is the upper half of f32."""
    if element != "bf16":
        return np.array(values, DTYPES[element])
    return np.array([struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values], np.uint16)


def decode_f8(element, code):
    """OCP 8-bit floating point specification, sections 5.1 and 5.2."""
    mantissa_bits = MANTISSA[element]
    sign, magnitude = -1.0 if code & 0x80 else 1.0, code & 0x7F
    exponent, mantissa = magnitude >> mantissa_bits, magnitude & ((1 << mantissa_bits) - 1)
    bias = 7 if element == "f8E4M3FN" else 15
    if element == "f8E4M3FN" and magnitude == 0x7F:
        return NAN
    if element == "f8E5M2" and exponent == 31:
        return sign * INF if mantissa == 0 else NAN
    fraction = mantissa / (1 << mantissa_bits)
    return sign * (fraction * 2.0 ** (1 - bias) if exponent == 0 else (1 + fraction) * 2.0 ** (exponent - bias))


def add_extrema():
    """A NaN is the result of maximumf and of a clamp made of it, on either side; maxnumf drops it."""
    values, other = [NAN, 5.0, -5.0, 0.5], [1.0, NAN, 2.0, -0.5]
    for element in ("f64", "f32", "f16", "bf16"):
        tile = f"tensor<4x{element}>"
        body = [f"%low = arith.constant dense<-1.0> : {tile}", f"%high = arith.constant dense<1.0> : {tile}",
                f"%above = arith.maximumf %a, %low : {tile}", f"%clamped = arith.minimumf %above, %high : {tile}",
                f"%most = arith.maximumf %a, %b : {tile}", f"%least = arith.minimumf %a, %b : {tile}",
                f"%mostnum = arith.maxnumf %a, %b : {tile}", f"%leastnum = arith.minnumf %a, %b : {tile}"]
        rows = {"clamped": [NAN, 1, -1, .5], "most": [NAN, NAN, 2, .5], "least": [NAN, NAN, -5, -.5],
                "mostnum": [1, 5, 2, .5], "leastnum": [1, 5, -5, -.5]}
        inputs = {"a": (codes(element, values), element), "b": (codes(element, other), element)}
        if element == "bf16":
            add_widened(inputs, rows, body)
            continue
        expected = {name: (np.array(row, DTYPES[element]), element) for name, row in rows.items()}
        add_tiles(f"nan.extrema.{element}", inputs, expected, body)


def add_widened(inputs, rows, body):
    """bf16, compared as f32: which NaN it is does not matter."""
    body = body + [f"%{name}_wide = arith.extf %{name} : tensor<4xbf16> to tensor<4xf32>" for name in rows]
    expected = {f"{name}_wide": (np.array(row, np.float32), "f32") for name, row in rows.items()}
    add_tiles("nan.extrema.bf16", inputs, expected, body)


def add_reductions_of_nan():
    """max and min pass a NaN on, maxnum and minnum drop it, wherever it stands."""
    for element in ("f64", "f32", "f16"):
        for place in (0, 1, 63):
            values = np.arange(1, 65).astype(DTYPES[element])
            values[place] = NAN
            numbers = values[~np.isnan(values)]
            body = [f"%{kind} = tilus.reduce {kind}, %a dim(0) : tensor<64x{element}> -> tensor<{element}>"
                    for kind in ("max", "min", "maxnum", "minnum")]
            expected = {"max": NAN, "min": NAN, "maxnum": numbers.max(), "minnum": numbers.min()}
            add_tiles(f"nan.reduce.{element}.{place}", {"a": (values, element)},
                      {name: (np.array(value, DTYPES[element]), element) for name, value in expected.items()}, body)


def add_f8_decoding():
    for element in MANTISSA:
        every = np.arange(256, dtype=np.uint8)
        decoded = np.array([decode_f8(element, int(code)) for code in every])
        body = [f"%f = tilus.cast %a : tensor<256x{element}> -> tensor<256xf32>",
                f"%h = tilus.cast %a : tensor<256x{element}> -> tensor<256xf16>",
                f"%again = tilus.cast %f : tensor<256xf32> -> tensor<256x{element}>"]
        same = every.copy()
        nan = np.isnan(decoded)
        # Which NaN comes back is not said: those are given as one.
        body += [f"%is_nan = arith.cmpf une, %f, %f : tensor<256xf32>",
                 f"%zero = arith.constant dense<0.0> : tensor<256x{element}>",
                 f"%back = arith.select %is_nan, %zero, %again : tensor<256xi1>, tensor<256x{element}>"]
        same[nan] = 0
        add_tiles(f"f8.decode.{element}", {"a": (every, element)},
                  {"f": (decoded.astype(np.float32), "f32"), "h": (decoded.astype(np.float16), "f16"),
                   "back": (same, element)}, body)


def add_f8_encoding():
    """Beyond the largest number: infinity or NaN; the largest number where saturation is asked for."""
    rows = {
        # value: (as it is, with saturation)
        "f8E5M2": {57344: (0x7B, 0x7B), 61439: (0x7B, 0x7B), 61440: (0x7C, 0x7B), 1e6: (0x7C, 0x7B), INF: (0x7C, 0x7B),
                   -INF: (0xFC, 0xFB), -61440: (0xFC, 0xFB), 2.0**-16: (0x01, 0x01), 2.0**-17: (0x00, 0x00),
                   2.0**-17 * 1.5: (0x01, 0x01), -(2.0**-18): (0x80, 0x80), 1.0: (0x3C, 0x3C)},
        "f8E4M3FN": {448: (0x7E, 0x7E), 464: (0x7E, 0x7E), 465: (0x7F, 0x7E), INF: (0x7F, 0x7E), 1e6: (0x7F, 0x7E),
                     -448: (0xFE, 0xFE), -465: (0xFF, 0xFE), -INF: (0xFF, 0xFE), 2.0**-9: (0x01, 0x01),
                     2.0**-10: (0x00, 0x00), 2.0**-10 * 1.5: (0x01, 0x01), 1.0: (0x38, 0x38)},
    }
    for element, row in rows.items():
        n = len(row)
        for source in ("f32", "f64"):
            values = np.array(list(row), DTYPES[source])
            body = [f"%plain = tilus.cast %a : tensor<{n}x{source}> -> tensor<{n}x{element}>",
                    f"%held = tilus.cast %a saturate : tensor<{n}x{source}> -> tensor<{n}x{element}>"]
            add_tiles(f"f8.encode.{element}.{source}", {"a": (values, source)},
                      {"plain": (np.array([code for code, _ in row.values()], np.uint8), element),
                       "held": (np.array([code for _, code in row.values()], np.uint8), element)}, body)
        body = [f"%plain = tilus.cast %a : tensor<2xf32> -> tensor<2x{element}>",
                f"%held = tilus.cast %a saturate : tensor<2xf32> -> tensor<2x{element}>",
                f"%p = tilus.cast %plain : tensor<2x{element}> -> tensor<2xf32>",
                f"%h = tilus.cast %held : tensor<2x{element}> -> tensor<2xf32>"]
        nan = (np.array([NAN, NAN], np.float32), "f32")
        add_tiles(f"f8.encode.{element}.nan", {"a": (np.array([NAN, -NAN], np.float32), "f32")}, {"p": nan, "h": nan},
                  body)


def add_subnormals():
    """Constants below the least normal number keep their bits, and arithmetic on them is exact."""
    least = {"f32": 2.0**-149, "f16": 2.0**-24, "f64": 2.0**-1074}
    for element, unit in least.items():
        values = np.array([unit, 3 * unit, -5 * unit, 0.0], DTYPES[element])
        tile = f"tensor<4x{element}>"
        body = [f"%two = arith.constant dense<2.0> : {tile}", f"%one = arith.constant dense<1.0> : {tile}",
                f"%same = arith.mulf %a, %one : {tile}", f"%twice = arith.mulf %a, %two : {tile}",
                f"%sum = arith.addf %a, %twice : {tile}", f"%most = arith.maximumf %a, %same : {tile}",
                f"%quotient = arith.divf %twice, %two : {tile}"]
        add_tiles(f"subnormal.{element}", {"a": (values, element)},
                  {"same": (values, element), "twice": (2 * values, element), "sum": (3 * values, element),
                   "most": (values, element), "quotient": (values, element)}, body)
    # As a decimal number in the text, and as a parameter: 1e-40.
    body = "  %value = arith.constant dense<1.0e-40> : tensor<32xf32>\n" + store_text("value", "y", (32,), "f32") + \
        "  %param = tilus.broadcast %s : f32 -> tensor<32xf32>\n" + store_text("param", "z", (32,), "f32")
    bits = np.full(32, 0x000116C2, np.uint32).view(np.float32)
    add("subnormal.literal", kernel(["%s: f32", "%y: !tilus.ptr<f32>", "%z: !tilus.ptr<f32>"], body),
        ["1e-40", np.zeros(32, np.float32), np.zeros(32, np.float32)], {1: bits, 2: bits})
    body = ["%h = arith.truncf %a : tensor<4xf32> to tensor<4xf16>",
            "%f = arith.extf %h : tensor<4xf16> to tensor<4xf32>"]
    small = np.array([2.0**-24, 2.0**-25, 2.0**-25 * 1.001, 1023 * 2.0**-24], np.float32)
    rounded = np.array([2.0**-24, 0.0, 2.0**-24, 1023 * 2.0**-24], np.float32)
    add_tiles("subnormal.truncf", {"a": (small, "f32")},
              {"h": (rounded.astype(np.float16), "f16"), "f": (rounded, "f32")}, body)


def add_special_quotients():
    """IEEE division and square root of zeros, infinities and numbers whose quotient is subnormal."""
    a = np.array([1, -1, 0, INF, 1, 2.0**-100, 3, -4], np.float32)
    b = np.array([0, 0, 0, INF, INF, 2.0**40, 7, 3], np.float32)
    body = ["%q = arith.divf %a, %b : tensor<8xf32>", "%root = math.sqrt %a : tensor<8xf32>",
            "%less = arith.cmpf olt, %a, %b : tensor<8xf32>", "%unordered = arith.cmpf uno, %q, %a : tensor<8xf32>",
            "%yes = arith.constant dense<1> : tensor<8xi32>", "%no = arith.constant dense<0> : tensor<8xi32>",
            "%l = arith.select %less, %yes, %no : tensor<8xi1>, tensor<8xi32>",
            "%u = arith.select %unordered, %yes, %no : tensor<8xi1>, tensor<8xi32>"]
    with np.errstate(all="ignore"):
        q, root = a / b, np.sqrt(a)
    add_tiles("division.floats", {"a": (a, "f32"), "b": (b, "f32")},
              {"q": (q, "f32"), "root": (root, "f32"), "l": ((a < b).astype(np.int32), "i32"),
               "u": (np.isnan(q).astype(np.int32), "i32")}, body)


def add_shared_divisors():
    """Rows divided by a number each are rounded as single divisions are: any bits, and what is near the limits of f32."""
    rng = np.random.default_rng(5)
    rows, columns = 64, 256
    near = [0.0, -0.0, INF, -INF, NAN, 2.0**-149, 2.0**-126, 2.0**-100, 2.0**100, 1.5, -3.0, 3.4e38]
    a = rng.integers(0, 2**32, (rows, columns), dtype=np.uint32).view(np.float32)
    a[1::2] = rng.standard_normal((rows // 2, columns)) * 2.0 ** rng.integers(-130, 120, (rows // 2, columns))
    a[:, 3:200:17] = near
    b = (rng.standard_normal((rows, 1)) * 2.0 ** rng.integers(-30, 30, (rows, 1))).astype(np.float32)
    b[: len(near), 0] = near
    body = [f"%d = tilus.broadcast %b : tensor<{rows}x1xf32> -> tensor<{rows}x{columns}xf32>",
            f"%q = arith.divf %a, %d : tensor<{rows}x{columns}xf32>"]
    with np.errstate(all="ignore"):
        q = a / b
    add_tiles("division.rows", {"a": (a, "f32"), "b": (b, "f32")}, {"q": (q, "f32")}, body, warps=4, constant=False)


def add_exponentials():
    """exp of what has an exact result; and next to overflow, and with a subnormal result, to 2 or 3 units in the last place."""
    exact = np.array([0.0, -0.0, INF, -INF, NAN, 89.0, -104.0, 3e38, -3e38, 1e-30, -1e-30, 2.0**-149], np.float32)
    near = np.array([88.72283, 88.0, -87.33654, -87.0, 1.0, -1.0, 10.5, -40.25], np.float32)
    small = np.array([-88.0, -95.5, -103.0, -103.5], np.float32)
    for name, values, units in (("exact", exact, 0), ("near", near, 3), ("subnormal", small, 2)):
        with np.errstate(all="ignore"):
            expected = np.exp(values.astype(np.float64)).astype(np.float32)
            error = units * np.spacing(expected) if units else 0.0
        body = [f"%e = math.exp %a : tensor<{len(values)}xf32>"]
        add_tiles(f"exp.{name}", {"a": (values, "f32")}, {"e": (expected, "f32")}, body, error=error)


add_extrema()
add_reductions_of_nan()
add_f8_decoding()
add_f8_encoding()
add_subnormals()
add_special_quotients()
add_shared_divisors()
add_exponentials()
