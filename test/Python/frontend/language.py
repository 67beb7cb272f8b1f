# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods that Python and the CPU reference execute alike.

A method of numbers is called by CPython for many pairs of integers, and by a kernel of which each block takes one pair.
What the two compute must be equal. The same text is executed by both, so it says `range` and `max`, not instructions.
"""

import numpy as np
from tilus import _compiler
from tilus.dtypes import DataType, dtype_to_numpy, float32, int32
from tilus.lang.attributes import Attributes
from tilus.lang.classes import Members
from tilus.lang.instructions import Instructions
from tilus.lang.transpiler import transpile

PAIRS = [(a, b) for a in (-9, -1, 0, 1, 2, 3, 5, 8, 13) for b in (-7, -2, -1, 0, 1, 4, 6, 11)]


class Kernel(Members, Instructions):
    """A script without a launcher."""

    def __init__(self):
        self.attrs = Attributes()


class Evaluation(Kernel):
    """Calls a method for the pair of integers of each block, and stores its result."""

    def __init__(self, program: str, dtype: DataType):
        super().__init__()
        self.chosen = program
        self.dtype = dtype

    def evaluate(self, count: int, a_ptr: ~int32, b_ptr: ~int32, out_ptr: ~int32, float_ptr: ~float32):
        self.attrs.warps = 1
        self.attrs.blocks = count
        block = self.blockIdx.x
        a = self.global_view(a_ptr, dtype=int32, shape=[count])[block].item()
        b = self.global_view(b_ptr, dtype=int32, shape=[count])[block].item()
        result = getattr(self, self.chosen)(a, b)
        pointer = float_ptr if self.dtype.is_float() else out_ptr
        out = self.global_view(pointer, dtype=self.dtype, shape=[count])
        self.store_global(out, self.register_tensor(dtype=self.dtype, shape=[1], init=result), offsets=[block])


def wrapped(number: int) -> int:
    """An integer as 32 bits hold it."""
    return (int(number) + 2**31) % 2**32 - 2**31


def run_kernel(script, method, arguments, **options):
    """Transpiles a method of a script and executes it on the CPU reference; arrays are changed in place."""
    module = transpile(script, method, **options)
    _compiler.Reference(module).run(arguments, check_hazards=True)
    return module


def evaluate(program_class, name, pairs=PAIRS, dtype=int32):
    """What a kernel computes for the pairs."""
    made = type(f"Kernel_{name}", (Evaluation, program_class), {})
    a, b = (np.array(values, np.int32) for values in zip(*pairs))
    out, floats = np.full(len(pairs), -77, np.int32), np.full(len(pairs), -77.0, np.float32)
    run_kernel(made(name, dtype), made.evaluate, [a, b, out, floats], constants={"count": len(pairs)})
    return (floats if dtype is float32 else out).astype(dtype_to_numpy(dtype))


def check(program_class, name, pairs=PAIRS):
    """Compares a kernel with CPython on integers."""
    program = getattr(program_class(), name)
    expected = np.array([wrapped(program(a, b)) for a, b in pairs])
    np.testing.assert_array_equal(evaluate(program_class, name, pairs), expected)


def methods_of(program_class):
    """The names of the methods to test."""
    return [name for name in vars(program_class) if not name.startswith("_")]


