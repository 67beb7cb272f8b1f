"""Multi-functions against the sets of numbers that they stand for."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import random

import pytest

from tilus.ir.layout import LayoutOperationError, MultiFunction, multi_function
from tilus.ir.layout.mfunction import collapse_by_shape, cover, identity
from tilus.ir.layout.ops import local, replicated, spatial


def list_images(func):
    """The images of each element."""
    return {index: func.get_images(index) for index in itertools.product(*map(range, func.shape))}


def make_plain(rng, shape, modes):
    """A function of random digits as written: each mode used, dropped, or replaced by one that takes all values."""
    entries = list(range(len(modes)))
    rng.shuffle(entries)
    chosen = [entry if rng.random() < 0.6 else -rng.choice([2, 3]) for entry in entries if rng.random() < 0.8]
    return MultiFunction(tuple(shape), tuple(modes), tuple(chosen))


def make_random(rng, shape, modes):
    """The same in canonical form."""
    plain = make_plain(rng, shape, modes)
    return multi_function(plain.shape, plain.mode_shape, plain.modes)


CASES = [make_random(random.Random(seed), [4, 6], [2, 2, 3, 2]) for seed in range(30)]


def test_example():
    func = multi_function((4, 5, 6), (2, 2, 5, 3, 2), (0, -3, 3))
    assert func.get_images((3, 0, 5)) == [1 * 9 + v * 3 + 2 for v in range(3)]
    assert identity([2, 3]).get_images((1, 2)) == [5]


@pytest.mark.parametrize("seed", range(30))
def test_canonical_form_keeps_the_map(seed):
    plain = make_plain(random.Random(seed), [4, 6], [2, 2, 3, 2])
    assert list_images(multi_function(plain.shape, plain.mode_shape, plain.modes)) == list_images(plain)


@pytest.mark.parametrize("seed", range(20))
def test_composition(seed):
    """The images of the images."""
    rng = random.Random(seed)
    first = make_random(rng, [4, 6], [2, 2, 3, 2])
    second = make_random(rng, [first.image_size], first.image_shape) if first.image_size > 1 else identity([])
    if second.size != first.image_size:
        pytest.skip("a function to one number")
    product = first * second
    for index, images in list_images(first).items():
        assert product.get_images(index) == sorted({n for image in images for n in second.get_images((image,))})


@pytest.mark.parametrize("a, b", list(itertools.product(CASES[:8], CASES[:8])))
def test_cover(a, b):
    """What is found to be covered is; and equal functions cover each other."""
    holds = a.image_size == b.image_size and all(
        set(b.get_images(index)) <= set(images) for index, images in list_images(a).items()
    )
    assert cover(a, b) == holds
    assert a.cover(a)


def test_threads_of_a_layout():
    layout = local(2, 1).spatial(8, 4).local(1, 2) * replicated(1, 1, num_workers=2)
    assert list_images(layout.spatial_mfunction()) == {
        index: layout.get_spatial(index) for index in itertools.product(range(16), range(8))
    }
    assert collapse_by_shape(spatial(4, 8).spatial_mfunction(), [4, 1]) == identity([4, 8]).collapse([1])


def test_errors():
    with pytest.raises(LayoutOperationError, match="at most once"):
        multi_function([4], [4], [0, 0])
    with pytest.raises(LayoutOperationError, match="a function of 4 elements to follow"):
        identity([4]) * identity([5])
    with pytest.raises(LayoutOperationError, match="stretches to"):
        collapse_by_shape(identity([4, 8]), [3, 8])
