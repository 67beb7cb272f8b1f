"""The transpiler: from the syntax tree of a script to a kernel of the dialect."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from tilus.lang.transpiler.kernel import transpile

__all__ = ["transpile"]
