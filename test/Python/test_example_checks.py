# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks of the examples reach every kernel and refuse wrong results."""

import importlib.util
import pathlib
import re
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
import common

spec = importlib.util.spec_from_file_location("all_examples", ROOT / "integration_test/examples.py")
all_examples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(all_examples)

KERNELS = {(path.parent.name, kernel) for path in (ROOT / "examples").glob("*/*.mlir")
           for kernel in re.findall(r"^tilus\.kernel @(\w+)", path.read_text(), re.MULTILINE)}


@pytest.mark.parametrize("table", ["CASES", "LARGE_CASES"])
def test_each_kernel_has_cases(table):
    cases = {(folder, kernel) for folder, kernel, _, sizes in getattr(all_examples, table) if sizes}
    assert cases == KERNELS


@pytest.mark.parametrize("folder, kernel", sorted(KERNELS))
def test_expected_matches_the_arguments(folder, kernel):
    example = all_examples.load_examples(folder)[kernel]
    for sizes in example.sizes:
        arguments = example.arguments(sizes)
        for index, (value, error) in example.expected(*arguments).items():
            assert value.shape == arguments[index].shape
            assert np.all(np.isfinite(value)) and np.all(np.asarray(error) >= 0)
            # A kernel that writes nothing must not pass.
            if np.any(value != 0):
                with pytest.raises(common.Mismatch):
                    common.compare(np.zeros_like(arguments[index]), value, error)


def test_compare_takes_the_error_at_each_element():
    value = np.array([1.0, 100.0])
    common.compare(np.array([1.01, 99.0], np.float32), value, np.array([0.02, 2.0]))
    with pytest.raises(common.Mismatch, match=r"expected 1.0 within 0.02 at \(0,\), but got 1.5; 1 of 2 elements"):
        common.compare(np.array([1.5, 99.0], np.float32), value, np.array([0.02, 2.0]))


def test_compare_knows_nan_and_infinity():
    value = np.array([np.nan, np.inf])
    common.compare(value.astype(np.float16), value, 0.0)
    for wrong in ([0.0, np.inf], [np.nan, -np.inf], [np.nan, np.nan]):
        with pytest.raises(common.Mismatch):
            common.compare(np.array(wrong, np.float16), value, 1.0)


def test_compare_takes_integers_exactly():
    with pytest.raises(common.Mismatch):
        common.compare(np.array([3], np.int32), np.array([4], np.int32), 10.0)


def test_compare_refuses_another_shape():
    with pytest.raises(common.Mismatch, match=r"expected an array of shape \(2,\), but got \(1, 2\)"):
        common.compare(np.zeros((1, 2)), np.zeros(2), 0.0)
