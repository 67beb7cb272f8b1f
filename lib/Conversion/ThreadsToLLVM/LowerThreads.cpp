// tilus-lower-threads: what each thread executes, to the LLVM and NVVM dialects.
//
// Owns the order of the steps and their cost: each goes over the code once, and none moves what another one
// has to pass again. The patterns are MLIR's. Phases: scf to branches, composed ops of gpu, all else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Conversion/Passes.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilus {
#define GEN_PASS_DEF_LOWERTHREADSPASS
#include "Tilus/Conversion/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

/// The ops of structured control flow from the last to the first, each before those in its regions: a pattern
/// expects regions of one block.
static SmallVector<Operation *> collectStructured(gpu::GPUModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
    bool isStructured = isa_and_nonnull<scf::SCFDialect>(op->getDialect());
    if (isStructured && op->getNumRegions() && !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

/// Each op is parted from what follows it in its block, up to the op that was lowered before. From the first
/// on, each would move all the rest of the kernel.
static LogicalResult lowerControlFlow(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(module.getContext());
  // Again for what some patterns make: loops of parallel ones.
  for (auto ops = collectStructured(module); !ops.empty(); ops = collectStructured(module))
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (failed(applicator.matchAndRewrite(op, rewriter)))
        return op->emitOpError("expected control flow that is made of branches, but it is not");
    }
  return success();
}

/// Ops of gpu that are made of others of it, such as reductions of a block.
static LogicalResult expandComposed(gpu::GPUModuleOp module) {
  SmallVector<Operation *> ops;
  module.getBodyRegion().walk([&](Operation *op) {
    if (isa_and_nonnull<gpu::GPUDialect>(op->getDialect()))
      ops.push_back(op);
  });
  if (ops.empty())
    return success();
  RewritePatternSet patterns(module.getContext());
  populateGpuRewritePatterns(patterns);
  return applyOpPatternsGreedily(ops, std::move(patterns));
}

static LogicalResult convertToLLVM(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context, DataLayout(cast<DataLayoutOpInterface>(module.getOperation())));
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addIllegalDialect<gpu::GPUDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();

  RewritePatternSet patterns(context);
  // Functions of libdevice come before LLVM's own, which the back end does not have for all types.
  constexpr int kBeforeOthers = 10;
  populateGpuToNVVMConversionPatterns(converter, patterns, kBeforeOthers);
  populateGpuWMMAToNVVMConversionPatterns(converter, patterns);
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *interface = dyn_cast<ConvertToLLVMPatternInterface>(dialect))
      interface->populateConvertToLLVMConversionPatterns(target, converter, patterns);
  ConversionConfig config;
  config.allowPatternRollback = false;
  return applyPartialConversion(module, target, std::move(patterns), config);
}

namespace {
struct LowerThreadsPass : tilus::impl::LowerThreadsPassBase<LowerThreadsPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(lowerControlFlow(module)) || failed(expandComposed(module)) || failed(convertToLLVM(module)))
      signalPassFailure();
  }
};
} // namespace
