// A test fixture with the fake driver loaded and reset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FakeCuda/FakeCuda.h"
#include "Tilus/Runtime/Device.h"

#include "gtest/gtest.h"
#include <dlfcn.h>

namespace tilus {

/// Finds the fake's controls in the library that the driver under test is loaded from, and checks at the end
/// that the test left no object behind and did nothing that the driver takes amiss.
class FakeDriverTest : public testing::Test {
protected:
  void SetUp() override {
    library = dlopen(TILUS_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    reset("90");
    driver = llvm::cantFail(CudaDriver::load(TILUS_FAKE_CUDA));
  }
  void TearDown() override {
    EXPECT_EQ(call<decltype(&fakeCudaLive)>("fakeCudaLive")(), 0);
    EXPECT_EQ(violations(), "");
  }

  /// A function of the fake by name: its controls, and the driver's functions that the runtime does not use.
  template <typename Function> Function call(const char *name) {
    return reinterpret_cast<Function>(dlsym(library, name));
  }
  void reset(const char *devices) { call<decltype(&fakeCudaReset)>("fakeCudaReset")(devices); }
  void fail(const char *symbol, int nth, int code) {
    call<decltype(&fakeCudaFail)>("fakeCudaFail")(symbol, nth, code);
  }
  void delay(const char *symbol, int microseconds) {
    call<decltype(&fakeCudaDelay)>("fakeCudaDelay")(symbol, microseconds);
  }
  /// Gives the kernels of an entry a code, which may be a lambda that outlives them.
  template <typename Code> void onLaunch(const char *entry, Code &code) {
    call<decltype(&fakeCudaKernel)>("fakeCudaKernel")(
        entry, [](void *context, FakeLaunch *launch) { (*static_cast<Code *>(context))(*launch); }, &code);
  }
  void release() { call<decltype(&fakeCudaRelease)>("fakeCudaRelease")(); }
  void record(bool isOn) { call<decltype(&fakeCudaRecord)>("fakeCudaRecord")(isOn); }
  std::string log() { return call<decltype(&fakeCudaLog)>("fakeCudaLog")(); }
  std::string violations() { return call<decltype(&fakeCudaViolations)>("fakeCudaViolations")(); }

  std::unique_ptr<CudaDriver> driver;

private:
  void *library = nullptr;
};

/// The text of an error, or "no error".
inline std::string message(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : std::string("no error");
}
template <typename T> std::string message(llvm::Expected<T> value) { return message(value.takeError()); }

} // namespace tilus
