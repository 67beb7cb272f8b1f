#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures what a call of the dispatcher costs beside the driver's launch function, in nanoseconds, and what the first
# call of a kernel costs in a new process, in milliseconds.
#
#   benchmarks/launch/run.sh [--json] [--device=fake|cuda] [--rounds=N] [--arguments=N]
#
# On the fake driver by default; BUILD names the build folder (build).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-$root/build}
options=()
driver=(--driver="$build/lib/libFakeCuda.so")
for word in "$@"; do
  case $word in
    --device=fake) ;;
    --device=cuda) driver=() options+=("$word") ;;
    *) options+=("$word") ;;
  esac
done
exec "$build/bin/tilus-launch-benchmark" "${driver[@]}" "${options[@]}"
