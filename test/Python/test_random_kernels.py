# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generator of random kernels, its numbers, and a short run of it through the reference and the compiler."""

import importlib.util
import json
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
import kinds_elementwise  # noqa: E402
import layouts  # noqa: E402
import runner  # noqa: E402
import shrink  # noqa: E402
import themes  # noqa: E402
from program import KINDS, Printer, Step, evaluate  # noqa: E402
from values import Reject, Type, Value, differs  # noqa: E402


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


def run_step(kind, operands, result, /, **attrs):
    """The value of one step on values of one block."""
    with np.errstate(all="ignore"):
        return KINDS[kind].run(None, Step(kind, [], attrs, [(0, result)]), *operands)[0]


def floats(numbers, slack=None):
    type_ = Type(element_types.TYPES["f32"], (len(numbers),))
    return Value(type_, np.array([numbers], np.float64), None, slack)


@pytest.mark.parametrize("kind, numbers", [("mul", [1e30, 0.0, 1e30]), ("mul", [1e-30, 1e30, 1e-30]),
                                           ("add", [3e38, -3e38, 3e38, -3e38])])
@pytest.mark.parametrize("step", ["tilus.reduce", "tilus.scan"])
def test_combinations_whose_order_decides_are_rejected(step, kind, numbers):
    value = floats(numbers)
    result = value.type.reshaped(()) if step == "tilus.reduce" else value.type
    with pytest.raises(Reject):
        run_step(step, [value], result, kind=kind, dim=0)


def test_contracted_products_move_their_sums():
    type_ = Type(element_types.TYPES["f32"], (2,))
    third = float(np.float32(1 / 3))
    product = run_step("arith.mulf", [floats([third, 0.0]), floats([third, 0.0])], type_)
    for result in (run_step("arith.addf", [product, floats([1.0, 0.0])], type_),
                   run_step("tilus.reduce", [product], type_.reshaped(()), kind="add", dim=0)):
        contracted = third * third + (1.0 if result.type == type_ else 0.0)
        assert abs(result.data.flat[0] - contracted) <= result.bound.flat[0] < 1e-6
    with pytest.raises(Reject):
        run_step("arith.fptosi", [run_step("arith.addf", [product, product], type_)],
                 type_.of(element_types.TYPES["i16"]))


INTS = ("i4", "i8", "i16", "i32", "i64")


def interpret(number, bits, is_signed):
    """The number that the low bits mean."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if is_signed and number >> (bits - 1) else number


@pytest.mark.parametrize("source", INTS)
@pytest.mark.parametrize("target", INTS)
@pytest.mark.parametrize("flags", range(8))
def test_casts_between_integers_are_those_of_python(source, target, flags):
    source, target = element_types.TYPES[source], element_types.TYPES[target]
    saturate, unsigned_source, unsigned_result = flags & 1, flags & 2, flags & 4
    edges = [edge + step for edge in (0, 1 << (source.bits - 1), 1 << (target.bits - 1), 1 << target.bits)
             for step in (-2, -1, 0, 1)]
    numbers = [interpret(number, source.bits, True) for edge in edges for number in (edge, -edge)]
    low, high = (0, 2**target.bits - 1) if unsigned_result else (-(2 ** (target.bits - 1)), 2 ** (target.bits - 1) - 1)
    expected = []
    for number in numbers:
        number = interpret(number, source.bits, not unsigned_source)
        number = min(max(number, low), high) if saturate else number
        expected.append(interpret(number, target.bits, True))
    value = Value(Type(source, (len(numbers),)), np.array([numbers], np.int64))
    found = run_step("tilus.cast", [value], Type(target, (len(numbers),)), saturate=saturate,
                     unsigned_source=unsigned_source, unsigned_result=unsigned_result)
    assert found.data[0].tolist() == expected


@pytest.mark.parametrize("op, quotient", [("divsi", lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
                                          ("floordivsi", lambda a, b: a // b), ("ceildivsi", lambda a, b: -(-a // b))])
def test_divisions_are_those_of_python(op, quotient):
    numbers = [-(2**63), -(2**63) + 1, -17, -16, -1, 0, 1, 15, 2**62, 2**63 - 1]
    pairs = [(a, b) for a in numbers for b in numbers if b != 0 and (a, b) != (-(2**63), -1)]
    a, b = (np.array(column, np.int64) for column in zip(*pairs))
    actual = kinds_elementwise.INT_BINARY[f"arith.{op}"](element_types.TYPES["i64"], a, b)
    assert actual.tolist() == [quotient(*pair) for pair in pairs]


def test_only_narrow_types_are_refused():
    refusal = runner.Failure("compile", "exit code 1: kernel.mlir:8:13: error: 'tilus.cast' op expected elements of 8, "
                             "16, 32 or 64 bits or booleans for the GPU, but got 'i4'; run the kernel on the CPU "
                             "reference")
    programs = [kernel(number)[0] for number in range(200)]
    narrow = next(program for program in programs if not program.is_for_gpu)
    assert runner.is_refusal(narrow, refusal)
    assert not runner.is_refusal(next(program for program in programs if program.is_for_gpu), refusal)
    assert not runner.is_refusal(narrow, runner.Failure("compile", "signal 6: no output"))
    assert not runner.is_refusal(narrow, runner.Failure("cpu", refusal.summary))


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


@pytest.mark.skipif(not RUN.exists(), reason=f"needs {RUN.name} of the build")
def test_reference_reports_what_lacks_barriers(tmp_path):
    report = tmp_path / "report.json"
    words = ["--hazards", "--count", "40", "--seed", "7", "--themes", "shared,async,atomics,control", "--jobs", "2",
             "--tilus-run", str(RUN), "--json", str(report)]
    assert random_kernels.main(words) == 0
    counts = json.loads(report.read_text())
    assert 10 <= counts["hazards"] <= counts["kernels"] - 5
