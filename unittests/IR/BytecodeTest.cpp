// Tests of the dialect's version in bytecode: files of earlier versions are upgraded, later ones are refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusBytecode.h"
#include "Tilus/IR/TilusDialect.h"
#include "Tilus/IR/TilusOps.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gmock/gmock.h"

using namespace tilus;
using testing::HasSubstr;

namespace {
/// A build of Tilus whose dialect has a version of its own.
class Build {
public:
  explicit Build(int64_t version, std::vector<BytecodeUpgrade> upgrades = {}) {
    mlir::DialectRegistry registry;
    registerTilusDialects(registry);
    context.appendDialectRegistry(registry);
    BytecodeInterface::get(context).setVersion(version, std::move(upgrades));
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef bytes) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return mlir::success();
    });
    return mlir::parseSourceString<mlir::ModuleOp>(bytes, &context);
  }
  static std::string write(mlir::ModuleOp module) {
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    EXPECT_TRUE(mlir::succeeded(mlir::writeBytecodeToFile(module, stream)));
    return bytes;
  }

  mlir::MLIRContext context;
  std::string messages;
};
} // namespace

static constexpr llvm::StringLiteral text = R"(
tilus.kernel @k(%n: i32) warps(4) attributes {tilus.old} grid {
  tilus.grid [%n]
} {
})";

/// What version 2 would do if it had renamed an attribute.
static mlir::LogicalResult renameOld(mlir::Operation *top) {
  top->walk([](KernelOp kernel) {
    if (kernel->removeAttr("tilus.old"))
      kernel->setAttr("tilus.renamed", mlir::UnitAttr::get(kernel.getContext()));
  });
  return mlir::success();
}

static mlir::LogicalResult addThird(mlir::Operation *top) {
  top->walk(
      [](KernelOp kernel) { kernel->setAttr("tilus.third", mlir::UnitAttr::get(kernel.getContext())); });
  return mlir::success();
}

static std::string writeVersion(int64_t version) {
  Build build(version);
  return Build::write(*build.parse(text));
}

static KernelOp getKernel(mlir::ModuleOp module) { return *module.getOps<KernelOp>().begin(); }

TEST(Bytecode, aLaterBuildUpgradesStepByStep) {
  Build later(3, {{1, renameOld}, {2, addThird}});
  auto first = later.parse(writeVersion(1));
  ASSERT_TRUE(first) << later.messages;
  EXPECT_FALSE(getKernel(*first)->hasAttr("tilus.old"));
  EXPECT_TRUE(getKernel(*first)->hasAttr("tilus.renamed"));
  EXPECT_TRUE(getKernel(*first)->hasAttr("tilus.third"));
  auto second = later.parse(writeVersion(2));
  ASSERT_TRUE(second) << later.messages;
  EXPECT_TRUE(getKernel(*second)->hasAttr("tilus.old"));
  EXPECT_TRUE(getKernel(*second)->hasAttr("tilus.third"));
  auto own = later.parse(writeVersion(3));
  ASSERT_TRUE(own) << later.messages;
  EXPECT_FALSE(getKernel(*own)->hasAttr("tilus.third"));
}

TEST(Bytecode, aFailedUpgradeFailsTheRead) {
  Build later(2, {{1, [](mlir::Operation *top) -> mlir::LogicalResult {
                     return top->emitError("expected something else");
                   }}});
  EXPECT_FALSE(later.parse(writeVersion(1)));
  EXPECT_THAT(later.messages, HasSubstr("expected something else"));
}

TEST(Bytecode, laterVersionsAreRefusedByName) {
  Build build(bytecodeVersion);
  EXPECT_FALSE(build.parse(writeVersion(7)));
  EXPECT_THAT(build.messages, HasSubstr("expected bytecode of version 1 to 1 of the dialect 'tilus', but got "
                                        "version 7; read it with the Tilus that wrote it"));
}

/// The files of all releases are read by a later build.
TEST(Bytecode, goldenFilesAreReadByALaterBuild) {
  for (int64_t version = 1; version <= bytecodeVersion; ++version) {
    std::string path = TILUS_GOLDEN_FOLDER "/version-" + std::to_string(version) + ".mlirbc";
    auto file = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(bool(file)) << path;
    Build later(bytecodeVersion + 1, {{bytecodeVersion, addThird}});
    auto module = later.parse((*file)->getBuffer());
    ASSERT_TRUE(module) << later.messages;
    unsigned kernels = 0;
    module->walk([&](KernelOp kernel) {
      ++kernels;
      EXPECT_TRUE(kernel->hasAttr("tilus.third"));
    });
    EXPECT_GT(kernels, 10u);
  }
}
