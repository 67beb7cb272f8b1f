# The attributes of a kernel that a script assigns: its grid, its warps, its cluster.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`self.attrs` of a script."""

from __future__ import annotations

from typing import Any

from tilus.lang.errors import InstructionError, brief

_NAMES = ("blocks", "cluster_blocks", "warps")
# The most blocks along x, and of a cluster. What holds along the other axes, and on a target, the compiler knows.
_MOST_BLOCKS = 2**31 - 1
_MOST_OF_CLUSTER = 16


def _check_constant(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        from tilus.lang.scalars import Scalar, describe

        got = "a value of run time" if isinstance(value, Scalar) else describe(value)
        raise InstructionError(f"expected an integer known at compile time as {what}, but got {got}")
    return value


def _check_axes(value: Any, what: str, check: Any) -> None:
    axes = list(value) if isinstance(value, (tuple, list)) else [value]
    if not 1 <= len(axes) <= 3:
        raise InstructionError(f"expected one to three numbers for {what}, but got {len(axes)}")
    for axis in axes:
        check(axis)


class Attributes:
    """What a kernel is launched with.

    blocks: the numbers of blocks along x, y and z: an integer or up to three, of the kernel's parameters.
    cluster_blocks: the numbers of blocks of a cluster, which are constants.
    warps: the number of warps of a block, 1 to 32; to be assigned first.
    """

    __slots__ = _NAMES

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets what a transpilation assigned."""
        for name in _NAMES:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _NAMES:
            raise InstructionError(f"expected an attribute of a kernel ({', '.join(_NAMES)}), but got '{name}'")
        what = f"self.attrs.{name}"
        if name == "warps" and not 1 <= _check_constant(value, what) <= 32:
            raise InstructionError(f"expected 1 to 32 warps as {what}, but got {brief(value)}")
        if name == "cluster_blocks":
            _check_axes(value, what, lambda axis: self._check_cluster(axis, what))
        if name == "blocks":
            _check_axes(value, what, lambda axis: self._check_blocks(axis, what))
        object.__setattr__(self, name, value)

    @staticmethod
    def _check_cluster(axis: Any, what: str) -> None:
        if not 1 <= _check_constant(axis, what) <= _MOST_OF_CLUSTER:
            raise InstructionError(f"expected 1 to {_MOST_OF_CLUSTER} blocks as {what}, but got {brief(axis)}")

    @staticmethod
    def _check_blocks(axis: Any, what: str) -> None:
        from tilus.lang.scalars import describe, is_scalar

        if not is_scalar(axis):
            raise InstructionError(f"expected integers as {what}, but got {describe(axis)}")
        if isinstance(axis, int) and not 0 <= axis <= _MOST_BLOCKS:
            raise InstructionError(
                f"expected 0 to {_MOST_BLOCKS} blocks as {what}, but got {brief(axis)}", "let each block do more, or use another axis"
            )
