"""Compiling modules from Python: artifacts, options, messages, and what runs meanwhile."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import struct
import threading
import time

import pytest
from tilus import _compiler, _native, ir

SCALE = """
tilus.kernel @scale(%n: i32, %s: f32, %x: !tilus.ptr<f32>) warps(4) grid {
  %c512 = arith.constant 512 : i32
  %b = arith.ceildivsi %n, %c512 : i32
  tilus.grid [%b]
} {
  %c512 = arith.constant 512 : i32
  %i = tilus.block_id x
  %o = arith.muli %i, %c512 : i32
  %g = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %t = tilus.load_global %g[%o] : !tilus.global<?xf32> -> tensor<512xf32>
  %f = tilus.broadcast %s : f32 -> tensor<512xf32>
  %r = arith.mulf %t, %f : tensor<512xf32>
  tilus.store_global %r, %g[%o] : tensor<512xf32>, !tilus.global<?xf32>
}
"""
# Needs sm_90.
CLUSTER = """
tilus.kernel @wide() warps(1) cluster(2, 1, 1) grid {
  %c2 = arith.constant 2 : i32
  tilus.grid [%c2]
} {
}
"""


@pytest.fixture
def module():
    return ir.Module.parse(SCALE, ir.Context(), "scale.mlir")


def test_artifacts(module):
    compiler = _compiler.Compiler()
    artifacts = compiler.compile(module, ["sm_80", "sm_90a", "sm_103a"])
    assert [(a.entry, a.target) for a in artifacts] == [("scale", t) for t in ("sm_80", "sm_90a", "sm_103a")]
    for artifact, chip in zip(artifacts, (80, 90, 103)):
        assert artifact.cubin[:4] == b"\x7fELF"
        # The flags of a cubin's ELF header name the chip; their place differs by the version of the format.
        flags = struct.unpack_from("<I", artifact.cubin, 48)[0]
        assert chip in (flags & 0xFF, flags >> 8 & 0xFF)
        assert f".target {artifact.chip}" in artifact.ptx and ".entry scale" in artifact.ptx
        assert artifact.block_threads == 128 and artifact.cluster == (1, 1, 1) and artifact.registers > 0
    params = artifacts[0].params
    assert [(p.name, p.type, p.is_pointer) for p in params] == [
        ("n", "i32", False), ("s", "f32", False), ("x", "f32", True)
    ]
    again = _native.parse_artifacts(_native.serialize_artifacts(artifacts))
    assert [a.cubin for a in again] == [a.cubin for a in artifacts]


def test_the_module_stays_as_it_is(module):
    before = str(module)
    _compiler.Compiler(cubin=False).compile(module, ["sm_90"])
    assert str(module) == before


def test_the_target_of_the_module():
    context = ir.Context()
    module = ir.Module.parse(SCALE, context)
    compiler = _compiler.Compiler(cubin=False)
    with pytest.raises(ir.MLIRError, match="expected a target, but its module names none"):
        compiler.compile(module)
    target = '#tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_89">'
    module.operation.attributes["tilus.target"] = ir.Attribute.parse(target, context)
    (artifact,) = compiler.compile(module)
    assert artifact.target == "sm_89" and artifact.cubin == b""


def test_options():
    with pytest.raises(ValueError, match="the name of an option .*, but got 'speed'"):
        _compiler.Compiler(speed=3)
    with pytest.raises(ValueError, match="'0' to '3' for option 'opt-level', but got '4'"):
        _compiler.Compiler(opt_level=4)
    module = ir.Module.parse(SCALE.replace("arith.mulf", "arith.divf"), ir.Context())
    (exact,) = _compiler.Compiler(cubin=False).compile(module, ["sm_90"])
    (fast,) = _compiler.Compiler(cubin=False, fast_math=True).compile(module, ["sm_90"])
    assert "div.rn.f32" in exact.ptx and "div.rn.f32" not in fast.ptx


def test_errors_have_places():
    module = ir.Module.parse(CLUSTER, ir.Context(), "wide.mlir")
    assert len(_compiler.Compiler(cubin=False).compile(module, ["sm_90"])) == 1
    with pytest.raises(ir.MLIRError, match="sm_90") as caught:
        _compiler.Compiler(cubin=False).compile(module, ["sm_80"])
    diagnostic = caught.value.diagnostics[0]
    assert (diagnostic.severity, diagnostic.file, diagnostic.line) == ("error", "wide.mlir", 2)
    with pytest.raises(ValueError, match="sm_91"):
        _compiler.Compiler().compile(module, ["sm_91"])


def test_a_module_that_is_not_valid(module):
    kernel = module.body.operations[0]
    del kernel.attributes["warps"]
    with pytest.raises(ir.MLIRError, match="warps"):
        _compiler.Compiler().compile(module, ["sm_90"])


def test_the_same_bytes_each_time(module):
    first, second = (_compiler.Compiler().compile(module, ["sm_90a"])[0] for _ in range(2))
    assert first.cubin == second.cubin


def test_other_threads_run_meanwhile(module):
    compiler = _compiler.Compiler(cubin=False)
    compiler.compile(module, ["sm_90"])
    ticks, done = 0, threading.Event()

    def work():
        compiler.compile(module, ["sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a"])
        done.set()

    # A call that holds the lock lets nobody count: one tick before it, one behind it.
    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.0005)
    thread.join()
    assert ticks > 3


def test_many_threads_compile_one_module(module):
    compiler = _compiler.Compiler(cubin=False)
    expected = compiler.compile(module, ["sm_90"])[0].ptx
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(compiler.compile(module, ["sm_90"])[0].ptx))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8
