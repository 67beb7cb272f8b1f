#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the compile-time benchmark with the built tools and the assembler of .venv; see run.py --help for the options.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [[ -d $root/.venv ]]; then export VIRTUAL_ENV=${VIRTUAL_ENV:-$root/.venv}; fi
exec python3 "$root/benchmarks/compile/run.py" "$@"
