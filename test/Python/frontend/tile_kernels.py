# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels made by calling instructions, without a script around them, and their execution on the CPU reference.

`call(body, x, y, out=[z])` makes a kernel that loads the arrays x and y as tiles, calls `body(t, tx, ty)`, where `t` has
the instructions of scripts, and stores the tiles that it returns; it gives what the kernel stored, of the shapes and types
of z. `launch` hands the pointers themselves to the body.
"""

import numpy as np
from tilus import _compiler
from tilus._compiler import ir
from tilus.dtypes import dtype_from_numpy, int32
from tilus.lang.builder import Builder
from tilus.lang.instructions import Instructions
from tilus.lang.instructions.control import set_warps
from tilus.lang.scalars import Pointer, Scalar

CHIPS = ["sm_80", "sm_90a", "sm_103a"]


def build(body, params, warps=4, blocks=(1,)):
    """An ir.Module of the kernel whose body is what `body(instructions, *params)` emits."""
    builder = Builder(ir.Context())
    module = ir.Module.create(ir.Location.unknown(builder.context))
    types = [builder.type(param) for param in params]
    with builder.active():
        attributes = {
            "sym_name": builder.attribute('"kernel"'),
            "function_type": builder.attribute(f"({', '.join(map(str, types))}) -> ()"),
            "warps": builder.attribute(f"{warps} : i32"),
        }
        kernel = ir.Operation.create("tilus.kernel", attributes=attributes, regions=2, loc=builder.location)
        module.body.append(kernel)
        grid, block = (region.append(types, loc=builder.location) for region in kernel.regions)
        with builder.inside(grid):
            builder.create("tilus.grid", [builder.constant(count, int32) for count in blocks])
        builder.block = block
        set_warps(warps)
        arguments = zip(block.arguments, params)
        body(Instructions(), *(Pointer(v, p) if p.is_pointer() else Scalar(v, p) for v, p in arguments))
        builder.create("tilus.return")
        for unfinished in builder.unfinished:
            unfinished.settle()
    module.verify()
    return module


def execute(module, arguments, output=None):
    """Runs the kernel with a check for hazards."""
    _compiler.Reference(module).run(arguments, check_hazards=True, output=output)


def pointer_type(array):
    return ~dtype_from_numpy(array.dtype)


def launch(body, *arguments, warps=4, blocks=(1,), output=None):
    """Runs a kernel on arrays (pointers, changed in place) and integers (int32)."""
    params = [pointer_type(a) if isinstance(a, np.ndarray) else int32 for a in arguments]
    module = build(body, params, warps, blocks)
    execute(module, list(arguments), output)
    return module


def loaded(t, pointer, array):
    """The whole of an array as a tile."""
    view = t.global_view(pointer, dtype=dtype_from_numpy(array.dtype), shape=list(array.shape))
    return t.load_global(view, offsets=[0] * array.ndim, shape=list(array.shape))


def store(t, pointer, tile):
    """A tile as the whole of an array."""
    view = t.global_view(pointer, dtype=tile.dtype, shape=list(tile.shape))
    t.store_global(view, tile, offsets=[0] * tile.ndim)


def call(body, *arrays, out, warps=4):
    """The tiles that the body makes of tiles, as arrays like those of `out`."""

    def kernel(t, *pointers):
        tiles = [loaded(t, pointer, array) for pointer, array in zip(pointers, arrays)]
        results = body(t, *tiles)
        results = results if isinstance(results, (tuple, list)) else [results]
        assert len(results) == len(out)
        for tile, pointer, array in zip(results, pointers[len(arrays) :], out):
            assert (tile.shape, tile.dtype) == (array.shape, dtype_from_numpy(array.dtype))
            store(t, pointer, tile)

    arrays, out = [np.array(array, order="C") for array in arrays], [np.asarray(array) for array in out]
    results = [np.zeros(array.shape, array.dtype) for array in out]
    launch(kernel, *arrays, *results, warps=warps)
    return results[0] if len(results) == 1 else results


def compiled(body, params, warps=4):
    """The artifacts of a kernel for all chips of CHIPS."""
    return _compiler.Compiler(cache="off").compile(build(body, params, warps), CHIPS)
