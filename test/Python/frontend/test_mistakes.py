# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planted mistakes: each is reported at the user's file, line and column, with a caret and what to do.

A case in mistakes/*.txt is the body of a kernel in which the piece at fault is between « and »; `error:` and `help:` are
what must be said. The body is put into a file, without these signs, transpiled, and compiled for sm_75.
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest
from language import Kernel, transpile
from tilus import _compiler
from tilus._compiler import ir
from tilus.lang.errors import TilusProgramError
from tilus.lang.transpiler.failures import from_diagnostics

FOLDER = pathlib.Path(__file__).parent / "mistakes"
PRELUDE = """import math
from language import *
from tilus.dtypes import *

SIZE = 8


class Thing:
    count = 0


def broken(x):
    return x + undefined


def python_max(x, y):
    return x if x > y else y


class Script(Kernel):
    def out(self, pointer, value):
        view = self.global_view(pointer, dtype=int32, shape=[1])
        self.store_global(view, self.register_tensor(dtype=int32, shape=[1], init=value), offsets=[0])

    def helper(self, x: int32, y):
        return x + y

    def doubled(self, tile):
        tile = tile * 2
        return tile

    def recursive(self, x):
        return self.recursive(x + 1)

    def partial(self, x):
        if x > 1:
            return 1

    def __call__(self, n: int32, p: ~int32, q: ~int32):
        self.attrs.warps = 4
        self.attrs.blocks = 1
"""


def cases():
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for chunk in path.read_text().split("===== ")[1:]:
            name, _, text = chunk.partition("\n")
            fields = dict(re.findall(r"^(error|help): (.*)$", text, re.M))
            body = re.sub(r"^(error|help): .*\n", "", text, flags=re.M)
            found.append(pytest.param(body, fields, id=name))
    return found


def compile_for(module, chip):
    """Compiles a kernel; what the compiler reports is an error of the script."""
    try:
        _compiler.Compiler(cache="off").compile(module, [chip])
    except ir.MLIRError as error:
        raise from_diagnostics(error.diagnostics) from None


def fails(path, body):
    """The error of the script, and where the signs are: line, column, end."""
    marked = PRELUDE + body
    start = marked.index("«")
    line = marked.count("\n", 0, start) + 1
    row = marked.split("\n")[line - 1]
    column, end = row.index("«") + 1, row.index("»")
    path.write_text(marked.replace("«", "").replace("»", ""))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(TilusProgramError) as caught:
        compile_for(transpile(module.Script(), module.Script.__call__), "sm_75")
    return caught.value, (line, column, end)


@pytest.mark.parametrize("body, fields", cases())
def test_mistake(tmp_path, body, fields):
    error, (line, column, end) = fails(tmp_path / "script.py", body)
    assert error.file == str(tmp_path / "script.py")
    text = str(error)
    assert (error.line, error.column, error.place.end) == (line, column, end), text
    shown = text.splitlines()
    assert shown[0] == f"{tmp_path}/script.py:{line}:{column}: error: {fields['error']}"
    assert shown[2].strip() == "^" + "~" * (end - column - 1), text
    assert error.advice == fields.get("help"), text
    assert "Traceback" not in text and "tilus/lang" not in text


def test_there_are_enough():
    assert len(cases()) >= 60


SCRIPT = """import numpy
import tilus
from tilus import int32


class Script(tilus.Script):
    def __call__(self, n: int32, p: ~int32):
        self.attrs.warps = 1
        self.attrs.blocks = 1
        x = n.missing


Script()(4, numpy.zeros(4, numpy.int32), device="cpu")
"""


@pytest.mark.parametrize("wanted", [False, True])
def test_trace_of_the_package_is_shown_on_request(tmp_path, wanted):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    environment = dict(os.environ, TILUS_TRACEBACK="1" if wanted else "0", TILUS_CACHE_DIR=str(tmp_path / "cache"))
    result = subprocess.run([sys.executable, str(path)], env=environment, capture_output=True, text=True)
    assert result.returncode == 1 and f"{path}:10:13: error: expected" in result.stderr
    assert ("transpiler/expressions.py" in result.stderr) == wanted
