# `tilus.hidet.ir.dtypes`: data types by name.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data types of `tilus.dtypes`."""

from tilus.dtypes import *  # noqa: F403
