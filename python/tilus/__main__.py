# `python -m tilus`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the program `tilus`."""

import sys

from tilus.cli import main

if __name__ == "__main__":
    sys.exit(main())
