# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of unsafe loading finds each planted construct, and nothing in code that has none."""

import pathlib

import check_unsafe_loading
import pytest


def findings(project, path, text):
    return check_unsafe_loading.check(project({path: text}))


@pytest.mark.parametrize("line", [
    "import pickle",
    "import os, marshal",
    "from dill import loads",
    "x = eval(text)",
    "exec(text)",
    "__import__(name)",
    "os.system(f'rm {x}')",
    "subprocess.run(line, shell=True)",
    "subprocess.run(line, shell=flag)",
    "numpy.load(path, allow_pickle=True)",
    "yaml.load(text)",
    "torch.load(path)",
    "ctypes.CDLL(path)",
    "importlib.import_module(name)",
    "from os import system",
    "from importlib import import_module",
])
def test_python(project, line):
    found = findings(project, "python/tilus/a.py", f"# a comment\n{line}\n")
    assert len(found) == 1
    assert found[0].startswith("python/tilus/a.py:2: expected nothing that loads or runs code, but got ")


@pytest.mark.parametrize("line", [
    "void *f() { return dlopen(path, RTLD_NOW); }",
    "auto x = llvm::sys::DynamicLibrary::getPermanentLibrary(path);",
    "int f() { return system(line); }",
    "int f() { return std::system(line); }",
    "FILE *f() { return popen (line, mode); }",
    "int f() { return execvp(a, b); }",
    "int f() { return posix_spawn(&p, a, 0, 0, b, c); }",
    "int f() { return llvm::sys::ExecuteAndWait(a, b); }",
    "auto f() { return llvm::parseIRFile(a, b, c); }",
])
def test_cpp(project, line):
    found = findings(project, "lib/Runtime/A.cpp", f"// dlopen(\n{line}\n")
    assert len(found) == 1
    assert found[0].startswith("lib/Runtime/A.cpp:2: ")


@pytest.mark.parametrize("path, text", [
    ("python/tilus/a.py", "import json\nx = json.loads(text)\nre.compile(x)\nsubprocess.run(words, shell=False)\n"),
    ("python/tilus/a.py", "model.eval()\nself.exec(x)\n# eval(x)\ny = 'exec(x)'\n"),
    ("lib/Runtime/A.cpp", "// system(x)\nconst char *x = \"dlopen(x)\";\nfile_system(x); sys.system(x);\n"),
    ("unittests/Runtime/A.cpp", "void *x = dlopen(path, 1);\n"),
    ("lib/Runtime/CudaDriver.cpp", "void *x = dlopen(path, 1);\n"),
])
def test_no_findings(project, path, text):
    assert findings(project, path, text) == []


def test_exception_that_is_not_needed(project):
    assert findings(project, "lib/Runtime/CudaDriver.cpp", "int x;\n") == [
        "lib/Runtime/CudaDriver.cpp: the exception for 'a loaded library' is not needed"]


def test_project_has_none():
    assert check_unsafe_loading.check(pathlib.Path(__file__).parent.parent.parent) == []
