"""Register layouts against their definitions: brute force over all threads, slots and elements."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import pickle
import random

import pytest

from tilus.ir.layout import LayoutOperationError, RegisterLayout, register_layout
from tilus.ir.layout import ops
from tilus.ir.layout.ops import local, spatial


def linear(index, shape):
    """The row-major place of an index."""
    place = 0
    for digit, size in zip(index, shape):
        place = place * size + digit
    return place


def delinear(place, shape):
    """The index at a row-major place."""
    index = []
    for size in reversed(shape):
        place, digit = divmod(place, size)
        index.append(digit)
    return index[::-1]


def compute_element(layout, thread, slot):
    """The element in a slot of a thread, by the definition of modes."""
    digits = [0] * len(layout.mode_shape)
    for mode, digit in zip(layout.spatial_modes, delinear(thread, layout.spatial_shape)):
        if mode >= 0:
            digits[mode] = digit
    for mode, digit in zip(layout.local_modes, delinear(slot, layout.local_shape)):
        digits[mode] = digit
    return [
        linear([digits[m] for m in modes], [layout.mode_shape[m] for m in modes]) for modes in layout.grouped_modes
    ]


def list_map(layout):
    """The element of each thread and slot."""
    return {
        (thread, slot): tuple(layout.get_global(spatial_index=thread, local_index=slot))
        for thread in range(layout.spatial_size)
        for slot in range(layout.local_size)
    }


def make_random(rng, rank=2):
    """A layout of random factors, some of them replicated."""
    layout = local(*([1] * rank))
    for _ in range(rng.randint(1, 4)):
        shape = [rng.choice([1, 1, 2, 3, 4]) for _ in range(rank)]
        ranks = rng.sample(range(rank), rank)
        make = rng.choice([local, spatial])
        layout = layout * make(*shape, ranks=ranks)
        if rng.random() < 0.3:
            layout = layout * ops.replicated(*([1] * rank), num_workers=2)
    return layout


LAYOUTS = [make_random(random.Random(seed), rank) for seed in range(25) for rank in (1, 2, 3)]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_map_is_the_definition(layout):
    """get_global, get_local and get_spatial agree with the definition, and with each other."""
    holders = {}
    for (thread, slot), element in list_map(layout).items():
        assert list(element) == compute_element(layout, thread, slot)
        assert layout.get_local(element) == slot
        holders.setdefault(element, []).append(thread)
    for element in itertools.product(*map(range, layout.shape)):
        assert layout.get_spatial(element) == sorted(holders[element])
        assert all(ops.locate_at(layout, element, thread) for thread in holders[element])
        assert len(holders[element]) == layout.replication


def test_fragment():
    """The accumulator of m16n8: thread 5, slot 3 holds row 9, column 3."""
    layout = local(2, 1).spatial(8, 4).local(1, 2)
    assert (layout.shape, layout.mode_shape) == ((16, 8), (2, 8, 4, 2))
    assert (layout.spatial_modes, layout.local_modes) == ((1, 2), (0, 3))
    assert layout.get_global(spatial_index=5, local_index=3) == [9, 3]


@pytest.mark.parametrize("seed", range(20))
def test_composition_and_division(seed):
    """index, thread and slot of A * B, and that both quotients give the factors back."""
    rng = random.Random(seed)
    outer, inner = make_random(rng), make_random(rng)
    product = outer * inner
    for (thread, slot), element in list_map(product).items():
        a = outer.get_global(
            spatial_index=thread // inner.spatial_size, local_index=slot // inner.local_size
        )
        b = inner.get_global(spatial_index=thread % inner.spatial_size, local_index=slot % inner.local_size)
        assert list(element) == [x * size + y for x, size, y in zip(a, inner.shape, b)]
    assert product / inner == outer == ops.divide(product, inner)
    assert ops.left_divide(product, outer) == inner


def test_equality_is_equality_of_the_map():
    """Equal maps are equal objects with equal hashes, however they were written."""
    written = register_layout([6], [2, 1, 3], [0, 1, 2], [])
    assert written == spatial(6) and hash(written) == hash(spatial(6))
    assert spatial(2, 3) != spatial(2, 3, ranks=[1, 0]) != "spatial"
    assert ops.column_spatial(2, 3) == spatial(2, 3, ranks=[1, 0])
    assert ops.column_local(2, 3) == local(2, 3, ranks=[1, 0])
    # Neighbouring replicas are one, and one of 1 is none.
    assert register_layout([4], [4], [-2, -3, 0, -1], []) == register_layout([4], [4], [-6, 0], [])


def test_shape_operations():
    """permute, squeeze, unsqueeze, reshape, flatten, concat and with_shape move elements as their names say."""
    layout = local(2, 1).spatial(8, 4).local(1, 2)
    turned = ops.permute(layout, [1, 0])
    assert list_map(turned) == {key: element[::-1] for key, element in list_map(layout).items()}
    wide = ops.unsqueeze(layout, [0, 3])
    assert wide.shape == (1, 16, 8, 1) and ops.squeeze(wide, [0, 3]) == layout
    flat = ops.reshape(layout, [128])
    assert list_map(flat) == {key: (row * 8 + column,) for key, (row, column) in list_map(layout).items()}
    assert ops.flatten(layout) == flat and ops.flatten(wide, 1, 2) == ops.reshape(wide, [1, 128, 1])
    both = ops.concat(spatial(2), local(3).spatial(4))
    assert both.get_global(spatial_index=7, local_index=2) == [1, 11]
    assert layout.with_shape([2, 8, 1, 8]).get_global(spatial_index=5, local_index=3) == [1, 1, 0, 3]


def test_reduction():
    """What dims held in threads becomes replicas, what they held in slots vanishes."""
    layout = spatial(4, 8).local(2, 2)
    for keepdims, shape in ((True, (8, 1)), (False, (8,))):
        reduced = ops.reduce(layout, [1], keepdims=keepdims)
        assert (reduced.shape, reduced.replication, reduced.local_size) == (shape, 8, 2)
        for (thread, slot), element in list_map(reduced).items():
            assert element[0] == thread // 8 * 2 + slot
    assert layout.reduce_to([1, 16]) == ops.reduce(layout, [0], keepdims=True)
    assert ops.reduce_to(ops.expand_to(layout.reduce_to([8, 1]), [8, 16]), [8, 1]) == layout.reduce_to([8, 1])


@pytest.mark.parametrize("threads, shape", [(128, (64, 4)), (32, (5, 7)), (96, (48,)), (64, (2, 2))])
def test_any_shape_can_be_distributed(threads, shape):
    """Each element has a thread, as many for each element; nothing is held twice by one thread."""
    layout = ops.auto_local_spatial(threads, shape)
    assert layout.spatial_size == threads and layout.shape == shape
    assert set(list_map(layout).values()) == set(itertools.product(*map(range, shape)))


def test_errors_say_what_was_expected():
    for call, words in [
        (lambda: register_layout([4], [2], [0], []), "expected"),
        (lambda: register_layout([4], [4], [0], [0]), "expected"),
        (lambda: spatial(4) / spatial(8), "expected"),
        (lambda: ops.permute(spatial(2, 3), [0, 0]), "expected"),
        (lambda: spatial(2, 3).get_local([2, 0]), "an index within shape"),
        (lambda: spatial(2, 3).get_global(spatial_index=6, local_index=0), "one of 6 threads and 1 slots"),
        (lambda: ops.flatten(spatial(2, 3), 1, 0), "in ascending order"),
        (lambda: RegisterLayout.from_attribute("#tilus.smem<shape = []>"), "an attribute '#tilus.reg<"),
    ]:
        with pytest.raises(LayoutOperationError, match=words):
            call()
    with pytest.raises(TypeError):
        spatial(2.5)


def test_text_and_copies():
    """The attribute reads back in the dialect and here; pickles are equal."""
    import copy

    from tilus._compiler.ir import Context

    layout = local(2, 1).spatial(8, 4).local(1, 2)
    assert str(layout.to_attribute(Context())) == layout.attribute_text
    assert RegisterLayout.from_attribute(layout.to_attribute(Context())) == layout
    assert pickle.loads(pickle.dumps(layout)) == layout == copy.deepcopy(layout)
    assert eval(repr(layout)) == layout
