"""The runner of upstream's files on a small checkout made here: what passes, fails, hangs, dies and is missing."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "integration_test/upstream.py"
sys.path.insert(0, str(ROOT / "integration_test"))

from upstream_support import report, suite  # noqa: E402

TARGETS = """
import os, time, pytest, tilus
def test_good(): assert tilus.__version__ == "mine"
@pytest.mark.parametrize("n", [1, 2])
def test_bad(n): assert n == 1, "n is not 1"
def test_skipped(): pytest.skip("no reason")
def test_end(): {end}
def test_after(): pass
"""


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose own package must not be used, and a package that must."""
    root = tmp_path / "checkout"
    for name, text in {
        "checkout/python/tilus/__init__.py": "__version__ = 'theirs'",
        "checkout/tests/ir/layout/register_layout/test_one.py": "def test_one(): pass",
        "checkout/tests/ir/layout/register_layout/test_two.py": "import nothing_of_that_name",
        "checkout/tests/ir/test_targets.py": TARGETS.format(end="pass"),
        "mine/tilus/__init__.py": "__version__ = 'mine'",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def run(checkout, *options, path=None):
    """(exit status, what the JSON file says, printed text) of the runner."""
    out = checkout.parent / "out.json"
    environment = {**os.environ, "PYTHONPATH": str(path or checkout.parent / "mine")}
    command = [sys.executable, str(RUNNER), str(checkout), "--device=cpu", f"--json={out}", "--only=tests/ir", *options]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    return result.returncode, json.loads(out.read_text()) if out.exists() else None, result.stdout + result.stderr


def statuses(content, file):
    """The status of each case of a file, by its name."""
    return {case["name"].rpartition("::")[2]: case["status"] for case in content["cases"] if case["file"] == file}


def test_results(checkout):
    status, content, text = run(checkout, path=os.path.relpath(checkout.parent / "mine"))
    assert status == 1 and content["version"] == "mine"
    assert statuses(content, "tests/ir/test_targets.py") == {
        "test_good": "passed", "test_bad[1]": "passed", "test_bad[2]": "failed", "test_skipped": "skipped",
        "test_end": "passed", "test_after": "passed",
    }  # fmt: skip
    assert content["summary"] == {"passed": 5, "failed": 2, "skipped": 1, "missing": 0}
    assert "failed 1 (test_bad[2]): AssertionError: n is not 1" in text
    assert "nothing_of_that_name" in text and "71.4% of 7 cases passed" in text
    assert "5 passed, 2 failed, 1 skipped" in text
    assert not list(checkout.rglob("__pycache__"))


@pytest.mark.parametrize(
    "end, words",
    [("os._exit(7)", "ended with status 7"), ("time.sleep(60)", "over the limit of 5 s"), ("os.abort()", "status -6")],
)
def test_what_a_process_does_not_finish_counts_as_failed(checkout, end, words):
    (checkout / "tests/ir/test_targets.py").write_text(TARGETS.format(end=end))
    status, content, _ = run(checkout, "--only=test_targets", "--timeout=5")
    found = statuses(content, "tests/ir/test_targets.py")
    assert status == 1 and found["test_good"] == "passed"
    assert found["test_end"] == found["test_after"] == "failed"
    why = {case["name"].rpartition("::")[2]: case["why"] for case in content["cases"]}
    assert words in why["test_after"]


def test_missing_files_and_packages(checkout):
    (checkout / "tests/ir/test_targets.py").unlink()
    _, content, _ = run(checkout)
    assert list(statuses(content, "tests/ir/test_targets.py").values()) == ["missing"]
    status, _, text = run(checkout, path=checkout / "python")
    assert status == 1 and "expected the package tilus on PYTHONPATH" in text
    link = checkout.parent / "link"
    link.symlink_to(checkout / "python")
    status, _, text = run(checkout, path=link)
    assert status == 1 and "expected this project's package, but got the checkout's" in text


def test_suite_names_what_is_demanded():
    paths = [item.path for item in suite.list_items(pathlib.Path("/nonexistent"))]
    assert len(paths) == len(set(paths)) == 27
    assert "examples/matmul/matmul_v5.py" in paths and "tests/kernels/test_pingpong.py" in paths


def test_example_checks_are_counted(checkout, tmp_path):
    """Every check counts, those after a failed one too, and what an example dies of is one more."""
    stand_in = tmp_path / "torch"
    stand_in.mkdir()
    (stand_in / "__init__.py").write_text(
        "import types\ndef assert_close(a, b):\n    assert a == b, f'{a} is not {b}'\n"
        "testing = types.SimpleNamespace(assert_close=assert_close)\n"
    )
    script = tmp_path / "example.py"
    script.write_text(
        "import torch\ntorch.testing.assert_close(1, 1)\ntorch.testing.assert_close(1, 2)\n"
        "torch.testing.assert_close(3, 3)\nraise RuntimeError('the end')\n"
    )
    record = tmp_path / "record.jsonl"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "UPSTREAM_RECORD": str(record), "UPSTREAM_NAME": "example"}
    environment.pop("TILUS_DEVICE", None)
    command = [sys.executable, str(ROOT / "integration_test/upstream_support/run_example.py"), str(script)]
    assert subprocess.run(command, env=environment, capture_output=True).returncode == 1
    cases = report.read_record("example", record, "")
    assert [case.status for case in cases] == ["passed", "failed", "passed", "failed"]
    assert [case.why for case in cases] == ["", "1 is not 2", "", "RuntimeError: the end"]


def test_tables_that_examples_print():
    """The stand-in for pandas prints rows, and pivots them."""
    sys.path.insert(0, str(ROOT / "integration_test/upstream_support/standins/pandas"))
    try:
        sys.modules.pop("pandas", None)
        import pandas
    finally:
        sys.path.pop(0)
        sys.modules.pop("pandas", None)
    frame = pandas.DataFrame([[1, "a", 5], [1, "b", 6], [2, "a", 7]], columns=["size", "name", "ms"])
    assert str(frame).splitlines()[1] == "1  a  5"
    pivot = frame.pivot(index=["size"], columns="name", values=["ms"]).reset_index()
    assert str(pivot).splitlines() == ["size  ms a  ms b", "1  5  6", "2  7  "]
    ordered = frame.sort_values(by=["name", "ms"], ascending=[True, False])
    assert [row[2] for row in ordered.rows] == [7, 5, 6]
