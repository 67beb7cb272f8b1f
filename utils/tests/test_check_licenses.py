# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of licenses finds identifiers that are missing or joined to a sentence, and nothing else."""

import check_licenses
import pytest

IDENTIFIER = check_licenses.IDENTIFIER


@pytest.mark.parametrize("head", [
    f"// What it is.\n// {IDENTIFIER}\n", f"#!/usr/bin/env bash\n# {IDENTIFIER}\n", f"/* {IDENTIFIER} */\n",
    f"/* What it is.\n * {IDENTIFIER}\n */\n", "", f"// {IDENTIFIER}\n#pragma once\n"])
def test_own_line(project, head):
    assert not check_licenses.check(project({"lib/A/A.cpp": head, "lib/A/A.h": head}))


@pytest.mark.parametrize("head, line", [
    (f"// What it is. {IDENTIFIER}\n", 1),
    ("// What it is and what it\n// owns. SPDX-License-Identifier: Apache-2.0\n// WITH LLVM-exception\n", 2)])
def test_joined(project, head, line):
    found = check_licenses.check(project({"lib/A/A.cpp": head}))
    assert found == [f"lib/A/A.cpp:{line}: expected '{IDENTIFIER}' on a comment line of its own, but got it in another"]


@pytest.mark.parametrize("head", ["#pragma once\n", "// What it is.\n", "\n" * 40 + f"// {IDENTIFIER}\n"])
def test_missing(project, head):
    found = check_licenses.check(project({"lib/A/A.h": head}))
    assert found == [f"lib/A/A.h:1: expected '{IDENTIFIER}' in the first 30 lines, but got none"]
