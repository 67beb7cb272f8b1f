"""Arrays of other libraries as arguments, by the ways in which they show themselves."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
import pytest
import tilus
from runtime_kernels import Fill, VectorAdd
from tilus import dtypes
from tilus.runtime import arguments


class Lent:
    """An array that shows itself by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnGpu:
    """An array that shows itself by the interface of CUDA arrays."""

    class device:
        id = 3

    def __init__(self, **changes):
        interface = {"data": (4096, False), "shape": (2, 3), "typestr": "<f4", "version": 3, "strides": None, "stream": 7}
        self.__cuda_array_interface__ = {**interface, **changes}


def test_arrays_of_dlpack_run_on_the_reference():
    a, b, c = (np.arange(10, dtype=np.float32) * k for k in (1, 2, 0))
    VectorAdd(64)(10, Lent(a), b, Lent(c))
    assert np.array_equal(c, a + b)


def test_host_tensors_run_on_the_reference():
    x = tilus.zeros([6], dtype=tilus.int32)
    Fill(9)(6, x)
    assert x.numpy().tolist() == [9] * 6


def test_views_of_packed_elements():
    class Halve(tilus.Script):
        def __init__(self):
            super().__init__()

        def __call__(self, x_ptr: ~tilus.int4b, y_ptr: ~tilus.int32):
            self.attrs.warps = 1
            self.attrs.blocks = 1
            x = self.global_view(x_ptr, dtype=tilus.int4b, shape=[8])
            y = self.global_view(y_ptr, dtype=tilus.int32, shape=[8])
            self.store_global(y, self.load_global(x, offsets=[0], shape=[8]).to(tilus.int32), offsets=[0])

    values = np.array([0, 1, 2, 3, 7, -8, -1, -2], np.int8)
    packed = ((values[1::2].astype(np.uint8) & 15) << 4 | (values[::2].astype(np.uint8) & 15)).astype(np.uint8)
    y = np.zeros(8, np.int32)
    Halve()(packed, y)
    assert y.tolist() == values.tolist()
    with pytest.raises(TypeError, match="expected elements of int4b for parameter 'x_ptr', but got float32"):
        Halve()(np.zeros(1, np.float32), y)


def test_the_interface_of_cuda_arrays():
    array = arguments.describe(OnGpu())
    assert array == arguments.Array(4096, 2, 32, arguments.CUDA, 3, (2, 3), None)
    assert arguments.describe(OnGpu(strides=(4, 8))).strides == (1, 2)
    assert arguments.describe(OnGpu(typestr=">f4")) is None and arguments.describe(OnGpu(typestr="<V4")) is None
    assert arguments.find_stream(OnGpu(), 3) == 7


def test_what_pointers_accept():
    rows = {
        dtypes.float16: {"float16"}, dtypes.bfloat16: {"bfloat16"}, dtypes.float32: {"float32"},
        dtypes.int32: {"int32", "uint32"}, dtypes.uint8: {"uint8", "int8", "bool"}, dtypes.boolean: {"bool", "uint8", "int8"},
        dtypes.float8_e4m3: {"float8_e4m3fn", "uint8", "int8"}, dtypes.float8_e5m2: {"float8_e5m2", "uint8", "int8"},
        dtypes.int4b: {"uint8", "int8"}, dtypes.float6_e3m2: {"uint8", "int8"}, dtypes.float64: {"float64"},
    }  # fmt: skip
    for dtype, accepted in rows.items():
        bits, codes = arguments.accepted_elements(dtype)
        found = {name for name, (code, width) in arguments._CODES.items() if width == bits and codes >> code & 1}
        assert found == accepted, dtype


@pytest.mark.parametrize("value, number", [
    (np.int8(3), 3), (np.uint64(2**63), 2**63), (np.float16(0.5), 0.5), (np.bool_(True), True), (np.array(4), 4),
    ("x", "x"), (None, None), ([1], None), (np.zeros(2), None), (1 + 2j, None),
])  # fmt: skip
def test_numbers(value, number):
    found = arguments.to_number(value)
    assert found == number and type(found) is type(number)


def test_streams_have_handles():
    class Torch:
        cuda_stream = 5

    class Cupy:
        ptr = 6

    assert [arguments.stream_handle(stream) for stream in (Torch(), Cupy(), 7)] == [5, 6, 7]
    with pytest.raises(TypeError, match="expected a CUDA stream or its handle, but got None"):
        arguments.stream_handle(None)


def test_read_only_arrays_are_read():
    a, b, c = (np.ones(5, np.float32) for _ in range(3))
    a.setflags(write=False)
    VectorAdd(64)(5, a, b, c)
    assert c.tolist() == [2.0] * 5


def test_read_only_arrays_are_read_and_not_written():
    memory = np.arange(10, dtype=np.float32).tobytes()
    a = np.frombuffer(memory, dtype=np.float32)
    b, c = a.copy(), np.zeros(10, np.float32)
    b.setflags(write=False)
    VectorAdd(64)(10, a, b, c)
    assert np.array_equal(c, 2 * a)
    before = b.copy()
    with pytest.raises(ValueError, match="may be written for parameter 'c_ptr', but got a read-only one"):
        VectorAdd(64)(10, a, c, b)
    assert np.array_equal(b, before)


def test_options_are_checked():
    for name in ("fast_math", "line_info"):
        with pytest.raises(TypeError, match="expected True or False, but got 'no'"):
            getattr(tilus.option, name)("no")
    with pytest.raises(TypeError, match="expected a path"):
        tilus.option.cache_dir(3)
