"""Targets in Python: names, what supports what, scopes, and what tests require."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import asyncio
import contextvars
import threading

import numpy as np
import pytest
import tilus
from runtime_kernels import Fill, VectorAdd
from tilus import target
from tilus.testing import requires, stub_launch


@pytest.mark.parametrize("name", ["sm_90a", "sm90a", "nvgpu_sm90a", "nvgpu/sm90a"])
def test_names(name):
    parsed = target.parse(name)
    assert parsed is target.nvgpu_sm90a and parsed is target.parse(parsed)
    assert (parsed.kind, parsed.arch, parsed.chip, str(parsed)) == ("nvgpu", "sm90a", "sm_90a", "nvgpu/sm90a")
    assert parsed.properties == target.TargetProperties((9, 0), "a", 232448)


def test_features_are_part_of_a_target():
    featured = target.parse("sm_90a,+ptx88")
    assert featured is not target.parse("sm_90a") and featured.name == "sm_90a,+ptx88"
    assert featured.properties == target.parse("sm_90a").properties
    assert target.parse("sm_90a").has_feature("tma") and not target.parse("sm_80").has_feature("tma")


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="sm_91"):
        target.parse("sm_91")
    with pytest.raises(TypeError, match="expected the name of a target such as 'sm_90a', but got 90"):
        target.parse(90)
    with pytest.raises(AttributeError, match="sm_91"):
        target.nvgpu_sm91
    with pytest.raises(ValueError, match="expected a target that kernels are compiled for"):
        target.scope(target.nvgpu_any)


def test_support_is_that_of_the_compiler():
    known = target.targets()
    assert len(known) > 20
    for first in known:
        for second in known:
            assert first.supports(second) == first.handle.supports(second.handle), (first.name, second.name)
        assert first.supports(target.gpgpu_any)


def test_scopes_nest_and_end():
    with target.scope("sm_80") as outer:
        assert tilus.get_current_target() is outer
        with pytest.raises(KeyError), target.scope("sm_90"):
            assert tilus.get_current_target().name == "sm_90"
            raise KeyError
        assert tilus.get_current_target() is outer
        again = target.scope("sm_120")
        with again, again:
            assert tilus.get_current_target().name == "sm_120"
        assert tilus.get_current_target() is outer
    assert target.find_scoped_target() is None


def test_scopes_are_of_threads_and_tasks():
    seen = {}
    with target.scope("sm_80"):
        thread = threading.Thread(target=lambda: seen.update(thread=target.find_scoped_target()))
        thread.start()
        thread.join()
        context = contextvars.copy_context()

    async def task(name):
        with target.scope(name):
            await asyncio.sleep(0)
            seen[name] = tilus.get_current_target().name

    async def main():
        await asyncio.gather(*map(task, ("sm_80", "sm_90", "sm_100a")))
        seen["main"] = target.find_scoped_target()

    asyncio.run(main())
    assert seen == {"thread": None, "main": None, "sm_80": "sm_80", "sm_90": "sm_90", "sm_100a": "sm_100a"}
    assert context.run(tilus.get_current_target).name == "sm_80"


def test_scripts_may_ask_for_the_target():
    class Asking(tilus.Script):
        def __init__(self):
            super().__init__()

        def __call__(self, x_ptr: ~tilus.int32):
            self.attrs.warps = 1
            self.attrs.blocks = 1
            number = 9000 if tilus.get_current_target().supports(target.nvgpu_sm90a) else 7000
            x = self.global_view(x_ptr, dtype=tilus.int32, shape=[1])
            self.store_global(x, self.register_tensor(dtype=tilus.int32, shape=[1], init=number), offsets=[0])

    for name, number in (("sm_90a", 9000), ("sm_103a", 7000), ("sm_90a", 9000), ("sm_90", 7000)):
        x = np.zeros(1, np.int32)
        with target.scope(name):
            Asking()(x)
            assert str(number) in Asking().compile(None).ptx
        assert x[0] == number


def test_stubs_see_each_launch_and_end():
    seen, x = [], np.zeros(3, np.int32)
    with target.scope("sm_103a"):
        with stub_launch(lambda *launch: seen.append(launch)):
            Fill(4)(3, x)
        Fill(4)(3, x)
    ((launched, kernel, arguments),) = seen
    assert launched is target.nvgpu_sm103a and kernel.entry == "fill" and arguments == (3, x)
    assert x.tolist() == [4, 4, 4]
    with pytest.raises(RuntimeError, match="expected a stub's error"), target.scope("sm_80"):
        with stub_launch(lambda *_: (_ for _ in ()).throw(RuntimeError("expected a stub's error"))):
            Fill(4)(3, x)


def test_requirements_compile_where_the_gpu_does_not_suit(monkeypatch):
    reached = []

    @requires.nvgpu_sm100a
    def check():
        reached.append("before")
        VectorAdd(64)(10, *[np.zeros(10, np.float32)] * 3)
        reached.append("behind")

    assert check() is None and reached == ["before"]
    assert "sm_100a" in VectorAdd(64).stats()
    monkeypatch.setenv("TILUS_DEVICE", "cpu")
    check()
    assert reached == ["before", "before", "behind"]


def test_requirements_keep_failures():
    @requires("sm_100a")
    def fails():
        assert 1 == 2

    with pytest.raises(AssertionError):
        fails()
    with pytest.raises(AttributeError):
        requires.gfx90a
