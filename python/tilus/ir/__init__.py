"""Kernels in the compiler's own terms: contexts, types, attributes, operations, and how they are made."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from tilus._compiler.ir import *  # noqa: F403


def __getattr__(name):
    """The tiles of scripts, which need more than the compiler's terms."""
    if name in ("GlobalTensor", "RegisterTensor", "SharedTensor"):
        import tilus.ir.tensor

        return getattr(tilus.ir.tensor, name)
    raise AttributeError(f"module 'tilus.ir' has no attribute '{name}'")
