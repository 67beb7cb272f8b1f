# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile-time benchmark's own logic: its chains, its fit and its reading of reports."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load():
    spec = importlib.util.spec_from_file_location("compile_benchmark", ROOT / "benchmarks" / "compile" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


benchmark = load()


def find_opt():
    folder = os.environ.get("TILUS_BUILD_DIR")
    return shutil.which("tilus-opt", path=folder and str(pathlib.Path(folder) / "bin"))


def test_the_exponent_is_the_slope_in_logarithms():
    assert benchmark.fit_exponent([(n, 3 * n**1.5) for n in (4, 8, 64)]) == pytest.approx(1.5)
    assert benchmark.fit_exponent([(4, 1.0)]) is None


@pytest.mark.parametrize("kind", benchmark.chains.CHAINS)
def test_chains_have_the_ops_asked_for(kind):
    kernel = benchmark.kernel_source.find_kernels(benchmark.chains.make_chain(kind, 256))[0]
    # Beside the chain: a constant, two views, a load and a store; the last link may be of two ops.
    assert 256 <= kernel.count_ops() - 5 <= 257


@pytest.mark.skipif(not find_opt(), reason="tilus-opt is not built")
@pytest.mark.parametrize("kind", benchmark.chains.CHAINS)
def test_chains_are_valid(kind):
    subprocess.run([find_opt(), "-", "-o", os.devnull], input=benchmark.chains.make_chain(kind, 40), text=True,
                   check=True, timeout=60)


@pytest.mark.skipif(not find_opt(), reason="tilus-opt is not built")
@pytest.mark.parametrize("file, name", benchmark.KERNELS)
def test_repeated_examples_are_valid(file, name):
    text = benchmark.load_kernel(ROOT / "examples", file, name).repeated(3)
    subprocess.run([find_opt(), "-", "-o", os.devnull], input=text, text=True, check=True, timeout=60)


def test_times_are_read_from_the_report(tmp_path):
    """A compiler whose time is that of the kernel's text: twice the text, twice the time."""
    tool = tmp_path / "tilus-run"
    tool.write_text(f"""#!{sys.executable}
import json, re, sys
kernels = open(sys.argv[1]).read().split("tilus.kernel")[1:]
print(json.dumps({{"kernels": [{{"compile_ms": {{"total": len(k) * 2, "passes": len(re.findall("addf", k)), "llvm": 0,
                                                "assembler": len(k)}}}} for k in kernels]}}))
""")
    tool.chmod(0o755)
    compiler = benchmark.Compiler(tool, "sm_90a", tmp_path)
    kernel = benchmark.load_kernel(ROOT / "examples", "vector_add/vector_add.mlir", "vector_add")
    assert benchmark.measure_kernel(compiler, kernel, 3)["share_outside_assembler"] == pytest.approx(0.5)
    scaling = benchmark.measure_scaling(compiler, kernel, (1, 2, 4, 8, 16), 1)
    assert [row["outside_assembler"] for row in scaling["rows"]] == [1, 2, 4, 8, 16]
    assert scaling["exponents"]["outside_assembler"] == pytest.approx(1.0)
    json.dumps(scaling)
