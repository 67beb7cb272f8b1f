"""Scripts on a GPU: targets, streams, tuning, graphs, memory. Needs torch and a GPU of capability 9.0."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import sys
import threading

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test/Python/frontend"))

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
    pytest.skip("needs a GPU of capability 9.0", allow_module_level=True)

import tilus  # noqa: E402
from runtime_kernels import VectorAdd  # noqa: E402
from tilus import float32, int32  # noqa: E402
from tilus.testing import stub_launch  # noqa: E402


class Marker(tilus.Script):
    """x = 9000 + value where the code is for sm_90a, 7000 + value elsewhere."""

    def __init__(self):
        super().__init__()

    def __call__(self, n: int32, value: int32, x_ptr: ~int32):
        self.attrs.warps = 4
        self.attrs.blocks = [(n + 255) // 256]
        marker = 9000 if tilus.get_current_target().supports(tilus.target.nvgpu_sm90a) else 7000
        x = self.global_view(x_ptr, dtype=int32, shape=[n])
        tile = self.register_tensor(dtype=int32, shape=[256], init=marker + value)
        self.store_global(x, tile, offsets=[self.blockIdx.x * 256])


@tilus.autotune("block", [128, 512, 1024])
class Twice(tilus.Script):
    """x += x, in place."""

    def __init__(self, block):
        super().__init__()
        self.block = block

    def __call__(self, n: int32, x_ptr: ~float32):
        self.attrs.warps = 4
        self.attrs.blocks = [(n + self.block - 1) // self.block]
        offset = self.blockIdx.x * self.block
        x = self.global_view(x_ptr, dtype=float32, shape=[n])
        tile = self.load_global(x, offsets=[offset], shape=[self.block])
        self.store_global(x, tile + tile, offsets=[offset])


def run_marker(n, value):
    x = torch.zeros(n, dtype=torch.int32, device="cuda")
    Marker()(n, value, x)
    values = x.unique().tolist()
    assert len(values) == 1
    return values[0]


def test_the_target_of_the_scope_runs():
    assert run_marker(1000, 1) == 9001
    for chip, marker in (("sm_90", 7000), ("sm_90a", 9000), ("sm_90", 7000)):
        with tilus.target.scope(chip):
            assert run_marker(1000, 2) == marker + 2
    assert run_marker(1000, 1) == 9001
    with tilus.target.scope("sm_103a"), pytest.raises(RuntimeError, match="sm_103a"):
        run_marker(1000, 1)
    with tilus.target.scope("sm_103a"), stub_launch(lambda *_: None):
        assert run_marker(1000, 1) == 0
    assert {target.name for target in Marker().dispatch_tables} == {"sm_90a", "sm_90", "sm_103a"}


def test_threads_run_their_own_targets():
    results, failures = {}, []

    def work(chip, marker):
        try:
            for value in range(30):
                with tilus.target.scope(chip):
                    results[chip, value] = run_marker(513, value) - marker - value
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=row) for row in (("sm_90", 7000), ("sm_90a", 9000)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and set(results.values()) == {0}


@pytest.mark.parametrize("n", [1, 1000, 4096, 1 << 20])
@pytest.mark.parametrize("shift", [0, 1])
def test_sums_equal_those_of_torch(n, shift):
    a, b, c = (torch.randn(n + shift, device="cuda")[shift:] for _ in range(3))
    VectorAdd(1024)(n, a, b, c)
    assert torch.equal(c, a + b)


def test_launches_go_to_the_current_stream():
    n = 1 << 24
    a, b, c = torch.zeros(n, device="cuda"), torch.ones(n, device="cuda"), torch.zeros(n, device="cuda")
    VectorAdd(1024)(n, a, b, c)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        a.fill_(2)
        VectorAdd(1024)(n, a, b, c)
        total = c.sum()
    stream.synchronize()
    assert total.item() == 3 * n
    VectorAdd(1024)(n, b, b, c, stream=stream)
    stream.synchronize()
    assert c[0].item() == 2


def test_tuning_leaves_the_arguments_as_one_launch_does():
    x = torch.ones(100_003, device="cuda")
    script = Twice()
    script(x.numel(), x)
    assert x.unique().tolist() == [2.0]
    script(x.numel(), x)
    assert x.unique().tolist() == [4.0]
    reports = script.tuning_reports
    assert len(reports) <= 1  # none if the cache had the choice
    for report in reports:
        assert all(milliseconds is not None and not reason for _, milliseconds, reason in report["outcomes"])


def test_warm_launches_are_captured_and_cold_ones_refused():
    n = 1000
    a, b, c = torch.randn(n, device="cuda"), torch.randn(n, device="cuda"), torch.zeros(n, device="cuda")
    VectorAdd(256)(n, a, b, c)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        VectorAdd(256)(n, a, b, c)
    c.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(c, a + b)

    class Cold(VectorAdd):
        pass

    with pytest.raises(RuntimeError, match="before a launch of it is captured"), torch.cuda.graph(torch.cuda.CUDAGraph()):
        Cold(256)(n, a, b, c)
    torch.cuda.synchronize()


def test_storage_is_read_on_each_call():
    n = 4096
    a, b, c = torch.ones(n, device="cuda"), torch.ones(n, device="cuda"), torch.zeros(n, device="cuda")
    VectorAdd(1024)(n, a, b, c)
    a.set_(torch.full((n,), 5.0, device="cuda"))
    VectorAdd(1024)(n, a, b, c)
    assert c.unique().tolist() == [6.0]


@pytest.mark.parametrize("change, message", [
    (lambda x: x.half(), "expected elements of float32 for parameter 'b_ptr', but got float16"),
    (lambda x: x.cpu(), "memory of the host"),
    (lambda x: x.reshape(2, -1).T, "expected a contiguous array for parameter 'b_ptr'"),
    (lambda x: 3, "expected an array for parameter 'b_ptr: ~float32', but got 3"),
])  # fmt: skip
def test_arguments_are_checked(change, message):
    a = torch.ones(1000, device="cuda")
    with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:
        VectorAdd(1024)(1000, a, change(a), a)
    assert message in str(caught.value)


def test_parameters_and_tensors_that_need_gradients_are_tensors():
    a = torch.nn.Parameter(torch.ones(1000, device="cuda"))
    b = torch.ones(1000, device="cuda", requires_grad=True)
    c = torch.zeros(1000, device="cuda")
    VectorAdd(1024)(1000, a, b, c)
    assert c.unique().tolist() == [2.0]


def test_tensors_are_read_without_a_call():
    from tilus._native import runtime

    n, c = 1000, torch.zeros(1000, device="cuda")
    for _ in range(3):
        VectorAdd(1024)(n, c, c, c)
    is_proven, kinds = runtime.torch_view()
    if tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 10):
        assert is_proven and kinds >= 1


def test_kinds_of_tensors_are_told_apart():
    """Tensors that are alike to a look and read differently: each is shown by torch first, and again read rightly."""
    n = 1000
    plain = [torch.randn(n, device="cuda") for _ in range(3)]
    expected = [x.clone() for x in plain]
    with torch.inference_mode():
        inference = torch.randn(n, device="cuda")
    lazy = torch._lazy_clone(plain[2])
    wide = torch.randn(1, 1, 1, 1, 1, n, device="cuda")
    view = torch.randn(3 * n, device="cuda")[n : 2 * n]
    strided = torch.randn(n, 2, device="cuda")[:, 0]
    c = torch.zeros(n, device="cuda")
    for _ in range(3):
        for x in (plain[0], inference, wide, view, plain[1], torch.nn.Parameter(plain[0]), lazy):
            VectorAdd(1024)(n, x, plain[0], c)
            assert torch.equal(c, x.flatten() + plain[0])
        with pytest.raises(ValueError, match="expected a contiguous array"):
            VectorAdd(1024)(n, strided, plain[0], c)
        with pytest.raises(TypeError, match="expected elements of float32 for parameter 'a_ptr', but got float64"):
            VectorAdd(1024)(n, plain[0].double(), plain[0], c)
    # A lazy copy that is written to becomes one.
    target = torch._lazy_clone(plain[2])
    VectorAdd(1024)(n, plain[0], plain[1], target)
    assert torch.equal(target, plain[0] + plain[1])
    assert all(torch.equal(x, y) for x, y in zip(plain, expected))


def test_cupy_arrays_are_arrays():
    cupy = pytest.importorskip("cupy")
    a, c = cupy.ones(1000, cupy.float32), cupy.zeros(1000, cupy.float32)
    VectorAdd(1024)(1000, a, a, c)
    assert cupy.unique(c).tolist() == [2.0]


def test_host_arrays_run_on_the_reference():
    a = torch.randn(1000)
    c = torch.zeros(1000)
    VectorAdd(1024)(1000, a, a, c)
    assert torch.equal(c, a + a)
