"""Lets programs that were written for a GPU run where torch has none: "cuda" stands for the CPU.

Loaded before a program, or as a pytest plugin. Only what the listed files use is turned: the device of tensors that
are made or moved, and the functions of torch.cuda that wait or clean up.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import torch
from torch.overrides import TorchFunctionMode


def _turn(value):
    if isinstance(value, str) and value.startswith("cuda"):
        return "cpu"
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


class _OnCpu(TorchFunctionMode):
    """Every call of torch with "cuda" replaced among its arguments."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.cuda:
            return args[0]
        return func(*map(_turn, args), **{name: _turn(value) for name, value in (kwargs or {}).items()})


if not torch.cuda.is_available():
    torch.cuda.synchronize = lambda device=None: None
    torch.cuda.empty_cache = lambda: None
    _mode = _OnCpu()
    _mode.__enter__()
