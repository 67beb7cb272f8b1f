// A fixture for tests of the dispatcher on the fake driver: devices, and a compile function whose kernels
// carry the name of their target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FakeDriverFixture.h"
#include "Tilus/Runtime/Dispatcher.h"
#include "Tilus/Runtime/EventTimer.h"

#include <atomic>

namespace tilus {

/// The target of a chip that is in the table.
inline const Target &target(llvm::StringRef chip) { return *llvm::cantFail(Target::lookup(chip)); }

class DispatcherTest : public FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    open("90");
  }
  void TearDown() override {
    dispatcher.reset();
    devices.clear();
    FakeDriverTest::TearDown();
  }
  /// Opens devices of these capabilities.
  void open(const char *capabilities) {
    dispatcher.reset();
    devices.clear();
    reset(capabilities);
    driver = llvm::cantFail(CudaDriver::load(TILUS_FAKE_CUDA));
    for (unsigned ordinal = 0; ordinal < llvm::cantFail(Device::count(*driver)); ++ordinal)
      devices.push_back(llvm::cantFail(Device::open(*driver, ordinal)));
  }

  /// `scale(c: constant, n: i32, s: f32, x: pointer)` with ceil(n / 1024) blocks.
  static CallSignature makeSignature(unsigned divisors = 0) {
    return llvm::cantFail(CallSignature::create("scale", {{"c", CallParam::Kind::Constant},
                                                          {"n", CallParam::Kind::Integer, divisors},
                                                          {"s", CallParam::Kind::Float},
                                                          {"x", CallParam::Kind::Pointer}}));
  }
  static Candidate makeCandidate(const Target &target, llvm::StringRef entry) {
    KernelArtifact artifact;
    artifact.entry = entry.str();
    artifact.chip = target.getChip().str();
    std::string image = "fake " + artifact.entry + " 32 0 0 4 4 8 chip=" + artifact.chip;
    artifact.cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
    artifact.blockThreads = 128;
    artifact.params = {{"n", KernelParam::Kind::Scalar, ScalarFormat::getInt(32)},
                       {"s", KernelParam::Kind::Scalar, ScalarFormat::getF32()},
                       {"x", KernelParam::Kind::Pointer, ScalarFormat::getF32(), 16}};
    artifact.grid[0] = llvm::cantFail(GridExpr::parse("p0 1024 ceildivs", 3));
    return {std::make_shared<const KernelArtifact>(std::move(artifact)), "", ""};
  }
  /// A name that tells the target and the constant.
  static std::string getEntry(const CompileRequest &request) {
    return ("scale_" + request.target.getFileName() + "_" + llvm::Twine(request.args[0].getInt())).str();
  }
  DispatcherOptions makeOptions() {
    DispatcherOptions options;
    options.compile = [this](const CompileRequest &request) {
      ++compiles;
      return llvm::Expected<std::vector<Candidate>>(
          std::vector<Candidate>{makeCandidate(request.target, getEntry(request))});
    };
    return options;
  }
  void make(DispatcherOptions options, unsigned divisors = 0) {
    dispatcher = std::make_unique<Dispatcher>(makeSignature(divisors), std::move(options));
  }
  static std::vector<CallValue> makeArgs(int64_t n, int64_t constant = 1, uint64_t address = 0x1000) {
    return {CallValue::getInt(constant), CallValue::getInt(n), CallValue::getFloat(1.5),
            CallValue::getPointer(address)};
  }
  std::string launch(llvm::ArrayRef<CallValue> args, const Target *callTarget = nullptr,
                     cuda::StreamHandle stream = nullptr, unsigned device = 0) {
    return message(dispatcher->call(args, {devices[device].get(), stream, callTarget}));
  }
  /// The entries of the launches on record, in order.
  std::vector<std::string> launches() {
    std::vector<std::string> names;
    llvm::SmallVector<llvm::StringRef> lines;
    std::string text = log();
    llvm::StringRef(text).split(lines, '\n');
    for (llvm::StringRef line : lines)
      if (line.consume_front("cuLaunchKernelEx "))
        names.push_back(line.split(' ').first.str());
    return names;
  }
  /// The counters of a target; zeros if it was not used.
  TargetStats stats(const Target &wanted) {
    for (const TargetStats &row : dispatcher->stats())
      if (row.target == &wanted)
        return row;
    return {};
  }

  std::vector<std::unique_ptr<Device>> devices;
  std::unique_ptr<Dispatcher> dispatcher;
  std::atomic<int> compiles{0};
};

/// With streams, captures and a limit to the modules.
class DispatcherDeviceTest : public DispatcherTest {
protected:
  /// A dispatcher whose modules are limited.
  void makeLimited(unsigned limit) {
    DispatcherOptions options = makeOptions();
    options.modules = modules = std::make_shared<ModuleCache>(limit);
    make(std::move(options));
  }
  void TearDown() override {
    dispatcher.reset();
    streams.clear();
    DispatcherTest::TearDown();
  }
  cuda::StreamHandle makeStream(unsigned device = 0) {
    streams.push_back(std::make_unique<Stream>(llvm::cantFail(Stream::create(*devices[device]))));
    return streams.back()->getHandle();
  }
  void beginCapture(cuda::StreamHandle stream, int mode = 0) {
    ContextScope scope = llvm::cantFail(devices[0]->enter());
    EXPECT_EQ(call<int (*)(cuda::StreamHandle, cuda::CaptureMode)>("cuStreamBeginCapture_v2")(
                  stream, static_cast<cuda::CaptureMode>(mode)),
              0);
  }
  /// Ends the capture, and launches the graph if it is wanted; the code of the first call that fails.
  int endCapture(cuda::StreamHandle stream, bool isLaunched = false) {
    ContextScope scope = llvm::cantFail(devices[0]->enter());
    cuda::GraphHandle graph = nullptr;
    int code = call<int (*)(cuda::StreamHandle, cuda::GraphHandle *)>("cuStreamEndCapture")(stream, &graph);
    if (code == 0 && isLaunched)
      code = call<int (*)(cuda::GraphHandle, cuda::StreamHandle)>("cuGraphLaunch")(graph, stream);
    if (graph)
      call<int (*)(cuda::GraphHandle)>("cuGraphDestroy")(graph);
    return code;
  }

  std::shared_ptr<ModuleCache> modules;
  std::vector<std::unique_ptr<Stream>> streams;
};

} // namespace tilus
