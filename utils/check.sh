#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets up, builds, tests and lints Tilus, and prints one total of all cases at the end.
#
#   utils/check.sh [preset]     the CMake preset to build, 'release' by default
#
# A part that fails does not keep the next ones from running; the exit code is non-zero if any part failed.
# A part counts as one case, a test suite by its own cases.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

preset=${1:-release}
case $preset in release) build=build ;; *) build=build-$preset ;; esac
jobs=$(nproc)
results=$PWD/$build/results
outcomes=()

# step <name> <command...>: runs a part and notes its outcome.
step() {
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if "$@"; then outcomes+=(--passed "$name"); else
    outcomes+=(--failed "$name")
    printf '== %s FAILED\n' "$name"
  fi
  printf '== %s: %d s\n' "$name" $((SECONDS - start))
}

run_tests() {
  # The gtest programs are told by environment where to write their cases.
  GTEST_OUTPUT="xml:$results/gtest/" ctest --test-dir "$build" -j "$jobs" --output-on-failure \
    --no-tests=error --output-junit "$results/ctest.xml"
}

# Tables (.def) are aligned by hand.
check_format() {
  git ls-files -z -- '*.c' '*.cpp' '*.h' | xargs -0 -r clang-format-22 --dry-run --Werror
}

check_python() {
  git ls-files -z -- '*.py' | xargs -0 -r "$python" -c '
import ast, sys
for path in sys.argv[1:]:
    ast.parse(open(path, encoding="utf-8").read(), path)'
}

check_shell() {
  local script
  git ls-files -z -- '*.sh' .ci/run | while IFS= read -r -d '' script; do bash -n "$script" || exit 1; done
}

step setup utils/setup.sh
python=$PWD/.venv/bin/python
[[ -x $python ]] || python=python3
rm -rf "$results"
mkdir -p "$results/gtest"
step configure cmake --preset "$preset"
step build cmake --build "$build" --parallel "$jobs" -- -k 0
# The outcome of the test run is that of its cases, which the summary reads; ctest is no case of its own.
printf '\n== test\n'
run_tests || true
[[ -f $results/ctest.xml ]] || outcomes+=(--failed test)
step lint.format check_format
step lint.python check_python
step lint.shell check_shell
step lint.layers "$python" utils/check_layers.py
step lint.licenses "$python" utils/check_licenses.py
step lint.names "$python" utils/check_names.py
step lint.sizes "$python" utils/check_sizes.py
step lint.unsafe-loading "$python" utils/check_unsafe_loading.py
step lint.docs "$python" utils/generate_docs.py --check
step lint.benchmarks "$python" utils/generate_benchmark_page.py --check
step docs "$python" -m sphinx -W --keep-going -q -b html -d "$build/docs/doctrees" docs "$build/docs/html"
step lint.op-coverage "$python" utils/check_op_coverage.py

"$python" utils/summarize_tests.py "$results" "${outcomes[@]}"
