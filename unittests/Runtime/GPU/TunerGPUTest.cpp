// Tests of tuning on a device, with kernels written in PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GPUFixture.h"
#include "Tilus/Runtime/EventTimer.h"
#include "Tilus/Runtime/Tuner.h"

#include "gmock/gmock.h"
#include <dlfcn.h>
#include <thread>

using namespace tilus;
using testing::HasSubstr;

namespace {

/// `add(x: pointer to i32, n: i32)`: each thread runs `body`, then adds `summand` to its element.
std::string makePTX(const std::string &body, int summand) {
  return R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %i, %n, %t, %v;
  .reg .b64 %x, %o;
  ld.param.u64 %x, [x];
  ld.param.u32 %n, [n];
  mov.u32 %i, %ctaid.x;
  mov.u32 %t, %tid.x;
  mad.lo.u32 %i, %i, 256, %t;
  setp.ge.u32 %p, %i, %n;
  @%p bra DONE;
  cvta.to.global.u64 %x, %x;
  mul.wide.u32 %o, %i, 4;
  add.u64 %x, %x, %o;
)" + body +
         R"(
  ld.global.u32 %v, [%x];
  add.u32 %v, %v, )" +
         std::to_string(summand) + R"(;
  st.global.u32 [%x], %v;
DONE:
  ret;
}
)";
}

class TunerGPUTest : public GPUTest {
protected:
  static constexpr int count = 1 << 20;

  void add(const char *name, const std::string &body, int summand = 1) {
    auto artifact = std::make_shared<KernelArtifact>();
    artifact->entry = "add";
    artifact->chip = "sm_80";
    artifact->ptx = makePTX(body, summand);
    artifact->blockThreads = 256;
    artifact->params = {{"x", KernelParam::Kind::Pointer, ScalarFormat::getInt(32), 4},
                        {"n", KernelParam::Kind::Scalar, ScalarFormat::getInt(32), 1}};
    artifact->grid[0] = llvm::cantFail(GridExpr::parse("p1 256 ceildivs", 2));
    candidates.push_back({artifact, "hash of " + std::string(name), name});
  }
  /// Tunes, launches the choice once, and checks that this has added 1 to each element.
  void runAndCheck(const TuneOptions &options, TuneReport &report) {
    std::vector<int32_t> start(count);
    for (int i = 0; i < count; ++i)
      start[i] = i * 7;
    DeviceBuffer x = upload(start);
    report = llvm::cantFail(tune(*device, candidates, {{x.getAddress(), x.getBytes()}, {count, 0}}, options));
    EXPECT_EQ(download<int32_t>(x), start);
    ASSERT_TRUE(report.best) << report.describeRefusals();
    const Candidate &best = candidates[*report.best];
    auto kernel = llvm::cantFail(LoadedKernel::load(*device, best.artifact));
    LaunchArguments arguments(best.artifact);
    llvm::cantFail(arguments.setPointer(0, x.getAddress()));
    llvm::cantFail(arguments.setInteger(1, count));
    llvm::cantFail(launch(*kernel, arguments));
    for (int32_t &value : start)
      ++value;
    EXPECT_EQ(download<int32_t>(x), start);
    for (const TuneOutcome &outcome : report.outcomes)
      std::printf("  %s: %g ms %s\n", outcome.schedule.c_str(), outcome.milliseconds.value_or(-1),
                  outcome.reason.c_str());
  }

  std::vector<Candidate> candidates;
};

const char *sleeping = "nanosleep.u32 200000;";
const char *hanging = "LOOP: ld.volatile.global.u32 %v, [%x]; setp.ne.u32 %p, %v, 123456789; @%p bra LOOP;";
const char *faulting = "mov.u64 %o, 16; st.global.u32 [%o], %i;";

} // namespace

TEST_F(TunerGPUTest, ChoosesTheFastestOfThoseThatAreRight) {
  add("slow", sleeping);
  add("wrong", "", 2);
  add("fast", "");
  add("other", sleeping);
  TuneReport report;
  runAndCheck({}, report);
  EXPECT_EQ(report.outcomes[*report.best].schedule, "fast");
  EXPECT_THAT(report.outcomes[1].reason, HasSubstr("'x': element 0 is 2, not 1"));
  EXPECT_GT(*report.outcomes[0].milliseconds, *report.outcomes[2].milliseconds);
}

TEST_F(TunerGPUTest, AProcessOfItsOwnTakesHangsAndFaults) {
  add("hanging", hanging);
  add("slow", sleeping);
  add("faulting", faulting);
  add("fast", "");
  TuneOptions options;
  options.measureProgram = TILUS_MEASURE;
  options.secondsPerCandidate = 2;
  TuneReport report;
  runAndCheck(options, report);
  EXPECT_EQ(report.warning, "");
  EXPECT_EQ(report.outcomes[*report.best].schedule, "fast");
  EXPECT_THAT(report.outcomes[0].reason, HasSubstr("within 2 s"));
  EXPECT_THAT(report.outcomes[2].reason, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
}

TEST_F(TunerGPUTest, CapturesOfOtherThreadsStayValid) {
  void *library = dlopen(driver->getPath().str().c_str(), RTLD_NOW);
  auto begin = reinterpret_cast<int (*)(cuda::StreamHandle, cuda::CaptureMode)>(
      dlsym(library, "cuStreamBeginCapture_v2"));
  auto end = reinterpret_cast<int (*)(cuda::StreamHandle, void **)>(dlsym(library, "cuStreamEndCapture"));
  auto destroy = reinterpret_cast<int (*)(void *)>(dlsym(library, "cuGraphDestroy"));
  add("slow", sleeping);
  add("fast", "");
  Stream stream = llvm::cantFail(Stream::create(*device));
  DeviceBuffer x = upload(std::vector<int32_t>(count));
  auto scope = llvm::cantFail(device->enter());
  ASSERT_EQ(begin(stream.getHandle(), cuda::captureGlobal), 0);
  std::thread other([&] {
    llvm::Expected<TuneReport> report =
        tune(*device, candidates, {{x.getAddress(), x.getBytes()}, {count, 0}});
    if (!report)
      ADD_FAILURE() << llvm::toString(report.takeError());
    else
      EXPECT_EQ(report->best, 1u) << report->describeRefusals();
  });
  other.join();
  void *graph = nullptr;
  EXPECT_EQ(end(stream.getHandle(), &graph), 0);
  EXPECT_EQ(destroy(graph), 0);
}
