# Instruction groups of chips whose operations the dialect does not have yet: names that say so.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor memory accelerators, barriers in memory, warp-group and tensor-memory products, clusters."""

from __future__ import annotations

from typing import Any, Callable

from tilus.lang.errors import InstructionError
from tilus.lang.instructions.base import InstructionGroup

_METHODS = {
    "tma": ("global_to_shared", "shared_to_global", "commit_group", "wait_group"),
    "mbarrier": (
        "alloc", "arrive", "arrive_and_expect_tx", "arrive_and_expect_tx_multicast", "arrive_and_expect_tx_remote", "wait",
    ),
    "fence": ("proxy_async", "proxy_async_release"),
    "wgmma": ("fence", "commit_group", "wait_group", "mma"),
    "tcgen05": (
        "alloc", "dealloc", "slice", "view", "relinquish_alloc_permit", "load", "store", "wait_load", "wait_store", "copy",
        "commit", "mma",
    ),
    "clc": ("try_cancel", "query_response"),
    "cluster": ("sync", "map_shared_addr"),
}  # fmt: skip
UNSUPPORTED_GROUPS = frozenset(_METHODS)
_QUERIES = {"cluster": ("blockIdx", "clusterDim", "blockRank")}
_ADVICE = {
    "tma": "use copy_async, or load_global and store_shared",
    "mbarrier": "use sync and copy_async_wait_group",
    "wgmma": "use dot, which multiplies register tiles on every chip",
    "tcgen05": "use dot, which multiplies register tiles on every chip",
    "fence": "use sync, which orders what the threads of a block write",
    "clc": "give each block its tile by self.blockIdx",
    "cluster": "exchange values between blocks through global memory",
}
_CONSTANTS = {"mbarrier": {"producer_initial_phase": 1, "consumer_initial_phase": 0}}


def _refuse(group: str, name: str) -> InstructionError:
    return InstructionError(f"'{group}.{name}' is not supported yet", _ADVICE.get(group))


def _method(group: str, name: str) -> Callable:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise _refuse(group, name)

    method.__name__ = name
    return method


def _query(group: str, name: str) -> property:
    def query(self: Any) -> Any:
        raise _refuse(group, name)

    return property(query)


def make_unsupported_group(group: str) -> InstructionGroup:
    """The group of a name; each of its instructions raises."""
    members: dict = {name: _method(group, name) for name in _METHODS[group]}
    members.update({name: _query(group, name) for name in _QUERIES.get(group, ())})
    members.update(_CONSTANTS.get(group, {}))
    members["__doc__"] = f"self.{group}: not supported yet."
    return type(f"{group.capitalize()}InstructionGroup", (InstructionGroup,), members)()


GROUPS = tuple(_METHODS)
