# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of names finds types that two files define, and nothing else."""

import check_names
import pytest

FIRST = "#pragma once\nnamespace tilus {\nclass Plan {\n  struct Row { int a; };\n};\n} // namespace tilus\n"


@pytest.mark.parametrize("text", [
    "namespace tilus {\n\nstruct Plan {\n  int b;\n};\n}\n",
    "namespace tilus {\n\nclass Plan final : public Base<Other> {};\n}\n",
    "namespace tilus {\nvoid f() { if (true) {} }\nenum class Plan : int { A };\n}\n",
])
def test_second_definition(project, text):
    found = check_names.check(project({"include/Tilus/A.h": FIRST, "lib/B/B.cpp": text}))
    assert found == ["lib/B/B.cpp:3: expected a new name, but 'tilus::Plan' is defined in include/Tilus/A.h too"]


@pytest.mark.parametrize("text", [
    "namespace tilus {\nnamespace {\nclass Plan {};\n}\n}\n",
    "namespace tilus {\nclass Plan;\nPlan make();\n}\n",
    "namespace tilus::detail {\nclass Plan {};\n}\n",
    "namespace tilus {\nstruct Row {};\nvoid f() { struct Plan {}; }\n}\n",
    "// class Plan {};\nconst char *text = \"namespace tilus { class Plan {\";\n",
    "struct Plan {};\n",
    "namespace tilus {\ntemplate <typename T> struct Traits<Plan<T>> {};\nauto g(class Plan *p) { return p; }\n}\n",
])
def test_no_second_definition(project, text):
    assert not check_names.check(project({"include/Tilus/A.h": FIRST, "lib/B/B.cpp": text}))
