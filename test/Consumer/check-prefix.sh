#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs Tilus to a prefix, moves the prefix, and builds and runs the example consumers against it there.
#
#   check-prefix.sh <build folder> <fake libcuda.so> <file of artifacts for it>
set -euo pipefail
build=$1 fake=$2 artifact=$3
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a prefix/elsewhere"

fail() {
  echo "check-prefix: expected $1, but got $2" >&2
  exit 1
}

# build_consumer <name> <CMake arguments...>: leaves the program in $work/<name>.
build_consumer() {
  local name=$1
  shift
  cmake -S "$source/examples/consumers/${name%-*}" -B "$work/$name" -G Ninja "$@" >"$work/log" ||
    { cat "$work/log"; exit 1; }
  cmake --build "$work/$name" -j 2 >"$work/log" || { cat "$work/log"; exit 1; }
}

echo "== install, move"
cmake --install "$build" --prefix "$work/first" >"$work/log"
mkdir -p "$(dirname "$prefix")"
mv "$work/first" "$prefix"
for folder in "$source" "$build" "$work/first"; do
  if found=$(grep -rIl --include='*.cmake' -e "$folder/" "$prefix"); then
    fail "a package that can be moved" "'$folder' in $found"
  fi
done

echo "== the runtime alone, from C"
build_consumer c_runtime-prefix "-DCMAKE_PREFIX_PATH=$prefix"
if grep -E 'LLVM|MLIR' "$work/c_runtime-prefix/CMakeCache.txt"; then fail "no search for LLVM" "the above"; fi
needs=$(ldd "$work/c_runtime-prefix/increment")
if grep -E 'LLVM|MLIR' <<<"$needs"; then fail "a program without LLVM" "the above"; fi
grep -q "=> $prefix/" <<<"$needs" || fail "the library of the prefix" "$needs"
TILUS_CUDA_DRIVER=$fake "$work/c_runtime-prefix/increment" "$artifact"

echo "== the same, from the build tree"
build_consumer c_runtime-tree "-DTilus_DIR=$build/lib/cmake/Tilus"
TILUS_CUDA_DRIVER=$fake "$work/c_runtime-tree/increment" "$artifact"

echo "== what is not there is named"
if cmake -S "$source/examples/consumers/cpp_compiler" -B "$work/refused" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" \
  -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON >"$work/log" 2>&1; then
  fail "no C++ package without MLIR" "one"
fi
tr -s '\n ' ' ' <"$work/log" | grep -q "component 'Compiler' of Tilus, but MLIR 22.1 was not found; set MLIR_DIR" ||
  fail "the reason" "$(cat "$work/log")"

echo "== the compiler, from C"
# The wheels of the project's environment stand in for a CUDA toolkit that the machine lacks.
if [[ -d $source/.venv ]]; then export VIRTUAL_ENV=${VIRTUAL_ENV:-$source/.venv}; fi
build_consumer c_compiler-prefix "-DCMAKE_PREFIX_PATH=$prefix"
mkdir "$work/out"
"$work/c_compiler-prefix/targets" "$work/out"
cuobjdump=$(compgen -G "$source/.venv/lib/python3*/site-packages/nvidia/cu13/bin/cuobjdump" | head -1 ||
  command -v cuobjdump /usr/local/cuda/bin/cuobjdump || true)
if [[ -n $cuobjdump ]]; then
  number=0
  for chip in sm_90a sm_103a sm_90a sm_90 sm_103; do
    list=$("$cuobjdump" -lelf "$work/out/$number.cubin")
    grep -qE "\.$chip\.cubin$" <<<"$list" || fail "a cubin for $chip under scope $number" "$list"
    number=$((number + 1))
  done
  cmp "$work/out/0.cubin" "$work/out/2.cubin"
  echo "the same by cuobjdump"
fi

echo "== the compiler, from C++"
build_consumer cpp_compiler-prefix "-DCMAKE_PREFIX_PATH=$prefix"
for chip in sm_80 sm_103a; do
  ptx=$("$work/cpp_compiler-prefix/fill-compiler" "$chip" 4711)
  grep -q "^.target $chip" <<<"$ptx" || fail "PTX for $chip" "$ptx"
  grep -qw 4711 <<<"$ptx" || fail "the value in the PTX" "$ptx"
done

echo "== a host program, compiled ahead"
build_consumer host_program-prefix "-DCMAKE_PREFIX_PATH=$prefix"
TILUS_CUDA_DRIVER=$fake FAKE_CUDA_DEVICES=80,90,103 TILUS_LOG=dispatch=debug \
  "$work/host_program-prefix/host" --no-values 2>"$work/list"
for row in "sm_80 on device 0" "sm_90a on device 1" "sm_103a on device 2"; do
  grep -q "'mark' for $row" "$work/list" || fail "a launch for $row" "$(cat "$work/list")"
done

if [[ -e $prefix/lib/TilusPlugin.so ]]; then
  echo "== the plugin, in stock mlir-opt"
  plugin=$prefix/lib/TilusPlugin.so
  pipeline='--pass-pipeline=builtin.module(tilus-to-ptx{targets=sm_80,sm_90a})'
  kernel=$source/examples/vector_add/vector_add.mlir
  mlir-opt-22 "--load-dialect-plugin=$plugin" "--load-pass-plugin=$plugin" "$pipeline" "$kernel" -o "$work/stock.mlir"
  "$prefix/bin/tilus-opt" "$pipeline" "$kernel" -o "$work/own.mlir"
  cmp "$work/stock.mlir" "$work/own.mlir"
fi

echo "== the tools of the prefix"
"$prefix/bin/tilus-run" "$work/out/increment.tilus" | tee "$work/list"
for chip in sm_90a sm_103a sm_90 sm_103; do grep -q "^increment for $chip," "$work/list" || fail "a kernel for $chip" "the above"; done
"$prefix/bin/tilus-opt" --version >/dev/null
