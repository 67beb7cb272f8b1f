// Tests of the launch metadata read from a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/KernelMetadata.h"
#include "Tilus/Compiler/Compiler.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tilus;

TEST(KernelMetadata, FollowsTheKernel) {
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    tilus.kernel @k(%n: i32 {tilus.divisibility = 8 : i64}, %flag: i1, %s: bf16, %p: !tilus.ptr<tf32>,
                    %q: !tilus.ptr<!tilus.float<3, 2>>) warps(3) cluster(2) grid {
      %c2 = arith.constant 2 : i32
      tilus.grid [%c2, %n]
    } {
      %c3 = arith.constant 3 : i32
      %m = arith.addi %n, %c3 : i32
      %w = tilus.alloc_global [%m] clean : !tilus.global<?x5xi32>
      %v = tilus.alloc_global [] : !tilus.global<3x!tilus.float<3, 2>>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  KernelArtifact artifact;
  ASSERT_TRUE(mlir::succeeded(readKernelMetadata(getKernels(*module).front(), artifact)));
  EXPECT_EQ(artifact.entry, "k");
  EXPECT_EQ(artifact.blockThreads, 96u);
  EXPECT_EQ(artifact.cluster, (std::array<unsigned, 3>{2, 1, 1}));
  std::string params;
  for (const KernelParam &param : artifact.params)
    params += param.name + (param.isPointer() ? "*" : ":") + param.format.getName() + "/" +
              std::to_string(param.divisibility) + " ";
  EXPECT_EQ(params, "n:i32/8 flag:bool/1 s:bf16/1 p*tf32/16 q*f6E3M2FN/16 ");

  const int64_t values[] = {40, 0, 0, 0, 0};
  EXPECT_EQ(*artifact.grid[0].evaluate(values), 2);
  EXPECT_EQ(*artifact.grid[1].evaluate(values), 40);
  EXPECT_EQ(*artifact.grid[1].evaluate({-40, 0, 0, 0, 0}), 0);
  EXPECT_EQ(*artifact.grid[2].evaluate(values), 1);
  ASSERT_EQ(artifact.workspaces.size(), 2u);
  EXPECT_EQ(*artifact.workspaces[0].bytes.evaluate(values), 43 * 5 * 4);
  EXPECT_TRUE(artifact.workspaces[0].isClean);
  EXPECT_EQ(*artifact.workspaces[1].bytes.evaluate(values), 3); // 18 bits
  EXPECT_FALSE(artifact.workspaces[1].isClean);
}
