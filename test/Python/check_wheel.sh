#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs a build tree to a prefix, moves that, builds the wheel over its library, installs the wheel in a fresh
# environment, and compiles and executes a kernel there.
#
#   check_wheel.sh <build tree> <python with scikit-build-core and nanobind>
set -euo pipefail
tree=$1 python=$2
source=$(dirname "${BASH_SOURCE[0]}")/../..
output=$tree/wheel-check
rm -rf "$output"
for component in CAPI RuntimeC; do
  cmake --install "$tree" --component "$component" --prefix "$output/first" >/dev/null
done
mv "$output/first" "$output/prefix"
"$source/utils/build_wheel.sh" --build "$tree" --prefix "$output/prefix" --output "$output" --no-index "$python"
rm -rf "$output/prefix"
"$python" -m venv "$output/venv"
"$output/venv/bin/python" -m pip install -q --disable-pip-version-check --no-index --no-deps "$output"/*.whl
# From a folder where the sources are not.
cd "$output"
env -u PYTHONPATH "$output/venv/bin/python" -I "$source/test/Python/check_package.py"
"$output/venv/bin/tilus" --version
