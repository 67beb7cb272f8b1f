#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what building and testing Tilus needs and is missing on this machine.
#
# Made for Debian 12; safe to run again and fast (well under a second) when there is nothing to do.
#   - system packages by apt-get (through sudo when not root): LLVM, MLIR, clang 22 and the build tools;
#   - a Python environment in .venv with utils/requirements.txt;
#   - the CUDA assembler and disassemblers as wheels in .venv, for those that the machine lacks.
#
# Where the CUDA wheels put their files (S = .venv/lib/python3.X/site-packages/nvidia/cu13):
#   nvidia-cuda-nvcc       S/bin/ptxas                          assembles PTX
#   nvidia-nvvm            S/nvvm/libdevice/libdevice.10.bc     device math library
#   nvidia-nvjitlink       S/lib/libnvJitLink.so.13             assembles and links in process
#   nvidia-cuda-cuobjdump  S/bin/cuobjdump                      reads cubins
#   nvidia-cuda-nvdisasm   S/bin/nvdisasm                       disassembles cubins
# S has the shape of a CUDA toolkit (bin, lib, nvvm), so TILUS_CUDA_PATH=S makes Tilus use it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PACKAGES=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22 clang-format-22 clang-tidy-22
  libclang-rt-22-dev g++ libzstd-dev zlib1g-dev ccache ninja-build cmake libgtest-dev libgmock-dev
  python3 python3-venv python3-dev git ca-certificates valgrind
)
CUDA_RANGE='>=13.0,<14'
VENV=.venv

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }

# Prints the packages that dpkg does not have installed.
missing_packages() {
  dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${PACKAGES[@]}" 2>/dev/null |
    awk 'NR == FNR { if ($1 == "installed") have[$2]; next } !($1 in have)' - <(printf '%s\n' "${PACKAGES[@]}")
}

install_packages() {
  local missing=("$@") sudo=() codename
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || die "expected root or sudo, to run: apt-get install ${missing[*]}"
    sudo=(sudo)
  fi
  say "installing with apt-get, which tells nothing until it is done: ${missing[*]}"
  "${sudo[@]}" apt-get -qq update || say "apt-get update failed; trying with the package lists at hand"
  for package in "${missing[@]}"; do
    [[ $package == *-22* ]] || continue
    # Not through a pipe: with pipefail, a grep -q that leaves early fails the check.
    if [[ ! $(apt-cache policy "$package") =~ Candidate:\ [^\(] ]]; then
      codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
      die "the configured package sources offer no '$package'. On Debian 12 the suite bookworm-security of
  Debian's own archive has it. Elsewhere put LLVM's key into /usr/share/keyrings/llvm.asc and this line into
  /etc/apt/sources.list.d/llvm.list, then run utils/setup.sh again:
    deb [signed-by=/usr/share/keyrings/llvm.asc] https://apt.llvm.org/$codename/ llvm-toolchain-$codename-22 main"
    fi
  done
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y \
    --no-install-recommends "${missing[@]}" >/dev/null
}

# cuda_has <pattern>: whether a toolkit outside .venv has a file.
cuda_has() {
  local root
  for root in "${TILUS_CUDA_PATH:-}" "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    [[ -n $root && $root != "$PWD/$VENV"/* ]] && compgen -G "$root/$1" >/dev/null && return
  done
  return 1
}
has_tool() { command -v "$1" >/dev/null || cuda_has "bin/$1"; }
has_nvjitlink() {
  cuda_has 'lib*/libnvJitLink.so.*' && return
  local library
  library=$(ldconfig -p 2>/dev/null | awk '/libnvJitLink\.so/ { print $NF; exit }')
  [[ -n $library && -e $library ]]
}

# Prints the wheels that stand in for the parts of the CUDA toolkit that this machine lacks.
cuda_wheels() {
  has_tool ptxas || printf '%s\n' "nvidia-cuda-nvcc$CUDA_RANGE" "nvidia-nvvm$CUDA_RANGE"
  has_nvjitlink || echo "nvidia-nvjitlink$CUDA_RANGE"
  has_tool cuobjdump || echo "nvidia-cuda-cuobjdump$CUDA_RANGE"
  has_tool nvdisasm || echo "nvidia-cuda-nvdisasm$CUDA_RANGE"
}

setup_venv() {
  local wheels wanted stamp=$VENV/.tilus-setup
  mapfile -t wheels < <(cuda_wheels)
  wanted=$(cat utils/requirements.txt && printf '%s\n' "${wheels[@]}")
  if [[ -x $VENV/bin/python && -f $stamp && $(<"$stamp") == "$wanted" ]]; then return; fi
  say "preparing $VENV with pip, which tells nothing until it is done"
  [[ -x $VENV/bin/python ]] || "${TILUS_PYTHON:-/usr/bin/python3}" -m venv "$VENV"
  "$VENV/bin/python" -m pip install -q --disable-pip-version-check -r utils/requirements.txt
  if [[ ${#wheels[@]} -gt 0 ]]; then
    # Without dependencies: those of nvcc are headers and host runtime libraries, which nothing here uses.
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-deps "${wheels[@]}"
  fi
  printf '%s\n' "$wanted" >"$stamp"
}

setup_lit() {
  [[ -x "$(llvm-config-22 --bindir)/lit" ]] && return
  "$VENV/bin/python" -c 'import lit' 2>/dev/null || "$VENV/bin/python" -m pip install -q 'lit>=18,<24'
}

if command -v dpkg-query >/dev/null; then
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
else
  say "not a Debian system; expecting these packages from elsewhere: ${PACKAGES[*]}"
fi
command -v llvm-config-22 >/dev/null || die "expected llvm-config-22 on PATH, but found none"
setup_venv
setup_lit
if ! has_tool ptxas; then
  for root in "$PWD/$VENV"/lib/python3.*/site-packages/nvidia/cu13; do say "hint: TILUS_CUDA_PATH=$root"; done
fi
say "ready"
