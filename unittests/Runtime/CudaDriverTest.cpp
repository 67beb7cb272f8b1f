// Tests of loading the driver and of the text of its errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDriverFixture.h"

#include "gmock/gmock.h"
#include <cstdlib>

using namespace tilus;

TEST_F(FakeDriverTest, LoadsAndReportsItsVersion) {
  EXPECT_EQ(driver->getVersion(), 13000);
  EXPECT_EQ(driver->getPath(), TILUS_FAKE_CUDA);
}

TEST(CudaDriver, NamesALibraryThatIsMissing) {
  EXPECT_EQ(
      message(CudaDriver::load("libmissing-cuda.so.1")),
      "expected to load the CUDA driver from 'libmissing-cuda.so.1', but got 'libmissing-cuda.so.1: cannot "
      "open shared object file: No such file or directory'; a launch needs the NVIDIA driver");
}

TEST(CudaDriver, NamesASymbolThatIsMissing) {
  EXPECT_EQ(message(CudaDriver::load(TILUS_EMPTY_CUDA)),
            "expected the CUDA driver '" TILUS_EMPTY_CUDA
            "' to export 'cuInit', but got no such symbol; a launch needs a driver for CUDA 12 or later");
}

TEST(CudaDriver, TakesItsPathFromTheEnvironment) {
  unsetenv("TILUS_CUDA_DRIVER");
  EXPECT_EQ(CudaDriver::getDefaultPath(), "libcuda.so.1");
  setenv("TILUS_CUDA_DRIVER", "/elsewhere/libcuda.so", 1);
  EXPECT_EQ(CudaDriver::getDefaultPath(), "/elsewhere/libcuda.so");
  unsetenv("TILUS_CUDA_DRIVER");
}

TEST_F(FakeDriverTest, ReportsAMachineWithoutDevices) {
  reset("");
  EXPECT_EQ(message(CudaDriver::load(TILUS_FAKE_CUDA)),
            "expected 'cuInit' to succeed for the driver '" TILUS_FAKE_CUDA
            "', but got CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected");
}

TEST_F(FakeDriverTest, ErrorsCarryTheCode) {
  llvm::Error error = driver->check(2, "cuMemAlloc_v2", "a test");
  bool handled = false;
  llvm::handleAllErrors(std::move(error), [&](const DriverError &driverError) {
    handled = true;
    EXPECT_EQ(driverError.getCode(), 2);
    EXPECT_EQ(driverError.message(), "expected 'cuMemAlloc_v2' to succeed for a test, but got "
                                     "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  });
  EXPECT_TRUE(handled);
  EXPECT_EQ(message(driver->check(4711, "cuInit", "a test")),
            "expected 'cuInit' to succeed for a test, but got an unknown error (4711): the driver has no "
            "description of it");
  EXPECT_EQ(message(driver->check(0, "cuInit", "a test")), "no error");
}
