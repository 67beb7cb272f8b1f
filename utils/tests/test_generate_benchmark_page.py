# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of benchmarks is that of the results, and a change of either is noticed."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ("benchmarks/results", "benchmarks/kernels", "python/tilus/plots.py", "docs/benchmarks", "utils/generate_benchmark_page.py")


@pytest.fixture
def tree(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    return tmp_path


def check(tree):
    return subprocess.run(
        [sys.executable, tree / "utils/generate_benchmark_page.py", "--check"], capture_output=True, text=True
    )


def test_the_committed_page_is_up_to_date(tree):
    assert check(tree).returncode == 0, check(tree).stdout


@pytest.mark.parametrize(
    "name, before, after, stale",
    [
        ("benchmarks/results/h200_softmax.json", '"ratio": 0.6769418319379638', '"ratio": 0.5', ["results.md", "softmax.svg"]),
        ("docs/benchmarks/results.md", "r = best", "r = worst", ["results.md"]),
        ("python/tilus/plots.py", "figsize=(9,", "figsize=(8,", ["kernels.svg", "softmax.svg", "calls.svg"]),
        ("docs/benchmarks/python-calls.svg", "<!-- ", "<!-- 0", ["calls.svg"]),
    ],
)
def test_what_is_stale_is_named(tree, name, before, after, stale):
    text = (tree / name).read_text()
    assert before in text
    (tree / name).write_text(text.replace(before, after))
    result = check(tree)
    lines = result.stdout.splitlines()
    assert result.returncode == 1 and len(lines) == len(stale)
    assert all(any(f"{word} is stale" in line for line in lines) for word in stale)
