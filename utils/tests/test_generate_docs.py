# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generated pages are those of the definitions, and a page that is not is found."""

import pathlib
import shutil
import subprocess
import sys

import generate_docs
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(root, *options):
    command = [sys.executable, ROOT / "utils/generate_docs.py", "--root", root, *options]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def tree(tmp_path):
    """A copy of what the pages are made from, and of the pages."""
    for folder in ("include/Tilus", "docs/generated", "lib/Compiler"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def replace(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_pages_are_up_to_date():
    result = run(ROOT, "--check")
    assert result.returncode == 0, result.stdout


CHANGES = [
    ("include/Tilus/IR/Ops/MmaOps.td", '"matrix product and sum"', '"something else"', "ops-mma.md"),
    ("include/Tilus/IR/TilusEnums.td", '"axis of the grid"', '"axis"', "enums.md"),
    ("include/Tilus/TargetInfo/Targets.def", "TILUS_TARGET(sm_121a", "TILUS_TARGET(sm_122a", "targets.md"),
    ("include/Tilus/TargetInfo/Features.def", '"mma on f16, m8n8k4"', '"mma"', "features.md"),
    ("include/Tilus/IR/Atoms/MmaAtoms.def", "16, 8, 16,", "16, 8, 18,", "atoms.md"),
    ("lib/Compiler/Pipelines.cpp", "emit line tables", "emit lines", "passes.md"),
]


def test_stale_pages_are_found_and_mended(tree):
    for source, old, new, _ in CHANGES:
        replace(tree / source, old, new)
    result = run(tree, "--check")
    assert result.returncode == 1
    for _, _, _, page in CHANGES:
        assert f"docs/generated/{page}: expected what its source says" in result.stdout
    assert "types.md" not in result.stdout
    assert run(tree).returncode == 0 and run(tree, "--check").returncode == 0


def test_missing_and_unknown_pages_are_found(tree):
    folder = tree / "docs/generated"
    (folder / "types.md").rename(folder / "kinds.md")
    findings = run(tree, "--check").stdout
    assert "types.md: expected this page" in findings and "kinds.md: expected a page that is generated" in findings


def test_a_pipeline_that_is_not_understood_is_an_error(tree):
    replace(tree / "lib/Compiler/Pipelines.cpp", 'llvm::cl::desc("emit line tables")', 'desc(kLineTables)')
    result = run(tree, "--check")
    assert result.returncode == 1 and "expected options with a name" in result.stderr


def test_descriptions_lose_their_indentation_and_keep_that_of_code():
    text = "    One.\n\n```mlir\n} {\n\n    %a = x\n      %b = y\n\n}\n```\n    Two.\n"
    assert generate_docs.tidy(text) == "One.\n\n```mlir\n} {\n  %a = x\n    %b = y\n}\n```\nTwo.\n"
