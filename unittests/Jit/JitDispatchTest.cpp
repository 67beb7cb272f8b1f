// Tests of dispatchers that compile in this process: what is compiled and launched under which target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDriverFixture.h"
#include "JitKernels.h"
#include "Tilus/Target/Cubin/Cubin.h"

using namespace tilus;
using testing::HasSubstr;

/// A dispatcher of `fill` and its compiler.
static std::unique_ptr<Dispatcher> makeDispatcher(const Jit &jit) {
  KernelSource source = makeSource();
  CallSignature signature = llvm::cantFail(source.makeSignature());
  DispatcherOptions options;
  options.compile = jit.getCompileFunction(std::move(source));
  return std::make_unique<Dispatcher>(std::move(signature), std::move(options));
}

/// Whether an assembler is there that runs in this process.
static bool hasAssembler(const CompileOptions &options) {
  CubinOptions cubin;
  cubin.assembler = Assembler::NvJitLink;
  cubin.toolkit = options.toolkit;
  return !findAssemblerFiles(cubin).empty();
}

/// No device, no driver: five compilations under five scopes of one process.
TEST(JitDispatch, CompilesForTheTargetOfTheScope) {
  CompileOptions options = CompileOptions::fromEnvironment();
  if (!hasAssembler(options))
    GTEST_SKIP() << "no nvJitLink";
  options.assembler = Assembler::NvJitLink;
  Jit jit({options, nullptr});
  std::unique_ptr<Dispatcher> dispatcher = makeDispatcher(jit);
  const char *chips[] = {"sm_90a", "sm_103a", "sm_90a", "sm_90", "sm_103"};
  const char *markers[] = {", 9000;", ", 7000;", ", 9000;", ", 8000;", ", 7000;"};
  std::vector<const JitInstance *> instances;
  for (unsigned i = 0; i < 5; ++i) {
    TargetScope scope(target(chips[i]));
    instances.push_back(llvm::cantFail(dispatcher->compile(makeArgs())));
    const KernelArtifact &artifact = *instances[i]->candidates[0].artifact;
    EXPECT_EQ(artifact.chip, chips[i]);
    EXPECT_THAT(artifact.ptx, HasSubstr(std::string(".target ") + chips[i]));
    EXPECT_THAT(artifact.ptx, HasSubstr(markers[i]));
    // The header of the ELF file has the capability, the assembler's note the chip.
    llvm::StringRef cubin(reinterpret_cast<const char *>(artifact.cubin.data()), artifact.cubin.size());
    EXPECT_EQ(llvm::cantFail(readCubinCapability(cubin)), target(chips[i]).getInfo().capability);
    EXPECT_TRUE(cubin.contains("-arch " + std::string(chips[i]) + " ")) << chips[i];
  }
  EXPECT_EQ(instances[0], instances[2]);
  for (unsigned i : {1, 3, 4})
    EXPECT_NE(instances[0], instances[i]);
  std::vector<TargetStats> stats = dispatcher->stats();
  ASSERT_EQ(stats.size(), 4u);
  for (const TargetStats &row : stats) {
    EXPECT_EQ(row.instances, 1u);
    EXPECT_GT(row.compileMilliseconds, 0);
  }
}

namespace {
/// With the fake driver, which loads a cubin only where its chip's run, and logs the chip of a launch.
class JitLaunchTest : public FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    options = CompileOptions::fromEnvironment();
    options.assembler = Assembler::NvJitLink;
    if (!hasAssembler(options))
      GTEST_SKIP() << "no nvJitLink";
    device = llvm::cantFail(Device::open(*driver, 0));
    jit = std::make_unique<Jit>(JitOptions{options, nullptr});
    dispatcher = makeDispatcher(*jit);
  }
  void TearDown() override {
    dispatcher.reset();
    device.reset();
    FakeDriverTest::TearDown();
  }
  /// The chips of the launches so far.
  std::vector<std::string> getLaunchedChips() {
    std::vector<std::string> chips;
    std::string text = log();
    for (llvm::StringRef line : llvm::split(text, '\n'))
      if (line.consume_front("cuLaunchKernelEx fill chip="))
        chips.push_back(line.split(' ').first.str());
    return chips;
  }

  CompileOptions options;
  std::unique_ptr<Device> device;
  std::unique_ptr<Jit> jit;
  std::unique_ptr<Dispatcher> dispatcher;
};
} // namespace

TEST_F(JitLaunchTest, LaunchesTheCodeOfTheTarget) {
  CallSite site = {device.get()};
  auto launch = [&] { return message(dispatcher->call(makeArgs(), site)); };
  EXPECT_EQ(launch(), "no error");
  for (const char *chip : {"sm_90", "sm_90a", "sm_90"}) {
    TargetScope scope(target(chip));
    EXPECT_EQ(launch(), "no error");
  }
  EXPECT_EQ(launch(), "no error");
  EXPECT_EQ(getLaunchedChips(), (std::vector<std::string>{"sm_90a", "sm_90", "sm_90a", "sm_90", "sm_90a"}));
  std::vector<TargetStats> stats = dispatcher->stats();
  ASSERT_EQ(stats.size(), 2u);
  for (const TargetStats &row : stats) {
    EXPECT_EQ(row.instances, 1u);
    EXPECT_EQ(row.slowCalls, 1u);
  }
  TargetScope scope(target("sm_80"));
  EXPECT_THAT(launch(), HasSubstr("expected a binary that runs on device 0 'Fake GPU 0' (compute "
                                  "capability 9.0) for kernel 'fill', but got a cubin for sm_80; compile it "
                                  "for sm_90a"));
}
