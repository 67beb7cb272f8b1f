# Operations on global layouts as functions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making global layouts, and the algebra on them."""

from tilus.ir.layout.global_layout import (
    global_column_major as global_column_major,
    global_compose as global_compose,
    global_row_major as global_row_major,
    global_slice as global_slice,
    global_strides as global_strides,
)
