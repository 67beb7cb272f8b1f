"""What a script's kernels follow from, changed between two processes that share a cache: the second must see it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import subprocess
import sys

import pytest
import tilus

SCRIPT = """
import enum, functools, os, sys, tilus
from collections import namedtuple
from tilus import int32, int64
{head}
class Kernel(tilus.Script):
    def __init__(self):
        super().__init__()
    def __call__(self, n: int32, p: ~int64):
        self.attrs.warps = 1
        self.attrs.blocks = [1]
        g = self.global_view(p, dtype=int64, shape=[1])
        {body}
        self.store_global(g, self.register_tensor(dtype=int64, shape=[1], init=x), offsets=[0])
with tilus.target.scope("sm_90"):
    print(Kernel().compile(100, None).ptx)
"""

# name: (head, body, what A has, what B has)
CHANGES = {
    "local annotation": ("", "y: @@ = n * 70000\n        x = y * 70000", "int32", "int64"),
    "alias in an annotation": ("T = @@", "y: T = n * 70000\n        x = y * 70000", "int32", "int64"),
    "module of a package": ("import pkg.sub", "x = n * pkg.sub.K", "2", "3"),
    "module named as one of Python's": ("import profile", "x = n * profile.K", "2", "3"),
    "environment": ("", "x = n * int(os.environ['W'])", "2", "3"),
    "enumeration": ("class E(enum.Enum):\n    A = @@", "x = n * E.A.value", "2", "3"),
    "partial": ("def f(a, b): return a * b\nF = functools.partial(f, @@)", "x = F(n)", "2", "3"),
    "order of fields": ("P = namedtuple('P', '@@')\nV = P(2, 3)", "x = n * V.a", "a b", "b a"),
    "subclass of list": ("class L(list):\n    k = @@\nV = L()", "x = n * V.k", "2", "3"),
    "attribute of a function": ("def f(a): return a * f.k\nf.k = @@", "x = f(n)", "2", "3"),
    "wrapped as a library's": ("import math\n@functools.wraps(math.gcd)\ndef f(a): return a * @@", "x = f(n)", "2", "3"),
    "metaclass": ("class M(type):\n    k = @@\nclass C(metaclass=M): pass", "x = n * C.k", "2", "3"),
    "helper": ("def f(a): return a * @@", "x = f(n)", "2", "3"),
}


def run(folder, cache, name, which):
    head, body, *values = CHANGES[name]
    value = values[which]
    folder.mkdir(exist_ok=True)
    (folder / "pkg").mkdir(exist_ok=True)
    (folder / "pkg/__init__.py").write_text("")
    (folder / "pkg/sub.py").write_text(f"K = {value}\n")
    (folder / "profile.py").write_text(f"K = {value}\n")
    (folder / "script.py").write_text(SCRIPT.format(head=head, body=body).replace("@@", value))
    environment = {**os.environ, "TILUS_CACHE_DIR": str(cache), "W": value, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen(name, tmp_path):
    old, new = (run(tmp_path / "scripts", tmp_path / "cache", name, which) for which in (0, 1))
    assert old != new and new == run(tmp_path / "scripts", tmp_path / "fresh", name, 1)


def test_functions_of_two_files_with_equal_code_are_two(tmp_path):
    """Code objects with equal instructions at equal lines compare equal, whatever the file."""
    for name, kind in (("a", "int32"), ("b", "int64")):
        text = SCRIPT.format(head="", body=CHANGES["local annotation"][1].replace("@@", kind))
        (tmp_path / f"{name}.py").write_text(text.replace("print(", f"{name}_ptx = ("))
    program = "import json, a, b; print(json.dumps([a.a_ptx, b.b_ptx]))"
    environment = {**os.environ, "TILUS_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)
    assert first != second


def test_free_variables_are_read_when_they_are_used(tmp_path):
    program = """
import tilus
from tilus import int32
def make(k):
    class Kernel(tilus.Script):
        def __init__(self):
            super().__init__()
        def __call__(self, n: int32, p: ~int32, c: int):
            self.attrs.warps = 1
            self.attrs.blocks = [1]
            g = self.global_view(p, dtype=int32, shape=[1])
            self.store_global(g, self.register_tensor(dtype=int32, shape=[1], init=n * k), offsets=[0])
    def change(value):
        nonlocal k
        k = value
    return Kernel(), change
kernel, change = make(3)
with tilus.target.scope("sm_90"):
    before = kernel.compile(1, None, 0).ptx
    change(77)
    after = kernel.compile(1, None, 1).ptx
assert ", 77" in after and ", 77" not in before, after
"""
    path = tmp_path / "script.py"
    path.write_text(program)
    environment = {**os.environ, "TILUS_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


def test_a_package_whose_name_begins_as_ours_is_a_users():
    import types

    from tilus.runtime import fingerprint

    module = types.ModuleType("tilus_kernels")
    module.__file__ = tilus.__file__.replace("/tilus/", "/tilus_kernels/")
    assert fingerprint._is_in_package(tilus) and not fingerprint._is_in_package(module)
