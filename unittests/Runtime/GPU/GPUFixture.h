// A fixture with the machine's first device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/Launcher.h"

#include "gtest/gtest.h"

namespace tilus {

/// Skips the test where the driver cannot be loaded or has no device.
class GPUTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::Expected<std::unique_ptr<CudaDriver>> loaded = CudaDriver::load(CudaDriver::getDefaultPath());
    if (!loaded)
      GTEST_SKIP() << llvm::toString(loaded.takeError());
    driver = std::move(*loaded);
    llvm::Expected<std::unique_ptr<Device>> opened = Device::open(*driver, 0);
    if (!opened)
      GTEST_SKIP() << llvm::toString(opened.takeError());
    device = std::move(*opened);
  }

  template <typename T> DeviceBuffer upload(const std::vector<T> &values) {
    DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(*device, values.size() * sizeof(T)));
    llvm::cantFail(buffer.copyFrom({reinterpret_cast<const uint8_t *>(values.data()), buffer.getBytes()}));
    llvm::cantFail(device->synchronize());
    return buffer;
  }
  template <typename T> std::vector<T> download(const DeviceBuffer &buffer) {
    std::vector<T> values(buffer.getBytes() / sizeof(T));
    llvm::cantFail(device->synchronize());
    llvm::cantFail(buffer.copyTo({reinterpret_cast<uint8_t *>(values.data()), buffer.getBytes()}));
    return values;
  }

  std::unique_ptr<CudaDriver> driver;
  std::unique_ptr<Device> device;
};

} // namespace tilus
