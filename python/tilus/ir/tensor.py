# `tilus.ir.tensor`: tiles and tensors as scripts see them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles and tensors, for annotations of scripts."""

from tilus.lang.tensors import (
    GlobalTensor as GlobalTensor,
    RegisterTensor as RegisterTensor,
    SharedTensor as SharedTensor,
)
