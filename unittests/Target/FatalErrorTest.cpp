//===- FatalErrorTest.cpp - test of the last net under LLVM
//------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that a tool with the handler leaves with code 1 and one clear line when LLVM cannot select.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Kernels.h"
#include "Tilus/Target/FatalErrorHandler.h"

using namespace tilus;

using FatalErrorTest = TargetTest;

TEST_F(FatalErrorTest, exitsWithOneLineWhenLLVMCannotSelect) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  mlir::Operation *op = parse(R"(
gpu.module @tmem {
  llvm.func @tmem(%p: !llvm.ptr<3>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    nvvm.tcgen05.alloc %p, %n : !llvm.ptr<3>, i32
    llvm.return
  }
})");
  PTXOptions options;
  options.chip = "sm_80";
  EXPECT_EXIT(
      {
        installFatalErrorHandler();
        (void)translateToPTX(op, options);
      },
      testing::ExitedWithCode(1),
      "error: LLVM cannot generate code for this kernel and target: Cannot select");
}
