#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the license identifier has a comment line of its own in every source.

Tools that read it expect it so, and a formatter that fills the lines of comments may join it to the sentence before.
"""

import argparse
import pathlib
import re
import sys

import source_text

FILES = ("*.h", "*.cpp", "*.c", "*.td", "*.def", "*.py", "*.sh")
IDENTIFIER = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
OWN_LINE = re.compile(rf"^\s*(?://|#|/?\*)?\s*{re.escape(IDENTIFIER)}(?:\s*\*/)?\s*$")
SEARCHED_LINES = 30


def check_text(path, text):
    """What is wrong with the head of a file that is not empty."""
    lines = text.splitlines()[:SEARCHED_LINES]
    if any(OWN_LINE.match(line) for line in lines):
        return []
    joined = [number for number, line in enumerate(lines, start=1) if "SPDX-License" in line]
    if joined:
        return [f"{path}:{joined[0]}: expected '{IDENTIFIER}' on a comment line of its own, but got it in another"]
    if not text.strip():
        return []
    return [f"{path}:1: expected '{IDENTIFIER}' in the first {SEARCHED_LINES} lines, but got none"]


def check(root):
    """All findings on the files under root."""
    return [finding for path in source_text.files(root, FILES)
            for finding in check_text(path, source_text.read(root, path))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent)
    return source_text.report("licenses", check(parser.parse_args().root))


if __name__ == "__main__":
    sys.exit(main())
