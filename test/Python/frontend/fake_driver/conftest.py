"""The fake driver for the cases in this folder, which test_runtime_fake_driver.py runs in processes of their own."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import os
import pathlib
import sys

import pytest

BUILD = pathlib.Path(os.environ["TILUS_BUILD_DIR"])
sys.path[:0] = [str(BUILD / "python-tests"), str(pathlib.Path(__file__).resolve().parent.parent)]
os.environ["TILUS_CUDA_DRIVER"] = str(BUILD / "lib/libFakeCuda.so")
os.environ["FAKE_CUDA_DEVICES"] = "90,103"
os.environ["TILUS_MEASURE"] = ""
os.environ.pop("TILUS_DEVICE", None)

import fake_tensors  # noqa: E402


class Driver:
    """The fake driver's controls, and its memory."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ["TILUS_CUDA_DRIVER"])
        self.library.fakeCudaLog.restype = ctypes.c_char_p
        self.contexts = {}

    def launches(self):
        """The launches so far, as dictionaries of what the log says."""
        lines = [line.split() for line in self.library.fakeCudaLog().decode().splitlines()]
        rows = [words for words in lines if words and words[0] == "cuLaunchKernelEx"]
        return [{"entry": words[1], **dict(word.split("=", 1) for word in words[2:])} for words in rows]

    def allocate(self, size, device=0):
        """The address of memory."""
        if device not in self.contexts:
            self.library.cuInit(0)
            context = self.contexts[device] = ctypes.c_void_p()
            assert self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
        self.library.cuCtxSetCurrent(self.contexts[device])
        address = ctypes.c_uint64()
        assert self.library.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) == 0
        return address.value

    def tensor(self, count=1024, device=0, **keywords):
        """A tensor of 32-bit floats, in memory of a device."""
        return fake_tensors.Tensor(self.allocate(4 * count, device), (count,), device=device, **keywords)

    def stream(self, device=0):
        """A stream of one's own."""
        self.allocate(4, device)
        handle = ctypes.c_void_p()
        assert self.library.cuStreamCreate(ctypes.byref(handle), 1) == 0
        return handle.value


_driver = Driver()


@pytest.fixture
def driver():
    return _driver


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    import tilus

    tilus.option.cache_dir(tmp_path / "cache")
    yield
    tilus.option.reset()
    fake_tensors.set_stream(0)
