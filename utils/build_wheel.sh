#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds wheels of the Python package, over the libTilus-C.so of a build tree.
#
#   utils/build_wheel.sh [--static] [--build DIR | --prefix DIR] [--output DIR] [--no-index] [PYTHON...]
#
#   PYTHON       an interpreter to build for, 3.10 to 3.13; .venv/bin/python by default
#   --static     LLVM and MLIR inside the wheel, from build-static: it runs on machines without them
#   --build DIR  another tree than build, or build-static; it is configured by the preset if it is not yet
#   --prefix DIR a prefix where Tilus is installed, instead of a tree: nothing of the compiler is built
#   --output DIR where the wheels go; 'wheels' in the tree by default
#   --no-index   with the scikit-build-core and nanobind that PYTHON has, rather than those of a package index
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() { printf 'build_wheel: error: %s\n' "$*" >&2; exit 1; }

preset=release tree=build prefix='' output='' isolation=() pythons=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --static) preset=static tree=build-static ;;
    --build) tree=${2:?expected a folder behind --build}; shift ;;
    --prefix) prefix=$(realpath "${2:?expected a folder behind --prefix}"); shift ;;
    --output) output=${2:?expected a folder behind --output}; shift ;;
    --no-index) isolation=(--no-build-isolation) ;;
    -*) die "expected one of the options at the head of this script, but got '$1'" ;;
    *) pythons+=("$1") ;;
  esac
  shift
done
[[ ${#pythons[@]} -gt 0 ]] || pythons=(.venv/bin/python)
tree=$(realpath -m "$tree")
output=${output:-$tree/wheels}

if [[ -z $prefix ]]; then
  [[ -f $tree/build.ninja ]] || cmake --preset "$preset" -B "$tree"
  cmake --build "$tree" --target Tilus-C TilusRuntime-C
fi
rm -rf "$tree/wheel-prefix"
for component in CAPI RuntimeC; do
  cmake --install "$tree" --component "$component" --strip --prefix "$tree/wheel-prefix" >/dev/null
done
for python in "${pythons[@]}"; do
  command -v "$python" >/dev/null || die "expected an interpreter, but got '$python'"
  TILUS_PREBUILT=$tree/wheel-prefix "$python" -m pip --disable-pip-version-check wheel -q . --no-deps -w "$output" \
    "${isolation[@]}" --config-settings "build-dir=$tree/wheel-{wheel_tag}"
done
ls "$output"/tilus_mlir-*.whl
