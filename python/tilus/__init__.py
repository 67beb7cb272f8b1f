"""Tilus: kernels for GPUs, written in Python on tiles.

Importing the package loads nothing else: a name loads what it needs when it is used first.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib

# Public names, each with the module that has it; None for a module of that name.
_NAMES = {
    "ir": None,
    "RegisterLayout": "ir.layout",
    "SharedLayout": "ir.layout",
    "tensor": None,
    "utils": None,
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
