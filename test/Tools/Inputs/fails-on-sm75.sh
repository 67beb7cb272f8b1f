#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whether a file is interesting: tilus-opt refuses an asynchronous copy in it for sm_75. tilus-reduce asks with 1.
tilus-opt --tilus-to-ptx=targets=sm_75 "$1" 2>&1 | grep -q "requires feature 'cp_async'" && exit 1
exit 0
