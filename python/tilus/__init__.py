"""Tilus: kernels for GPUs, written in Python on tiles.

Importing the package loads nothing else: a name loads what it needs when it is used first.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib

# The data types, by their long and short names.
_DTYPES = """
f64 float64 f32 float32 tf32 tfloat32 bf16 bfloat16 f16 float16 f8e5m2 float8_e5m2 f8e4m3 float8_e4m3 f7e5m1
float7_e5m1 f7e4m2 float7_e4m2 f7e3m3 float7_e3m3 f7e2m4 float7_e2m4 f6e4m1 float6_e4m1 f6e3m2 float6_e3m2
f6e2m3 float6_e2m3 f5e3m1 float5_e3m1 f5e2m2 float5_e2m2 f5e1m3 float5_e1m3 f4e2m1 float4_e2m1 f4e1m2
float4_e1m2 f3e1m1 float3_e1m1 i64 int64 i32 int32 i16 int16 i8 int8 u64 uint64 u32 uint32 u16 uint16 u8 uint8
i7 int7b i6 int6b i5 int5b i4 int4b i3 int3b i2 int2b i1 int1b u7 uint7b u6 uint6b u5 uint5b u4 uint4b u3 uint3b
u2 uint2b u1 uint1b boolean void_p DataType PointerType iinfo finfo
"""

# Public names, each with the module that has it; None for a module of that name.
_NAMES = {
    "ir": None,
    "RegisterLayout": "ir.layout",
    "SharedLayout": "ir.layout",
    "Class": "lang.classes",
    "Dim3": "lang.instructions",
    "GlobalTensor": "lang.tensors",
    "RegisterTensor": "lang.tensors",
    "SharedTensor": "lang.tensors",
    "tensor": None,
    "utils": None,
    "logging": None,
    "option": None,
    "target": None,
    "testing": None,
    "get_current_target": "target",
    "autotune": "lang.autotune",
    "Script": "lang.script",
    "InstantiatedScript": "lang.instantiated_script",
    **dict.fromkeys(_DTYPES.split(), "dtypes"),
    **dict.fromkeys(("empty", "from_numpy", "from_torch", "full", "ones", "rand", "randint", "randn", "view_torch", "zeros"), "tensor"),
}

__all__ = sorted(_NAMES)


def __getattr__(name):
    if name == "__version__":
        value = importlib.import_module("tilus._native").__version__
    elif name not in _NAMES:
        raise AttributeError(f"module 'tilus' has no attribute '{name}'")
    elif (module := _NAMES[name]) is None:
        value = importlib.import_module(f"tilus.{name}")
    else:
        value = getattr(importlib.import_module(f"tilus.{module}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_NAMES))
