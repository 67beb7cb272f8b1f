# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an edge case is, and the text of kernels for it.

Owns the list of all cases, to which the other files of this folder add. Expected values are written down by hand or
computed by numpy and Python's integers, never by the project.
"""

import dataclasses

import numpy as np

CASES = {}
DTYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16, "f32": np.float32,
          "f64": np.float64, "bf16": np.uint16, "f8E4M3FN": np.uint8, "f8E5M2": np.uint8}


@dataclasses.dataclass
class Case:
    """A kernel named @kernel, its arguments in order, and what is written to some of them, by index."""

    name: str
    text: str
    arguments: list
    expected: dict
    error: object = 0.0  # a number, or an array like what is expected


def add(name, text, arguments, expected, error=0.0):
    """Adds a case; names are unique."""
    if name in CASES:
        raise ValueError(f"expected a new name, but got '{name}' again")
    CASES[name] = Case(name, text, arguments, {index: np.asarray(value) for index, value in expected.items()}, error)


def kernel(params, body, grid="", warps=1):
    """A kernel; `grid` are lines that define %blocks, one block if empty."""
    grid = grid or "%blocks = arith.constant 1 : i32"
    return f"""tilus.kernel @kernel({', '.join(params)}) warps({warps}) grid {{
  {grid}
  tilus.grid [%blocks]
}} {{
  %c0 = arith.constant 0 : i32
{body}
}}
"""


def shape_text(shape):
    return "".join(f"{size}x" for size in shape)


def constant_text(array, element):
    """The tile's constant as the bytes that it has in memory."""
    return f'arith.constant dense<"0x{array.tobytes().hex().upper()}"> : tensor<{shape_text(array.shape)}{element}>'


def load_text(name, pointer, shape, element):
    view = f"!tilus.global<{shape_text(shape)}{element}>"
    return (f"  %{name}_view = tilus.global_view %{pointer} : !tilus.ptr<{element}> -> {view}\n"
            f"  %{name} = tilus.load_global %{name}_view[{', '.join(['%c0'] * len(shape))}] : {view} -> "
            f"tensor<{shape_text(shape)}{element}>\n")


def store_text(name, pointer, shape, element):
    view = f"!tilus.global<{shape_text(shape)}{element}>"
    return (f"  %{pointer}_view = tilus.global_view %{pointer} : !tilus.ptr<{element}> -> {view}\n"
            f"  tilus.store_global %{name}, %{pointer}_view[{', '.join(['%c0'] * len(shape))}] : "
            f"tensor<{shape_text(shape)}{element}>, {view}\n")


def tile_text(inputs, outputs, body, warps=1, constant=False):
    """A kernel that loads tiles, or has them as constants, and stores tiles.

    `inputs` is {name: (array, element)}, with the parameter %p_name; `outputs` is {name: (shape, element)}, with the
    parameter %o_name. The body defines the tiles %name of the outputs.
    """
    params = [f"%p_{name}: !tilus.ptr<{element}>" for name, (_, element) in inputs.items()]
    params += [f"%o_{name}: !tilus.ptr<{element}>" for name, (_, element) in outputs.items()]
    lines = ""
    for name, (array, element) in inputs.items():
        lines += f"  %{name} = {constant_text(array, element)}\n" if constant else \
            load_text(name, f"p_{name}", array.shape, element)
    lines += "".join(f"  {line}\n" for line in body)
    lines += "".join(store_text(name, f"o_{name}", shape, element) for name, (shape, element) in outputs.items())
    return kernel(params, lines, warps=warps)


def add_tiles(name, inputs, expected, body, warps=1, error=0.0, constant=True):
    """Adds a case of tiles, and one where they are constants. `expected` is {name: (array, element)}."""
    arguments = [array for array, _ in inputs.values()]
    arguments += [np.full(value.shape, 77, DTYPES[element]) for value, element in expected.values()]
    results = {len(inputs) + index: value for index, (value, _) in enumerate(expected.values())}
    outputs = {key: (value.shape, element) for key, (value, element) in expected.items()}
    for is_constant in (False, True) if constant else (False,):
        text = tile_text(inputs, outputs, body, warps, is_constant)
        add(f"{name}{'.constant' if is_constant else ''}", text, arguments, results, error)
