#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that a library of the C API exports what the headers declare and nothing else.
#
#   check-exports.sh <library> <pattern of other exports, or ''> <pattern of refused needs, or ''> <headers...>
set -euo pipefail
library=$1 others=$2 refused=$3
shift 3

declared=$(grep -ohE '^TILUS_C_[A-Z]+ .*|^ +\*?tilus[A-Z][A-Za-z]*\(' "$@" |
  grep -oE '\btilus[A-Z][A-Za-z]*\(' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | sed 's/@.*//' | sort -u)
if [[ -n $others ]]; then exported=$(grep -vE "$others" <<<"$exported"); fi
if ! difference=$(diff <(echo "$declared") <(echo "$exported")); then
  echo "expected $library to export what the headers declare, but got (< declared, > exported):"
  echo "$difference"
  exit 1
fi
needs=$(ldd "$library")
if [[ -n $refused ]] && grep -E "$refused" <<<"$needs"; then
  echo "expected $library to need none of '$refused', but got the above"
  exit 1
fi
echo "$(wc -l <<<"$declared") functions"
