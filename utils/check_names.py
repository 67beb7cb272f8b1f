#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no two files define a type of the same name, unless in an anonymous namespace.

The linker keeps one of two inline functions of one name, such as the destructors of two classes, for both: the program
is wrong and nobody says so.
"""

import argparse
import collections
import pathlib
import re
import sys

import source_text

FILES = ("*.h", "*.cpp")
SCOPE = re.compile(r"\bnamespace\b\s*(?P<namespace>\w+(?:\s*::\s*\w+)*)?\s*\{"
                   r"|\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?P<type>\w+)(?:\s+final)?"
                   r"\s*(?::(?!:)[^;{}=()]*)?\{|[{}]")


def types(text):
    """(name, line) of each type that a file defines at namespace scope, outside of anonymous namespaces."""
    text = source_text.strip(text)
    scopes = []  # the names of the namespaces around; None for other braces and for anonymous ones
    for match in SCOPE.finditer(text):
        if match.group() == "}":
            scopes = scopes[:-1]
        elif match.group().startswith("namespace"):
            scopes.append(match.group("namespace"))
        else:
            if match.group("type") and None not in scopes:
                yield "::".join(scopes + [match.group("type")]), source_text.line_of(text, match.start())
            scopes.append(None)


def check(root):
    """All findings on the files under root."""
    places = collections.defaultdict(list)
    for path in source_text.files(root, FILES):
        for name, line in types(source_text.read(root, path)):
            places[name].append((path, line))
    return [f"{path}:{line}: expected a new name, but '{name}' is defined in {found[0][0]} too"
            for name, found in sorted(places.items()) for path, line in found[1:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent)
    return source_text.report("names", check(parser.parse_args().root))


if __name__ == "__main__":
    sys.exit(main())
