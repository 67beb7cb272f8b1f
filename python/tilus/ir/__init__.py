"""Kernels in the compiler's own terms: contexts, types, attributes, operations, and how they are made."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from tilus._native.ir import *  # noqa: F403
