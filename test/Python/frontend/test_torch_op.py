"""Scripts as operators of torch: torch's own checks, one graph under torch.compile, and what is refused.

Kernels run on a GPU if torch sees one, else on the CPU reference; skipped where torch is not installed.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pytest

torch = pytest.importorskip("torch")

import tilus  # noqa: E402
import tilus.torch  # noqa: E402
from tilus import float32, int32  # noqa: E402
from tilus.utils import cdiv  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Scale(tilus.Script):
    """y = x * factor, element by element."""

    def __call__(self, n: int32, factor: float32, x_ptr: ~float32, y_ptr: ~float32):
        self.attrs.blocks = cdiv(n, 256)
        self.attrs.warps = 1
        offset: int32 = self.blockIdx.x * 256
        gx = self.global_view(x_ptr, dtype=float32, shape=[n])
        gy = self.global_view(y_ptr, dtype=float32, shape=[n])
        x = self.load_global(gx, offsets=[offset], shape=[256])
        self.store_global(gy, x * factor, offsets=[offset])


class RowSums(tilus.Script):
    """The sums of the rows of a matrix, added to what is there."""

    def __call__(self, m: int32, n: int, x_ptr: ~float32, y_ptr: ~float32):
        self.attrs.blocks = m
        self.attrs.warps = 1
        gx = self.global_view(x_ptr, dtype=float32, shape=[m, n])
        gy = self.global_view(y_ptr, dtype=float32, shape=[m])
        x = self.load_global(gx, offsets=[self.blockIdx.x, 0], shape=[1, 128])
        y = self.load_global(gy, offsets=[self.blockIdx.x], shape=[1])
        self.store_global(gy, y + self.sum(x, dim=1), offsets=[self.blockIdx.x])


@pytest.fixture(scope="module")
def scale():
    """x, factor -> y."""
    return tilus.torch.op(
        Scale(),
        "tilus_test::scale",
        outputs={"y_ptr": lambda x_ptr: torch.empty_like(x_ptr)},
        derive={"n": lambda x_ptr: x_ptr.numel()},
    )


@pytest.fixture(scope="module")
def row_sums():
    """x, y -> nothing; y changes."""
    derive = {"m": lambda x_ptr: x_ptr.shape[0], "n": lambda x_ptr: x_ptr.shape[1]}
    return tilus.torch.op(RowSums(), "tilus_test::row_sums", derive=derive, mutates=["y_ptr"])


def test_results(scale, row_sums):
    x = torch.randn(1000, device=DEVICE)
    assert torch.equal(scale(2.5, x), x * 2.5) and torch.equal(torch.ops.tilus_test.scale(2.5, x), x * 2.5)
    x, y = torch.randn(5, 100, device=DEVICE), torch.ones(5, device=DEVICE)
    row_sums(x, y)
    torch.testing.assert_close(y, 1 + x.sum(dim=1))
    assert str(scale._opoverload._schema) == "tilus_test::scale(float factor, Tensor x_ptr) -> Tensor"
    assert str(row_sums._opoverload._schema) == "tilus_test::row_sums(Tensor x_ptr, Tensor(a1!) y_ptr) -> ()"


def test_checks_of_torch(scale, row_sums):
    torch.library.opcheck(scale, (1.5, torch.randn(300, device=DEVICE)))
    torch.library.opcheck(row_sums, (torch.randn(3, 70, device=DEVICE), torch.randn(3, device=DEVICE)))


@pytest.mark.parametrize("backend", ["eager", "aot_eager", *(["inductor"] if DEVICE == "cuda" else [])])
def test_one_graph(scale, row_sums, backend):
    def function(x, y):
        y = y.clone()
        row_sums(scale(2.0, x + 1).reshape(-1, 50) * 3, y)
        return torch.relu(y)

    x, y = torch.randn(200, device=DEVICE), torch.randn(4, device=DEVICE)
    compiled = torch.compile(function, fullgraph=True, backend=backend)
    torch.testing.assert_close(compiled(x, y), torch.relu(y + (x + 1).reshape(4, 50).mul(6).sum(dim=1)))
    x, y = torch.randn(350, device=DEVICE), torch.randn(7, device=DEVICE)
    torch.testing.assert_close(compiled(x, y), function(x, y))


def test_gradients_can_be_registered():
    operator = tilus.torch.op(
        Scale(),
        "tilus_test::scale_with_gradient",
        outputs={"y_ptr": lambda x_ptr: torch.empty_like(x_ptr)},
        derive={"n": lambda x_ptr: x_ptr.numel()},
    )
    operator.register_autograd(
        lambda ctx, gradient: (None, operator(ctx.factor, gradient.contiguous())),
        setup_context=lambda ctx, inputs, output: setattr(ctx, "factor", inputs[0]),
    )
    x = torch.randn(10, requires_grad=True, device=DEVICE)
    operator(3.0, x).sum().backward()
    assert torch.equal(x.grad, torch.full((10,), 3.0, device=DEVICE))


def test_same_operator_is_made_once(row_sums):
    with pytest.raises(ValueError, match="expected another name"):
        tilus.torch.op(Scale(), "tilus_test::row_sums")
    plain = tilus.torch.op(Scale(), "tilus_test::plain")
    assert tilus.torch.op(Scale(), "tilus_test::plain") is plain
    schema = "tilus_test::plain(SymInt n, float factor, Tensor(a2!) x_ptr, Tensor(a3!) y_ptr) -> ()"
    assert str(plain._opoverload._schema) == schema


@pytest.mark.parametrize(
    "options, words",
    [
        ({"mutates": ["z"]}, "parameters of the script"),
        ({"mutates": ["n"]}, "pointers in mutates, but got 'n'"),
        ({"outputs": {"y_ptr": lambda z: z}}, "inputs of the operator .n, factor, x_ptr. as parameters"),
        ({"outputs": {"y_ptr": lambda: 0}, "mutates": ["y_ptr"]}, "each parameter in one place"),
    ],
)
def test_mistakes(options, words):
    with pytest.raises(ValueError, match=words):
        tilus.torch.op(Scale(), "tilus_test::mistake", **options)
