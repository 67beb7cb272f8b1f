# `tilus.hidet.ir.type`: the classes of data types.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes of data types of `tilus.dtypes`."""

from tilus.dtypes import DataType as DataType, PointerType as PointerType, data_type as data_type, void_p as void_p
