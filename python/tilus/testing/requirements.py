# Tests that need a target: run where the GPU has it, compiled elsewhere.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilus.testing.requires`."""

from __future__ import annotations

import functools
from typing import Any, Callable, Union

from tilus import option
from tilus.target import Target, get_current_target, parse, scope
from tilus.testing.stubs import stub_launch


class _Compiled(BaseException):
    """Ends a test that was to be compiled alone. No `except Exception` of a test catches it."""


def _stop(*_: Any) -> None:
    raise _Compiled


def _is_supported(target: Target) -> bool:
    if option.device() == "cpu":
        return True
    try:
        return get_current_target().supports(target)
    except RuntimeError:
        return False


def _require(target: Target, test: Callable) -> Callable:
    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> Any:
        if _is_supported(target):
            return test(*args, **kwargs)
        # What the GPU cannot run is compiled: the first launch ends the test.
        try:
            with scope(target), stub_launch(_stop):
                return test(*args, **kwargs)
        except _Compiled:
            return None

    return run


class _Requires:
    """`requires.nvgpu_sm90(test)`, or `requires("sm_90a")(test)`.

    Where the GPU supports the target, or on the CPU reference, the test runs. Elsewhere it runs under a scope of the
    target up to its first launch, which compiles every schedule and ends the test.
    """

    def __call__(self, target: Union[str, Target]) -> Callable[[Callable], Callable]:
        return functools.partial(_require, parse(target))

    def __getattr__(self, name: str) -> Callable[[Callable], Callable]:
        if not name.startswith("nvgpu_sm"):
            raise AttributeError(f"expected a target such as 'nvgpu_sm90a', but got '{name}'")
        try:
            return self(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None


requires = _Requires()
