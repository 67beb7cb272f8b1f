# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that were changed at random lower, or are diagnosed at their place. A short run of lowering_fuzzer.py."""

import os
import pathlib

import lowering_fuzzer
import pytest

RUN = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", lowering_fuzzer.ROOT / "build")) / "bin/tilus-run"
COUNT = 500


@pytest.mark.skipif(not RUN.exists(), reason=f"needs {RUN.name} of the build")
def test_changed_kernels_lower_or_are_diagnosed():
    counts, faults = lowering_fuzzer.fuzz(RUN, count=COUNT, seed=1)
    assert not faults, f"expected code or located errors, but got {len(faults)} faults; the first: {faults[0]}"
    # Changes that leave nothing that verifies would test the parser alone.
    assert counts["lowered"] >= COUNT // 6


@pytest.mark.parametrize("status, said, judgement", [
    (0, "k for sm_90a", "lowered"),
    (1, "kernel.mlir:3:5: error: 'tilus.mma' op expected", "diagnosed"),
    (1, "tilus-run: error: expected", "an error without a place"),
    (1, "kernel.mlir:3:5: error: one\nloc(unknown): error: two", "an error without a place"),
    (1, "", "no error"),
    (-6, "kernel.mlir:3:5: error: one", "status -6"),
    (1, "kernel.mlir:3:5: error: one\nLLVM ERROR: Cannot select", "status 1"),
])
def test_answers_are_judged(status, said, judgement):
    assert lowering_fuzzer.judge(status, said) == judgement
