# Multi-functions, and the operations on them, under one name.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions from the elements of a tile to sets of numbers."""

from tilus.ir.layout.mfunction.mfunction import (
    MultiFunction as MultiFunction,
    canonicalize_multi_function as canonicalize_multi_function,
    multi_function as multi_function,
)
from tilus.ir.layout.mfunction.ops import (
    collapse as collapse,
    collapse_by_shape as collapse_by_shape,
    cover as cover,
    identity as identity,
)
