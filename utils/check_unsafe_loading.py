#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that nothing read from a disk or the environment can become code.

Owns the list of constructs that load or run code, and of the few files that may have one, each with its reason.
"""

import argparse
import ast
import pathlib
import re
import sys

import source_text

# Python modules whose readers run code from their input.
UNSAFE_MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve", "jsonpickle"}

# Calls that run text, load by name, or pass through a shell; of a module 'm' the function 'f' is 'm.f'.
UNSAFE_CALLS = {"eval", "exec", "__import__", "os.system", "os.popen", "subprocess.getoutput",
                "subprocess.getstatusoutput", "yaml.load", "yaml.unsafe_load", "torch.load", "joblib.load",
                "ctypes.CDLL", "ctypes.cdll.LoadLibrary", "importlib.import_module",
                "importlib.util.spec_from_file_location"}

# Keyword arguments that make a call unsafe: name -> the value that is safe.
UNSAFE_KEYWORDS = {"shell": False, "allow_pickle": False}

# (what, pattern in C++ code without comments and literals)
CPP_RULES = (
    ("a loaded library", re.compile(r"\b(?:dlopen|dlmopen)\s*\(|\bDynamicLibrary::|\bLoadLibrary\w*\s*\(")),
    ("a program that is started", re.compile(r"\b(?:posix_spawnp?|exec(?:l|lp|le|v|vp|ve|vpe)|fexecve)\s*\("
                                            r"|\bExecute(?:AndWait|NoWait)\s*\(")),
    ("a shell line", re.compile(r"(?<![\w.>:])(?:std::|::)?(?:system|popen|wordexp)\s*\(")),
    ("bytecode that is read", re.compile(r"\b(?:readBytecodeFile|parseIRFile|parseIR|parseBitcodeFile|getLazyBitcodeModule)\s*\(")),
)

# (file, what, reason)
ALLOWED = (
    ("lib/Runtime/CudaDriver.cpp", "a loaded library", "the driver, by its system name or the user's own path"),
    ("lib/Runtime/ChildMeasurer.cpp", "a program that is started", "tilus-measure, by argument array"),
    ("lib/Target/Cubin/NvJitLink.cpp", "a loaded library", "the toolkit's linker"),
    ("lib/Target/Cubin/Nvdisasm.cpp", "a program that is started", "the toolkit's disassembler, by argument array"),
    ("lib/Target/Cubin/Ptxas.cpp", "a program that is started", "the toolkit's assembler, by argument array"),
    ("lib/Target/PTX/Libdevice.cpp", "bytecode that is read", "the toolkit's own library of functions"),
    ("python/tilus/__init__.py", "a call of 'importlib.import_module'", "the package's own modules, by its own table"),
    ("python/tilus/lang/source.py", "a call of 'eval'", "annotations, the text of the script's own module"),
)

# Where code that ships lies; tests, benchmarks and the project's own checks run on what developers give them.
SHIPPED = ("lib", "include", "tools", "python")


def check_cpp(text):
    """(line, construct) of each construct in C++ text."""
    code = source_text.strip(text)
    for what, pattern in CPP_RULES:
        for match in pattern.finditer(code):
            yield source_text.line_of(code, match.start()), what


def dotted_name(node):
    """'a.b.c' for such an expression, or ''."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def check_python(text):
    """(line, construct) of each construct in Python text."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names]
            modules = names if isinstance(node, ast.Import) else [node.module or ""]
            for module in modules:
                if module.split(".")[0] in UNSAFE_MODULES:
                    yield node.lineno, f"the module '{module}'"
            if isinstance(node, ast.ImportFrom):
                for name in names:
                    if f"{node.module}.{name}" in UNSAFE_CALLS:
                        yield node.lineno, f"the function '{node.module}.{name}'"
        elif isinstance(node, ast.Call):
            name = dotted_name(node.func)
            if name in UNSAFE_CALLS:
                yield node.lineno, f"a call of '{name}'"
            for keyword in node.keywords:
                value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
                if keyword.arg in UNSAFE_KEYWORDS and value is not UNSAFE_KEYWORDS[keyword.arg]:
                    yield node.lineno, f"a call with '{keyword.arg}'"


def check(root):
    """All findings on the sources under root. A file that does not need what it is allowed is one too."""
    allowed = {(path, what) for path, what, _ in ALLOWED}
    findings, used, seen = [], set(), set()
    for path in source_text.files(root, ["*.cpp", "*.h", "*.def", "*.py"]):
        if path.parts[0] not in SHIPPED:
            continue
        seen.add(str(path))
        text = source_text.read(root, path)
        for line, what in check_python(text) if path.suffix == ".py" else check_cpp(text):
            if (str(path), what) in allowed:
                used.add((str(path), what))
            else:
                findings.append(f"{path}:{line}: expected nothing that loads or runs code, but got {what}")
    for path, what in sorted(allowed - used):
        if path in seen:
            findings.append(f"{path}: the exception for '{what}' is not needed")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).parent.parent, help="folder of the project")
    return source_text.report("unsafe loading", check(parser.parse_args().root))


if __name__ == "__main__":
    sys.exit(main())
