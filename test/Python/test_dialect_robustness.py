# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilus-opt survives damaged IR. A short run of dialect_fuzzer.py with a fixed seed."""

import os
import pathlib

import dialect_fuzzer
import pytest

OPT = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", dialect_fuzzer.ROOT / "build")) / "bin/tilus-opt"


@pytest.mark.skipif(not OPT.exists(), reason=f"needs {OPT.name} of the build")
def test_damaged_ir_is_diagnosed():
    crashes = dialect_fuzzer.fuzz(OPT, count=300, seed=1)
    assert not crashes, f"expected diagnostics, but got {len(crashes)} crashes; the first: {crashes[0]}"
