# Small helpers that kernels, examples and tests use.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on sizes, timing, caches, data types of torch, parallel work."""

from tilus.dtypes import dtype_from_torch as dtype_from_torch, dtype_to_torch as dtype_to_torch
from tilus.utils.benchmark import benchmark_func as benchmark_func
from tilus.utils.cache import clear_cache as clear_cache
from tilus.utils.parallel import parallel_imap as parallel_imap, parallel_map as parallel_map
from tilus.utils.profilers import ncu_run as ncu_run, nsys_run as nsys_run
from tilus.utils.py import (
    cdiv as cdiv,
    floor_log2 as floor_log2,
    gcd as gcd,
    idiv as idiv,
    is_power_of_two as is_power_of_two,
    lcm as lcm,
    nbytes_from_nbits as nbytes_from_nbits,
    prod as prod,
    same_list as same_list,
    to_snake_case as to_snake_case,
)
