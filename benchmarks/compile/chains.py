# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels made to be hard for layout inference: long chains of ops on tiles of rank 5."""

SHAPE = "4x4x4x4x4"
TILE = f"tensor<{SHAPE}xf32>"
VIEW = f"!tilus.global<{SHAPE}xf32>"
ROTATIONS = ("[1, 2, 3, 4, 0]", "[4, 3, 2, 1, 0]", "[1, 0, 3, 2, 4]")


def elementwise(index, value):
    """All tiles have one layout."""
    return [f"%t{index} = arith.addf %{value}, %first : {TILE}"]


def mixed(index, value):
    """Transposes, reductions and broadcasts, and sums with the first tile, in which the layouts meet."""
    kind, dim = index % 4, index % 5
    reduced = TILE.replace(SHAPE, "x".join("1" if d == dim else "4" for d in range(5)))
    if kind == 0:
        return elementwise(index, value)
    if kind == 1:
        return [f"%t{index} = tilus.transpose %{value} {ROTATIONS[index // 4 % 3]} : {TILE} -> {TILE}"]
    if kind == 2:
        return [f"%r{index} = tilus.reduce add, %{value} dim({dim}) keep_dim : {TILE} -> {reduced}",
                f"%t{index} = tilus.broadcast %r{index} : {reduced} -> {TILE}"]
    return [f"%t{index} = math.exp %{value} : {TILE}"]


CHAINS = {"elementwise": elementwise, "mixed": mixed}


def make_chain(kind, ops):
    """A module with one kernel whose body has `ops` ops between a load and a store."""
    lines, value, index = [], "first", 0
    while len(lines) < ops:
        lines += CHAINS[kind](index, value)
        value = f"t{index}"
        index += 1
    head = f"""module attributes {{tilus.target = #tilus.target<chip = "sm_90a">}} {{
tilus.kernel @chain(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {{
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
}} {{
  %c0 = arith.constant 0 : i32
  %gx = tilus.global_view %x : !tilus.ptr<f32> -> {VIEW}
  %gy = tilus.global_view %y : !tilus.ptr<f32> -> {VIEW}
  %first = tilus.load_global %gx[%c0, %c0, %c0, %c0, %c0] : {VIEW} -> {TILE}
"""
    tail = f"  tilus.store_global %{value}, %gy[%c0, %c0, %c0, %c0, %c0] : {TILE}, {VIEW}\n}}\n}}\n"
    return head + "".join(f"  {line}\n" for line in lines) + tail
