#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the sizes of files and functions against the project's budgets.

Owns the budgets. What may exceed one is listed, with a reason, in utils/size_exceptions.txt; an entry that is
no longer needed is an error too.
"""

import argparse
import ast
import pathlib
import re
import sys

import source_text

FUNCTION_HARD = 100
FUNCTION_SOFT = 60

# (globs, soft, hard): the first row that matches a path counts. In lines.
FILE_BUDGETS = (
    (("test/**/*.mlir", "test/**/*.test", "test/**/*.py", "unittests/**/*.cpp", "unittests/**/*.c",
      "integration_test/**/*", "utils/tests/*.py"), 300, 300),
    (("*.td",), 600, 600),
    (("*.h",), 250, 250),
    (("*.cpp", "*.c", "*.py", "*.sh"), 400, 800),
)

EXCEPTIONS_FILE = "utils/size_exceptions.txt"


def cpp_functions(text):
    """(name, first line, last line) of each function of C++ text, from its signature to its closing brace.

    Works on braces: outside of functions a brace opens a namespace, a type, an initializer or a function, told
    by what precedes it. Lambdas and local types count towards the function around them; tables of data do not
    count as functions.
    """
    code = source_text.strip(text)
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda match: source_text.blank(match.group()), code,
                  flags=re.MULTILINE)
    header_start = 0
    scopes = []  # of 'scope' (namespace or type) or 'data' (initializer)
    position = 0
    while position < len(code):
        character = code[position]
        if character == "{" and "data" not in scopes:
            header = code[header_start:position]
            kind, name = classify(header)
            if kind == "function":
                end = matching_brace(code, position)
                start = header_start + len(header) - len(header.lstrip())
                yield name, source_text.line_of(code, start), source_text.line_of(code, end)
                position = header_start = end + 1
                continue
            scopes.append(kind)
            if kind == "scope":
                header_start = position + 1
        elif character == "{":
            scopes.append("data")
        elif character == "}" and scopes:
            # What follows an initializer still belongs to its declaration (a constructor's initializer list).
            if scopes.pop() == "scope":
                header_start = position + 1
        elif character == ";" and "data" not in scopes:
            header_start = position + 1
        position += 1


def matching_brace(code, position):
    """The offset of the brace that closes the one at the offset, or of the end."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, position):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    return len(code) - 1


def without_groups(header):
    """The header with the contents of parentheses, brackets, angle brackets and braces removed."""
    header = re.sub(r"\boperator\s*(?:\(\)|\[\]|[^\s\w(]+)", "operator_", header)
    previous = None
    while previous != header:
        previous = header
        header = re.sub(r"\([^()]*\)", "\x01", header)
        header = re.sub(r"\[[^\[\]]*\]", "\x02", header)
        header = re.sub(r"\{[^{}]*\}", " ", header)
        header = re.sub(r"<[^<>]*>", " ", header)
    return header


def classify(header):
    """('scope' | 'data' | 'function', name) of a brace, by the text since the last declaration."""
    flat = without_groups(header)
    if re.search(r"\b(?:namespace|extern)\b[^\x01]*$", flat):
        return "scope", ""
    if re.search(r"\b(?:class|struct|union|enum)\b[^\x01=]*$", re.sub(r"\b\w+\x01", "", flat)):
        return "scope", ""
    assigned = re.search(r"(?<![=!<>])=(?!=)", flat)
    if assigned:
        is_lambda = "\x02" in flat[assigned.end():]
        named = re.findall(r"(\w+)\s*$", flat[: assigned.start()])
        return ("function", named[-1] if named else "lambda") if is_lambda else ("data", "")
    if "\x01" not in flat:
        return "data", ""
    # 'Name() : member{...}': a brace that touches a name initializes a member; a body follows white space.
    if re.search(r"\x01\s*(?:noexcept\s*)?:[^:]", flat) and re.search(r"\w$", header):
        return "data", ""
    named = re.findall(r"([\w~]+(?:\s*::\s*[\w~]+)*)\s*\x01", flat)
    return "function", named[0] if named else "unknown"


def python_functions(text):
    """(name, first line, last line) of each function of Python text."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


# Suffix -> what finds the functions.
FUNCTION_READERS = {".cpp": cpp_functions, ".c": cpp_functions, ".h": cpp_functions, ".py": python_functions}


def matches(path, pattern):
    """Whether a path matches a glob, where '**' in the middle stands for any folders, or none."""
    if "**" not in pattern:
        return path.match(pattern)
    top, last = pattern.split("/**/")
    return str(path).startswith(top + "/") and pathlib.PurePosixPath(path.name).match(last)


def measure(root):
    """(path, function or None, line, size, soft, hard) of everything that has a budget."""
    globs = [glob.split("/")[-1] for row in FILE_BUDGETS for glob in row[0]]
    for path in source_text.files(root, globs):
        budget = next((row for row in FILE_BUDGETS if any(matches(path, glob) for glob in row[0])), None)
        if budget is None:
            continue
        text = source_text.read(root, path)
        yield path, None, 1, len(text.splitlines()), budget[1], budget[2]
        functions = FUNCTION_READERS.get(path.suffix)
        for name, first, last in functions(text) if functions else ():
            yield path, name, first, last - first + 1, FUNCTION_SOFT, FUNCTION_HARD


def read_exceptions(root):
    """{'path' or 'path:function': limit}, and findings on malformed lines."""
    exceptions, findings = {}, []
    file = pathlib.Path(root) / EXCEPTIONS_FILE
    for number, line in enumerate(file.read_text().splitlines() if file.is_file() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(None, 2)
        if len(parts) < 3 or not parts[1].isdigit():
            findings.append(f"{EXCEPTIONS_FILE}:{number}: expected '<path>[:<function>] <lines> <reason>', but got "
                            f"'{line}'")
        else:
            exceptions[parts[0]] = int(parts[1])
    return exceptions, findings


def check(root, soft=False):
    """All findings on the files under root; with soft, also notes on what exceeds a soft budget."""
    exceptions, findings = read_exceptions(root)
    needed = set()
    for path, function, line, size, soft_limit, hard in measure(root):
        key = f"{path}:{function}" if function else str(path)
        what = f"function '{function}'" if function else "file"
        if size > hard and key in exceptions:
            needed.add(key)
        limit = exceptions.get(key, hard)
        if size > limit:
            findings.append(f"{path}:{line}: expected {what} of at most {limit} lines, but got {size}")
        elif soft and size > soft_limit:
            print(f"{path}:{line}: note: {what} has {size} lines; the soft budget is {soft_limit}")
    for key in sorted(set(exceptions) - needed):
        findings.append(f"{EXCEPTIONS_FILE}: the exception for '{key}' is not needed")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).parent.parent, help="folder of the project")
    parser.add_argument("--soft", action="store_true", help="also note what exceeds a soft budget")
    arguments = parser.parse_args()
    return source_text.report("sizes", check(arguments.root, arguments.soft))


if __name__ == "__main__":
    sys.exit(main())
