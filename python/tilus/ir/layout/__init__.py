# The layouts of tiles in registers, shared, global and tensor memory.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layouts of tiles in registers, shared, global and tensor memory."""

from tilus.ir.layout.ops.utils import LayoutOperationError as LayoutOperationError  # isort: skip
from tilus.ir.layout.conversion import Conversion as Conversion, plan_conversion as plan_conversion
from tilus.ir.layout.global_layout import (
    GlobalLayout as GlobalLayout,
    global_column_major as global_column_major,
    global_compose as global_compose,
    global_row_major as global_row_major,
    global_strides as global_strides,
)
from tilus.ir.layout.mfunction import (
    MultiFunction as MultiFunction,
    canonicalize_multi_function as canonicalize_multi_function,
    multi_function as multi_function,
)
from tilus.ir.layout.register_layout import RegisterLayout as RegisterLayout, register_layout as register_layout
from tilus.ir.layout.shared_layout import (
    SharedLayout as SharedLayout,
    Swizzle as Swizzle,
    shared_layout as shared_layout,
)
from tilus.ir.layout.tmem_layout import TMemoryLayout as TMemoryLayout
