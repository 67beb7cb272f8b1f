# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The few functions of the CUDA driver that loading and launching a cubin takes, through ctypes.

Works in the context that is current: torch's, so that kernels of both share buffers and streams.
"""

import ctypes
import pathlib

SHARED_SIZE_BYTES = 1  # CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
MAX_DYNAMIC_SHARED_SIZE_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
DEFAULT_DYNAMIC_SHARED_BYTES = 48 * 1024

SCALARS = {"i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
           "index": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double}


class DriverError(Exception):
    """A call of the driver failed."""


class Driver:
    """The driver's library."""

    def __init__(self, library="libcuda.so.1"):
        self.library = ctypes.CDLL(library)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise DriverError(f"{name} failed: {(text.value or b'unknown').decode()} ({status})")

    def version(self):
        """The CUDA version of the driver, such as 13.0."""
        number = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(number))
        return f"{number.value // 1000}.{number.value % 1000 // 10}"


class Function:
    """A kernel of a cubin, loaded into the current context for good."""

    def __init__(self, driver, path, entry, shared_bytes):
        self.driver = driver
        self.image = pathlib.Path(path).read_bytes()
        module, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        driver.call("cuModuleLoadData", ctypes.byref(module), self.image)
        driver.call("cuModuleGetFunction", ctypes.byref(self.handle), module, entry.encode())
        # The report's number includes what the binary itself declares, which a launch must not ask for again.
        static = ctypes.c_int()
        driver.call("cuFuncGetAttribute", ctypes.byref(static), SHARED_SIZE_BYTES, self.handle)
        self.dynamic_shared_bytes = max(shared_bytes - static.value, 0)
        if self.dynamic_shared_bytes > DEFAULT_DYNAMIC_SHARED_BYTES:
            driver.call("cuFuncSetAttribute", self.handle, MAX_DYNAMIC_SHARED_SIZE_BYTES, self.dynamic_shared_bytes)

    def launch(self, grid, block, arguments, stream):
        """Launches with a list of ctypes values, which the driver copies before this returns. `stream` is a number."""
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(value) for value in arguments))
        self.driver.call("cuLaunchKernel", self.handle, *map(ctypes.c_uint, grid), *map(ctypes.c_uint, block),
                         ctypes.c_uint(self.dynamic_shared_bytes), ctypes.c_void_p(stream), pointers, None)
