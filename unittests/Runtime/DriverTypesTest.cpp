// Compares the driver's types and constants with the vendor's header, where it is installed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/DriverTypes.h"

#include "gtest/gtest.h"

#if __has_include(<cuda.h>)
#include <cuda.h>

#define EXPECT_SAME_OFFSET(ours, theirs)                                                                     \
  EXPECT_EQ(offsetof(tilus::cuda::LaunchConfig, ours), offsetof(CUlaunchConfig, theirs))

TEST(DriverTypes, LayoutsMatchTheHeader) {
  EXPECT_EQ(sizeof(tilus::cuda::LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_SAME_OFFSET(grid, gridDimX);
  EXPECT_SAME_OFFSET(block, blockDimX);
  EXPECT_SAME_OFFSET(sharedBytes, sharedMemBytes);
  EXPECT_SAME_OFFSET(stream, hStream);
  EXPECT_SAME_OFFSET(attributes, attrs);
  EXPECT_SAME_OFFSET(attributeCount, numAttrs);
  EXPECT_EQ(sizeof(tilus::cuda::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(tilus::cuda::LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(tilus::cuda::DeviceHandle), sizeof(CUdevice));
  EXPECT_EQ(sizeof(tilus::cuda::DevicePointer), sizeof(CUdeviceptr));
}

TEST(DriverTypes, ConstantsMatchTheHeader) {
  const std::pair<int, int> rows[] = {
      {tilus::cuda::multiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {tilus::cuda::l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
      {tilus::cuda::computeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {tilus::cuda::computeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {tilus::cuda::maxSharedMemoryPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {tilus::cuda::functionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
      {tilus::cuda::functionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
      {tilus::cuda::functionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS},
      {tilus::cuda::functionMaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
      {tilus::cuda::functionNonPortableClusterAllowed, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED},
      {tilus::cuda::jitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER},
      {tilus::cuda::jitErrorLogBufferBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES},
      {tilus::cuda::notReady, CUDA_ERROR_NOT_READY},
      {tilus::cuda::pointerContext, CU_POINTER_ATTRIBUTE_CONTEXT},
      {tilus::cuda::pointerMemoryType, CU_POINTER_ATTRIBUTE_MEMORY_TYPE},
      {tilus::cuda::pointerDeviceOrdinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL},
      {tilus::cuda::captureGlobal, CU_STREAM_CAPTURE_MODE_GLOBAL},
      {tilus::cuda::captureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL},
      {tilus::cuda::captureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED},
      {tilus::cuda::captureNone, CU_STREAM_CAPTURE_STATUS_NONE},
      {tilus::cuda::captureActive, CU_STREAM_CAPTURE_STATUS_ACTIVE},
      {tilus::cuda::captureInvalid, CU_STREAM_CAPTURE_STATUS_INVALIDATED},
      {tilus::cuda::launchClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION},
  };
  for (auto [ours, theirs] : rows)
    EXPECT_EQ(ours, theirs);
}
#else
TEST(DriverTypes, MatchTheHeader) { GTEST_SKIP() << "cuda.h is not installed"; }
#endif
