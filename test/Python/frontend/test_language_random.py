# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs give in a kernel what they give in Python."""

import importlib.util

import language_fuzzer
import pytest
from language import check

PAIRS = [(a, b) for a in (-20, -3, 0, 1, 4, 11, 38) for b in (-29, -5, 0, 2, 7, 30)]


def load(path, text):
    """The class of which the text is the methods. It is a file, so that its source can be read."""
    path.write_text(f"class Program:\n{text}\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Program


@pytest.mark.parametrize("seed", range(24))
def test_program(tmp_path, seed):
    check(load(tmp_path / f"program_{seed}.py", language_fuzzer.program(seed)), "program", PAIRS)
