#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the mlir blocks of Markdown files, separated as --split-input-file wants them."""

import pathlib
import re
import sys

BLOCK = re.compile(r"^```mlir\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text):
    """The contents of the ```mlir blocks."""
    return BLOCK.findall(text)


if __name__ == "__main__":
    found = [block for path in sys.argv[1:] for block in blocks(pathlib.Path(path).read_text(encoding="utf-8"))]
    if not found:
        sys.exit("expected at least one mlir block, but got none")
    print("// -----\n".join(found), end="")
