# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts that scripts pin on register and shared tiles, and views of registers in other layouts."""

import numpy as np
import pytest
from tile_kernels import CHIPS, build, compiled, execute, launch, loaded, store
from tilus.dtypes import float16, float32, int16, int32, uint8, uint32
from tilus.ir.layout import RegisterLayout, SharedLayout
from tilus.ir.layout.ops import local, shared_row_major_swizzle, spatial
from tilus.lang.errors import InstructionError, TilusProgramError


def pinned_types(module, layout):
    """The types in a module's text that carry the layout."""
    return str(module).count(layout.attribute_text)


def test_a_pinned_layout_is_on_the_tile_for_uses_before_and_after():
    layout = spatial(128).local(2)
    x, out = np.arange(256, dtype="float32"), np.zeros((2, 256), "float32")

    def body(t, px, pout):
        tile = loaded(t, px, x) * 2
        result = t.register_tensor(dtype=float32, shape=[2, 256])
        result[0] = tile + 1
        t.annotate_layout(tile, layout)
        t.annotate_layout(tile, spatial(128).local(2))
        assert tile.layout == layout and tile.has_layout()
        result[1] = tile + 2
        store(t, pout, result)

    module = launch(body, x, out)
    assert pinned_types(module, layout) >= 2
    product = next(op for op in module.operation.walk() if op.name == "arith.mulf")
    assert [user.name for user in product.results[0].users] == ["tilus.convert_layout"]
    assert np.array_equal(out, [x * 2 + 1, x * 2 + 2])
    for artifact in compiled(body, [~float32, ~float32]):
        assert len(artifact.cubin) > 1000


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("source, target, before, after", [
    (int16, int32, spatial(128).local(2), spatial(128)),
    (int32, int16, spatial(128), spatial(128).local(2)),
    (uint8, float16, local(2).spatial(128).local(4), local(2).spatial(128).local(2)),
    (float32, uint32, spatial(128).local(2), local(2).spatial(128)),
])  # fmt: skip
def test_registers_are_read_in_another_layout(source, target, before, after, is_late):
    count, changed = int(np.prod(before.shape)), int(np.prod(after.shape))
    kinds = {int16: "int16", int32: "int32", uint8: "uint8", float16: "float16", float32: "float32", uint32: "uint32"}
    x = np.random.default_rng(0).integers(0, 100, count).astype(kinds[source])
    out = np.zeros(changed, kinds[target])

    def body(t, px, pout):
        tile = loaded(t, px, x)
        if not is_late:
            t.annotate_layout(tile, before)
        view = t.view(tile, layout=after, dtype=target)
        assert (view.dtype, view.shape) == (target, tuple(after.shape))
        store(t, pout, view)
        if is_late:
            t.annotate_layout(tile, before)

    launch(body, x, out)
    # Each thread's registers, little end first, read as elements of the other type.
    expected = np.zeros(changed, kinds[target])
    for thread in range(128):
        held = [x[before.get_global(spatial_index=thread, local_index=slot)[0]] for slot in range(before.local_size)]
        read = np.array(held).view(kinds[target])
        for slot in range(after.local_size):
            expected[after.get_global(spatial_index=thread, local_index=slot)[0]] = read[slot]
    assert np.array_equal(out.view("uint8"), expected.view("uint8"))


def test_a_pinned_shared_layout_is_on_the_allocation():
    layout = shared_row_major_swizzle([64, 32], float16.nbytes)
    x, out = np.arange(64 * 32, dtype="float16").reshape(64, 32), np.zeros((32, 64), "float16")

    def body(t, px, pout):
        shared = t.shared_tensor(dtype=float16, shape=[64, 32])
        t.store_shared(shared, loaded(t, px, x))
        t.sync()
        store(t, pout, t.load_shared(shared.transpose()))
        t.annotate_layout(shared, layout)
        assert shared.layout == layout and shared.storage_nbytes == shared.nbytes
        t.free_shared(shared)

    module = launch(body, x, out)
    assert pinned_types(module, layout) >= 1
    assert np.array_equal(out, x.T)
    assert [artifact.target for artifact in compiled(body, [~float16, ~float16])] == CHIPS


def test_layouts_in_loops_of_tiles_that_change():
    layout = local(2).spatial(128)
    out = np.zeros(256, "float32")

    def body(t, p):
        total = t.register_tensor(dtype=float32, shape=[256])
        for i in range(3):
            total += i
            t.annotate_layout(total, layout)
        store(t, p, total)

    module = build(body, [~float32])
    execute(module, [out])
    assert np.array_equal(out, np.full(256, 3))


def test_layouts_that_do_not_fit_are_refused():
    cases = [
        (lambda t, r, s: t.annotate_layout(r, spatial(128)), r"expected a layout of the tensor's shape \(256,\), but got one of \(128,\)"),
        (lambda t, r, s: t.annotate_layout(r, spatial(64).local(4)), "expected a layout for the 128 threads of the current group, but got one for 64"),
        (lambda t, r, s: t.annotate_layout(r, 3), "expected a layout, but got int"),
        (lambda t, r, s: (t.annotate_layout(r, spatial(128).local(2)), t.annotate_layout(r, local(2).spatial(128))), "expected one layout for a tile"),
        (lambda t, r, s: t.annotate_layout(s[0], SharedLayout((32,), (32,), (1,))), "expected a shared tile as shared_tensor gave it"),
        (lambda t, r, s: t.view(r, dtype=float16), "expected a tile with a layout to view as float16, but got one without"),
    ]  # fmt: skip

    def body(t):
        for use, message in cases:
            tile = t.register_tensor(dtype=float32, shape=[256])
            shared = t.shared_tensor(dtype=float32, shape=[4, 32])
            with pytest.raises(InstructionError, match=message):
                use(t, tile, shared)

    build(body, [])
    assert isinstance(spatial(128), RegisterLayout)
    with pytest.raises(TilusProgramError, match="expected a tile with a layout to view as float32 in another layout"):
        build(lambda t: t.view(t.register_tensor(dtype=float32, shape=[256]), layout=spatial(128).local(2)), [])
