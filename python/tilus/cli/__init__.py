# The program `tilus`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program `tilus`: one subcommand a topic."""

from __future__ import annotations

import argparse
import sys
from typing import Optional, Sequence


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the program; returns its exit status."""
    from tilus.cli import layout, tuning

    parser = argparse.ArgumentParser(prog="tilus", description="Tools for kernels written in Tilus.")
    parser.add_argument("--version", action="store_true", help="print the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    layout.add_commands(commands)
    tuning.add_commands(commands)
    options = parser.parse_args(arguments)
    if options.version:
        import tilus

        print(tilus.__version__)
        return 0
    if options.command is None:
        parser.print_help()
        return 2
    try:
        return options.run(options)
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
        return 0
    except (ValueError, OSError, RuntimeError) as error:
        print(f"tilus: error: {error}", file=sys.stderr)
        return 1
