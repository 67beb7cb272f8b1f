"""A stand-in for flash_attn.cute.interface."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import torch


def flash_attn_func(q, k, v, causal=False):
    """Attention of q [batch, length, heads, size] with grouped k and v, by torch."""
    groups = q.size(2) // k.size(2)
    q, k, v = (x.transpose(1, 2) for x in (q, k.repeat_interleave(groups, 2), v.repeat_interleave(groups, 2)))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).contiguous()
