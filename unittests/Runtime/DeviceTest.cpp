// Tests of devices, buffers, streams and timers against the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDriverFixture.h"
#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/EventTimer.h"

using namespace tilus;

TEST_F(FakeDriverTest, OpensDevicesOfDifferentCapability) {
  reset("90,80,75");
  driver = llvm::cantFail(CudaDriver::load(TILUS_FAKE_CUDA));
  EXPECT_EQ(llvm::cantFail(Device::count(*driver)), 3u);
  auto hopper = llvm::cantFail(Device::open(*driver, 0)), ampere = llvm::cantFail(Device::open(*driver, 1));
  EXPECT_EQ(hopper->describe(), "device 0 'Fake GPU 0' (compute capability 9.0)");
  EXPECT_EQ(hopper->getTarget()->chip, "sm_90a");
  EXPECT_EQ(ampere->describe(), "device 1 'Fake GPU 1' (compute capability 8.0)");
  EXPECT_EQ(ampere->getTarget()->chip, "sm_80");
  EXPECT_EQ(llvm::cantFail(hopper->getAttribute(cuda::multiprocessorCount)), 4);
  EXPECT_EQ(llvm::cantFail(hopper->getTotalMemory()), uint64_t(1) << 30);
  EXPECT_EQ(message(hopper->synchronize()), "no error");
  EXPECT_EQ(message(Device::open(*driver, 3)),
            "expected a device number below 3, the number of CUDA devices, but got 3");
}

TEST_F(FakeDriverTest, ReportsAFailedRetain) {
  fail("cuDevicePrimaryCtxRetain", 1, 2);
  EXPECT_EQ(message(Device::open(*driver, 0)), "expected 'cuDevicePrimaryCtxRetain' to succeed for device 0 "
                                               "'Fake GPU 0' (compute capability 9.0), but "
                                               "got CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
}

TEST_F(FakeDriverTest, BuffersCopyBothWays) {
  auto device = llvm::cantFail(Device::open(*driver, 0));
  DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(*device, 6));
  const uint8_t source[] = {1, 2, 3, 4};
  uint8_t target[6] = {};
  EXPECT_EQ(message(buffer.fill(9)), "no error");
  EXPECT_EQ(message(buffer.copyFrom(source)), "no error");
  EXPECT_EQ(message(buffer.copyTo(target)), "no error");
  EXPECT_EQ(llvm::ArrayRef<uint8_t>(target), llvm::ArrayRef<uint8_t>({1, 2, 3, 4, 9, 9}));
  uint8_t large[7] = {};
  EXPECT_EQ(message(buffer.copyTo(large)),
            "expected at most 6 bytes to copy, the size of the device buffer, but got 7");
  EXPECT_EQ(message(buffer.copyFrom(large)),
            "expected at most 6 bytes to copy, the size of the device buffer, but got 7");
}

TEST_F(FakeDriverTest, BuffersMoveAndMayBeEmpty) {
  auto device = llvm::cantFail(Device::open(*driver, 0));
  DeviceBuffer empty = llvm::cantFail(DeviceBuffer::allocate(*device, 0));
  EXPECT_EQ(empty.getAddress(), 0u);
  EXPECT_EQ(message(empty.fill(1)), "no error");
  EXPECT_EQ(message(empty.copyFrom({})), "no error");
  DeviceBuffer first = llvm::cantFail(DeviceBuffer::allocate(*device, 8));
  cuda::DevicePointer address = first.getAddress();
  empty = std::move(first);
  EXPECT_EQ(empty.getAddress(), address);
  EXPECT_EQ(empty.getBytes(), 8u);
}

TEST_F(FakeDriverTest, ReportsExhaustedMemory) {
  auto device = llvm::cantFail(Device::open(*driver, 0));
  EXPECT_EQ(
      message(DeviceBuffer::allocate(*device, uint64_t(1) << 40)),
      "expected 'cuMemAlloc_v2' to succeed for a buffer of 1099511627776 bytes on device 0 'Fake GPU 0' "
      "(compute capability 9.0), but got CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
}

TEST_F(FakeDriverTest, TimersMeasureAStream) {
  auto device = llvm::cantFail(Device::open(*driver, 0));
  Stream stream = llvm::cantFail(Stream::create(*device));
  EventTimer timer = llvm::cantFail(EventTimer::create(*device));
  EXPECT_EQ(message(timer.start(stream.getHandle())), "no error");
  EXPECT_EQ(message(timer.stop(stream.getHandle())), "no error");
  EXPECT_EQ(llvm::cantFail(timer.getMilliseconds()), 1.0f);
  EXPECT_EQ(message(stream.synchronize()), "no error");
}

TEST_F(FakeDriverTest, TimerReportsAFailedEvent) {
  auto device = llvm::cantFail(Device::open(*driver, 0));
  fail("cuEventCreate", 2, 2);
  EXPECT_EQ(message(EventTimer::create(*device)),
            "expected 'cuEventCreate' to succeed for device 0 'Fake GPU 0' (compute capability 9.0), but got "
            "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
}
