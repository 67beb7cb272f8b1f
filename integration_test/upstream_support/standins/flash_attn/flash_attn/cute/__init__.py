"""A stand-in for flash_attn: torch's attention, as an oracle that is not the examples' own."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
