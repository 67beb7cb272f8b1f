"""Scripts: compilation for targets without a GPU, instances, what they are specialised for."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import gc
import pkgutil
import threading

import numpy as np
import pytest
import tilus
from runtime_kernels import VectorAdd
from tilus import float32, int32

TARGETS = ("sm_80", "sm_90a", "sm_103a")


def arrays(n):
    return [np.zeros(n, np.float32) for _ in range(3)]


@pytest.mark.parametrize("chip", TARGETS)
def test_compile_without_a_gpu(chip):
    with tilus.target.scope(chip) as target:
        instance = VectorAdd(128).compile(1000, *arrays(1000))
    assert instance.target is target and target.name == chip
    assert instance.cubin[:4] == b"\x7fELF" and f".target {chip}" in instance.ptx
    assert instance.artifacts == [instance.artifact] and instance.schedules == [{"block": 128}]
    assert instance.cache_dir.is_dir() and chip in instance.cache_dir.name


def test_compile_for_two_targets_gives_two_programs():
    script = VectorAdd(256)
    with tilus.target.scope("sm_80"):
        first = script.compile(1000, None, None, None)
    with tilus.target.scope("sm_90"):
        second = script.compile(1000, None, None, None)
        assert script.compile(1000, None, None, None) is second
    with tilus.target.scope("sm_80"):
        assert script.compile(1000, None, None, None) is first
    assert first is not second and first.cubin != second.cubin
    assert ".target sm_80" in first.ptx and ".target sm_90" in second.ptx
    assert {target.name for target, _ in script.jit_instances} == {"sm_80", "sm_90"}
    assert first.cache_dir != second.cache_dir
    assert {name: row["instances"] for name, row in script.stats().items()} == {"sm_80": 1, "sm_90": 1}


def test_five_requests_of_one_process_give_five_right_answers():
    script = VectorAdd(512)
    answers = []
    for chip in ("sm_90a", "sm_103a", "sm_90a", "sm_90", "sm_103"):
        with tilus.target.scope(chip):
            answers.append(script.compile(100, None, None, None))
    assert answers[2] is answers[0]
    # The flags of an ELF file of CUDA 13 have the number of the architecture in their second byte.
    numbers = [int.from_bytes(answer.cubin[48:52], "little") >> 8 & 0xFF for answer in answers]
    assert numbers == [90, 103, 90, 90, 103]


def test_specialisation_follows_divisibility():
    script = VectorAdd(64)
    with tilus.target.scope("sm_90"):
        even = script.compile(4096, None, None, None)
        odd = script.compile(4097, None, None, None)
        assert script.compile(32, None, None, None) is even
    assert even is not odd
    assert even.divisibility["n"] == 16 and "n" not in odd.divisibility


def test_compile_needs_a_target_without_a_gpu(monkeypatch):
    monkeypatch.setenv("TILUS_CUDA_DRIVER", "/nowhere/libcuda.so")
    monkeypatch.delenv("TILUS_DEVICE", raising=False)
    try:
        tilus.target.default_target()
    except RuntimeError:
        with pytest.raises(RuntimeError, match="expected a current target, but no scope names one and there is no GPU"):
            VectorAdd(64).compile(10, None, None, None)


def test_a_mistake_is_shown_at_its_line():
    class Mistaken(tilus.Script):
        def __init__(self):
            super().__init__()

        def __call__(self, n: int32):
            self.attrs.warps = 1
            self.attrs.blocks = 1
            self.load_global(n, offsets=[0], shape=[4])

    with pytest.raises(Exception, match=r"test_runtime_compile.py:\d+:\d+: error"), tilus.target.scope("sm_90"):
        Mistaken().compile(1)


def test_threads_compile_once():
    script = VectorAdd(1024)
    results, barrier = [], threading.Barrier(6)

    def work():
        with tilus.target.scope("sm_86"):
            barrier.wait()
            results.append(script.compile(77, None, None, None))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6 and len({id(result) for result in results}) == 1
    assert script.stats()["sm_86"]["instances"] == 1


def test_instances_survive_collection():
    with tilus.target.scope("sm_80"):
        cubin = VectorAdd(2048).compile(5, None, None, None).cubin
        gc.collect()
        assert VectorAdd(2048).compile(5, None, None, None).cubin == cubin
    assert VectorAdd(2048).parameters[1].type is (~float32)


@pytest.mark.parametrize("step", ["runtime.compilation.transpile", "lang.instantiated_script.InstantiatedScript._specialize"])
def test_options_that_change_while_a_script_compiles_do_not_count(monkeypatch, step):
    """Nor does a call of another thread, which has the script use the new ones."""

    class Quotient(tilus.Script):
        def __call__(self, p: ~tilus.float32):
            self.attrs.warps = 1
            self.attrs.blocks = [1]
            g = self.global_view(p, dtype=tilus.float32, shape=[32])
            x = self.load_global(g, offsets=[0], shape=[32])
            self.store_global(g, x / (x + 1.0), offsets=[0])

    script = Quotient()
    place, _, name = ("tilus." + step).rpartition(".")
    original = getattr(pkgutil.resolve_name(place), name)

    def change(*arguments):
        tilus.option.fast_math(True)
        script._refresh()
        return original(*arguments)

    try:
        with tilus.target.scope("sm_90"):
            with monkeypatch.context() as patch:
                patch.setattr(f"{place}.{name}", change)
                exact = script.compile(None)
            fast = script.compile(None)
            tilus.option.fast_math(False)
            assert script.compile(None) is exact and exact is not fast
        assert "div.rn" in exact.ptx and "div.rn" not in fast.ptx
    finally:
        tilus.option.reset()
