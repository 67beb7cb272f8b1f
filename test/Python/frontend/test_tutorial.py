"""Every page of the tutorial, that on tools and the README is a program; the blocks run in order on the CPU reference.
The examples that are scripts check themselves."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "docs/tutorial"
PAGES = sorted(path.name for path in FOLDER.glob("[0-9]-*.md"))
TOOLS = FOLDER.parent / "python-tools.md"
EXAMPLES = FOLDER.parents[1] / "examples"
SCRIPTS = sorted(path for path in EXAMPLES.glob("*/*.py") if path.name != "check.py")


def extract_program(text, fence="```python"):
    """The Python blocks of a page, each at its own lines: an error names the line of the page."""
    lines, is_code = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            is_code = line.strip() == fence
            line = ""
        lines.append(line if is_code else "")
    return "\n".join(lines) + "\n"


def run_program(text, program):
    """Runs a program on the CPU reference."""
    program.write_text(text, encoding="utf-8")
    environment = {**os.environ, "TILUS_DEVICE": "cpu", "TILUS_CACHE_DIR": str(program.parent / "cache")}
    result = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", PAGES)
def test_page_runs(page, tmp_path):
    text = extract_program((FOLDER / page).read_text(encoding="utf-8"))
    run_program(text, tmp_path / page.replace(".md", ".py").replace("-", "_"))


def test_tools_run(tmp_path):
    text = TOOLS.read_text(encoding="utf-8")
    assert "plan_conversion" in extract_program(text) and "int4b" in extract_program(text)
    run_program(extract_program(text), tmp_path / "tools.py")


def test_readme_runs(tmp_path):
    text = extract_program((FOLDER.parents[1] / "README.md").read_text(encoding="utf-8"))
    assert "tilus.Script" in text and "assert np.array_equal" in text
    run_program(text, tmp_path / "readme.py")


def test_operators_of_torch_run(tmp_path):
    """The block that needs torch."""
    pytest.importorskip("torch")
    text = extract_program(TOOLS.read_text(encoding="utf-8"), fence="```py")
    assert "opcheck" in text
    run_program(text, tmp_path / "operators.py")


@pytest.mark.parametrize("page", PAGES)
def test_page_checks_something(page):
    """Each kernel is called and its result compared."""
    text = extract_program((FOLDER / page).read_text(encoding="utf-8"))
    assert "tilus.Script" in text and re.search(r"^(assert np\.array_equal|np\.testing)", text, re.MULTILINE)


def test_index_names_all_pages():
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(PAGES) == 5 and re.findall(r"\]\(([0-9].*?\.md)\)", index) == PAGES
    for page, following in zip(PAGES, PAGES[1:]):
        assert f"]({following})" in (FOLDER / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_example_runs(script, tmp_path):
    run_program(script.read_text(encoding="utf-8"), tmp_path / script.name)
