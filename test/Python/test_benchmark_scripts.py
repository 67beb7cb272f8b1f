# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmarks of scripts time by one function, whichever package runs; with a stand-in for torch that has no GPU."""

import json
import pathlib
import subprocess
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "scripts"
TORCH = """
import types
float16 = None
class Tensor:
    def __matmul__(self, other): return self
    def sum(self): return self
    def item(self): return 0
def rand(*shape, **keywords): return Tensor()
def manual_seed(seed): pass
cuda = types.SimpleNamespace(is_available=lambda: False, synchronize=lambda: None)
"""
EXAMPLE = """
import time, tilus.utils
class Slow(tilus.Script):
    def __init__(self, first): self.left = first
    def __call__(self): time.sleep(self.left); self.left = 0
def wait(): time.sleep(0.005)
def main():
    script = Slow(0.02)
    script(); script()
    for name in ("first", "second", "third"):
        print(tilus.utils.benchmark_func(lambda: wait()))
"""


def test_an_example_of_another_package_is_timed(tmp_path):
    (tmp_path / "torch.py").write_text(TORCH)
    (tmp_path / "tilus").mkdir()
    (tmp_path / "tilus/__init__.py").write_text("class Script:\n    pass\n")
    (tmp_path / "tilus/utils.py").write_text("benchmark_func = None\n")
    (tmp_path / "tilus/_native.py").write_text("class runtime:\n    def device_count():\n        return 0\n")
    (tmp_path / "example.py").write_text(EXAMPLE)
    command = [sys.executable, str(SCRIPTS / "time_example.py"), str(tmp_path / "example.py"), str(tmp_path / "out.json"), "2"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    facts = json.loads((tmp_path / "out.json").read_text())
    assert [row["label"] for row in facts["rows"]] == ["first", "second"]
    assert all(row["ms"] >= 5 for row in facts["rows"]) and facts["package"].startswith(str(tmp_path))
    assert 0.02 <= facts["call_s"] <= facts["first_s"]


def test_no_script_has_a_clock_of_its_own():
    for path in SCRIPTS.glob("*.py"):
        assert "Event(" not in path.read_text(), path
