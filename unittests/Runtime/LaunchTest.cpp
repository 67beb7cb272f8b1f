// Tests of loading and launching kernels against the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDriverFixture.h"
#include "Tilus/Runtime/EventTimer.h"
#include "Tilus/Runtime/Launcher.h"

#include "gmock/gmock.h"

using namespace tilus;
using testing::HasSubstr;
using testing::Not;

namespace {

KernelParam scalar(const char *name, const char *type, uint64_t divisibility = 1) {
  return {name, KernelParam::Kind::Scalar, *ScalarFormat::parse(type), divisibility};
}

KernelParam pointer(const char *name, const char *type, uint64_t divisibility = 1) {
  return {name, KernelParam::Kind::Pointer, *ScalarFormat::parse(type), divisibility};
}

/// `scale(n: i32, s: f32, x: pointer)` with ceil(n / 1024) blocks of 128 threads.
KernelArtifact makeArtifact() {
  KernelArtifact artifact;
  artifact.entry = "scale";
  artifact.chip = "sm_90a";
  const char image[] = "fake scale 32 16 1024 4 4 8";
  artifact.cubin.assign(image, image + sizeof(image));
  artifact.blockThreads = 128;
  artifact.params = {scalar("n", "i32"), scalar("s", "f32"), pointer("x", "f32", 16)};
  artifact.grid[0] = llvm::cantFail(GridExpr::parse("p0 1024 ceildivs", 3));
  return artifact;
}

class LaunchTest : public FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    device = llvm::cantFail(Device::open(*driver, 0));
  }
  void TearDown() override {
    kernel.reset();
    device.reset();
    FakeDriverTest::TearDown();
  }
  /// Loads the artifact and gives it arguments.
  std::string load(const KernelArtifact &artifact) {
    auto shared = std::make_shared<const KernelArtifact>(artifact);
    llvm::Expected<std::unique_ptr<LoadedKernel>> loaded = LoadedKernel::load(*device, shared);
    if (!loaded)
      return message(loaded.takeError());
    kernel = std::move(*loaded);
    arguments = std::make_unique<LaunchArguments>(shared);
    return "no error";
  }
  std::string launchScale(const KernelArtifact &artifact, int64_t n) {
    if (std::string text = load(artifact); text != "no error")
      return text;
    llvm::cantFail(arguments->setInteger(0, n));
    llvm::cantFail(arguments->setFloat(1, 1.5));
    llvm::cantFail(arguments->setPointer(2, 0x123450));
    return message(launch(*kernel, *arguments));
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<LoadedKernel> kernel;
  std::unique_ptr<LaunchArguments> arguments;
};

} // namespace

TEST_F(LaunchTest, ArgumentsAndShapeArrive) {
  EXPECT_EQ(launchScale(makeArtifact(), 4097), "no error");
  EXPECT_EQ(kernel->getRegisters(), 32);
  EXPECT_EQ(kernel->getLocalBytes(), 16);
  EXPECT_EQ(kernel->getStaticSharedBytes(), 1024);
  EXPECT_EQ(log(), "cuModuleLoadDataEx device=0\n"
                   "cuLaunchKernelEx scale device=0 grid=5,1,1 block=128,1,1 shared=0 stream=default "
                   "params=01100000,0000c03f,5034120000000000\n");
}

TEST_F(LaunchTest, ArgumentsAreWrittenInPlace) {
  EXPECT_EQ(launchScale(makeArtifact(), 1), "no error");
  Stream stream = llvm::cantFail(Stream::create(*device));
  llvm::cantFail(arguments->setInteger(0, 2049));
  EXPECT_EQ(message(launch(*kernel, *arguments, stream.getHandle())), "no error");
  EXPECT_THAT(log(), HasSubstr("grid=3,1,1 block=128,1,1 shared=0 stream=own params=01080000,"));
}

TEST_F(LaunchTest, EmptyGridLaunchesNothing) {
  EXPECT_EQ(launchScale(makeArtifact(), 0), "no error");
  EXPECT_THAT(log(), Not(HasSubstr("cuLaunchKernelEx")));
}

TEST_F(LaunchTest, ClusterAndSharedMemoryArrive) {
  KernelArtifact artifact = makeArtifact();
  artifact.cluster = {2, 1, 1};
  artifact.dynamicSharedBytes = 65536;
  EXPECT_EQ(launchScale(artifact, 4096), "no error");
  EXPECT_THAT(log(), HasSubstr("cuFuncSetAttribute scale 8=65536\n"));
  EXPECT_THAT(log(), HasSubstr("grid=4,1,1 block=128,1,1 shared=65536 stream=default cluster=2,1,1 "));
  EXPECT_EQ(launchScale(artifact, 4097),
            "expected a grid size x that is a multiple of 2, the cluster size, for "
            "kernel 'scale', but got 5");
  artifact.cluster = {4, 4, 1};
  EXPECT_EQ(load(artifact), "no error");
  EXPECT_THAT(log(), HasSubstr("cuFuncSetAttribute scale 14=1\n"));
}

TEST_F(LaunchTest, WorkspacesFollowTheParameters) {
  KernelArtifact artifact = makeArtifact();
  artifact.cubin.clear();
  const char image[] = "fake scale 32 16 1024 4 4 8 8";
  artifact.cubin.assign(image, image + sizeof(image));
  artifact.workspaces.push_back({llvm::cantFail(GridExpr::parse("p0 4 mul", 3)), true});
  EXPECT_EQ(launchScale(artifact, 1024),
            "expected an address for workspace 0 of kernel 'scale', but got none");
  EXPECT_EQ(
      message(arguments->setWorkspace(0, 0x18)),
      "expected an address aligned to 16 bytes for one of the 1 workspaces of kernel 'scale', but got 0x18 "
      "for number 0");
  EXPECT_THAT(message(arguments->setWorkspace(1, 0x10)), HasSubstr("for number 1"));
  EXPECT_EQ(message(arguments->setWorkspace(0, 0x20)), "no error");
  EXPECT_EQ(message(launch(*kernel, *arguments)), "no error");
  EXPECT_THAT(log(), HasSubstr("params=00040000,0000c03f,5034120000000000,2000000000000000\n"));
}

TEST_F(LaunchTest, GridLimitsAreInWords) {
  EXPECT_EQ(launchScale(makeArtifact(), -4096),
            "expected a grid size x from 0 to 2147483647 for kernel 'scale', but got -4");
  KernelArtifact artifact = makeArtifact();
  artifact.grid[0] = GridExpr::constant(2147483648);
  EXPECT_EQ(launchScale(artifact, 1),
            "expected a grid size x from 0 to 2147483647 for kernel 'scale', but got 2147483648");
  for (unsigned axis : {1u, 2u}) {
    artifact = makeArtifact();
    artifact.grid[axis] = GridExpr::constant(65536);
    EXPECT_EQ(launchScale(artifact, 1), std::string("expected a grid size ") + "xyz"[axis] +
                                            " from 0 to 65535 for kernel 'scale', but got 65536");
    artifact.grid[axis] = GridExpr::constant(65535);
    EXPECT_EQ(launchScale(artifact, 1), "no error");
  }
  artifact = makeArtifact();
  artifact.grid[0] = llvm::cantFail(GridExpr::parse("1024 p0 ceildivs", 3));
  EXPECT_EQ(launchScale(artifact, 0),
            "kernel 'scale', grid size x: expected a divisor other than 0 in the grid "
            "expression, but got '1024 ceildivs 0'");
}

TEST_F(LaunchTest, ResourceLimitsAreInWords) {
  KernelArtifact artifact = makeArtifact();
  artifact.blockThreads = 1025;
  EXPECT_EQ(load(artifact), "expected 1 to 1024 threads a block for kernel 'scale', but got 1025");
  artifact.blockThreads = 0;
  EXPECT_EQ(load(artifact), "expected 1 to 1024 threads a block for kernel 'scale', but got 0");
  artifact = makeArtifact();
  artifact.cluster = {8, 4, 1};
  EXPECT_EQ(load(artifact), "expected 1 to 16 blocks a cluster for kernel 'scale', but got 32");
  artifact.cluster = {1, 0, 1};
  EXPECT_EQ(load(artifact), "expected 1 to 16 blocks a cluster for kernel 'scale', but got 0");
  artifact = makeArtifact();
  artifact.dynamicSharedBytes = 232448;
  EXPECT_EQ(load(artifact),
            "expected at most 232448 bytes of shared memory a block for kernel 'scale' on device 0 "
            "'Fake GPU 0' (compute capability 9.0), but got 233472");
}

TEST_F(LaunchTest, RefusesABinaryOfAnotherChip) {
  KernelArtifact artifact = makeArtifact();
  artifact.chip = "sm_100a";
  EXPECT_EQ(load(artifact),
            "expected a binary that runs on device 0 'Fake GPU 0' (compute capability 9.0) for "
            "kernel 'scale', but got a cubin for sm_100a; compile it for sm_90a");
  artifact.chip = "sm_80";
  EXPECT_THAT(load(artifact), HasSubstr("but got a cubin for sm_80"));
  EXPECT_EQ(log(), "");
  // PTX of an earlier chip is compiled by the driver.
  artifact.cubin.clear();
  artifact.ptx = ".version 8.8\n";
  EXPECT_EQ(load(artifact), "no error");
  artifact.chip = "sm_100";
  EXPECT_THAT(load(artifact), HasSubstr("but got PTX for sm_100;"));
  artifact.ptx.clear();
  artifact.chip = "sm_90";
  EXPECT_EQ(load(artifact), "expected a cubin or PTX for kernel 'scale', but got neither");
}

TEST_F(LaunchTest, ReportsWhatTheDriverSays) {
  KernelArtifact artifact = makeArtifact();
  artifact.cubin = {'b', 'a', 'd', 0};
  EXPECT_EQ(load(artifact), "expected 'cuModuleLoadDataEx' to succeed for kernel 'scale' (sm_90a) on device "
                            "0 'Fake GPU 0' (compute "
                            "capability 9.0) with the log 'fake: not a module image', but got "
                            "CUDA_ERROR_INVALID_IMAGE (200): device "
                            "kernel image is invalid");
  artifact = makeArtifact();
  artifact.entry = "other";
  EXPECT_THAT(load(artifact), HasSubstr("expected 'cuModuleGetFunction' to succeed for kernel 'other'"));
  fail("cuLaunchKernelEx", 2, 1);
  EXPECT_EQ(launchScale(makeArtifact(), 1), "no error");
  EXPECT_EQ(launchScale(makeArtifact(), 1), "expected 'cuLaunchKernelEx' to succeed for kernel 'scale' on "
                                            "device 0 'Fake GPU 0' (compute capability "
                                            "9.0), but got CUDA_ERROR_INVALID_VALUE (1): invalid argument");
}

TEST_F(LaunchTest, ChecksEachArgument) {
  KernelArtifact artifact = makeArtifact();
  artifact.params.push_back(scalar("k", "i8", 4));
  artifact.params.push_back(scalar("b", "bool"));
  ASSERT_EQ(load(artifact), "no error");
  LaunchArguments &a = *arguments;
  EXPECT_EQ(message(launch(*kernel, a)),
            "expected an argument for parameter 'n' of kernel 'scale', but got none");
  EXPECT_EQ(message(a.setInteger(0, int64_t(1) << 32)),
            "expected a value of type i32 for parameter 'n' of kernel 'scale', but got 4294967296");
  EXPECT_EQ(message(a.setInteger(0, 4294967295)), "no error");
  EXPECT_EQ(a.getGridValues()[0], -1);
  EXPECT_EQ(message(a.setFloat(0, 1.5)),
            "expected an integer of type i32 for parameter 'n' of kernel 'scale', but got a real number");
  EXPECT_EQ(message(a.setPointer(1, 0)),
            "expected a scalar of type f32 for parameter 's' of kernel 'scale', but got a pointer");
  EXPECT_EQ(message(a.setInteger(2, 0)),
            "expected a pointer to f32 for parameter 'x' of kernel 'scale', but got a scalar");
  EXPECT_EQ(message(a.setPointer(2, 0x1008)),
            "expected an address aligned to 16 bytes for parameter 'x' of kernel "
            "'scale', but got 0x1008");
  EXPECT_EQ(message(a.setInteger(3, -6)),
            "expected a multiple of 4 for parameter 'k' of kernel 'scale', but got -6");
  EXPECT_EQ(message(a.setInteger(3, -8)), "no error");
  EXPECT_EQ(message(a.setCode(3, 256)),
            "expected a code of 8 bits for parameter 'k' of kernel 'scale', but got 0x100");
  EXPECT_EQ(message(a.setInteger(4, 2)),
            "expected a value of type bool for parameter 'b' of kernel 'scale', but got 2");
  EXPECT_EQ(message(a.setInteger(5, 2)),
            "expected the index, from 0, of one of the 5 parameters of kernel 'scale', but got 5");
  LaunchArguments foreign(std::make_shared<KernelArtifact>(makeArtifact()));
  EXPECT_EQ(message(launch(*kernel, foreign)),
            "expected arguments made for the loaded kernel 'scale', but got arguments of kernel 'scale'");
}
