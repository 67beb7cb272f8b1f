// A test fixture with the fake driver loaded and reset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FakeCuda/FakeCuda.h"
#include "Tilus/Runtime/Device.h"

#include "gtest/gtest.h"
#include <dlfcn.h>

namespace tilus {

/// Finds the fake's controls in the library that the driver under test is loaded from, and checks at the end
/// that the test left no object behind.
class FakeDriverTest : public testing::Test {
protected:
  void SetUp() override {
    library = dlopen(TILUS_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    reset("90");
    driver = llvm::cantFail(CudaDriver::load(TILUS_FAKE_CUDA));
  }
  void TearDown() override { EXPECT_EQ(call<decltype(&fakeCudaLive)>("fakeCudaLive")(), 0); }

  void reset(const char *devices) { call<decltype(&fakeCudaReset)>("fakeCudaReset")(devices); }
  void fail(const char *symbol, int nth, int code) {
    call<decltype(&fakeCudaFail)>("fakeCudaFail")(symbol, nth, code);
  }
  std::string log() { return call<decltype(&fakeCudaLog)>("fakeCudaLog")(); }

  std::unique_ptr<CudaDriver> driver;

private:
  template <typename Function> Function call(const char *name) {
    return reinterpret_cast<Function>(dlsym(library, name));
  }

  void *library = nullptr;
};

/// The text of an error, or "no error".
inline std::string message(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : std::string("no error");
}
template <typename T> std::string message(llvm::Expected<T> value) { return message(value.takeError()); }

} // namespace tilus
