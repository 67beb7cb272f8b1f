# What a script was compiled to for one target and one set of constants.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled instances of scripts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Optional

from tilus.target import Target, of_handle


@dataclass
class JitInstance:
    """The kernels of a script for a target, one a schedule that compiles.

    target: what they were compiled for.
    artifacts: the compiled kernels, in the order of the schedules.
    schedules: the arguments of `__init__` of each.
    failures: pairs of a schedule and why it does not compile; also where the kernels were kept by another process.
    cache_dir: the script's folder in the cache for the target; None where nothing is kept.
    constants, divisibility: what the kernels are specialised for.
    """

    native: Any
    schedules: list
    failures: list
    cache_dir: Optional[Path]
    constants: Mapping[str, Any]
    divisibility: Mapping[str, int]
    artifacts: list = field(init=False)
    chosen: int = 0

    def __post_init__(self) -> None:
        self.artifacts = [self.native.artifact(index) for index in range(len(self.native))]

    @property
    def target(self) -> Target:
        return of_handle(self.native.target)

    @property
    def artifact(self) -> Any:
        """The kernel of the chosen schedule: of the last choice by measuring, else of the first that compiles."""
        return self.artifacts[self.chosen]

    @property
    def schedule(self) -> Mapping[str, Any]:
        """The chosen schedule."""
        return self.schedules[self.chosen]

    @property
    def cubin(self) -> bytes:
        """The binary of the chosen schedule."""
        return self.artifact.cubin

    @property
    def ptx(self) -> str:
        """The PTX of the chosen schedule."""
        return self.artifact.ptx

    @property
    def valid_programs(self) -> list:
        """The compiled kernels."""
        return self.artifacts

    compiled_programs = valid_programs

    def __repr__(self) -> str:
        return f"JitInstance({self.artifacts[0].entry} for {self.target.name}, {len(self.artifacts)} schedules)"
