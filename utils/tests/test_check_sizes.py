# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The size check measures files and functions, and keeps its exceptions exact."""

import check_sizes
import pytest


def lines(count, line="int x;"):
    return f"{line}\n" * count


@pytest.mark.parametrize("path, budget", [
    ("lib/IR/A.cpp", 800),
    ("include/Tilus/IR/A.h", 250),
    ("include/Tilus/IR/A.td", 600),
    ("test/IR/a.mlir", 300),
    ("test/Python/deep/test_a.py", 300),
    ("unittests/Layout/A.cpp", 300),
    ("utils/a.py", 800),
])
def test_file_budget(project, path, budget):
    line = "x = 1" if path.endswith(".py") else "int x;"
    assert check_sizes.check(project({path: lines(budget, line)})) == []
    found = check_sizes.check(project({path: lines(budget + 1, line)}))
    assert found == [f"{path}:1: expected file of at most {budget} lines, but got {budget + 1}"]


BODIES = {
    "f": "static int f(int a) {\n%s}\n",
    "A::g": "namespace n {\nint A::g(std::vector<int> v = {}) const {\n%s}\n}\n",
    "h": "class B : public C {\n  template <class T> void h(T t) override {\n%s}\n};\n",
    "D::D": "D::D(int x)\n    : a{x}, b(x), c{} {\n%s}\n",
    "l": "static const auto l = [](int a) {\n%s};\n",
    "k": "template <typename T, int N = (3 > 2)>\nauto k() -> std::pair<T, int> {\n%s}\n",
    "operator": "bool operator==(A a, A b) {\n%s}\n",
}


@pytest.mark.parametrize("name", BODIES)
def test_function_budget(project, name):
    text = BODIES[name] % lines(105, "  if (x) { y = \"}\"; } // }")
    found = check_sizes.check(project({"lib/IR/A.cpp": "int before() { return 0; }\n" + text + "int after;\n"}))
    assert len(found) == 1
    assert f"function '{name}" in found[0]


def test_short_functions_and_long_tables(project):
    functions = "".join(f"int f{i}() {{\n  return {i};\n}}\n" for i in range(60))
    table = "static const Row rows[] = {\n" + lines(150, '    {"a", {1, 2}, [](int) { return 1; }},') + "};\n"
    klass = "struct S {\n  int a{1};\n" + lines(50, "  int get() const { return a; }") + "  int b = 2;\n};\n"
    text = functions + table + klass + "#define M {{{\n" + functions.replace("f", "g", 1)
    assert check_sizes.check(project({"lib/IR/A.cpp": text})) == []
    names = [name for name, _, _ in check_sizes.cpp_functions(text)]
    assert names.count("get") == 50 and "f59" in names


def test_function_lines_are_exact():
    text = "\n// c\nint\nf() {\n  return '{';\n}\n\nint g() { return 1'000; }\n"
    assert list(check_sizes.cpp_functions(text)) == [("f", 3, 6), ("g", 8, 8)]


def test_python_function_budget(project):
    found = check_sizes.check(project({"utils/a.py": "def f():\n" + lines(100, "    pass")}))
    assert found == ["utils/a.py:1: expected function 'f' of at most 100 lines, but got 101"]


def test_exceptions(project):
    text = "void f() {\n" + lines(110) + "}\n"
    root = project({
        "lib/IR/A.cpp": text,
        "lib/IR/B.cpp": "int b;\n",
        check_sizes.EXCEPTIONS_FILE: "# header\nlib/IR/A.cpp:f 120 a table in disguise\nlib/IR/B.cpp 900 old\nbad\n",
    })
    found = check_sizes.check(root)
    assert len(found) == 2
    assert "expected '<path>[:<function>] <lines> <reason>'" in found[0]
    assert found[1].endswith("the exception for 'lib/IR/B.cpp' is not needed")
