#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Shows Tilus from a fresh clone to a checked result: sets up, builds, compiles a matrix product for five chips, runs
# it on the GPU if there is one and else on the CPU reference, and compares the result with numpy.
#
#   utils/demo.sh [MxNxK]       the size; by default 1024x1024x512 on a GPU, 160x136x96 on the CPU
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

CHIPS=sm_80,sm_90a,sm_100a,sm_103a,sm_120a
KERNEL=examples/matmul/matmul_pipelined.mlir
NAME=matmul_pipelined
out=build/demo

say() { printf '\n== %s\n' "$*"; }

# What the first build of the program takes on one processor, as build/.ninja_log adds it up.
BUILD_SECONDS=320
processors=$(nproc)

say "1. Set up: install what is missing; minutes on a fresh machine, as the network allows, else no time"
utils/setup.sh

say "2. Build into build/ on $processors processors; about $((BUILD_SECONDS / processors / 60 + 1)) minutes the first time"
cmake --preset release >/dev/null
cmake --build build --target tilus-run --parallel "$processors"
run=build/bin/tilus-run
python=.venv/bin/python

# The wheels that setup.sh installed stand in for a CUDA toolkit that the machine lacks.
if [[ -z ${TILUS_CUDA_PATH:-} && ! -e /usr/local/cuda/bin/ptxas ]] && ! command -v ptxas >/dev/null; then
  for root in "$PWD"/.venv/lib/python3.*/site-packages/nvidia/cu13; do export TILUS_CUDA_PATH=$root; done
fi

say "3. Compile $KERNEL for $CHIPS"
rm -rf "$out" && mkdir -p "$out"
$run "$KERNEL" --kernel "$NAME" --target "$CHIPS" --device none --emit cubin="$out" --emit ptx="$out"
ls -l "$out" | awk 'NR > 1 { printf "  %8d bytes  %s\n", $5, $9 }'

device=cpu
size=${1:-160x136x96}
if nvidia-smi -L >/dev/null 2>&1; then
  device=cuda
  size=${1:-1024x1024x512}
fi
IFS=x read -r m n k <<<"$size"

say "4. Make inputs: a[$m, $k] and b[$k, $n] of f16"
"$python" - "$m" "$n" "$k" "$out" <<'EOF'
import sys
import numpy as np
m, n, k = map(int, sys.argv[1:4])
rng = np.random.default_rng(0)
np.save(f"{sys.argv[4]}/a.npy", rng.standard_normal((m, k)).astype(np.float16))
np.save(f"{sys.argv[4]}/b.npy", rng.standard_normal((k, n)).astype(np.float16))
EOF

say "5. Run it on $device"
$run "$KERNEL" --kernel "$NAME" --device "$device" --arg "$m" --arg "$n" --arg "$k" --arg "@$out/a.npy" \
  --arg "@$out/b.npy" --arg "zeros:${m}x${n}xf16" --out "5=$out/c.npy"

say "6. Compare with numpy"
"$python" - "$out" <<'EOF'
import sys
import numpy as np
a, b, c = (np.load(f"{sys.argv[1]}/{name}.npy").astype(np.float64) for name in "abc")
value = a @ b
# Rounding of the result to f16, and k roundings of f32 in the sum.
bound = np.abs(value) * 2.0**-11 + (np.abs(a) @ np.abs(b)) * a.shape[1] * 2.0**-23 + 2.0**-25
error = np.abs(c - value)
print(f"  largest error {error.max():.3g}; {np.count_nonzero(error > bound)} of {c.size} elements out of bounds")
sys.exit(bool((error > bound).any()))
EOF
say "Done: the kernel's result is numpy's."
