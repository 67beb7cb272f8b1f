# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles: reductions and scans of odd sizes, what they start from, atomics on tiles that several threads hold."""

import numpy as np

from edges.cases import DTYPES, add, add_tiles, kernel, load_text, store_text


def add_reductions():
    """Sums of 1..48 by one warp and 1..96 by three; each axis of 6x80; all as integers, which are exact."""
    for size, warps in ((48, 1), (48, 2), (96, 3), (1, 4), (3, 1), (1000, 4)):
        values = np.arange(1, size + 1, dtype=np.int32)
        body = [f"%sum = tilus.reduce add, %a dim(0) : tensor<{size}xi32> -> tensor<i32>"]
        add_tiles(f"reduce.sum.{size}.{warps}", {"a": (values, "i32")},
                  {"sum": (np.array(values.sum(), np.int32), "i32")}, body, warps)
    values = np.arange(480, dtype=np.int32).reshape(6, 80) * 7 % 101 - 50
    for warps in (1, 2, 3, 5):
        body = [f"%{kind}{dim} = tilus.reduce {kind}, %a dim({dim}) : tensor<6x80xi32> -> tensor<{shape}xi32>"
                for dim, shape in ((0, 80), (1, 6)) for kind in ("add", "max", "min")]
        expected = {f"{kind}{dim}": (function(values, dim).astype(np.int32), "i32") for dim in (0, 1)
                    for kind, function in (("add", np.sum), ("max", np.max), ("min", np.min))}
        add_tiles(f"reduce.axes.{warps}", {"a": (values, "i32")}, expected, body, warps)


def add_identities():
    """No reduction starts from a number that is not of its input."""
    rows = [
        ("f32", "max", [-3, -1, -2], -1), ("f32", "max", [-np.inf] * 3, -np.inf), ("f32", "min", [np.inf] * 3, np.inf),
        ("f16", "max", [-np.inf] * 5, -np.inf), ("i32", "umin", [-1, -2, -3], -3), ("i32", "umin", [-1] * 3, -1),
        ("i32", "umax", [0] * 3, 0), ("i8", "max", [-128] * 7, -128), ("i8", "min", [127] * 7, 127),
        ("i16", "umin", [-1] * 5, -1), ("i64", "max", [-(1 << 63)] * 3, -(1 << 63)), ("i32", "mul", [-1, 3, 5], -15),
        ("i8", "and", [-1, -1, -1], -1), ("i8", "or", [0, 0, 0], 0), ("i32", "xor", [5, 5, 3], 3),
        ("f32", "mul", [2, 0.5, 3], 3), ("f32", "maxnum", [-np.inf, -np.inf, -np.inf], -np.inf),
        # The type has no infinity.
        ("f8E4M3FN", "max", [0xFE, 0xFE, 0xFE], 0xFE), ("f8E4M3FN", "min", [0x7E, 0x7E, 0x7E], 0x7E),
        ("f8E5M2", "max", [0xFC, 0xFC, 0xFC], 0xFC),
    ]
    for number, (element, kind, values, result) in enumerate(rows):
        array = np.array(values, DTYPES[element])
        n = len(values)
        body = [f"%one = tilus.reduce {kind}, %a dim(0) : tensor<{n}x{element}> -> tensor<{element}>",
                f"%kept = tilus.reduce {kind}, %a dim(0) keep_dim : tensor<{n}x{element}> -> tensor<1x{element}>"]
        one = np.array(result, DTYPES[element])
        add_tiles(f"reduce.identity.{number}.{kind}.{element}", {"a": (array, element)},
                  {"one": (one, element), "kept": (one.reshape(1), element)}, body, warps=2)


def prefixes(array, dim, exclusive, reverse):
    array = np.flip(array, dim) if reverse else array
    sums = np.cumsum(array, dim, dtype=array.dtype)
    sums = sums - array if exclusive else sums
    return np.flip(sums, dim) if reverse else sums


def add_scans():
    """Prefix sums of each size and axis, each way."""
    flags = [(exclusive, reverse) for exclusive in (False, True) for reverse in (False, True)]

    def lines(tile, dim):
        return [f"%s{int(e)}{int(r)} = tilus.scan add, %a dim({dim}){' exclusive' * e}{' reverse' * r} : {tile}"
                for e, r in flags]

    for size in (1, 3, 8, 32, 48, 1024):
        for warps in (1, 4):
            ones = np.ones(size, np.int32)
            add_tiles(f"scan.{size}.{warps}", {"a": (ones, "i32")},
                      {f"s{int(e)}{int(r)}": (prefixes(ones, 0, e, r), "i32") for e, r in flags},
                      lines(f"tensor<{size}xi32>", 0), warps, constant=False)
    box = np.arange(48, dtype=np.int32).reshape(2, 3, 8) ** 2 % 97
    for dim in range(3):
        add_tiles(f"scan.axis.{dim}", {"a": (box, "i32")},
                  {f"s{int(e)}{int(r)}": (prefixes(box, dim, e, r), "i32") for e, r in flags},
                  lines("tensor<2x3x8xi32>", dim))


def add_scan_in_loop():
    """Two turns of a loop, in each of two blocks: the second scans what the first gave."""
    view = "!tilus.global<2x48xi32>"
    body = f"""  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %block = tilus.block_id x
  %gx = tilus.global_view %x : !tilus.ptr<i32> -> {view}
  %gy = tilus.global_view %y : !tilus.ptr<i32> -> {view}
  %a = tilus.load_global %gx[%block, %c0] dims [1] : {view} -> tensor<48xi32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%old = %a) -> (tensor<48xi32>) : i32 {{
    %new = tilus.scan add, %old dim(0) : tensor<48xi32>
    scf.yield %new : tensor<48xi32>
  }}
  tilus.store_global %r, %gy[%block, %c0] dims [1] : tensor<48xi32>, {view}"""
    x = np.array([np.ones(48), np.arange(48)], np.int32)
    text = kernel(["%x: !tilus.ptr<i32>", "%y: !tilus.ptr<i32>"], body, "%blocks = arith.constant 2 : i32")
    add("scan.loop", text, [x, np.zeros_like(x)], {1: np.cumsum(np.cumsum(x, 1), 1).astype(np.int32)})


def add_atomics():
    """An element is added once, however many threads hold it."""
    for element in ("i32", "f32", "i64", "f64"):
        for size in (1, 32, 48, 128, 256):
            view, tile = f"!tilus.global<{size}x{element}>", f"tensor<{size}x{element}>"
            one = "1" if element[0] == "i" else "1.0"
            body = f"""  %g = tilus.global_view %x : !tilus.ptr<{element}> -> {view}
  %ones = arith.constant dense<{one}> : {tile}
  tilus.atomic add, %g[%c0], %ones : {view}, {tile}"""
            x = np.arange(size).astype(DTYPES[element])
            # Two blocks.
            text = kernel([f"%x: !tilus.ptr<{element}>"], body, "%blocks = arith.constant 2 : i32", warps=4)
            add(f"atomic.replicated.{element}.{size}", text, [x], {0: x + 2})


def add_atomic_results():
    """The old values of a tile that all threads hold are those of one update."""
    body = load_text("a", "x", (1,), "i32") + """  %s = tilus.alloc_shared : !tilus.shared<1xi32>
  tilus.store_shared %a, %s : tensor<1xi32>, !tilus.shared<1xi32>
  tilus.sync
  %three = arith.constant dense<3> : tensor<1xi32>
  %old = tilus.atomic add, %s, %three : !tilus.shared<1xi32>, tensor<1xi32> -> tensor<1xi32>
  %older = tilus.atomic max, %x_global[%c0], %three : !tilus.global<1xi32>, tensor<1xi32> -> tensor<1xi32>
  tilus.sync
  %new = tilus.load_shared %s : !tilus.shared<1xi32> -> tensor<1xi32>
""" + "".join(store_text(name, f"o_{name}", (1,), "i32") for name in ("old", "older", "new"))
    body = "  %x_global = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<1xi32>\n" + body
    text = kernel([f"%{name}: !tilus.ptr<i32>" for name in ("x", "o_old", "o_older", "o_new")], body, warps=4)
    x, zero = np.array([-5], np.int32), np.zeros(1, np.int32)
    add("atomic.result", text, [x, zero, zero, zero],
        {0: np.array([3]), 1: np.array([-5]), 2: np.array([-5]), 3: np.array([-2])})


def add_scatters():
    """256 ones to one place; 64 numbers counted by 256 threads; indices outside are dropped."""
    rows = {"one-place": np.zeros(256), "classes": np.arange(64) * 11 % 16, "outside": np.arange(48) - 16}
    for name, indices in rows.items():
        n = len(indices)
        for space in ("global", "shared"):
            view = "!tilus.global<16xi32>"
            begin = "" if space == "global" else """  %s = tilus.alloc_shared : !tilus.shared<16xi32>
  tilus.store_shared %y_old, %s : tensor<16xi32>, !tilus.shared<16xi32>
  tilus.sync
"""
            end = "" if space == "global" else f"""  tilus.sync
  %y_new = tilus.load_shared %s : !tilus.shared<16xi32> -> tensor<16xi32>
  tilus.store_global %y_new, %y_old_view[%c0] : tensor<16xi32>, {view}"""
            target = "%y_old_view" if space == "global" else "%s"
            body = load_text("i", "x", (n,), "i32") + load_text("y_old", "y", (16,), "i32") + begin + \
                f"  %ones = arith.constant dense<1> : tensor<{n}xi32>\n" \
                f"  tilus.atomic_scatter add, {target} dim(0), %i, %ones : !tilus.{space}<16xi32>, tensor<{n}xi32>, " \
                f"tensor<{n}xi32>\n" + end
            text = kernel(["%x: !tilus.ptr<i32>", "%y: !tilus.ptr<i32>"], body, warps=8)
            y, inside = np.arange(16, dtype=np.int32), indices[(indices >= 0) & (indices < 16)].astype(int)
            add(f"scatter.{name}.{space}", text, [indices.astype(np.int32), y],
                {1: (y + np.bincount(inside, minlength=16)).astype(np.int32)})


def add_reshapes():
    """Between sizes with few common factors, where elements move between threads, and with many."""
    for old, new in (((16, 24, 7), (14, 8, 24)), ((5, 96, 6), (12, 15, 16)), ((64, 96), (96, 64)), ((3, 5), (5, 3))):
        for element in ("f32", "i8"):
            values = (np.arange(np.prod(old)) % 251).reshape(old).astype(np.float32 if element == "f32" else np.int8)
            shape = "x".join(map(str, old)), "x".join(map(str, new))
            body = [f"%r = tilus.reshape %a : tensor<{shape[0]}x{element}> -> tensor<{shape[1]}x{element}>"]
            add_tiles(f"reshape.{shape[0]}.{element}", {"a": (values, element)}, {"r": (values.reshape(new), element)},
                      body, warps=4, constant=False)


add_reductions()
add_reshapes()
add_identities()
add_scans()
add_scan_in_loop()
add_atomics()
add_atomic_results()
add_scatters()
