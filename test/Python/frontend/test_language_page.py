# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page on the language of scripts says what the package supports, and what it refuses is refused."""

import ast
import pathlib
import subprocess
import sys

import pytest
from tilus.lang.transpiler.core import EVALUATE, EXECUTE
from tilus.lang.transpiler.failures import UNSUPPORTED

ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older versions of Python have fewer functions in math")
def test_page_is_up_to_date():
    command = [sys.executable, str(ROOT / "utils/generate_language_page.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_all_syntax_is_supported_or_refused_by_name():
    known = {kind.__name__ for kind in (*EVALUATE, *EXECUTE)} | set(UNSUPPORTED)
    # Parts of other nodes, which these handle.
    parts = {"FormattedValue", "Starred", "ExtSlice", "Index", "Num", "Str", "Bytes", "NameConstant", "Ellipsis", "AugLoad",
             "AugStore", "Param", "Suite", "TemplateStr", "Interpolation"}  # fmt: skip
    kinds = {kind.__name__ for base in (ast.expr, ast.stmt) for kind in base.__subclasses__()}
    assert kinds - known - parts == set()
