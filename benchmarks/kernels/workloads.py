# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: the suites, their sizes, their tensors, and the results to expect.

A suite is one computation. Its workloads are the sizes at which it is timed; its tensors are named as the kernels of
the examples name their parameters. The expected results come from torch in a wider type. torch is a parameter of what
needs it, so that the sizes are known without it.
"""

import dataclasses
import math
from typing import Callable

ITEM_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i32": 4}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor of a suite. `shape` gives its shape from the sizes; an input is random with the standard deviation
    `scale(sizes)` around `mean`."""

    name: str
    dtype: str
    shape: Callable
    is_output: bool = False
    scale: Callable = lambda sizes: 1.0
    mean: float = 0.0

    def count_bytes(self, sizes):
        return math.prod(self.shape(sizes)) * ITEM_BYTES[self.dtype]


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """What an output may differ by: the norm of the error relative to that of the result, and the greatest error of
    an element relative to its own magnitude plus the root of the mean square of the result."""

    norm: float
    element: float


@dataclasses.dataclass(frozen=True)
class Suite:
    """One computation.

    `kernels` are patterns of the kernels that compute it, in `folder` of the examples. `scalars` are arguments beside
    the sizes. `expected(torch, tensors, scalars)` gives {output: value}. `flops(sizes)` is 0 where moving the bytes is
    the limit.
    """

    name: str
    title: str
    folder: str
    kernels: tuple
    dimensions: tuple
    tensors: tuple
    sizes: tuple
    expected: Callable
    tolerance: Tolerance
    scalars: dict = dataclasses.field(default_factory=dict)
    flops: Callable = lambda sizes: 0

    def workloads(self):
        return [Workload(self, dict(zip(self.dimensions, sizes))) for sizes in self.sizes]


@dataclasses.dataclass(frozen=True)
class Workload:
    """A suite at one size."""

    suite: Suite
    sizes: dict

    @property
    def name(self):
        return f"{self.suite.name}/{'x'.join(str(size) for size in self.sizes.values())}"

    @property
    def inputs(self):
        return [tensor for tensor in self.suite.tensors if not tensor.is_output]

    @property
    def outputs(self):
        return [tensor for tensor in self.suite.tensors if tensor.is_output]

    @property
    def flops(self):
        return self.suite.flops(self.sizes)

    @property
    def bytes(self):
        """The fewest bytes that can move: each input read once, each output written once."""
        return sum(tensor.count_bytes(self.sizes) for tensor in self.suite.tensors)

    @property
    def arguments(self):
        """All scalar arguments by name."""
        return {**self.sizes, **self.suite.scalars}


def row_matrix(sizes):
    return (sizes["rows"], sizes["columns"])


def matrix(sizes):
    return (sizes["m"], sizes["n"])


def expect_softmax(torch, tensors, scalars):
    return {"y": torch.softmax(tensors["x"].double(), dim=1)}


def expect_layer_norm(torch, tensors, scalars):
    x, weight, bias = (tensors[name].double() for name in ("x", "weight", "bias"))
    return {"y": torch.nn.functional.layer_norm(x, x.shape[1:], weight, bias, scalars["epsilon"])}


def expect_matmul(torch, tensors, scalars):
    return {"c": torch.matmul(tensors["a"].double(), tensors["b"].double())}


def transpose_suite(dtype):
    return Suite(
        name=f"transpose_{dtype}", title=f"Transpose, {dtype}", folder="transpose", kernels=(f"transpose_{dtype}*",),
        dimensions=("m", "n"), sizes=((8192, 8192), (4096, 16384), (1823, 781)),
        tensors=(Tensor("x", dtype, matrix), Tensor("y", dtype, lambda s: (s["n"], s["m"]), is_output=True)),
        expected=lambda torch, tensors, scalars: {"y": tensors["x"].t()}, tolerance=Tolerance(0.0, 0.0))


def reduce_suite(name, title, axis):
    length = ("m", "n")[1 - axis]
    return Suite(
        name=name, title=title, folder="reduce", kernels=(f"{name}*",), dimensions=("m", "n"),
        sizes=((8192, 8192), (4096, 16384), (1823, 781)),
        tensors=(Tensor("x", "f32", matrix, mean=0.5), Tensor("y", "f32", lambda s: (s[length],), is_output=True)),
        expected=lambda torch, tensors, scalars: {"y": tensors["x"].double().sum(dim=axis)},
        tolerance=Tolerance(1e-5, 1e-4))


SUITES = (
    Suite(
        name="vector_add", title="Vector addition, f32", folder="vector_add", kernels=("vector_add*",),
        dimensions=("n",), sizes=((1 << 20,), (1 << 24,), (1 << 28,)),
        tensors=(Tensor("a", "f32", lambda s: (s["n"],)), Tensor("b", "f32", lambda s: (s["n"],)),
                 Tensor("c", "f32", lambda s: (s["n"],), is_output=True)),
        # One rounding to f32: the sum in f64, rounded once more, differs by at most half a unit in the last place.
        expected=lambda torch, tensors, scalars: {"c": tensors["a"].double() + tensors["b"].double()},
        tolerance=Tolerance(1e-7, 2.0**-23)),
    Suite(
        name="softmax", title="Softmax of rows, f16", folder="softmax", kernels=("softmax*",),
        dimensions=("rows", "columns"),
        sizes=((4096, 1024), (4096, 4096), (4096, 8192), (8192, 8192), (1823, 781)),
        tensors=(Tensor("x", "f16", row_matrix, scale=lambda s: 2.0), Tensor("y", "f16", row_matrix, is_output=True)),
        # Rounding to f16 is 2.9e-4 of the norm, more where small results are subnormal.
        expected=expect_softmax, tolerance=Tolerance(1e-3, 5e-3)),
    Suite(
        name="matmul", title="Matrix product, f16 with f32 sums", folder="matmul", kernels=("matmul*",),
        dimensions=("m", "n", "k"),
        sizes=((4096, 4096, 4096), (1024, 1024, 14336), (8192, 8192, 8192), (2048, 2048, 2048), (1823, 781, 1001)),
        tensors=(Tensor("a", "f16", lambda s: (s["m"], s["k"]), scale=lambda s: s["k"] ** -0.5),
                 Tensor("b", "f16", lambda s: (s["k"], s["n"])),
                 Tensor("c", "f16", lambda s: (s["m"], s["n"]), is_output=True)),
        expected=expect_matmul, tolerance=Tolerance(2e-3, 1e-2), flops=lambda s: 2 * s["m"] * s["n"] * s["k"]),
    Suite(
        name="layer_norm", title="Layer normalisation of rows, f16", folder="layer_norm", kernels=("layer_norm*",),
        dimensions=("rows", "columns"), sizes=((4096, 4096), (8192, 8192), (1823, 781)),
        tensors=(Tensor("x", "f16", row_matrix, mean=0.5),
                 Tensor("weight", "f16", lambda s: (s["columns"],), mean=1.0),
                 Tensor("bias", "f16", lambda s: (s["columns"],)), Tensor("y", "f16", row_matrix, is_output=True)),
        scalars={"epsilon": 1e-5}, expected=expect_layer_norm, tolerance=Tolerance(1e-3, 5e-3)),
    transpose_suite("f32"),
    transpose_suite("f16"),
    reduce_suite("sum_rows", "Sums of rows, f32", axis=1),
    reduce_suite("sum_columns", "Sums of columns, f32", axis=0),
)


def find_workloads(names):
    """The workloads of the named suites, in the order of the names; a name may also be that of one workload. Raises
    ValueError for a name that is neither."""
    found = []
    for name in names:
        matches = [workload for suite in SUITES for workload in suite.workloads()
                   if name in (suite.name, workload.name)]
        if not matches:
            raise ValueError(f"expected a suite ({', '.join(suite.name for suite in SUITES)}) or a workload such as "
                             f"'{SUITES[0].workloads()[0].name}', but got '{name}'")
        found += [workload for workload in matches if workload not in found]
    return found
