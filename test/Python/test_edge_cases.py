# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The edge cases on the CPU reference and through the compiler, and the cases of large tensors at small sizes."""

import importlib.util
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", ROOT / "build"))


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"integration_test/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


edge_cases, large = load("edge_cases"), load("large")
TOPICS = sorted({name.split(".")[0] for name in edge_cases.CASES})


@pytest.fixture(autouse=True)
def tools(monkeypatch):
    monkeypatch.setenv("PATH", f"{BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("topic", TOPICS)
def test_on_the_reference(topic, tmp_path):
    names = [name for name in edge_cases.CASES if name.startswith(topic + ".")]
    assert not edge_cases.run_all(names, os.cpu_count(), lambda case: edge_cases.check(case, "cpu", tmp_path))


# Products are slow to assemble, and compiled by other tests.
@pytest.mark.parametrize("topic, targets", [("widths", "sm_75,sm_80,sm_89,sm_90,sm_100")] + [
    (topic, "sm_90a") for topic in TOPICS if topic not in ("widths", "tail", "zero")])
def test_is_compiled(topic, targets, tmp_path):
    names = [name for name in edge_cases.CASES if name.startswith(topic + ".") and not name.endswith(".constant")]
    assert not edge_cases.run_all(names, os.cpu_count(), lambda case: edge_cases.compile_case(case, targets, tmp_path))


@pytest.mark.parametrize("name", large.CASES)
def test_large_cases_at_small_sizes(name):
    large.CASES[name](large.Runner("cpu", 2000))
