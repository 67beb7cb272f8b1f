# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generator of random kernels, its numbers, and a short run of it through the reference and the compiler."""

import importlib.util
import os
import pathlib
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", ROOT / "build")) / "bin/tilus-run"
COUNT = 60


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"integration_test/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


random_kernels, planted_hazards = load("random_kernels"), load("planted_hazards")

import element_types  # noqa: E402: found through random_kernels
import layouts  # noqa: E402
import shrink  # noqa: E402
import themes  # noqa: E402
from program import KINDS, Printer, evaluate  # noqa: E402
from values import Type, Value, differs  # noqa: E402


def kernel(number):
    names = list(themes.THEMES)
    return themes.make_kernel([7, number], names[number % len(names)], f"kernel_{number}")


def test_kernels_are_functions_of_the_seed():
    for number in range(len(themes.THEMES)):
        assert Printer(kernel(number)[0]).print() == Printer(kernel(number)[0]).print()


def test_every_kind_of_step_is_drawn():
    drawn = {step.kind for number in range(400) for step in kernel(number)[0].walk()}
    assert not set(KINDS) - drawn


def test_wrong_results_are_found():
    for number in range(28):
        for memory in kernel(number)[1].values():
            value = Value(Type(memory.element, ()), memory.data, memory.error)
            assert not differs(value, memory.data).any()
            finite = np.isfinite(memory.data)
            place = int(np.argmax(finite))
            if not finite[place]:
                continue
            wrong = memory.data.copy()
            step = element_types.spacing(memory.element, wrong[place]) if memory.element.is_float else 1
            wrong[place] += step + 2 * memory.error[place]
            assert differs(value, wrong).nonzero()[0].tolist() == [place]


@pytest.mark.parametrize("name, numpy_type", [("f16", np.float16), ("f32", np.float32)])
def test_rounding_is_that_of_numpy(name, numpy_type):
    rng = np.random.default_rng(0)
    numbers = np.ldexp(rng.normal(size=20000), rng.integers(-160, 140, 20000))
    numbers[:5] = 0.0, -0.0, np.inf, -np.inf, np.nan
    with np.errstate(over="ignore"):
        expected = numbers.astype(numpy_type).astype(np.float64)
    assert np.array_equal(element_types.round_float(element_types.TYPES[name], numbers), expected, equal_nan=True)


@pytest.mark.parametrize("name", ["bf16", "f16", "f8E4M3FN", "f8E5M2"])
def test_rounding_gives_the_nearest_code(name):
    element = element_types.TYPES[name]
    codes = element_types.decode_table(element)
    codes = np.unique(codes[np.isfinite(codes)])
    numbers = np.random.default_rng(1).uniform(-1, 1, 300) * min(element.largest, 1e6)
    rounded = element_types.round_float(element, numbers)
    nearest = np.abs(codes[None, :] - numbers[:, None]).min(axis=1)
    assert np.array_equal(np.abs(rounded - numbers), nearest)
    array = element_types.to_array(element, rounded)
    assert np.array_equal(element_types.from_array(element, array, len(rounded)), rounded)


def test_layouts_hold_each_element():
    rng = np.random.default_rng(2)
    for shape in ((), (5,), (12, 7), (3, 64, 2), (16, 8, 6)):
        for threads in (32, 96, 128):
            layout = layouts.random_layout(rng, shape, threads)
            table = layout.table()
            count = int(np.prod(shape, dtype=np.int64))
            assert table.shape == (threads, layout.slots)
            assert np.array_equal(np.bincount(table.ravel(), minlength=count), [table.size // count] * count)


def test_failing_kernels_become_smaller():
    def fails(program, outputs):
        return any(step.kind == "tilus.reduce" for step in program.walk())

    program, outputs = next(pair for pair in map(kernel, range(200)) if fails(*pair))
    small = shrink.shrink(program, fails, seconds=5)
    assert fails(small, None) and evaluate(small)
    assert shrink.count_steps(small) < shrink.count_steps(program)


def test_planted_hazards_are_many_and_well_formed():
    cases = sorted(planted_hazards.FOLDER.glob("*.mlir"))
    assert len(cases) >= 40
    for case in cases:
        words, pattern = planted_hazards.parse_case(case)
        assert words[0] in ("tilus-run", "tilus-opt") and pattern


@pytest.mark.skipif(not RUN.exists(), reason=f"needs {RUN.name} of the build")
def test_reference_agrees_with_numpy_and_kernels_compile(tmp_path):
    words = ["--count", str(COUNT), "--seed", "7", "--targets", "sm_80,sm_90a,sm_120a", "--jobs", "2",
             "--tilus-run", str(RUN), "--save", str(tmp_path)]
    assert random_kernels.main(words) == 0
