// A test fixture with candidates on the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FakeDriverFixture.h"
#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/Tuner.h"

namespace tilus {

/// The kernels under test: `entry(x: pointer to i32, n: i64)` that adds to each of n elements.
struct Addition {
  int summand = 1;
  double milliseconds = 1;
  int fault = 0;
  bool hangs = false;
  int launches = 0;
  std::vector<int32_t *> addresses = {};

  void operator()(FakeLaunch &launch) {
    ++launches;
    int32_t *x = *static_cast<int32_t **>(launch.params[0]);
    addresses.push_back(x);
    for (int64_t i = 0, n = *static_cast<int64_t *>(launch.params[1]); i < n; ++i)
      x[i] += summand;
    launch.milliseconds = milliseconds;
    launch.fault = fault;
    launch.hangs = hangs;
  }
};

class TunerTest : public FakeDriverTest {
protected:
  static constexpr int64_t count = 100;

  void SetUp() override {
    FakeDriverTest::SetUp();
    device = llvm::cantFail(Device::open(*driver, 0));
    x = std::make_unique<DeviceBuffer>(llvm::cantFail(DeviceBuffer::allocate(*device, count * 4)));
    std::vector<int32_t> start;
    for (int i = 0; i < count; ++i)
      start.push_back(i);
    llvm::cantFail(x->copyFrom({reinterpret_cast<uint8_t *>(start.data()), start.size() * 4}));
    options.flushBytes = 1024;
    options.repeat = 3;
    options.secondsPerCandidate = 0.2;
  }
  void TearDown() override {
    x.reset();
    device.reset();
    FakeDriverTest::TearDown();
  }
  /// After a candidate that made the device unusable, and what it used with it.
  void forget() {
    (void)x.release();
    (void)device.release();
    reset("90");
  }
  /// Adds a candidate whose kernel has the code.
  void add(const char *name, Addition &code) {
    auto artifact = std::make_shared<KernelArtifact>();
    artifact->entry = name;
    artifact->chip = "sm_90";
    std::string image = "fake " + std::string(name) + " 32 0 0 8 8";
    artifact->cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
    artifact->blockThreads = 128;
    artifact->params = {{"x", KernelParam::Kind::Pointer, ScalarFormat::getInt(32), 16},
                        {"n", KernelParam::Kind::Scalar, ScalarFormat::getInt(64), 1}};
    candidates.push_back({artifact, "hash of " + std::string(name), name});
    onLaunch(name, code);
  }
  TuneReport run() {
    return llvm::cantFail(tune(*device, candidates, {{x->getAddress(), x->getBytes()}, {count, 0}}, options));
  }
  std::string getBest(const TuneReport &report) {
    return report.best ? report.outcomes[*report.best].scheduleHash : "none";
  }
  /// What was added to the elements of x.
  int getSum() {
    std::vector<int32_t> values(count);
    llvm::cantFail(x->copyTo({reinterpret_cast<uint8_t *>(values.data()), values.size() * 4}));
    for (int i = 1; i < count; ++i)
      EXPECT_EQ(values[i] - i, values[0]);
    return values[0];
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceBuffer> x;
  std::vector<Candidate> candidates;
  TuneOptions options;
};

} // namespace tilus
