// Tests on a real device: what was compiled for which target shows in memory. Skipped where there is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GPU/GPUFixture.h"
#include "JitKernels.h"
#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Target/Cubin/Cubin.h"

using namespace tilus;

/// The marker in the code of `fill`.
static int getMarker(llvm::StringRef chip) { return chip == "sm_90a" ? 9000 : chip == "sm_90" ? 8000 : 7000; }

using JitGPUTest = GPUTest;

/// In one process: the device's default target, the base target of its capability by a scope, the default
/// again.
TEST_F(JitGPUTest, RunsTheCodeOfTheTarget) {
  const Target *own = device->getDefaultTarget();
  if (!own)
    GTEST_SKIP() << device->describe() << " is not in the table of targets";
  const Target &base = target(own->getChip().rtrim("af"));
  CompileOptions options = CompileOptions::fromEnvironment();
  // Without an assembler the driver compiles the PTX.
  options.emitCubin = !findAssemblerFiles({options.assembler, 3, false, 0, options.toolkit}).empty();
  Jit jit({options, nullptr});
  KernelSource source = makeSource();
  CallSignature signature = llvm::cantFail(source.makeSignature());
  DispatcherOptions dispatcherOptions;
  dispatcherOptions.compile = jit.getCompileFunction(std::move(source));
  Dispatcher dispatcher(std::move(signature), std::move(dispatcherOptions));

  DeviceBuffer buffer = upload(std::vector<int>(1024));
  auto call = [&](const Target &expected, unsigned value) {
    llvm::cantFail(dispatcher.call(makeArgs(1024, value, buffer.getAddress()), {device.get()}));
    std::vector<int> filled(1024, getMarker(expected.getChip()) + value);
    EXPECT_EQ(download<int>(buffer), filled) << expected.getChip().str();
  };
  call(*own, 1);
  {
    TargetScope scope(base);
    call(base, 2);
  }
  call(*own, 3);
  for (const TargetStats &row : dispatcher.stats())
    EXPECT_EQ(row.instances, 1u);
}
