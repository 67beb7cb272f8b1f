"""Scripts: construction, parameters, constants, the CPU reference."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import threading

import numpy as np
import pytest
import tilus
from runtime_kernels import Fill, Scale, VectorAdd
from tilus import float32, int32


def arrays(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n).astype(np.float32), rng.normal(size=n).astype(np.float32), np.zeros(n, np.float32)


# -- construction


def test_equal_arguments_give_one_instantiated_script():
    assert VectorAdd(64) is VectorAdd(64)
    assert VectorAdd(64) is not VectorAdd(128)
    assert isinstance(VectorAdd(64), tilus.InstantiatedScript)


@pytest.mark.parametrize("values", [(1, True), (1, 1.0), (0.0, -0.0), ([1, 2], (1, 3)), ("1", 1)])
def test_arguments_of_different_types_give_different_scripts(values):
    first, second = values
    assert Fill(first) is not Fill(second)
    assert Fill(first) is Fill(first)


def test_lists_and_dicts_are_arguments():
    assert Fill([1, {"a": 2}]) is Fill([1, {"a": 2}])
    with pytest.raises(TypeError, match="hashable .* but got argument number 1 of type ndarray"):
        Fill(np.zeros(2))


def test_schedules_may_make_other_scripts():
    class Inner(tilus.Script):
        def __call__(self, n: int32): ...

    @tilus.autotune("block", [32, 64])
    class Outer(tilus.Script):
        def __init__(self, block):
            super().__init__()
            self.inner = Inner()

        def __call__(self, n: int32): ...

    made = []
    threads = [threading.Thread(target=lambda: made.append(Outer()), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(made) == 4 and all(script is made[0] for script in made)


def test_wrong_arguments_of_init_are_refused():
    with pytest.raises(TypeError, match="expected the parameters of VectorAdd"):
        VectorAdd(64, 2, 3)


def test_init_has_to_call_its_base():
    class Broken(tilus.Script):
        def __init__(self):
            pass

        def __call__(self, n: int32):
            self.attrs.warps = 1
            self.attrs.blocks = 1

    with pytest.raises(TypeError, match=r"expected Broken.__init__ to call super\(\).__init__\(\)"), tilus.target.scope("sm_80"):
        Broken().compile(1)


def test_scripts_of_two_classes_of_one_name_differ():
    def make(number):
        class Local(tilus.Script):
            def __init__(self):
                super().__init__()

            def __call__(self, x_ptr: ~int32):
                self.attrs.warps = 1
                self.attrs.blocks = 1
                x = self.global_view(x_ptr, dtype=int32, shape=[1])
                self.store_global(x, self.register_tensor(dtype=int32, shape=[1], init=number), offsets=[0])

        return Local()

    for number in (3, 4):
        x = np.zeros(1, np.int32)
        make(number)(x)
        assert x[0] == number


# -- calls on the CPU reference


@pytest.mark.parametrize("n", [1, 64, 1000])
def test_vector_add_equals_numpy(n):
    a, b, c = arrays(n)
    VectorAdd(64)(n, a, b, c)
    assert np.array_equal(c, a + b)


def test_calls_by_name_and_with_defaults():
    a, b, c = arrays(10)
    VectorAdd(64)(b_ptr=b, c_ptr=c, n=10, a_ptr=a)
    assert np.array_equal(c, a + b)
    Scale()(c, 10)
    assert np.array_equal(c, (a + b) * np.float32(2.0))
    Scale()(c, n=10, factor=0.5)
    assert np.array_equal(c, (a + b) * np.float32(2.0) * np.float32(0.5))


def test_numbers_of_numpy_are_numbers():
    a, b, c = arrays(10)
    VectorAdd(64)(np.int64(10), a, b, c)
    assert np.array_equal(c, a + b)
    Scale()(c, np.int32(10), np.float32(0.5))
    assert np.array_equal(c, (a + b) * np.float32(0.5))


@pytest.mark.parametrize(
    "change, error, message",
    [
        (dict(n="5"), TypeError, "expected an int32 for parameter 'n', but got '5' (str)"),
        (dict(n=2.5), TypeError, "expected an int32 for parameter 'n', but got 2.5 (float)"),
        (dict(a=np.zeros(10)), TypeError, "expected elements of float32 for parameter 'a_ptr', but got float64"),
        (dict(a=[1.0]), TypeError, "expected an array for parameter 'a_ptr: ~float32', but got [1.0] (list)"),
        (dict(a=np.zeros(20, np.float32)[::2]), ValueError, "expected a contiguous array for parameter 'a_ptr', but got shape [10] with strides [2]"),
        (dict(a=np.zeros(10, ">f4")), TypeError, "expected an array for parameter 'a_ptr: ~float32'"),
    ],
)  # fmt: skip
def test_arguments_are_checked_by_name(change, error, message):
    a, b, c = arrays(10)
    arguments = dict(n=10, a=a, b=b, c=c, **{})
    arguments.update(change)
    with pytest.raises(error) as caught:
        VectorAdd(64)(arguments["n"], arguments["a"], arguments["b"], arguments["c"])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "args, kwargs, message",
    [
        ((), {}, "expected a value for parameter 'n' of VectorAdd, but got none"),
        ((1, 2, 3, 4, 5), {}, "expected at most 4 arguments of VectorAdd, but got 5"),
        ((1,), {"n": 2}, "expected one value for parameter 'n' of VectorAdd, but got two"),
        ((1,), {"m": 2}, "expected a parameter of VectorAdd (n, a_ptr, b_ptr, c_ptr), but got 'm'"),
        ((10, None, None, None), {"device": "tpu"}, "expected 'cpu', 'cuda' or 'cuda:N' as a device, but got 'tpu'"),
    ],
)
def test_calls_that_do_not_suit_are_refused(args, kwargs, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        VectorAdd(64)(*args, **kwargs)
    assert message in str(caught.value)


def test_device_cpu_and_the_variable_ask_for_the_reference(monkeypatch):
    a, b, c = arrays(10)
    VectorAdd(64)(10, a, b, c, device="cpu")
    assert np.array_equal(c, a + b)
    x = np.zeros(4, np.int32)
    monkeypatch.setenv("TILUS_DEVICE", "cpu")
    Fill(7)(4, x)
    assert x.tolist() == [7] * 4
    assert tilus.get_current_target() is tilus.target.parse("sm_90a")


def test_a_script_reads_out_of_bounds_on_the_reference_at_its_line():
    class Outside(tilus.Script):
        def __init__(self):
            super().__init__()

        def __call__(self, x_ptr: ~int32):
            self.attrs.warps = 1
            self.attrs.blocks = 1
            x = self.global_view(x_ptr, dtype=int32, shape=[100])
            self.store_global(x, self.load_global(x, offsets=[0], shape=[64]), offsets=[0])

    with pytest.raises(tilus.TilusProgramError if hasattr(tilus, "TilusProgramError") else Exception) as caught:
        Outside()(np.zeros(10, np.int32))
    assert "test_runtime_scripts.py" in str(caught.value) and "load_global" in str(caught.value)


# -- constants


def test_constants_are_told_apart_by_type():
    class Typed(tilus.Script):
        def __init__(self):
            super().__init__()

        def __call__(self, value: float, x_ptr: ~int32):
            self.attrs.warps = 1
            self.attrs.blocks = 1
            x = self.global_view(x_ptr, dtype=int32, shape=[1])
            kind = 1 if isinstance(value, bool) else 2 if isinstance(value, int) else 3
            self.store_global(x, self.register_tensor(dtype=int32, shape=[1], init=kind), offsets=[0])

    script = Typed()
    seen = []
    for value in (True, 1, 1.0):
        x = np.zeros(1, np.int32)
        script(value, x)
        seen.append(int(x[0]))
    assert seen == [1, 2, 3]
    with tilus.target.scope("sm_80"):
        instances = [script.compile(value, None) for value in (True, 1, 1.0, 0.0, -0.0, float("nan"))]
        assert len({id(instance) for instance in instances}) == 6
        assert script.compile(float("nan"), None) is instances[-1] and script.compile(1, None) is instances[1]
    assert [type(instance.constants["value"]) for instance in instances[:3]] == [bool, int, float]


def test_constants_may_be_texts_and_large_integers():
    class Worded(tilus.Script):
        def __init__(self):
            super().__init__()

        def __call__(self, word: str, number: int, x_ptr: ~int32):
            self.attrs.warps = 1
            self.attrs.blocks = 1
            x = self.global_view(x_ptr, dtype=int32, shape=[1])
            value = number // 2**80 if word == "large" else 5
            self.store_global(x, self.register_tensor(dtype=int32, shape=[1], init=value), offsets=[0])

    x = np.zeros(1, np.int32)
    Worded()("large", 7 * 2**80, x)
    assert x[0] == 7
    Worded()("".join(["lar", "g"]), 0, x)
    assert x[0] == 5
    with pytest.raises(TypeError, match="expected a str for parameter 'word', but got 3"):
        Worded()(3, 0, x)


def test_hazards_are_found_on_request():
    class Racing(tilus.Script):
        """Reads shared memory before the threads that wrote it have met."""

        def __init__(self):
            super().__init__()

        def __call__(self, x_ptr: ~int32):
            self.attrs.warps = 4
            self.attrs.blocks = 1
            x = self.global_view(x_ptr, dtype=int32, shape=[128])
            shared = self.shared_tensor(dtype=int32, shape=[128])
            self.store_shared(shared, self.load_global(x, offsets=[0], shape=[128]))
            self.store_global(x, self.load_shared(shared), offsets=[0])

    x = np.arange(128, dtype=np.int32)
    Racing()(x)
    with pytest.raises(tilus.lang.errors.TilusProgramError, match=r"test_runtime_scripts.py:\d+"):
        Racing()(x, check_hazards=True)
    with pytest.raises(ValueError, match="expected check_hazards on the CPU reference alone"):
        Racing()(x, check_hazards=True, device="cuda")
