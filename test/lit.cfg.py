# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit configuration of all suites: test/, examples/ and integration_test/.

Reached through the lit.site.cfg.py that CMake writes for each suite. Owns the tools on PATH, the
substitutions, the environment of the tests, and the features that tests may require:

  ptxas, cuobjdump, nvdisasm, nvjitlink   that part of a CUDA toolkit was found
  valgrind                                it was found, and the build has no sanitizers, which it cannot run
  cuda-gpu                                a GPU and its driver are usable
  gpu-smXY                                a GPU of compute capability X.Y is present
  tilus-plugin                            the plugin for mlir-opt was built; not in the static build
"""

import ctypes
import glob
import os
import shutil

import lit.formats

config.name = "tilus-" + config.tilus_suite
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Python", "Kernels"]
lit_config.maxIndividualTestTime = 300
config.test_source_root = os.path.join(config.tilus_source, config.tilus_suite)
config.test_exec_root = os.path.join(config.tilus_build, config.tilus_suite)


def cuda_roots():
    """The folders with the shape of a CUDA toolkit, in order of preference."""
    named = [os.environ.get(name) for name in ("TILUS_CUDA_PATH", "CUDA_HOME", "CUDA_PATH")]
    wheels = glob.glob(os.path.dirname(config.python) + "/../lib/python3.*/site-packages/nvidia/cu13")
    roots = [root for root in named + ["/usr/local/cuda"] + wheels if root]
    return [os.path.abspath(root) for root in roots if os.path.isdir(root)]


def compute_capabilities():
    """The compute capability of each usable GPU, as strings such as '90'; empty without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return []
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []
    capabilities = []
    for ordinal in range(count.value):
        parts = []
        for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
            value = ctypes.c_int(0)
            driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, ordinal)
            parts.append(str(value.value))
        capabilities.append("".join(parts))
    return capabilities


roots = cuda_roots()
path = [config.tilus_tools, config.llvm_tools, os.path.dirname(config.python)]
path += os.environ["PATH"].split(os.pathsep) + [root + "/bin" for root in roots]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["TILUS_VERIFY_ROUNDTRIP"] = "1"
config.environment["PYTHONPATH"] = config.tilus_source + "/python"
for name in ("HOME", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "TILUS_CUDA_PATH",
             "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

for tool in ("ptxas", "cuobjdump", "nvdisasm", "valgrind"):
    if shutil.which(tool, path=config.environment["PATH"]):
        config.available_features.add(tool)
if config.tilus_sanitize:
    config.available_features.discard("valgrind")
if any(glob.glob(root + "/lib*/libnvJitLink.so.*") for root in roots):
    config.available_features.add("nvjitlink")
for capability in compute_capabilities():
    config.available_features.update(["cuda-gpu", "gpu-sm" + capability])

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%tilus_src", config.tilus_source))
config.substitutions.append(("%tilus_build", config.tilus_build))
config.substitutions.append(("%fake_cuda", os.path.join(config.tilus_build, "lib", "libFakeCuda.so")))
plugin = os.path.join(config.tilus_build, "lib", "TilusPlugin.so")
config.substitutions.append(("%tilus_plugin", plugin))
if os.path.exists(plugin):
    config.available_features.add("tilus-plugin")
