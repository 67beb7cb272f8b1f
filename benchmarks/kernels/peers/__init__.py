# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What our kernels are compared with, a file a peer.

A peer's file is a module with
  version(context)               its version; raises Missing, with the reason, where it cannot be used
  candidates(context, workload)  its candidates for a workload, none if it has no such kernel
and `context` has the attributes `torch`, `device` ('cuda' or 'cpu') and `upstream` (a folder or None).
"""

import importlib

# In the order in which they are tried.
NAMES = ("torch_ops", "cublaslt", "triton_kernels", "upstream")


class Missing(Exception):
    """The peer is not installed, or cannot run here; the text says why."""


def load(name, context):
    """(the peer's module, its version). Raises Missing."""
    try:
        module = importlib.import_module(f"peers.{name}")
        return module, module.version(context)
    except ImportError as error:
        raise Missing(f"not installed: {error}") from error
    except OSError as error:
        raise Missing(f"cannot be loaded: {error}") from error
