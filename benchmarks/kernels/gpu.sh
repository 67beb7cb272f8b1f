#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the kernel benchmarks on a machine with a GPU that can fetch nothing: all that is not there is brought along.
#
#   benchmarks/kernels/gpu.sh PACK [option of run.py...]
#
# PACK is a folder with any of
#   tilus-run     the tool, linked statically
#   *.whl         Python packages that the machine lacks, such as apache-tvm-ffi and tilus (NVIDIA's)
#   upstream/     a checkout of NVIDIA/tilus, for its examples
#   COMMIT        the commit that is measured, where the sources come without their history
# The report goes to $OUT (default: benchmark-results), after each workload; it is complete at any moment. BUDGET is the
# number of seconds after which nothing new is begun (default: 540); what hangs is ended 20 seconds later.
set -euo pipefail
pack=$(cd "${1:?expected the folder with tilus-run, wheels and upstream}" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=${OUT:-benchmark-results}
budget=${BUDGET:-540}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

options=()
if compgen -G "$pack/*.whl" >/dev/null; then
  python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --target "$work/site" "$pack"/*.whl
  export PYTHONPATH=$work/site${PYTHONPATH:+:$PYTHONPATH}
fi
for cuda in "${CUDA_HOME:-}" /usr/local/cuda; do
  if [[ -n $cuda && -x $cuda/bin/nvcc ]]; then
    export PATH=$cuda/bin:$PATH TILUS_CUDA_PATH=$cuda
    break
  fi
done
[[ -x $pack/tilus-run ]] && options+=(--tilus-run "$pack/tilus-run")
[[ -d $pack/upstream ]] && options+=(--upstream "$pack/upstream")
[[ -f $pack/COMMIT ]] && options+=(--commit "$(<"$pack/COMMIT")")
# Caches of this run alone: tuning for another GPU or version must not be found.
export TILUS_CACHE_DIR=$work/tilus-cache TRITON_CACHE_DIR=$work/triton-cache PYTHONUNBUFFERED=1

# Straight to where it is kept: an end from outside loses nothing.
timeout --kill-after=5 $((budget + 20)) python3 benchmarks/kernels/run.py --budget "$budget" --out "$out" \
  "${options[@]}" "$@" 2>"$out/stderr.txt"
