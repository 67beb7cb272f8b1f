//===- PTXTest.cpp - tests of the way to PTX
//----------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the PTX of small kernels for each chip, its options, and its errors. That the assembler takes it is
// tested by CubinTest.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Kernels.h"
#include "Tilus/Target/Cubin/Cubin.h"
#include "Tilus/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include <thread>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using PTXTest = TargetTest;

TEST_F(PTXTest, everyChipGetsItsTargetAndVersion) {
  for (const TargetInfo &target : allTargets()) {
    std::string ptx = translate(scaleKernel, target.chip);
    EXPECT_THAT(ptx, HasSubstr(".target " + target.chip.str() + "\n")) << diagnostics;
    // "+ptx88" is ".version 8.8".
    std::string version = target.ptxFeature.drop_front(4).str();
    EXPECT_THAT(ptx, HasSubstr(".version " + version.substr(0, 1) + "." + version.substr(1) + "\n"));
    EXPECT_THAT(ptx, HasSubstr(".visible .entry scale("));
    EXPECT_THAT(ptx, HasSubstr(".maxntid 128"));
  }
  EXPECT_EQ(diagnostics, "");
}

TEST_F(PTXTest, otherSpellingsOfAChipMeanTheSame) {
  EXPECT_EQ(translate(scaleKernel, "nvgpu_sm90a"), translate(scaleKernel, "sm_90a"));
}

TEST_F(PTXTest, outputIsTheSameEachTime) {
  std::string text = substitute(sharedKernel, "SIZE", "128");
  std::string first = translate(text, "sm_90a");
  EXPECT_NE(first, "");
  EXPECT_EQ(translate(text, "sm_90a"), first);
}

TEST_F(PTXTest, versionCanBeChosen) {
  PTXOptions options;
  options.chip = "sm_80";
  options.features = "+ptx71";
  EXPECT_THAT(translate(scaleKernel, options), HasSubstr(".version 7.1\n"));
}

// ptxas 13.0 assembles add.s16x2 of a constant as an addition of 0 where one half of the sum is used.
TEST_F(PTXTest, packedSumsOfConstantsAreTakenByElement) {
  const char *text = R"(
gpu.module @sums {
  llvm.func @sums(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %three = llvm.mlir.constant(dense<3> : vector<2xi16>) : vector<2xi16>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %value = llvm.load %p : !llvm.ptr<1> -> vector<2xi16>
    %sum = llvm.OP %value, %three : vector<2xi16>
    %half = llvm.extractelement %sum[%zero : i32] : vector<2xi16>
    llvm.store %half, %q : i16, !llvm.ptr<1>
    llvm.return
  }
})";
  for (const char *op : {"add", "sub"}) {
    std::string ptx = translate(substitute(text, "OP", op), "sm_90a");
    EXPECT_THAT(ptx, HasSubstr("add.s16")) << diagnostics;
    EXPECT_THAT(ptx, Not(HasSubstr("add.s16x2")));
  }
}

TEST_F(PTXTest, flushOfSubnormalsShowsInTheCode) {
  PTXOptions options;
  options.chip = "sm_80";
  EXPECT_THAT(translate(scaleKernel, options), Not(HasSubstr("ftz")));
  options.flushSubnormals = true;
  EXPECT_THAT(translate(scaleKernel, options), HasSubstr(".ftz.f32"));
}

TEST_F(PTXTest, fastMathMakesDivisionApproximate) {
  std::string text = substitute(sharedKernel, "SIZE", "128");
  PTXOptions options;
  options.chip = "sm_80";
  EXPECT_THAT(translate(text, options), HasSubstr("div.rn.f32"));
  options.fastMath = true;
  std::string ptx = translate(text, options);
  EXPECT_THAT(ptx, HasSubstr(".approx.ftz.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("div.rn")));
}

TEST_F(PTXTest, optimizationLevelsAreApplied) {
  PTXOptions options;
  options.chip = "sm_80";
  for (int level = 0; level <= 3; ++level) {
    options.optLevel = level;
    EXPECT_NE(translate(scaleKernel, options), "") << level << ": " << diagnostics;
  }
  options.optLevel = 4;
  EXPECT_EQ(translate(scaleKernel, options), "");
  EXPECT_THAT(diagnostics, HasSubstr("expected an optimization level from 0 to 3, but got 4"));
}

TEST_F(PTXTest, wrongTargetsAreErrors) {
  EXPECT_EQ(translate(scaleKernel, "sm_91"), "");
  EXPECT_EQ(diagnostics, "expected a known chip, but got 'sm_91'; did you mean 'sm_90'?\n");
  diagnostics.clear();
  PTXOptions options;
  options.chip = "sm_80";
  options.triple = "x86_64-linux-gnu";
  EXPECT_EQ(translate(scaleKernel, options), "");
  EXPECT_EQ(diagnostics, "expected a 64-bit NVPTX triple, but got 'x86_64-linux-gnu'\n");
}

TEST_F(PTXTest, leastVersionsAreThoseOfTheBackEnd) {
  for (const TargetInfo &target : allTargets()) {
    PTXOptions options;
    options.chip = target.chip.str();
    std::string version = std::to_string(target.minPTXVersion);
    options.features = "+ptx" + version;
    EXPECT_THAT(translate(scaleKernel, options), HasSubstr(".version " + version.insert(1, ".") + "\n"))
        << target.chip.str() << diagnostics;
  }
}

TEST_F(PTXTest, wrongVersionsAreErrors) {
  PTXOptions options;
  options.chip = "sm_110";
  options.features = "+ptx88";
  EXPECT_EQ(translate(scaleKernel, options), "");
  EXPECT_EQ(diagnostics, "expected '+ptx90' or a later version for sm_110, but got '+ptx88'\n");
  for (const char *feature :
       {"ptx88", "+ptx", "+ptx89", "+ptx999", "-ptx88", "+sm_90", "+ptx88,+sse2", ","}) {
    diagnostics.clear();
    options.chip = "sm_80";
    options.features = feature;
    EXPECT_EQ(translate(scaleKernel, options), "");
    EXPECT_THAT(diagnostics,
                HasSubstr("expected a PTX version such as '+ptx88' as target feature, but got '"));
  }
}

// LLVM's own diagnostics arrive as MLIR's, on the op: here a constraint that no register has.
TEST_F(PTXTest, errorsOfTheBackEndAreDiagnostics) {
  EXPECT_EQ(translate(R"(
gpu.module @assembly {
  llvm.func @assembly(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %a = llvm.inline_asm "mov.u32 $0, 1;", "=Y" : () -> i32
    llvm.store %a, %x : i32, !llvm.ptr<1>
    llvm.return
  }
})",
                      "sm_80"),
            "");
  EXPECT_THAT(diagnostics, HasSubstr("constraint 'Y'"));
}

// A loop of few iterations is unrolled; none is widened.
TEST_F(PTXTest, loopsAreUnrolledAndNotVectorized) {
  std::string ptx = translate(R"(
gpu.module @loop {
  llvm.func @loop(%x: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2.0 : f32) : f32
    llvm.br ^body(%zero : i32)
  ^body(%i: i32):
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %a = llvm.load %p : !llvm.ptr<1> -> f32
    %b = llvm.fmul %a, %two : f32
    llvm.store %b, %p : f32, !llvm.ptr<1>
    %next = llvm.add %i, %one : i32
    %more = llvm.icmp "slt" %next, %n : i32
    llvm.cond_br %more, ^body(%next : i32), ^end
  ^end:
    llvm.return
  }
})",
                              "sm_90a");
  EXPECT_THAT(ptx, HasSubstr("bra")) << diagnostics;
  EXPECT_THAT(ptx, Not(HasSubstr(".v2.")));
  EXPECT_THAT(ptx, Not(HasSubstr(".v4.")));
}

TEST_F(PTXTest, threadsCompileAtTheSameTime) {
  std::string expected = translate(scaleKernel, "sm_90a");
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string &result : results)
    threads.emplace_back([&result] {
      Kernels kernels;
      result = kernels.translate(scaleKernel, "sm_90a");
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &result : results)
    EXPECT_EQ(result, expected);
}

TEST_F(PTXTest, lineTableIsKeptOnDemand) {
  mlir::Operation *op = parse(scaleKernel);
  mlir::PassManager passes(&context);
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
  scopes.emissionKind = mlir::LLVM::DIEmissionKind::DebugDirectivesOnly;
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  PTXOptions options;
  options.chip = "sm_90a";
  EXPECT_THAT(*translateToPTX(op, options), Not(HasSubstr(".loc")));
  options.lineInfo = true;
  std::string ptx = *translateToPTX(op, options);
  EXPECT_THAT(ptx, HasSubstr(".loc"));
  EXPECT_THAT(ptx, HasSubstr(".file"));

  CubinOptions assembly;
  if (findToolkitFile(ToolkitFile::Ptxas, assembly.toolkit).path.empty())
    GTEST_SKIP() << "ptxas is not installed";
  for (Assembler assembler : {Assembler::NvJitLink, Assembler::Ptxas}) {
    assembly.assembler = assembler;
    assembly.lineInfo = true;
    llvm::Expected<Cubin> with = assemble(ptx, "sm_90a", assembly);
    ASSERT_TRUE(static_cast<bool>(with)) << llvm::toString(with.takeError());
    EXPECT_NE(with->bytes.find(".debug_line"), std::string::npos);
    llvm::Expected<Cubin> again = assemble(ptx, "sm_90a", assembly);
    ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
    EXPECT_TRUE(with->bytes == again->bytes);
  }
}

TEST_F(PTXTest, opsOfOtherDialectsAreErrors) {
  EXPECT_EQ(translate(R"(
gpu.module @other {
  gpu.func @other() kernel { gpu.return }
})",
                      "sm_80"),
            "");
  EXPECT_NE(diagnostics, "");
}

TEST_F(PTXTest, moduleIsAcceptedAsWell) {
  parse(R"(
llvm.func @empty() attributes {nvvm.kernel} { llvm.return }
)");
  PTXOptions options;
  options.chip = "sm_80";
  mlir::FailureOr<std::string> ptx = translateToPTX(*module, options);
  ASSERT_TRUE(mlir::succeeded(ptx)) << diagnostics;
  EXPECT_THAT(*ptx, HasSubstr(".entry empty("));
}

TEST_F(PTXTest, llvmIRIsShownAtEachStage) {
  PTXOptions options;
  options.chip = "sm_90a";
  std::vector<LLVMStage> stages;
  auto observe = [&](LLVMStage stage, const llvm::Module &ir) {
    stages.push_back(stage);
    std::string text;
    llvm::raw_string_ostream(text) << ir;
    EXPECT_THAT(text, HasSubstr("target triple = \"nvptx64-nvidia-cuda\""));
    EXPECT_THAT(text, HasSubstr("define ptx_kernel void @scale("));
  };
  ASSERT_TRUE(mlir::succeeded(translateToPTX(parse(scaleKernel), options, observe))) << diagnostics;
  EXPECT_THAT(stages, ElementsAre(LLVMStage::Linked, LLVMStage::Optimized));
}

// Tensor memory is there on families and exact chips of 10.x and 11.0; with the PTX version of each row the
// back end can select its instructions.
