# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the checks importable and gives each test a small project to check."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))


@pytest.fixture
def project(tmp_path):
    """A function that writes files, given as {path: text}, and returns the folder that holds them."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write
