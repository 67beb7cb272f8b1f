"""The helpers of `self.cuda` against the fragments of the PTX manual and against counting."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys

import pytest

from tilus import dtypes
from tilus.ir.layout.ops import column_spatial, local, shared_row_major, spatial
from tilus.lang.cuda import cuda


def test_fragments():
    """Those of PTX ISA, 'Matrix fragments for mma.m16n8k16', 'mma.m16n8k32' and 'mma.m8n8k16'."""
    atom = cuda.atomic_mma_configs.m16n8k16_f16_f32
    assert (atom.m, atom.n, atom.k, atom.operand_type, atom.acc_type) == (16, 8, 16, dtypes.f16, dtypes.f32)
    assert atom.la == local(1, 2).column_local(2, 1).spatial(8, 4).local(1, 2)
    assert atom.lb == local(2, 1) * column_spatial(4, 8) * local(2, 1)
    assert atom.lc == local(2, 1).spatial(8, 4).local(1, 2)
    assert cuda.atomic_mma_configs.m8n8k16_i8_i32.la == spatial(8, 4).local(1, 4)
    preferred = cuda.atomic_mma_configs.from_dtypes(dtypes.int8, dtypes.int32)
    assert preferred is cuda.atomic_mma_configs.m16n8k32_i8_i32
    with pytest.raises(AttributeError, match="m16n8k16_f16_f32.*but got 'm1n1k1'"):
        cuda.atomic_mma_configs.m1n1k1
    with pytest.raises(ValueError, match="float64 to int32"):
        cuda.atomic_mma_configs.from_dtypes(dtypes.float64, dtypes.int32)


def covers_all(layout, shape, warps):
    """Whether the threads of the warps together hold each element."""
    held = {
        tuple(layout.get_global(spatial_index=thread, local_index=slot))
        for thread in range(layout.spatial_size)
        for slot in range(layout.local_size)
    }
    return layout.shape == shape and layout.spatial_size == 32 * warps and len(held) == shape[0] * shape[1]


def test_product_of_a_block():
    """64 by 64 by 32 on 4 warps: a grid of 2 by 2 holds 64 registers, 1 by 4 and 4 by 1 hold 72."""
    config = cuda.resolve_dot_config(dtypes.f16, dtypes.f32, m=64, n=64, k=32, num_warps=4)
    assert (config.m, config.n, config.k, config.num_warps) == (64, 64, 32, 4)
    assert config.la.local_size // 2 + config.lb.local_size // 2 + config.lc.local_size == 64
    assert covers_all(config.la, (64, 32), 4)
    assert covers_all(config.lb, (32, 64), 4)
    assert covers_all(config.lc, (64, 64), 4)
    assert config.lc == spatial(2, 2).local(2, 4) * cuda.atomic_mma_configs.m16n8k16_f16_f32.lc
    assert covers_all(config.lb_T, (64, 32), 4)
    # Both operands are where the warp that owns a part of the result finds them.
    for warp in range(4):
        rows = {config.lc.get_global(spatial_index=warp * 32, local_index=s)[0] // 16 for s in range(32)}
        rows_a = {config.la.get_global(spatial_index=warp * 32, local_index=s)[0] // 16 for s in range(32)}
        assert rows == rows_a


def test_products_that_cannot_be():
    for sizes, keywords, words in [
        ((60, 64, 32), {"num_warps": 4}, "multiples of .16, 8, 16."),
        ((64, 64, 32), {}, "'num_warps', or both"),
        ((64, 64, 32), {"num_warps": 4, "warp_m": 3}, "share out"),
        ((256, 256, 64), {"num_warps": 1}, "fewer than 224 registers a thread"),
    ]:
        with pytest.raises(ValueError, match=words):
            cuda.resolve_dot_config(dtypes.f16, dtypes.f32, m=sizes[0], n=sizes[1], k=sizes[2], **keywords)
    shaped = cuda.resolve_dot_config(dtypes.f16, dtypes.f32, m=64, n=64, k=32, warp_m=4, warp_n=1)
    assert shaped.lc.get_global(spatial_index=32, local_index=0) == [16, 0]


@pytest.mark.parametrize("dtype, shape, vector", [(dtypes.f16, (64, 32), 8), (dtypes.f32, (128, 4), 4), (dtypes.u4, (32, 256), 32)])
def test_default_layout(dtype, shape, vector):
    """Neighbouring threads hold neighbouring vectors, of 16 bytes where there are so many elements."""
    layout = cuda.default_register_layout(4, dtype, shape)
    assert layout.shape == shape and layout.spatial_size == 128
    place = [
        row * shape[1] + column
        for row, column in (layout.get_global(spatial_index=t, local_index=0) for t in range(layout.spatial_size))
    ]
    assert place == list(range(0, 128 * vector, vector))
    assert [layout.get_global(spatial_index=0, local_index=s)[1] for s in range(vector)] == list(range(vector))


def test_default_layout_errors():
    with pytest.raises(ValueError, match="a multiple of 128 threads"):
        cuda.default_register_layout(4, dtypes.f32, (5, 7))
    with pytest.raises(ValueError, match="a vector that divides"):
        cuda.default_register_layout(4, dtypes.f32, (128, 4), vector_size=3)
    assert cuda.shared_layout([2, 3]) == shared_row_major(2, 3)


def test_device_properties_without_a_driver():
    environment = {**os.environ, "TILUS_CUDA_DRIVER": "/no/such/libcuda.so"}
    lines = "from tilus.runtime.devices import get_device_properties\nget_device_properties()"
    result = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, env=environment)
    assert "RuntimeError" in result.stderr and "/no/such/libcuda.so" in result.stderr
