"""Executing kernels on the CPU from Python, against numpy."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import threading

import numpy as np
import pytest
from tilus import _compiler, ir

AXPY = """
tilus.kernel @axpy(%n: i32, %a: f32, %x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(2) grid {
  %c64 = arith.constant 64 : i32
  %b = arith.ceildivsi %n, %c64 : i32
  tilus.grid [%b]
} {
  %c64 = arith.constant 64 : i32
  %i = tilus.block_id x
  %o = arith.muli %i, %c64 : i32
  %gx = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %gy = tilus.global_view %y [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %tx = tilus.load_global %gx[%o] : !tilus.global<?xf32> -> tensor<64xf32>
  %ty = tilus.load_global %gy[%o] : !tilus.global<?xf32> -> tensor<64xf32>
  %f = tilus.broadcast %a : f32 -> tensor<64xf32>
  %p = arith.mulf %f, %tx : tensor<64xf32>
  %r = arith.addf %p, %ty : tensor<64xf32>
  tilus.store_global %r, %gy[%o] : tensor<64xf32>, !tilus.global<?xf32>
  tilus.printf "block %d\\n", %i : i32
}
"""
# Writes and reads shared memory without a barrier in between.
RACE = """
tilus.kernel @race(%y: !tilus.ptr<i32>) warps(2) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
  %i = tilus.iota dim(0) : tensor<64xi32>
  tilus.store_shared %i, %s : tensor<64xi32>, !tilus.shared<64xi32>
  %t = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
  %g = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<64xi32>
  tilus.store_global %t, %g[%c0] : tensor<64xi32>, !tilus.global<64xi32>
}
"""


def make_reference(text, name="kernel.mlir", **options):
    return _compiler.Reference(ir.Module.parse(text, ir.Context(), name), **options)


def make_inputs(n):
    generator = np.random.default_rng(n)
    return generator.standard_normal(n, np.float32), generator.standard_normal(n, np.float32)


@pytest.mark.parametrize("n", [1, 64, 65, 1000])
def test_results(n):
    reference = make_reference(AXPY)
    x, y = make_inputs(n)
    expected = np.float32(0.5) * x + y
    blocks, steps = reference.run([n, 0.5, x, y])
    np.testing.assert_array_equal(y, expected)
    assert blocks == (-(-n // 64), 1, 1) and steps > 0


def test_addresses_and_empty_arrays():
    reference = make_reference(AXPY)
    x, y = make_inputs(64)
    expected = np.float32(2) * x + y
    reference.run([64, 2, (x.ctypes.data, x.nbytes), memoryview(y)])
    np.testing.assert_array_equal(y, expected)
    empty = np.empty(0, np.float32)
    assert reference.run([0, 1, empty, None])[0] == (0, 1, 1)


def test_output():
    reference = make_reference(AXPY)
    x, y = make_inputs(130)
    texts = []
    reference.run([130, 1.0, x, y], output=texts.append)
    assert "".join(texts) == "block 0\nblock 1\nblock 2\n"


def test_params():
    reference = make_reference(AXPY)
    assert reference.name == "axpy"
    assert [(p.name, p.type, p.is_pointer) for p in reference.params] == [
        ("n", "i32", False), ("a", "f32", False), ("x", "f32", True), ("y", "f32", True)
    ]


@pytest.mark.parametrize(
    "index, value, error, words",
    [
        (0, 2**32, RuntimeError, "a value of type i32 for parameter 'n' of kernel 'axpy', but got 4294967296"),
        (0, 2**70, ValueError, "an integer of 64 bits"),
        (0, 1.5, RuntimeError, "for parameter 'n' of kernel 'axpy', but got a real number"),
        (1, np.zeros(1), RuntimeError, "a value of type f32 for parameter 'a' of kernel 'axpy', but got a pointer"),
        (2, 7, RuntimeError, "memory of the host for parameter 'x' of kernel 'axpy', but got an integer"),
        (2, "text", TypeError, "a number, an array or None, but got str"),
        (2, b"bytes", BufferError, "writable"),
        (2, np.zeros((4, 4), np.float32).T[1:], (BufferError, ValueError), "contiguous"),
    ],
)
def test_wrong_arguments(index, value, error, words):
    arguments = [4, 1.0, *make_inputs(4)]
    arguments[index] = value
    with pytest.raises(error, match=words):
        make_reference(AXPY).run(arguments)


def test_accesses_outside_are_errors_at_their_place():
    reference = make_reference(AXPY, "axpy.mlir")
    x, y = make_inputs(64)
    with pytest.raises(ir.MLIRError, match="parameter 'y'") as caught:
        reference.run([65, 1.0, np.zeros(65, np.float32), y])
    diagnostic = caught.value.diagnostics[0]
    assert (diagnostic.file, diagnostic.line, diagnostic.column) == ("axpy.mlir", 13, 9)
    del x


def test_hazards():
    reference = make_reference(RACE)
    y = np.zeros(64, np.int32)
    reference.run([y])
    np.testing.assert_array_equal(y, np.arange(64))
    with pytest.raises(ir.MLIRError, match="tilus.sync|barrier"):
        reference.run([y], check_hazards=True)


def test_targets():
    text = """
    tilus.kernel @mark(%y: !tilus.ptr<i32>) warps(1) grid {
      %c1 = arith.constant 1 : i32
      tilus.grid [%c1]
    } {
      %c0 = arith.constant 0 : i32
      %is = tilus.target_supports "sm_90"
      %v = arith.extui %is : i1 to i32
      %t = tilus.broadcast %v : i32 -> tensor<1xi32>
      %g = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<1xi32>
      tilus.store_global %t, %g[%c0] : tensor<1xi32>, !tilus.global<1xi32>
    }
    """
    answers = {}
    for target in ("sm_80", "sm_90a", "sm_103a"):
        y = np.full(1, 7, np.int32)
        make_reference(text, target=target).run([y])
        answers[target] = int(y[0])
    assert answers == {"sm_80": 0, "sm_90a": 1, "sm_103a": 1}


def test_kernels_by_name():
    text = AXPY + RACE
    with pytest.raises(RuntimeError, match="or the name of one, but got 'axpy', 'race'"):
        make_reference(text)
    assert make_reference(text, kernel="race").name == "race"


def test_threads_share_a_reference():
    reference = make_reference(AXPY)
    pairs = [make_inputs(200 + i) for i in range(6)]
    expected = [np.float32(3) * x + y for x, y in pairs]
    threads = [threading.Thread(target=reference.run, args=([len(x), 3.0, x, y],)) for x, y in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for (_, y), result in zip(pairs, expected):
        np.testing.assert_array_equal(y, result)
