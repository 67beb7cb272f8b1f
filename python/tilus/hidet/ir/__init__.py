# `tilus.hidet.ir`: data types.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data types of `tilus.dtypes`."""

from tilus.hidet.ir import dtypes as dtypes
from tilus.hidet.ir.type import DataType as DataType, PointerType as PointerType
