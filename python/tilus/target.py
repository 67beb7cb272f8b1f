# Targets: what kernels are compiled for, and the current one.
#
# Owns the names that targets have in Python and the scopes of the current target, which is a context variable: threads and
# asynchronous tasks do not see one another's. What chips can do is the compiler's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets of kernels: `parse("sm_90a")`, `scope(target)`, `get_current_target()`."""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass, field
from typing import Any, Optional, Union

# What scripts on the CPU reference are told where no scope names a target and there is no GPU.
REFERENCE_TARGET = "sm_90a"


@dataclass(frozen=True)
class TargetProperties:
    """Limits and capability of a target. `feature_suffix` is 'a', 'f' or None."""

    compute_capability: tuple = (0, 0)
    feature_suffix: Optional[str] = None
    shared_memory_per_block: int = 0


@dataclass(frozen=True)
class Target:
    """A kind and an architecture, as in `nvgpu/sm90a`. `features` are LLVM's beside the chip's, as in '+ptx88'."""

    kind: str
    arch: str
    properties: TargetProperties = field(default_factory=TargetProperties)
    features: str = ""

    def __str__(self) -> str:
        return f"{self.kind}/{self.arch}" + (f",{self.features}" if self.features else "")

    @property
    def chip(self) -> str:
        """The compiler's name of the chip, as 'sm_90a'."""
        return re.sub(r"^sm(?=\d)", "sm_", self.arch)

    @property
    def name(self) -> str:
        """The compiler's name of the target: the chip, and the features behind a comma."""
        return self.chip + (f",{self.features}" if self.features else "")

    @functools.cached_property
    def handle(self) -> Any:
        """The compiler's object of the target. Raises ValueError for a target that kernels cannot be compiled for."""
        from tilus._native import runtime

        if self.kind != "nvgpu" or self.arch == "any":
            raise ValueError(f"expected a target that kernels are compiled for, such as sm_90a, but got {self}")
        return runtime.lookup_target(self.name)

    def is_nvgpu(self) -> bool:
        return self.kind == "nvgpu"

    def is_amdgpu(self) -> bool:
        return self.kind == "amdgpu"

    def supports(self, target: Target) -> bool:
        """Whether code that requires `target` is legal on this one."""
        if target == gpgpu_any:
            return True
        if self.kind != target.kind:
            return False
        own, other = self.properties, target.properties
        if other.feature_suffix is None:
            return own.compute_capability >= other.compute_capability
        same_major = own.compute_capability[0] == other.compute_capability[0]
        if other.feature_suffix == "f":
            later = own.compute_capability[1] >= other.compute_capability[1]
            return same_major and later and own.feature_suffix is not None
        return own.compute_capability == other.compute_capability and own.feature_suffix == "a"

    def has_feature(self, name: str) -> bool:
        """Whether the chip has a feature of the compiler's table, such as 'tma'."""
        return self.handle.has_feature(name)


gpgpu_any = Target("gpgpu", "any")
nvgpu_any = Target("nvgpu", "any", TargetProperties(shared_memory_per_block=64 * 1024))
amdgpu_any = Target("amdgpu", "any", TargetProperties(shared_memory_per_block=64 * 1024))


@functools.lru_cache(maxsize=None)
def _make(name: str) -> Target:
    from tilus._native import runtime

    handle = runtime.lookup_target(name)
    match = re.fullmatch(r"sm_(\d+)(\d)([af]?)", handle.chip)
    properties = TargetProperties((int(match[1]), int(match[2])), match[3] or None, handle.shared_memory_per_block)
    target = Target("nvgpu", handle.chip.replace("_", ""), properties, handle.features)
    target.__dict__["handle"] = handle
    return target


def of_handle(handle: Any) -> Target:
    """The target of one of the compiler's objects."""
    return _make(handle.name)


def parse(name: Union[str, Target]) -> Target:
    """The target of a name: 'sm_90a', 'sm90a', 'nvgpu_sm90a', 'nvgpu/sm90a' or 'sm_90a,+ptx88'.

    Raises ValueError for a chip that is not known.
    """
    if isinstance(name, Target):
        return name
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a target such as 'sm_90a', but got {name!r}")
    chip, comma, features = name.partition(",")
    chip = re.sub(r"^(nvgpu[/_])?sm_?(?=\d)", "sm_", chip.strip())
    return _make(chip + comma + features)


def targets() -> list:
    """All targets that kernels can be compiled for."""
    from tilus._native import runtime

    return [parse(chip) for chip in runtime.chips()]


def __getattr__(name: str) -> Any:
    if name.startswith("nvgpu_sm"):
        try:
            return parse(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None
    raise AttributeError(f"module 'tilus.target' has no attribute '{name}'")


# -- the current target


class scope:
    """Makes a target the current one, in this thread or task, until the block ends. Scopes nest.

    with tilus.target.scope("sm_90a"):
        instance = script.compile(*args)
    """

    __slots__ = ("target", "_handle", "_tokens", "_enter", "_leave")

    def __init__(self, target: Union[str, Target]):
        from tilus._native import runtime

        self.target = parse(target)
        self._handle = self.target.handle
        self._tokens: list = []
        self._enter, self._leave = runtime.enter_scope, runtime.leave_scope

    def __enter__(self) -> Target:
        self._tokens.append(self._enter(self._handle))
        return self.target

    def __exit__(self, *_: Any) -> None:
        self._leave(self._tokens.pop())


def find_scoped_target() -> Optional[Target]:
    """The target of the innermost scope, or None outside of all."""
    from tilus._native import runtime

    handle = runtime.current_target()
    return None if handle is None else of_handle(handle)


def current_device() -> int:
    """The number of the GPU that a call without tensors runs on: the framework's current one."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        return torch.cuda.current_device()
    return 0


def default_target(device: Optional[int] = None) -> Target:
    """The most specific target of a GPU. Raises RuntimeError where there is none, or for an unknown one."""
    from tilus._native import runtime

    try:
        name, capability, handle = runtime.describe_device(current_device() if device is None else device)
    except RuntimeError as error:
        raise RuntimeError(f"{error}; without a GPU, scripts run with device='cpu' or TILUS_DEVICE=cpu, and compile under "
                           "tilus.target.scope") from None  # fmt: skip
    if handle is None:
        raise RuntimeError(
            f"expected a GPU whose target is known, but got {name} of compute capability {capability[0]}.{capability[1]}; "
            "name a target with tilus.target.scope"
        )
    return of_handle(handle)


def get_current_target() -> Target:
    """The target of the innermost scope; outside of all the most specific target of the current GPU.

    Raises RuntimeError where there is neither.
    """
    target = find_scoped_target()
    if target is not None:
        return target
    from tilus import option

    if option.device() == "cpu":
        return parse(REFERENCE_TARGET)
    try:
        return default_target()
    except RuntimeError as error:
        raise RuntimeError(
            f"expected a current target, but no scope names one and there is no GPU ({error}); "
            "name one, as in 'with tilus.target.scope(\"sm_90a\"):'"
        ) from None
