# Layout operations under one name.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making layouts, and the algebra on them."""

from tilus.ir.layout.ops.global_ops import (
    global_column_major as global_column_major,
    global_compose as global_compose,
    global_row_major as global_row_major,
    global_slice as global_slice,
    global_strides as global_strides,
)
from tilus.ir.layout.ops.register_ops import (
    auto_local_spatial as auto_local_spatial,
    column_local as column_local,
    column_spatial as column_spatial,
    compose as compose,
    concat as concat,
    divide as divide,
    expand_to as expand_to,
    flatten as flatten,
    left_divide as left_divide,
    local as local,
    locate_at as locate_at,
    permute as permute,
    reduce as reduce,
    reduce_to as reduce_to,
    replicated as replicated,
    reshape as reshape,
    spatial as spatial,
    squeeze as squeeze,
    unsqueeze as unsqueeze,
)
from tilus.ir.layout.ops.shared_ops import (
    shared_column_major as shared_column_major,
    shared_compose as shared_compose,
    shared_permute as shared_permute,
    shared_reshape as shared_reshape,
    shared_row_major as shared_row_major,
    shared_row_major_swizzle as shared_row_major_swizzle,
    shared_slice as shared_slice,
    shared_unsqueeze as shared_unsqueeze,
)
from tilus.ir.layout.ops.tmemory_ops import tmemory_row_major as tmemory_row_major, tmemory_slice as tmemory_slice
from tilus.ir.layout.register_layout import register_layout as register_layout
from tilus.ir.layout.shared_layout import shared_layout as shared_layout
