// A compiler that takes a kernel, changes it op by op, and prints its PTX: x[i] = value for i < n.
//
//   fill-compiler <chip> <value>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Compiler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// The kernel, but for the value.
static constexpr const char *frame = R"(
tilus.kernel @fill(%n: i32, %x: !tilus.ptr<i32>) warps(4) grid {
  %c512 = arith.constant 512 : i32
  %b = arith.ceildivsi %n, %c512 : i32
  tilus.grid [%b]
} {
  %c512 = arith.constant 512 : i32
  %i = tilus.block_id x
  %o = arith.muli %i, %c512 : i32
  %g = tilus.global_view %x [%n] : !tilus.ptr<i32> -> !tilus.global<?xi32>
  %value = arith.constant 0 : i32
  %t = tilus.broadcast %value : i32 -> tensor<512xi32>
  tilus.store_global %t, %g[%o] : tensor<512xi32>, !tilus.global<?xi32>
})";

/// Replaces what the kernel broadcasts by the value.
static void setValue(tilus::KernelOp kernel, int32_t value) {
  kernel.walk([&](tilus::BroadcastOp broadcast) {
    OpBuilder builder(broadcast);
    Value constant = arith::ConstantOp::create(builder, broadcast.getLoc(), builder.getI32IntegerAttr(value));
    broadcast->setOperand(0, constant);
  });
}

int main(int argc, char **argv) {
  const tilus::TargetInfo *target = argc == 3 ? tilus::lookupTarget(argv[1]) : nullptr;
  if (!target) {
    llvm::errs() << "usage: fill-compiler <chip> <value>\n";
    return 2;
  }
  DialectRegistry registry;
  tilus::registerCompilerDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(frame, &context);
  if (!module)
    return 1;
  tilus::KernelOp kernel = tilus::getKernels(*module).front();
  setValue(kernel, atoi(argv[2]));

  tilus::CompileOptions options = tilus::CompileOptions::fromEnvironment();
  options.emitCubin = false;
  tilus::CompiledKernel compiled;
  if (failed(verify(*module)) || failed(tilus::compileKernel(kernel, *target, options, compiled)))
    return 1;
  llvm::outs() << compiled.artifact.ptx;
  return 0;
}
