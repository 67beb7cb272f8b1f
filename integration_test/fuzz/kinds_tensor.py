# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions of elements, shapes, slices, pinned layouts and random words."""

import numpy as np

import layouts
from element_types import TYPES, as_unsigned, round_float
from kinds_elementwise import conversion_text
from program import KINDS, Kind, spread
from values import Value, make_float, make_int, require, require_exact

# Conversions


def run_extend_int(machine, step, a):
    type_ = step.results[0][1]
    data = a.data
    if step.kind == "arith.extui":
        data = as_unsigned(a.type.element, data).view(np.int64)
    elif step.kind == "arith.extsi" and a.type.element.is_bool:
        data = -data
    return [make_int(type_, data)]


def run_int_to_float(machine, step, a):
    data = a.data
    if step.kind == "arith.uitofp":
        data = as_unsigned(a.type.element, data).astype(np.float64)
    elif a.type.element.is_bool:
        data = -data
    # float64 holds integers of up to 53 bits: others would be rounded twice.
    require(np.abs(data) < 2**53)
    return [make_float(step.results[0][1], data.astype(np.float64))]


def run_float_to_int(machine, step, a):
    require_exact(a)
    type_ = step.results[0][1]
    whole = np.trunc(a.data)
    low, high = _int_range(type_.element, step.kind == "arith.fptoui")
    require(np.isfinite(a.data) & (whole >= low) & (whole <= high) & (np.abs(whole) < 2.0**53))
    return [make_int(type_, whole.astype(np.int64))]


def run_convert_float(machine, step, a):
    return [convert_float(step.results[0][1], a)]


def convert_float(type_, a, mode=None, saturate=False):
    if a.is_exact:
        slack = a.slack
        return Value(type_, round_float(type_.element, a.data, mode, saturate), None, slack)
    value = make_float(type_, a.data, a.error)
    if mode not in (None, "nearest_even"):
        value = Value(type_, round_float(type_.element, a.data, mode, saturate), value.error)
    return value


def run_bitcast(machine, step, a):
    """Between integers and floats of 16 to 64 bits, which numpy has."""
    require_exact(a)
    require(np.isfinite(a.data) & (a.data != 0) if a.type.element.is_float else True)
    names = {"f16": (np.float16, np.int16), "f32": (np.float32, np.int32), "f64": (np.float64, np.int64)}
    type_ = step.results[0][1]
    real, integer = names[type_.element.name if type_.element.is_float else a.type.element.name]
    if a.type.element.is_float:
        return [Value(type_, a.data.astype(real).view(integer).astype(np.int64))]
    result = a.data.astype(integer).view(real).astype(np.float64)
    require(np.isfinite(result))
    return [Value(type_, result)]


def cast_text(printer, step):
    flags = f" rounding({step.attrs['rounding']})" if "rounding" in step.attrs else ""
    for flag in ("saturate", "unsigned_source", "unsigned_result"):
        flags += f" {flag}" if step.attrs.get(flag) else ""
    return f"tilus.cast {printer.name(step.operands[0])}{flags} : {printer.type(step.operands[0])} -> {step.results[0][1]}"


def _int_range(element, is_unsigned):
    return (0, 2**element.width - 1) if is_unsigned else (-(2 ** (element.width - 1)), 2 ** (element.width - 1) - 1)


def _cast_from_int(step, a, type_):
    is_unsigned = step.attrs.get("unsigned_source") or a.type.element.is_bool
    number = as_unsigned(a.type.element, a.data) if is_unsigned else a.data
    if type_.element.is_bool:
        return Value(type_, (number != 0).astype(np.int64))
    if type_.element.is_float:
        # float64 holds integers of up to 53 bits: others would be rounded twice.
        require(np.abs(number.astype(np.float64)) < 2**53)
        mode, saturate = step.attrs.get("rounding"), step.attrs.get("saturate", False)
        return Value(type_, round_float(type_.element, number.astype(np.float64), mode, saturate))
    if step.attrs.get("saturate"):
        low, high = _int_range(type_.element, step.attrs.get("unsigned_result"))
        known = np.iinfo(number.dtype)
        number = np.clip(number, max(low, int(known.min)), min(high, int(known.max)))
    return make_int(type_, number.view(np.int64))


def _cast_to_int(step, a, type_):
    require_exact(a)
    if type_.element.is_bool:
        return Value(type_, (a.data != 0).astype(np.int64))
    whole = np.where(np.isnan(a.data), 0.0, np.trunc(a.data))
    low, high = _int_range(type_.element, step.attrs.get("unsigned_result"))
    if not step.attrs.get("saturate") and type_.element.width < 32:
        low, high = _int_range(TYPES["i32"], step.attrs.get("unsigned_result"))
    # Beyond 2^53 float64 does not hold the ends of the range.
    require((np.abs(whole) < 2**53) | (type_.element.width <= 32))
    clipped = np.clip(whole, low, high).astype(np.float64)
    return make_int(type_, clipped.astype(np.int64))


def run_cast(machine, step, a):
    type_ = step.results[0][1]
    if not a.type.element.is_float:
        return [_cast_from_int(step, a, type_)]
    if not type_.element.is_float:
        return [_cast_to_int(step, a, type_)]
    return [convert_float(type_, a, step.attrs.get("rounding"), step.attrs.get("saturate", False))]


# Shapes


def arrow_text(printer, step, middle=""):
    return f"{step.kind} {printer.name(step.operands[0])}{middle} : {printer.type(step.operands[0])} -> {step.results[0][1]}"


def run_broadcast(machine, step, a):
    type_ = step.results[0][1]
    rank = len(a.type.shape or ())
    shape = (machine.blocks,) + type_.shape

    def stretch(array):
        wide = array.reshape((machine.blocks,) + (1,) * (len(type_.shape) - rank) + (a.type.shape or ()))
        return np.broadcast_to(wide, shape).copy()

    return [a.moved(type_, stretch)]


def run_reshape(machine, step, a):
    type_ = step.results[0][1]
    return [a.moved(type_, lambda array: array.reshape((machine.blocks,) + type_.shape))]


def run_transpose(machine, step, a):
    order = [0] + [dim + 1 for dim in step.attrs["permutation"]]
    return [a.moved(step.results[0][1], lambda array: array.transpose(order).copy())]


def run_iota(machine, step):
    type_ = step.results[0][1]
    index = np.indices(type_.shape)[step.attrs["dim"]]
    return [make_int(type_, np.broadcast_to(index, (machine.blocks,) + type_.shape).copy())]


def run_extract(machine, step, a):
    return [a.moved(step.results[0][1], lambda array: array.reshape(machine.blocks))]


def slice_text(printer, step):
    sources = step.attrs["sources"]
    values, offsets = step.operands[:sources], step.operands[sources:]
    types = ", ".join(printer.type(value) for value in values)
    result = f" -> {step.results[0][1]}" if sources == 1 else ""
    return (f"{step.kind} {printer.names(values)}[{printer.typed_names(offsets)}] dims {step.attrs['dims']} : "
            f"{types}{result}")


def _slice_places(machine, step, shape, offsets):
    """An index of the sub-tile in each block, and where the offsets lie within the tile."""
    dims = step.attrs["dims"]
    offset = dict(zip(dims, [machine.scalar(value) for value in offsets]))
    inside = np.ones(machine.blocks, bool)
    for dim, place in offset.items():
        inside &= (place >= 0) & (place < shape[dim])
    kept = [dim for dim in range(len(shape)) if dim not in offset]
    index = [spread(np.arange(machine.blocks), len(kept))]
    for dim in range(len(shape)):
        if dim in offset:
            index.append(spread(np.where(inside, offset[dim], 0), len(kept)))
        else:
            position = [1] * (len(kept) + 1)
            position[1 + kept.index(dim)] = shape[dim]
            index.append(np.arange(shape[dim]).reshape(position))
    return tuple(np.broadcast_arrays(*index)), inside


def run_extract_slice(machine, step, a, *offsets):
    index, inside = _slice_places(machine, step, a.type.shape, offsets)
    rank = index[0].ndim - 1
    return [a.moved(step.results[0][1], lambda array: np.where(spread(inside, rank), array[index], 0))]


def run_insert_slice(machine, step, a, into, *offsets):
    index, inside = _slice_places(machine, step, into.type.shape, offsets)
    mask = spread(inside, index[0].ndim - 1)

    def insert(source, dest):
        result = dest.copy()
        result[index] = np.where(mask, source, dest[index])
        return result

    error = None if a.is_exact and into.is_exact else insert(a.bound, into.bound)
    return [Value(into.type, insert(a.data, into.data), error)]


# Layouts


def pin_text(printer, step):
    """Through a chain of pinned layouts and back to a tile without one."""
    type_, chain = step.results[0][1], step.attrs["layouts"]
    shape = "".join(f"{size}x" for size in type_.shape) + type_.element.name
    name, before = printer.name(step.operands[0]), str(type_)
    for number, layout in enumerate(chain):
        after, result = f"tensor<{shape}, {layout}>", f"{printer.name(step.results[0][0])}_{number}"
        printer.lines.append(f"  {result} = tilus.convert_layout {name} : {before} -> {after}")
        name, before = result, after
    return f"tilus.convert_layout {name} : {before} -> {type_}"


def view_text(printer, step):
    """Pins a layout, reads the registers as another tile, and frees that of its layout."""
    source, result = printer.types[step.operands[0]], step.results[0][1]
    types = [f"tensor<{''.join(f'{size}x' for size in t.shape)}{t.element.name}, {layout}>"
             for t, layout in zip((source, result), step.attrs["layouts"])]
    name = printer.name(step.results[0][0])
    printer.lines += [
        f"  {name}_0 = tilus.convert_layout {printer.name(step.operands[0])} : {source} -> {types[0]}",
        f"  {name}_1 = tilus.view {name}_0 : {types[0]} -> {types[1]}",
    ]
    return f"tilus.convert_layout {name}_1 : {types[1]} -> {result}"


def run_view(machine, step, a):
    require_exact(a)
    return [Value(step.results[0][1], layouts.view(step.attrs["layouts"], a, step.results[0][1]))]


# Random words


def random_text(printer, step):
    rounds = f" rounds({step.attrs['rounds']})" if step.attrs["rounds"] != 10 else ""
    seed, offset = step.operands
    return f"tilus.random {printer.names([seed, offset])}{rounds} : {printer.type(offset)} -> {step.results[0][1]}"


def run_random(machine, step, seed, offset):
    """Philox 4x32 (Salmon et al., SC 2011, section 4.3)."""
    mask, by = np.uint64(0xFFFFFFFF), np.uint64(32)
    key = as_unsigned(seed.type.element, spread(seed.data, len(offset.type.shape)))
    low, high = key & mask, key >> by
    words = [as_unsigned(offset.type.element, offset.data)] + [np.zeros(offset.data.shape, np.uint64)] * 3
    for _ in range(step.attrs["rounds"]):
        even, odd = np.uint64(0xD2511F53) * words[0], np.uint64(0xCD9E8D57) * words[2]
        words = [(odd >> by) ^ words[1] ^ low, odd & mask, (even >> by) ^ words[3] ^ high, even & mask]
        low, high = (low + np.uint64(0x9E3779B9)) & mask, (high + np.uint64(0xBB67AE85)) & mask
    return [make_int(step.results[0][1], np.stack(words, axis=1).view(np.int64))]


def register():
    for name in ("arith.extsi", "arith.extui", "arith.trunci"):
        KINDS[name] = Kind(conversion_text, run_extend_int)
    for name in ("arith.sitofp", "arith.uitofp"):
        KINDS[name] = Kind(conversion_text, run_int_to_float)
    for name in ("arith.fptosi", "arith.fptoui"):
        KINDS[name] = Kind(conversion_text, run_float_to_int)
    for name in ("arith.extf", "arith.truncf"):
        KINDS[name] = Kind(conversion_text, run_convert_float)
    KINDS["arith.bitcast"] = Kind(conversion_text, run_bitcast)
    KINDS["tilus.cast"] = Kind(cast_text, run_cast)
    KINDS["tilus.broadcast"] = Kind(arrow_text, run_broadcast)
    KINDS["tilus.reshape"] = Kind(arrow_text, run_reshape)
    KINDS["tilus.transpose"] = Kind(lambda p, s: arrow_text(p, s, f" {s.attrs['permutation']}"), run_transpose)
    KINDS["tilus.iota"] = Kind(lambda p, s: f"tilus.iota dim({s.attrs['dim']}) : {s.results[0][1]}", run_iota)
    KINDS["tilus.extract"] = Kind(lambda p, s: f"tilus.extract {p.name(s.operands[0])} : {p.type(s.operands[0])}",
                                  run_extract)
    KINDS["tilus.extract_slice"] = Kind(slice_text, run_extract_slice)
    KINDS["tilus.insert_slice"] = Kind(slice_text, run_insert_slice)
    KINDS["pin"] = Kind(pin_text, run_reshape)
    KINDS["tilus.view"] = Kind(view_text, run_view)
    KINDS["tilus.random"] = Kind(random_text, run_random)


register()
