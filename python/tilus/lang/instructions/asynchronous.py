# Asynchronous copies from global to shared memory.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cp.async: copies and their groups."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from tilus.lang.emit import i32, int_list, perform
from tilus.lang.errors import InstructionError
from tilus.lang.indexing import check_dims, check_offsets
from tilus.lang.instructions.base import InstructionGroup, check_choice, check_constant, check_same_dtype, check_tensor
from tilus.lang.memory_tensors import GlobalTensor, SharedTensor

# The cache hints of the dialect by upstream's names.
_EVICTIONS = {None: 0, "evict_normal": 0, "evict_first": 3, "evict_last": 4}


class CopyAsyncInstructions(InstructionGroup):
    """Copies that go on behind the block's back. The tile may be read after a wait for its group and a sync()."""

    def copy_async(
        self, src: GlobalTensor, dst: SharedTensor, offsets: Sequence[Any], dims: Optional[Sequence[int]] = None,
        evict: Optional[str] = None, check_bounds: bool = True,
    ) -> None:  # fmt: skip
        """Starts the copy of a tile of a view from the offsets on; what lies outside the view becomes zero.

        `check_bounds=False` says that nothing lies outside. The copy is checked all the same where that is not proven.
        """
        check_tensor(src, GlobalTensor, "src")
        check_same_dtype(check_tensor(dst, SharedTensor, "dst"), src.dtype, "a shared tile")
        if evict is not None:
            check_choice(evict, [name for name in _EVICTIONS if name], "evict")
        if not isinstance(check_bounds, bool):
            raise InstructionError(f"expected True or False as check_bounds, but got {check_bounds!r}")
        offsets = check_offsets(offsets, src.ndim, "src")
        operands, places = src.access(offsets, check_dims(dims, dst.ndim, src.ndim, "src"))
        attributes = {} if places == list(range(len(src.sizes))) else {"dims": int_list(places)}
        if _EVICTIONS[evict]:
            attributes["cache"] = i32(_EVICTIONS[evict])
        perform("tilus.copy_async", [*operands, dst.value], **attributes)

    def copy_async_commit_group(self) -> None:
        """Closes a group of the copies since the last group."""
        perform("tilus.copy_async.commit_group")

    def copy_async_wait_group(self, n: int) -> None:
        """Waits until at most n groups are under way."""
        count = check_constant(n, "n")
        if count < 0:
            raise InstructionError(f"expected a number of groups of at least 0 as n, but got {count}")
        perform("tilus.copy_async.wait_group", pending=i32(count))

    def copy_async_wait_all(self) -> None:
        """Waits for all copies."""
        perform("tilus.copy_async.wait_all")
