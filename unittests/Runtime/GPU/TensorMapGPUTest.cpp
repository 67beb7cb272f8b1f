// Tests of tensor maps on a device that has them: what a box of a tensor holds in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GPUFixture.h"

using namespace tilus;

namespace {

/// Each block reads its box of 8 rows of 128 bytes and writes its bytes one after the other.
const char *copyPTX = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 source, .param .u64 target, .param .u32 rows, .param .u32 columns,
                     .param .align 64 .b8 map[128]) {
  .shared .align 1024 .b8 tile[1024];
  .shared .align 8 .b64 barrier;
  .reg .pred %p;
  .reg .b32 %t, %x, %y, %n, %column, %row, %tile, %barrier;
  .reg .b64 %map, %target, %offset, %value;
  mov.u32 %t, %tid.x;
  mov.u32 %x, %ctaid.x;
  mov.u32 %y, %ctaid.y;
  mov.u32 %tile, tile;
  mov.u32 %barrier, barrier;
  setp.ne.u32 %p, %t, 0;
  @%p bra WAIT;
  mov.b64 %map, map;
  cvta.param.u64 %map, %map;
  mul.lo.u32 %column, %x, 64;
  mul.lo.u32 %row, %y, 8;
  mbarrier.init.shared.b64 [%barrier], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 _, [%barrier], 1024;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%map, {%column, %row}], [%barrier];
WAIT:
  bar.sync 0;
TRY:
  mbarrier.try_wait.parity.shared.b64 %p, [%barrier], 0;
  @!%p bra TRY;
  mov.u32 %n, %nctaid.x;
  mad.lo.u32 %n, %y, %n, %x;
  mul.lo.u32 %n, %n, 1024;
  shl.b32 %t, %t, 3;
  add.u32 %n, %n, %t;
  add.u32 %tile, %tile, %t;
  ld.shared.b64 %value, [%tile];
  ld.param.u64 %target, [target];
  cvta.to.global.u64 %target, %target;
  cvt.u64.u32 %offset, %n;
  add.u64 %target, %target, %offset;
  st.global.b64 [%target], %value;
  ret;
}
)";

std::shared_ptr<KernelArtifact> makeArtifact(TensorSwizzle swizzle) {
  auto artifact = std::make_shared<KernelArtifact>();
  artifact->entry = "copy";
  artifact->chip = "sm_90";
  artifact->ptx = copyPTX;
  artifact->blockThreads = 128;
  artifact->params = {{"source", KernelParam::Kind::Pointer, ScalarFormat::getInt(16), 16},
                      {"target", KernelParam::Kind::Pointer, ScalarFormat::getInt(16), 16},
                      {"rows", KernelParam::Kind::Scalar, ScalarFormat::getInt(32), 1},
                      {"columns", KernelParam::Kind::Scalar, ScalarFormat::getInt(32), 1}};
  const auto parse = [](const char *text) { return llvm::cantFail(GridExpr::parse(text, 4)); };
  artifact->grid = {parse("p3 64 ceildivs"), parse("p2 8 ceildivs"), GridExpr::constant(1)};
  KernelTensorMap map;
  map.param = 0;
  map.shape = {parse("p3"), parse("p2")};
  map.strides = {parse("p3 2 mul")};
  map.box = {64, 8};
  map.elementStrides = {1, 1};
  map.element = TensorElement::UInt16;
  map.swizzle = swizzle;
  artifact->tensorMaps = {map};
  return artifact;
}

/// What shared memory holds: rows of 128 bytes; with the swizzle, the 16 bytes number c of row r lie at c xor
/// r; zeros beyond the tensor.
std::vector<uint16_t> computeBoxes(const std::vector<uint16_t> &source, int rows, int columns,
                                   bool isSwizzled) {
  std::vector<uint16_t> boxes;
  for (int y = 0; y < (rows + 7) / 8; ++y)
    for (int x = 0; x < (columns + 63) / 64; ++x)
      for (int r = 0; r < 8; ++r)
        for (int e = 0; e < 64; ++e) {
          int row = y * 8 + r, column = x * 64 + (isSwizzled ? (e / 8 ^ r) * 8 + e % 8 : e);
          boxes.push_back(row < rows && column < columns ? source[row * columns + column] : 0);
        }
  return boxes;
}

class TensorMapGPUTest : public GPUTest {
protected:
  void SetUp() override {
    GPUTest::SetUp();
    if (device && (!device->getTarget() || !device->getTarget()->hasFeature(Feature::Tma)))
      GTEST_SKIP() << "the device has no tensor copies";
  }
  void check(LoadedKernel &kernel, LaunchArguments &arguments, int rows, int columns, bool isSwizzled) {
    std::vector<uint16_t> values(rows * columns);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<uint16_t>(i * 31 + 1);
    std::vector<uint16_t> expected = computeBoxes(values, rows, columns, isSwizzled);
    DeviceBuffer source = upload(values), target = upload(std::vector<uint16_t>(expected.size(), 0xffff));
    llvm::cantFail(arguments.setPointer(0, source.getAddress()));
    llvm::cantFail(arguments.setPointer(1, target.getAddress()));
    llvm::cantFail(arguments.setInteger(2, rows));
    llvm::cantFail(arguments.setInteger(3, columns));
    llvm::cantFail(launch(kernel, arguments));
    EXPECT_EQ(download<uint16_t>(target), expected) << rows << " x " << columns;
  }
};

} // namespace

/// One kernel with one set of arguments, so that descriptors are kept and made anew.
TEST_F(TensorMapGPUTest, BoxesHoldTheTensor) {
  for (bool isSwizzled : {false, true}) {
    auto artifact = makeArtifact(isSwizzled ? TensorSwizzle::Span128 : TensorSwizzle::None);
    auto kernel = llvm::cantFail(LoadedKernel::load(*device, artifact));
    LaunchArguments arguments(artifact);
    for (auto [rows, columns] : {std::pair(8, 64), {20, 128}, {20, 128}, {64, 200}, {1, 8}, {20, 128}})
      check(*kernel, arguments, rows, columns, isSwizzled);
  }
}

TEST_F(TensorMapGPUTest, WhatTheDriverRefusesIsRefusedInWords) {
  auto artifact = makeArtifact(TensorSwizzle::None);
  auto kernel = llvm::cantFail(LoadedKernel::load(*device, artifact));
  LaunchArguments arguments(artifact);
  llvm::cantFail(arguments.setPointer(0, 0x1000));
  llvm::cantFail(arguments.setPointer(1, 0x1000));
  llvm::cantFail(arguments.setInteger(2, 8));
  llvm::cantFail(arguments.setInteger(3, 60));
  EXPECT_EQ(
      llvm::toString(launch(*kernel, arguments)),
      "expected a multiple of 16 below 2^40 bytes from one element to the next along dimension 1 for the "
      "tensor at parameter 'source' of kernel 'copy', but got 120");
}
