"""Code that nests deeply: at Python's limit of recursion it is refused where it stands, and with a higher one it runs."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess
import sys

import pytest

SCRIPT = """
import sys, numpy, tilus
from tilus import int32
from tilus.lang.errors import TilusProgramError

def host(depth):
    return host(depth + 1) + 1

class Kernel(tilus.Script):
    def store(self, p, x):
        g = self.global_view(p, dtype=int32, shape=[1])
        self.store_global(g, self.register_tensor(dtype=int32, shape=[1], init=x), offsets=[0])

    def again(self, n):
        return self.again(n + 1)

    def __call__(self, n: int32, p: ~int32):
        self.attrs.warps = 1
        self.attrs.blocks = [1]
        x = 0
{body}

out = numpy.zeros(1, numpy.int32)
try:
    Kernel()(3, out, device="cpu")
except TilusProgramError as error:
    print(error.message, error.line, error.advice, sep="|")
sys.setrecursionlimit(100_000)
Kernel()(3, out, device="cpu")
print(out[0])
"""
COUNT = 800


def chain(line, start="", end=""):
    return start + "".join(line.format(i) for i in range(COUNT)) + end


STORE = "        self.store(p, x)"
CHAINS = {
    "elif": (chain("        elif n == {0}:\n            x = {0} + 2\n", "        if n < 0:\n            pass\n", STORE), 5),
    "sum": (chain(" + n", "        x = n", "\n" + STORE), 3 * (COUNT + 1)),
    "or": (chain(" or n + x == {0}", "        if n < 0", f":\n            x = 9\n{STORE}"), 9),
    "choice": (chain("{0} + 2 if n == {0} else ", "        x = ", "1\n" + STORE), 5),
}


def run(tmp_path, body):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(body=body))
    return subprocess.run([sys.executable, str(path)], capture_output=True, text=True)


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain(tmp_path, name):
    body, value = CHAINS[name]
    done = run(tmp_path, body)
    refused, result = done.stdout.splitlines()
    message, line, advice = refused.split("|")
    assert message == "expected code within at most 1000 calls of Python, but this needs more"
    assert int(line) >= SCRIPT[: SCRIPT.index("{body}")].count("\n") + 1 and "sys.setrecursionlimit" in advice
    assert int(result) == value


def test_a_function_that_calls_itself(tmp_path):
    done = run(tmp_path, "        x = self.again(n)")
    assert done.stdout.startswith("expected at most 100 calls within each other, but 'again' is called in more|15|give a function")


def test_a_function_of_python_that_calls_itself(tmp_path):
    done = run(tmp_path, "        x = host(7)")
    assert done.stdout.startswith("expected code within at most 1000 calls of Python, but this needs more|21|")
