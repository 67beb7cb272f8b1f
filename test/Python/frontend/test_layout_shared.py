"""Shared layouts against their definition, and what the compiler makes of layouts against simulation."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import pickle

import numpy as np
import pytest

from tilus.ir.layout import LayoutOperationError, SharedLayout, Swizzle, plan_conversion, shared_layout
from tilus.ir.layout import ops
from tilus.ir.layout.conversion import analyze_shared_access
from tilus.ir.layout.ops import local, shared_row_major, shared_row_major_swizzle, spatial


def test_strides():
    grid = np.arange(12).reshape(3, 4)
    assert (shared_row_major(3, 4).as_numpy_grid() == grid).all()
    assert (ops.shared_column_major(3, 4).as_numpy_grid() == np.arange(12).reshape(4, 3).T).all()
    assert (shared_row_major(3, 4).transpose().as_numpy_grid() == grid.T).all()
    assert (ops.shared_reshape(shared_row_major(3, 4), [2, 6]).as_numpy_grid() == grid.reshape(2, 6)).all()
    assert (ops.shared_unsqueeze(shared_row_major(3, 4), [1]).as_numpy_grid() == grid[:, None]).all()
    assert shared_layout([4, 6], [4, 2, 3], [6, 3, 1]) == shared_row_major(4, 6)
    padded = shared_layout([3, 4], [3, 4], [5, 1])
    assert padded.count_size() == 14 and padded(2, 3) == 13 and padded.byte_offset(2, 3, nbytes=2) == 26


def test_views_and_tiles():
    stages = shared_row_major_swizzle([8, 64], 2).prepend_dim(3)
    assert stages.shape == (3, 8, 64) and stages.slice([1, 2]) == shared_row_major_swizzle([8, 64], 2)
    assert stages(2, 3, 16) == 2 * 512 + stages(0, 3, 16)
    tiled = ops.shared_compose(shared_row_major(2, 2), shared_row_major(4, 8))
    for i, j in itertools.product(range(8), range(16)):
        assert tiled(i, j) == (i // 4 * 2 + j // 8) * 32 + i % 4 * 8 + j % 8


@pytest.mark.parametrize("nbytes", [1, 2, 4, 8])
@pytest.mark.parametrize("shape", [(8, 64), (16, 32), (2, 16, 128), (8, 16)])
def test_swizzled_rows_are_free_of_conflicts(shape, nbytes):
    """Each element has a place of its own; 8 vectors of a row chunk's column, or of a row, meet all banks."""
    if shape[-1] * nbytes % 16:
        pytest.skip("rows are no whole vectors")
    layout = shared_row_major_swizzle(shape, nbytes)
    grid = layout.as_numpy_grid()
    assert sorted(grid.ravel()) == list(range(grid.size))
    table = grid.reshape(-1, *shape[-2:])[0]
    vector = 16 // nbytes
    for row in range(0, shape[-2], 8):
        for column in range(0, shape[-1], vector):
            starts = table[row : row + 8, column] * nbytes
            assert (starts % 16 == 0).all() and len(set(starts // 16 % 8)) == 8


def test_swizzle():
    swizzle = Swizzle(3, 3, 3)
    layout = shared_row_major(8, 64).apply_swizzle(swizzle)
    assert layout.swizzle == swizzle and layout(3, 16) == swizzle(3 * 64 + 16) == 200
    assert swizzle.to_byte_swizzle(2)(208 * 2) == 400
    assert Swizzle(3, 0, 3)(208) == 208 and shared_layout([4], [4], [1], Swizzle(0, 0, 0)) == shared_row_major(4)
    with pytest.raises(LayoutOperationError, match="a layout with a swizzle"):
        shared_row_major(4).swizzle
    with pytest.raises(LayoutOperationError, match="expected"):
        layout.apply_swizzle(swizzle)


def test_identity_and_text():
    from tilus._compiler.ir import Context

    for layout in (shared_row_major_swizzle([8, 64], 2), shared_row_major(3, 4)):
        assert str(layout.to_attribute(Context())) == layout.attribute_text
        assert SharedLayout.from_attribute(layout.attribute_text) == layout == pickle.loads(pickle.dumps(layout))
        assert hash(pickle.loads(pickle.dumps(layout))) == hash(layout)
    with pytest.raises(LayoutOperationError, match="expected an attribute"):
        SharedLayout.from_attribute("#tilus.smem<>")


def test_global_layouts():
    tensor = ops.global_row_major(4, 6)
    assert tensor(2, 3) == 15 and ops.global_column_major(4, 6)(2, 3) == 14
    assert ops.global_slice(tensor, [1, 2], [1], [3])(2) == 2
    assert ops.global_strides([4, 6], [8, 1]).size == 30
    tiled = ops.global_compose(ops.global_row_major(2, 1), ops.global_column_major(2, 6))
    assert tiled(3, 5) == 12 + 5 * 2 + 1
    assert tensor(2**31, 0) == 6 * 2**31
    with pytest.raises(ValueError, match="2 indices"):
        tensor(1)


def execute(conversion):
    """The element that ends up in each thread and slot."""
    source, result = conversion.source, {}
    for number in range(conversion.num_rounds):
        for thread in range(source.spatial_size):
            lane, write = conversion.get_move(number, thread)[1:]
            giver = thread // 32 * 32 + lane
            publish = conversion.get_move(number, giver)[0]
            result[thread, write] = source.get_global(spatial_index=giver, local_index=publish)
    return result


@pytest.mark.parametrize(
    "source, target, kind",
    [
        (spatial(8, 4).local(1, 2), spatial(8, 4).local(1, 2), "identity"),
        (spatial(8, 4).local(2, 2), spatial(8, 4) * local(2, 2, ranks=[1, 0]), "in_thread"),
        (spatial(8, 4).local(1, 2), local(2, 1).spatial(4, 8), "shuffle"),
    ],
)
def test_rounds_of_a_conversion_bring_each_element_home(source, target, kind):
    conversion = plan_conversion(source, target, 32)
    assert conversion.kind == kind and conversion.staging is None
    result = execute(conversion)
    if kind == "identity":
        assert result == {} and conversion.cost == 0
        return
    # Names of slots are free.
    assert (conversion.cost > 0) == (kind == "shuffle")
    for thread, slot in itertools.product(range(target.spatial_size), range(target.local_size)):
        assert result[thread, slot] == target.get_global(spatial_index=thread, local_index=slot)


def test_a_conversion_between_warps_goes_through_shared_memory():
    conversion = plan_conversion(spatial(16, 4).local(2, 8), spatial(4, 16).local(8, 2), "f16")
    assert conversion.kind == "shared_memory" and conversion.staging.storage_bits == 16
    assert conversion.staging.size_bytes >= conversion.staging.layout.count_size() * 2
    with pytest.raises(LayoutOperationError, match="expected"):
        plan_conversion(spatial(8), spatial(16), 16)


def count_cycles(addresses, width):
    """The cycles of one phase: the most words that one of 32 banks has to serve."""
    words = {word for address in addresses for word in range(address // 4, (address + width - 1) // 4 + 1)}
    return max(sum(1 for word in words if word % 32 == bank) for bank in range(32))


@pytest.mark.parametrize("shared", [shared_row_major(32, 64), shared_row_major_swizzle([32, 64], 2)], ids=str)
@pytest.mark.parametrize(
    "tile", [spatial(32, 1).local(1, 64), local(8, 1).spatial(4, 8).local(1, 8), local(32, 1).spatial(1, 32).local(1, 2)]
)
def test_accesses_cost_what_the_banks_say(tile, shared):
    """All elements are moved once, and the cycles of each phase are counted independently."""
    access = analyze_shared_access(tile, shared, "f16")
    moved = set()
    for item in access.accesses:
        for phase in item.phases:
            assert phase.cycles == count_cycles(phase.addresses, access.width_bytes)
            assert phase.conflicts == phase.cycles - 1
            assert len(phase.lanes) * access.width_bytes == 128
            moved.update(a + b for a in phase.addresses for b in range(0, access.width_bytes, 2))
    assert moved == set(range(0, 32 * 64 * 2, 2))
    assert access.conflicts == 0 or shared.optional_swizzle is None
