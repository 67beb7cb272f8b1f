# Thread groups, the place of a block in the grid, facts for the compiler, and layouts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thread groups, block indices, assumptions and pinned layouts."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Union

from tilus.dtypes import boolean, int32
from tilus.lang.builder import Group, current_builder
from tilus.lang.control_flow import GroupRegion
from tilus.lang.emit import emit, i32, perform
from tilus.lang.errors import InstructionError
from tilus.lang.instructions.base import InstructionGroup, check_constant
from tilus.lang.layouts import pin_shared, pin_tile
from tilus.lang.loop_range import LoopRange
from tilus.lang.memory_tensors import SharedTensor
from tilus.lang.scalars import Constant, Scalar, as_scalar, describe
from tilus.lang.tensors import RegisterTensor


class Dim3:
    """Three numbers along x, y and z."""

    def __init__(self, x: Any, y: Any, z: Any):
        self.x = x
        self.y = y
        self.z = z

    def __iter__(self) -> Iterator:
        return iter(self.to_tuple())

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return self.to_tuple()[index]

    def to_tuple(self) -> tuple:
        return self.x, self.y, self.z

    def __repr__(self) -> str:
        return f"Dim3(x={self.x}, y={self.y}, z={self.z})"


class GridQuery(Dim3):
    """A query of the grid along each axis, made where it is read."""

    def __init__(self, operation: str):
        self._operation = operation

    def _read(self, axis: int) -> Scalar:
        value = emit(self._operation, [], current_builder().type(int32), axis=i32(axis))
        return Scalar(value, int32, True)

    x = property(lambda self: self._read(0))
    y = property(lambda self: self._read(1))
    z = property(lambda self: self._read(2))

    def __repr__(self) -> str:
        return f"<{self._operation.removeprefix('tilus.')}>"


def current_group() -> Group:
    """The threads that execute the current instructions."""
    group = current_builder().group
    if group is None:
        raise InstructionError("expected the number of warps before this, but it is not set", "assign self.attrs.warps at the start of __call__")
    return group


class ControlInstructions(InstructionGroup):
    """Thread groups and what a block knows of its place."""

    @property
    def blockIdx(self) -> Dim3:  # noqa: N802
        """The block's index in the grid."""
        return GridQuery("tilus.block_id")

    @property
    def gridDim(self) -> Dim3:  # noqa: N802
        """The number of blocks along each axis."""
        return GridQuery("tilus.grid_dim")

    @property
    def current_thread_begin(self) -> int:
        """The first thread of the current group, counted in the block."""
        return current_group().begin

    @property
    def current_thread_end(self) -> int:
        """The thread behind the last of the current group, counted in the block."""
        group = current_group()
        return group.begin + group.count

    @property
    def current_num_threads(self) -> int:
        """The number of threads in the current group."""
        return current_group().count

    def thread_group(self, thread_begin: int, num_threads: int) -> GroupRegion:
        """Lets `num_threads` threads of the current group from `thread_begin` on execute a `with` block; -1 is any part
        of that size."""
        begin = check_constant(thread_begin, "thread_begin")
        count = check_constant(num_threads, "num_threads")
        outer = current_group()
        if count < 1:
            raise InstructionError(f"expected at least one thread as num_threads, but got {count}")
        if begin < -1:
            raise InstructionError(f"expected a thread of the current group or -1 as thread_begin, but got {begin}")
        if max(begin, 0) + count > outer.count:
            text = f"threads {begin} to {begin + count - 1}" if begin >= 0 else f"{count} threads"
            raise InstructionError(f"expected threads of the current group of {outer.count}, but got {text}")
        return GroupRegion(None if begin == -1 else begin, count)

    def single_thread(self, thread: int = -1) -> GroupRegion:
        """Lets one thread of the current group execute a `with` block; any one if `thread` is -1."""
        return self.thread_group(thread, 1)

    def single_warp(self, warp: int = 0) -> GroupRegion:
        """Lets one warp of the current group execute a `with` block."""
        return self.warp_group(warp, 1)

    def warp_group(self, warp_begin: int, num_warps: int) -> GroupRegion:
        """Lets warps of the current group execute a `with` block."""
        begin, count = check_constant(warp_begin, "warp_begin"), check_constant(num_warps, "num_warps")
        if begin < 0:
            raise InstructionError(f"expected a warp of the current group, but got {begin}")
        return self.thread_group(begin * 32, count * 32)

    @staticmethod
    def range(
        start: Any, end: Any = None, step: Any = None, /, *, unroll: Optional[Union[int, str]] = None
    ) -> LoopRange:
        """The range of a loop: `range(end)`, `range(start, end)` or `range(start, end, step)`. `unroll` is how many rounds
        to execute at a time, whatever the bounds, or "all" for a constant index in each."""
        return LoopRange(start, end, step, unroll=unroll)

    def assume(self, cond: Any) -> None:
        """States a fact on integers that the compiler may rely on, such as `n % 8 == 0`."""
        if isinstance(cond, Constant):
            cond = bool(cond)
        if isinstance(cond, bool):
            if not cond:
                raise InstructionError("expected an assumption that can hold, but got False")
            return
        if not isinstance(cond, Scalar) or cond.dtype is not boolean:
            raise InstructionError(f"expected a condition on integers, but got {describe(cond)}", "self.assume(n % 8 == 0)")
        perform("tilus.assume", [cond.value])

    def fast_divmod(self, a: Any, b: Any) -> tuple:
        """(a // b, a % b) for an `a` of at least 0 and a positive `b`, which the kernel may rely on."""
        a, b = as_scalar(a), as_scalar(b)
        for x, name in ((a, "a"), (b, "b")):
            if not x.dtype.is_integer() or x.dtype.is_boolean():
                raise InstructionError(f"expected an integer as {name}, but got {describe(x)}")
        if not (isinstance(a, Constant) and isinstance(b, Constant)):
            a, b = (x if isinstance(x, Constant) else Scalar(x.value, x.dtype, True) for x in (a, b))
        return a // b, a % b

    def annotate_layout(self, tensor: Any, layout: Any) -> None:
        """Pins how a tile is spread over threads, or how a shared tile lies in memory."""
        if isinstance(tensor, RegisterTensor):
            pin_tile(tensor, layout)
        elif isinstance(tensor, SharedTensor):
            pin_shared(tensor, layout)
        else:
            raise InstructionError(f"expected a register or shared tile, but got {describe(tensor)}")


def set_warps(warps: Any, parent: Optional[Group] = None) -> None:
    """Makes the threads of the block the current group, as assigning `attrs.warps` does."""
    count = check_constant(warps, "warps")
    if not 1 <= count <= 32:
        raise InstructionError(f"expected 1 to 32 warps, but got {count}")
    builder = current_builder()
    if builder.group is not None:
        raise InstructionError("expected self.attrs.warps to be assigned once, but it is set already")
    builder.group = Group(0, count * 32)
