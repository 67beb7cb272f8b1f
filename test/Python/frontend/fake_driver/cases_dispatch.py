"""Which kernel a call launches, and where: targets, scopes, devices, streams, threads, tasks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import asyncio
import ctypes
import os
import pathlib
import subprocess
import sys
import threading
import time

import fake_tensors
import numpy as np
import pytest
import tilus
from runtime_kernels import Fill, Scale, VectorAdd
from tilus.testing import stub_launch

N = 1000


def launched(driver, before):
    return [(row["chip"], int(row["device"])) for row in driver.launches()[len(before):]]


def test_targets_dispatch_right(driver):
    script, tensors = VectorAdd(32), [driver.tensor() for _ in range(3)]
    before = driver.launches()
    for chip in (None, "sm_90", None, "sm_90a", "sm_90", None):
        if chip is None:
            script(N, *tensors)
        else:
            with tilus.target.scope(chip):
                script(N, *tensors)
    assert [chip for chip, _ in launched(driver, before)] == ["sm_90a", "sm_90", "sm_90a", "sm_90a", "sm_90", "sm_90a"]
    assert {target.name: len(table) for target, table in script.dispatch_tables.items()} == {"sm_90a": 1, "sm_90": 1}
    assert script.dispatch_table == script.dispatch_tables[tilus.target.parse("sm_90a")]


def test_a_target_that_the_device_cannot_run_is_refused_by_name(driver):
    before = driver.launches()
    with tilus.target.scope("sm_103a"), pytest.raises(RuntimeError, match="but got sm_103a; compile it for sm_90a"):
        VectorAdd(32)(N, *[driver.tensor() for _ in range(3)])
    assert driver.launches() == before


def test_stubbed_launches_dispatch_right(driver):
    script, seen = VectorAdd(96), []
    before = driver.launches()
    tensors = [np.zeros(N, np.float32) for _ in range(3)]
    with stub_launch(lambda target, kernel, args: seen.append((target.name, kernel.target, kernel.cubin, args))):
        for chip in ("sm_90", "sm_103a", "sm_90"):
            with tilus.target.scope(chip):
                script(N, *tensors)
    assert [row[:2] for row in seen] == [("sm_90", "sm_90"), ("sm_103a", "sm_103a"), ("sm_90", "sm_90")]
    assert seen[0][2] == seen[2][2] != seen[1][2]
    assert all(row[3][0] == N and row[3][1] is tensors[0] for row in seen)
    assert driver.launches() == before
    stats = script.stats()
    assert [stats[chip]["instances"] for chip in ("sm_90", "sm_103a")] == [1, 1]
    assert stats["sm_90"]["table_hits"] == 1 and stats["sm_90"]["slow_calls"] == 1


def test_each_device_has_its_own_target(driver):
    script = VectorAdd(64)
    before = driver.launches()
    for device in (0, 1, 0):
        script(N, *[driver.tensor(device=device) for _ in range(3)])
    assert launched(driver, before) == [("sm_90a", 0), ("sm_103a", 1), ("sm_90a", 0)]


def test_the_way_of_a_call_is_counted(driver):
    script, tensors = Scale(), [driver.tensor() for _ in range(2)]
    before = script.stats().get("sm_90a", {"shortcut_hits": 0, "table_hits": 0, "slow_calls": 0})
    for tensor, factor in ((0, 2.0), (0, 2.0), (0, 2.0), (1, 2.0), (0, 2.0), (0, 3.0), (0, 3.0)):
        script(tensors[tensor], N, factor)
    after = script.stats()["sm_90a"]
    assert [after[way] - before[way] for way in ("slow_calls", "shortcut_hits", "table_hits")] == [1, 3, 3]


def test_a_tensor_that_moves_is_seen(driver):
    received = []
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)

    class FakeLaunch(ctypes.Structure):
        _fields_ = [("entry", ctypes.c_char_p), ("image", ctypes.c_char_p), ("device", ctypes.c_int),
                    ("stream", ctypes.c_void_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                    ("shared", ctypes.c_uint), ("params", ctypes.POINTER(ctypes.POINTER(ctypes.c_uint64)))]  # fmt: skip

    def note(_, launch):
        params = ctypes.cast(launch, ctypes.POINTER(FakeLaunch)).contents.params
        received.append((params[0][0], params[1][0] & 0xFFFFFFFF, params[2][0] & 0xFFFFFFFF))

    code = kernel(note)
    driver.library.fakeCudaKernel(b"scale", code, None)
    try:
        tensor, other = driver.tensor(), driver.allocate(4096)
        first = tensor.address
        Scale()(tensor, 1000, 0.5)
        tensor.address = other
        Scale()(tensor, 1000, 0.5)
        Scale()(tensor, 1001, 1)
    finally:
        driver.library.fakeCudaKernel(b"scale", None, None)
    half, one = (int(np.array(value, np.float32).view(np.uint32)) for value in (0.5, 1.0))
    assert received == [(first, 1000, half), (other, 1000, half), (other, 1001, one)]


def test_streams(driver):
    script, tensors, stream = VectorAdd(64), [driver.tensor() for _ in range(3)], driver.stream()
    before = driver.launches()
    script(N, *tensors)
    fake_tensors.set_stream(stream)
    script(N, *tensors)
    fake_tensors.set_stream(0)
    script(N, *tensors)
    script(N, *tensors, stream=stream)

    class Stream:
        cuda_stream = stream

    script(N, *tensors, stream=Stream())
    assert [row["stream"] for row in driver.launches()[len(before):]] == ["default", "own", "default", "own", "own"]
    with pytest.raises(TypeError, match="expected a CUDA stream or its handle, but got 'fast'"):
        script(N, *tensors, stream="fast")


def test_threads_do_not_see_one_anothers_scopes(driver):
    script, tensors = VectorAdd(160), [driver.tensor() for _ in range(3)]
    barrier, names = threading.Barrier(2), {}

    def work(chip):
        barrier.wait()
        for _ in range(50):
            if chip is None:
                script(N, *tensors)
                names.setdefault(chip, set()).add(tilus.get_current_target().name)
                continue
            with tilus.target.scope(chip):
                script(N, *tensors)
                names.setdefault(chip, set()).add(tilus.get_current_target().name)

    before = len(driver.launches())
    with tilus.target.scope("sm_120"):
        threads = [threading.Thread(target=work, args=(chip,)) for chip in ("sm_90", None)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert names == {"sm_90": {"sm_90"}, None: {"sm_90a"}}
    rows = driver.launches()[before:]
    assert sorted({row["chip"] for row in rows}) == ["sm_90", "sm_90a"] and len(rows) == 100


def test_tasks_do_not_see_one_anothers_scopes(driver):
    script, tensors = VectorAdd(192), [driver.tensor() for _ in range(3)]
    seen = []

    async def work(chip):
        with tilus.target.scope(chip):
            for _ in range(5):
                script(N, *tensors)
                seen.append((chip, driver.launches()[-1]["chip"]))
                await asyncio.sleep(0)

    async def main():
        await asyncio.gather(work("sm_90"), work("sm_90a"), work("sm_90"))

    asyncio.run(main())
    assert len(seen) == 15 and all(asked == ran for asked, ran in seen)
    assert tilus.get_current_target().name == "sm_90a"


def test_a_result_goes_to_the_target_of_entry(driver):
    """The current target changes while a call compiles: what it compiled is stored under the target that it began with."""
    script, tensors = VectorAdd(224), [driver.tensor() for _ in range(3)]
    with tilus.target.scope("sm_90"):
        before = driver.launches()
        thread = threading.Thread(target=lambda: script(N, *tensors))  # without the scope
        script(N, *tensors)
        thread.start()
        thread.join()
    assert sorted(chip for chip, _ in launched(driver, before)) == ["sm_90", "sm_90a"]
    tables = {target.name: list(table.values()) for target, table in script.dispatch_tables.items()}
    assert all(instance.target.name == name for name, rows in tables.items() for instance, _ in rows)


def test_others_run_while_a_launch_waits(driver):
    script, tensors = Fill(3), [driver.tensor()]
    ints = fake_tensors.Tensor(tensors[0].address, (1024,), code=0, bits=32)
    script(64, ints)
    driver.library.fakeCudaDelay(b"cuLaunchKernelEx", 200_000)
    try:
        steps, done = 0, threading.Event()
        thread = threading.Thread(target=lambda: (script(64, ints), done.set()))
        thread.start()
        begin = time.perf_counter()
        while not done.is_set() and time.perf_counter() - begin < 5:
            steps += 1
            time.sleep(0.005)
        thread.join()
    finally:
        driver.library.fakeCudaDelay(b"cuLaunchKernelEx", 0)
    assert steps >= 5


def test_options_take_effect_at_once(driver):
    script, tensor = Scale(), driver.tensor()
    script(tensor, N)
    plain = script.stats()["sm_90a"]
    tilus.option.fast_math(True)
    script(tensor, N)
    fast = script.stats()["sm_90a"]
    assert fast["slow_calls"] == fast["cache_misses"] == 1
    tilus.option.fast_math(False)
    script(tensor, N)
    assert script.stats()["sm_90a"]["shortcut_hits"] == plain["shortcut_hits"] + 1


def test_two_gpus_or_a_gpu_and_the_host_are_refused(driver):
    near, far = driver.tensor(), driver.tensor(device=1)
    with pytest.raises(RuntimeError, match="device 0 like parameter 'a_ptr' for parameter 'c_ptr' .* to device 1"):
        VectorAdd(64)(N, near, near, far)
    with pytest.raises(RuntimeError, match="'b_ptr' .* memory of the host"):
        VectorAdd(64)(N, near, np.zeros(N, np.float32), near)
    with pytest.raises(RuntimeError, match="'a_ptr' .* memory of the host"):
        VectorAdd(64)(N, *[np.zeros(N, np.float32)] * 3, device="cuda:0")


@pytest.mark.parametrize(
    "keywords, message",
    [
        (dict(bits=16), "expected elements of float32 for parameter 'x_ptr', but got float16"),
        (dict(code=0), "expected elements of float32 for parameter 'x_ptr', but got int32"),
        (dict(strides=(2,)), "expected a contiguous array for parameter 'x_ptr', but got shape [1024] with strides [2]"),
        (dict(device_type=10), "expected an array of a GPU or of the host for parameter 'x_ptr'"),
    ],
)
def test_tensors_are_checked(driver, keywords, message):
    tensor = fake_tensors.Tensor(driver.allocate(8192), (1024,), **keywords)
    with pytest.raises((TypeError, ValueError)) as caught:
        Scale()(tensor, N)
    assert message in str(caught.value)


def test_addresses_are_specialised(driver):
    script, address = Scale(), driver.allocate(8192)
    for offset in (0, 4, 16):
        script(fake_tensors.Tensor(address + offset, (1024,)), N)
    assert script.stats()["sm_90a"]["instances"] == 2
    with pytest.raises(RuntimeError, match="aligned to 4 bytes for parameter 'x_ptr'"):
        script(fake_tensors.Tensor(address + 2, (1024,)), N)


def test_numbers_that_do_not_fit_are_refused(driver):
    for number in (2**31, -(2**31) - 1, 2**70):
        with pytest.raises(ValueError, match=f"expected a value of int32 for parameter 'n', but got {number}"):
            Scale()(driver.tensor(), number)


def test_a_cold_kernel_is_refused_in_a_capture(driver):
    stream, tensor = driver.stream(), driver.tensor()
    fake_tensors.set_stream(stream)
    assert driver.library.cuStreamBeginCapture_v2(ctypes.c_void_p(stream), 2) == 0
    try:
        with pytest.raises(RuntimeError, match="before a launch of it is captured"):
            VectorAdd(288)(N, tensor, tensor, tensor)
    finally:
        graph = ctypes.c_void_p()
        driver.library.cuStreamEndCapture(ctypes.c_void_p(stream), ctypes.byref(graph))


def test_the_way_of_a_call_is_told(driver):
    code = (
        "import conftest, tilus\nfrom runtime_kernels import Scale\n"
        "tensor = conftest.Driver().tensor()\nfor _ in range(2): Scale()(tensor, 5)\n"
    )
    folder = pathlib.Path(__file__).resolve().parent
    environment = {**os.environ, "TILUS_LOG": "dispatch=debug", "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{folder}"}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    way = "dispatch: 'Scale' for sm_90a on device 0:"
    assert result.stderr.splitlines()[-2:] == [f"{way} slow", f"{way} shortcut"]
