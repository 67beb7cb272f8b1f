// Tests of kernels as text and of their compilation for requests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "JitKernels.h"

#include "Tilus/Compiler/Compiler.h"

#include "mlir/Parser/Parser.h"
#include <thread>

using namespace tilus;
using testing::HasSubstr;
using testing::Not;

static std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST(KernelSource, HoldsOneKernelOfAModule) {
  const char *text = R"(
    tilus.kernel @a(%n: i32 {tilus.divisibility = 4 : i64}, %x: !tilus.ptr<f32>) warps(1) grid {
      tilus.grid [%n]
    } {
    }
    tilus.kernel @b(%0: i1, %1: bf16, %2: index) warps(1) grid {
      tilus.grid [%2 : index]
    } {
    })";
  KernelSource a = makeSource(text, "a"), b = makeSource(text, "b");
  EXPECT_EQ(a.getName(), "a");
  EXPECT_THAT(a.getText().str(), HasSubstr("kernel.mlir"));
  EXPECT_THAT(a.getPlainText().str(), Not(HasSubstr("kernel.mlir")));
  EXPECT_THAT(a.getText().str(), Not(HasSubstr("\"b\"")));

  SpecializationOptions options;
  options.divisors = 24;
  CallSignature signature = llvm::cantFail(a.makeSignature(options));
  ASSERT_EQ(signature.getParams().size(), 2u);
  EXPECT_EQ(signature.getParams()[0].name, "n");
  EXPECT_EQ(signature.getParams()[0].divisors, 24u);
  EXPECT_EQ(signature.getParams()[1].kind, CallParam::Kind::Pointer);
  EXPECT_EQ(signature.getParams()[1].divisors, 0u);
  // Bools and indices are not told apart by divisors, which cannot be stated of them.
  signature = llvm::cantFail(b.makeSignature(options));
  EXPECT_EQ(signature.getParams()[0].divisors, 0u);
  EXPECT_EQ(signature.getParams()[1].kind, CallParam::Kind::Float);
  EXPECT_EQ(signature.getParams()[2].divisors, 0u);
  // Numbers stay numbers when the text is read again.
  EXPECT_EQ(makeSource(b.getText()).getParams()[1].name, "1");

  EXPECT_EQ(message(KernelSource::parse(text).takeError()),
            "expected one kernel in 'kernel.mlir', but got a, b");
  EXPECT_EQ(message(KernelSource::parse(text, "c", "my.mlir").takeError()),
            "expected a kernel 'c' in 'my.mlir', but got a, b");
  options.constants = {"m"};
  EXPECT_EQ(message(a.makeSignature(options).takeError()),
            "expected the name of a parameter of kernel 'a' as a constant, but got 'm'");
  EXPECT_THAT(message(KernelSource::parse("tilus.kernel @k() warps(0) grid {\n", "", "my.mlir").takeError()),
              testing::StartsWith("my.mlir:"));
}

TEST(Jit, StatesWhatDividesTheArguments) {
  Jit jit({makePtxOptions(), nullptr});
  KernelSource source = makeSource();
  auto compile = [&](int64_t n) {
    return llvm::cantFail(jit.compile(source, Request(source, "sm_90", makeArgs(n)))).artifact;
  };
  EXPECT_EQ(compile(1024)->params[0].divisibility, 16u);
  EXPECT_EQ(compile(1023)->params[0].divisibility, 1u);
  EXPECT_NE(compile(1024)->ptx, compile(1023)->ptx);
  EXPECT_EQ(compile(16)->ptx, compile(4096)->ptx);
}

TEST(Jit, CompilesConstantsIn) {
  Jit jit({makePtxOptions(), nullptr});
  KernelSource source = makeSource();
  SpecializationOptions options;
  options.constants = {"n", "value"};
  Candidate candidate =
      llvm::cantFail(jit.compile(source, Request(source, "sm_80", makeArgs(1500, -7), options)));
  const KernelArtifact &artifact = *candidate.artifact;
  ASSERT_EQ(artifact.params.size(), 1u);
  EXPECT_EQ(artifact.params[0].name, "x");
  EXPECT_THAT(artifact.ptx, HasSubstr("6993"));
  EXPECT_EQ(llvm::cantFail(artifact.grid[0].evaluate({0})), 3);
  EXPECT_EQ(candidate.cache, CacheOutcome::Unused);

  auto failure = [&](CallValue value) {
    std::vector<CallValue> args = {value, CallValue::getInt(0), CallValue::getPointer(16)};
    return message(jit.compile(source, Request(source, "sm_80", args, options)).takeError());
  };
  EXPECT_THAT(failure(CallValue::getInt(int64_t(1) << 32)),
              HasSubstr("expected a value of 'i32' for the constant 'n', but got 4294967296"));
  EXPECT_THAT(failure(CallValue::getFloat(1.5)), HasSubstr("but got 1.5"));
  // Both ranges of a type without signedness.
  EXPECT_EQ(failure(CallValue::getInt(0xffffffff)), "");
  EXPECT_EQ(failure(CallValue::getInt(-1)), "");
}

TEST(Jit, ReportsWhatIsWrongWithTheKernel) {
  const char *text = "tilus.kernel @late(%n: i32) warps(1) grid {\n  tilus.grid [%n]\n} {\n"
                     "  tilus.copy_async.wait_all\n}\n";
  KernelSource source = llvm::cantFail(KernelSource::parse(text, "", "late.mlir"));
  Jit jit({makePtxOptions(), nullptr});
  std::vector<CallValue> args = {CallValue::getInt(1)};
  EXPECT_THAT(message(jit.compile(source, Request(source, "sm_75", args)).takeError()),
              HasSubstr("late.mlir:4:3: error: 'tilus.copy_async.wait_all' op requires feature 'cp_async' "
                        "(sm_80 or later), but the kernel targets sm_75\nlate.mlir:4:3: note: "));
  EXPECT_EQ(message(jit.compile(source, Request(source, "sm_80", args)).takeError()), "");
}

TEST(Jit, GivesTheSameAsTheCompiler) {
  KernelSource source = makeSource();
  SpecializationOptions options;
  options.divisors = 0;
  Jit jit({makePtxOptions(), nullptr});
  Candidate candidate = llvm::cantFail(jit.compile(source, Request(source, "sm_90a", makeArgs(), options)));
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(fillText, &context);
  std::vector<CompiledKernel> compiled;
  ASSERT_TRUE(mlir::succeeded(compile(*module, {lookupTarget("sm_90a")}, makePtxOptions(), compiled)));
  EXPECT_EQ(candidate.artifact->ptx, compiled[0].artifact.ptx);
}

/// Threads share a Jit and a source; each compiles in a context of its own.
TEST(Jit, CompilesInSeveralThreads) {
  KernelSource source = makeSource();
  Jit jit({makePtxOptions(), nullptr});
  const char *chips[] = {"sm_80", "sm_90", "sm_90a", "sm_103a"};
  auto compile = [&](const char *chip) {
    return llvm::cantFail(jit.compile(source, Request(source, chip))).artifact->ptx;
  };
  std::string alone[4], together[4];
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { together[i] = compile(chips[i]); });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i = 0; i < 4; ++i) {
    alone[i] = compile(chips[i]);
    EXPECT_EQ(together[i], alone[i]);
    EXPECT_THAT(alone[i], HasSubstr(std::string(".target ") + chips[i]));
  }
}
