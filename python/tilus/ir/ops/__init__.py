"""Functions that make operations and put them where the current builder is.

Those of the dialect 'tilus' are here; those of the others in `ops.arith`, `ops.math`, `ops.scf` and
`ops.cf`. Operands are given by position or name (several as a sequence, none as None), attributes by
name, as an ir.Attribute or as the number, string, list or case that it stands for. `results` are the types of
the results, where they do not follow from the operands. A function returns the value, a tuple of the values, or
the operation if it has no results or has regions.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from tilus.ir.ops import arith, cf, math, scf  # noqa: F401
from tilus.ir.ops.tilus import *  # noqa: F403
