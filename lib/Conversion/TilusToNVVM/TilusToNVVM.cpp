// The pass: lowers the bodies of kernels, then the kernels themselves.
//
// Phase 1 converts the ops of each body in place, while the kernel op still tells who executes them. Phase 2
// moves each body into a kernel function of its own gpu.module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "Tilus/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilus;

namespace tilus {
#define GEN_PASS_DEF_CONVERTTILUSTONVVMPASS
#include "Tilus/Conversion/Passes.h.inc"
} // namespace tilus

/// Registers of one tile beyond which a kernel would not assemble in reasonable time, nor run well: a thread
/// has 255.
constexpr int64_t kMostTileRegisters = 512;

/// Reports element types, tiles and groups that the lowering cannot hold, each at its op.
static LogicalResult checkLowerable(KernelOp kernel, const LoweringContext &context) {
  WalkResult result = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    for (Value value : op->getResults()) {
      auto tile = dyn_cast<RankedTensorType>(value.getType());
      if (tile && !isLowerableElement(tile.getElementType()))
        return op->emitOpError("expected elements of 8, 16, 32 or 64 bits or booleans for the GPU, but got ")
               << tile.getElementType() << "; run the kernel on the CPU reference";
      if (tile && !getTileLayout(tile))
        return op->emitOpError("expected a tile with a layout, but got ")
               << tile << "; run tilus-infer-layouts before";
      if (int64_t count = tile ? getNumRegisters(tile) : 0; count > kMostTileRegisters)
        return op->emitOpError("expected a tile of at most ")
               << kMostTileRegisters << " registers a thread, but got " << count << " for "
               << RankedTensorType::get(tile.getShape(), tile.getElementType())
               << "; take smaller tiles in a loop, or more warps";
      if (auto shared = dyn_cast<SharedType>(value.getType()); shared && !shared.getLayout())
        return op->emitOpError("expected a shared tile with a layout, but got ")
               << shared << "; run tilus-infer-layouts before";
      Type element;
      if (auto view = dyn_cast<GlobalType>(value.getType()))
        element = view.getElementType();
      if (auto shared = dyn_cast<SharedType>(value.getType()))
        element = shared.getElementType();
      if (element && !isLowerableElement(element))
        return op->emitOpError("expected elements of 8, 16, 32 or 64 bits or booleans for the GPU, but got ")
               << element << "; run the kernel on the CPU reference";
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (Operation *op = context.getBarrierOverflow())
    return op->emitOpError(
        "expected at most 15 distinct thread groups of several warps that synchronise, but got more");
  if (Operation *op = context.getCutWarp()) {
    ThreadGroup group = context.getGroup(op);
    InFlightDiagnostic error =
        op->emitOpError(
            "expected a thread group that synchronises to be part of one warp, or whole warps with a "
            "begin and a number of threads that 32 divides, but got threads ")
        << group.begin << " to " << group.begin + group.count << " of the block";
    error.attachNote(op->getParentOfType<ThreadGroupOp>().getLoc()) << "the thread group begins here";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Phase 1: the body
//===----------------------------------------------------------------------===//

/// Whether an op mentions no type of the dialect and no tile.
static bool isScalarOp(Operation *op) {
  auto isPlain = [](Type type) {
    return !isa<RankedTensorType, PtrType, GlobalType, SharedType>(type) &&
           !isa<Float8E4M3FNType, Float8E5M2Type>(type) && !type.isTF32();
  };
  auto arePlain = [&](TypeRange types) { return llvm::all_of(types, isPlain); };
  bool isPlainOp = arePlain(op->getOperandTypes()) && arePlain(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      isPlainOp &= arePlain(block.getArgumentTypes());
  return isPlainOp;
}

/// Parts a long block into a chain of shorter ones. To place the registers of a tile, a conversion numbers
/// all ops of the block anew, and builds the tree of all blocks: with blocks of this length neither is long.
static void partLongBlock(Block *block) {
  constexpr int64_t kMostOps = 64;
  SmallVector<Operation *> begins;
  for (auto [index, op] : llvm::enumerate(block->without_terminator()))
    if (index && index % kMostOps == 0)
      begins.push_back(&op);
  for (Operation *begin : llvm::reverse(begins)) {
    Block *rest = block->splitBlock(begin);
    OpBuilder builder = OpBuilder::atBlockEnd(block);
    cf::BranchOp::create(builder, begin->getLoc(), rest);
  }
}

/// Makes one block of a chain again.
static void joinBlocks(Region &region) {
  Block &first = region.front();
  for (Block &rest : llvm::make_early_inc_range(llvm::drop_begin(region))) {
    first.getTerminator()->erase();
    first.getOperations().splice(first.end(), rest.getOperations());
    rest.erase();
  }
}

static LogicalResult convertBody(KernelOp kernel, const LoweringContext &context) {
  MLIRContext *mlirContext = kernel.getContext();
  TileTypeConverter converter(mlirContext);
  RewritePatternSet patterns(mlirContext);
  ConversionTarget target(*mlirContext);
  target.addLegalDialect<cf::ControlFlowDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, gpu::GPUDialect,
                         ub::UBDialect, vector::VectorDialect>();
  target.addDynamicallyLegalDialect<arith::ArithDialect>(isScalarOp);
  target.addDynamicallyLegalDialect<math::MathDialect>(
      [](Operation *op) { return isScalarOp(op) && !hasSequence(op); });
  target.addIllegalDialect<TilusDialect>();
  target.addLegalOp<KernelOp, ReturnOp, GridOp, UnrealizedConversionCastOp>();
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
  for (PopulateFn *populate :
       {&populateControlToNVVM, &populateElementwiseToNVVM, &populateTensorToNVVM,
        &populateGlobalMemoryToNVVM, &populateSharedMemoryToNVVM, &populateMmaToNVVM, &populateAsyncToNVVM,
        &populateSyncToNVVM, &populateCombineToNVVM, &populateConvertLayoutToNVVM, &populateCastToNVVM,
        &populateAtomicToNVVM, &populateDebugToNVVM, &populateRandomToNVVM, &populateConstantToNVVM,
        &populateMathToNVVM, &populateDivisionToNVVM})
    populate(converter, patterns, context);
  ConversionConfig config;
  config.allowPatternRollback = false;
  partLongBlock(&kernel.getBody().front());
  SmallVector<Operation *> roots;
  for (Operation &op : kernel.getBody().getOps())
    roots.push_back(&op);
  LogicalResult result = applyPartialConversion(roots, target, std::move(patterns), config);
  joinBlocks(kernel.getBody());
  return result;
}

//===----------------------------------------------------------------------===//
// Phase 2: the kernel
//===----------------------------------------------------------------------===//

/// The kernel function, with the launch bounds that the hardware needs to know.
static LLVM::LLVMFuncOp createFunction(OpBuilder &builder, KernelOp kernel, ArrayRef<Type> params) {
  MLIRContext *context = builder.getContext();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), params);
  auto function = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), kernel.getSymName(), type);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  auto threads = builder.getDenseI32ArrayAttr({int32_t(kernel.getNumThreads()), 1, 1});
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), threads);
  if (auto cluster = kernel.getCluster()) {
    SmallVector<int32_t> sizes(*cluster);
    sizes.resize(3, 1);
    function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(), builder.getDenseI32ArrayAttr(sizes));
  }
  return function;
}

/// Moves the converted body into a kernel function and erases the kernel.
static void moveToFunction(KernelOp kernel, LLVM::LLVMFuncOp function, ArrayRef<Type> params) {
  Block *entry = &kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(entry);
  for (unsigned index = 0; index < entry->getNumArguments(); ++index) {
    BlockArgument argument = entry->getArgument(index);
    if (argument.getType() == params[index])
      continue;
    Type oldType = argument.getType();
    argument.setType(params[index]);
    auto cast = UnrealizedConversionCastOp::create(builder, argument.getLoc(), oldType, ValueRange(argument));
    argument.replaceAllUsesExcept(cast.getResult(0), cast);
  }
  kernel.getBody().walk([&](ReturnOp op) {
    OpBuilder atEnd(op);
    LLVM::ReturnOp::create(atEnd, op.getLoc(), ValueRange());
    op.erase();
  });
  function.getBody().takeBody(kernel.getBody());
}

namespace {
struct ConvertTilusToNVVMPass : tilus::impl::ConvertTilusToNVVMPassBase<ConvertTilusToNVVMPass> {
  using ConvertTilusToNVVMPassBase::ConvertTilusToNVVMPassBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      if (failed(convertKernel(kernel)))
        return signalPassFailure();
  }

  LogicalResult convertKernel(KernelOp kernel) {
    TargetAttr target = getTarget(kernel);
    if (!target)
      return kernel.emitOpError(
          "expected a target, but its module names none; give the module the attribute 'tilus.target'");
    LoweringContext context(kernel, *target.getInfo(), fastMath);
    if (failed(checkLowerable(kernel, context)))
      return failure();
    // The kernel moves into its own gpu.module first: globals are created there.
    OpBuilder builder(kernel);
    auto module = gpu::GPUModuleOp::create(builder, kernel.getLoc(), (kernel.getSymName() + "_module").str());
    module->setAttr(TilusDialect::kTargetAttrName, target);
    if (Attribute bytes = kernel->getAttr(TilusDialect::kSharedBytesAttrName))
      module->setAttr(TilusDialect::kSharedBytesAttrName, bytes);
    kernel->moveBefore(module.getBody(), module.getBody()->end());
    builder.setInsertionPoint(kernel);
    TileTypeConverter converter(&getContext());
    SmallVector<Type> params;
    if (failed(converter.convertTypes(kernel.getArgumentTypes(), params)))
      return kernel.emitOpError("expected parameters of 8, 16, 32 or 64 bits for the GPU");
    for (Type &param : params)
      if (param.isIndex())
        param = builder.getI64Type();
    params.append(context.getWorkspaces().size(), LLVM::LLVMPointerType::get(&getContext(), 1));
    addWorkspaceParams(kernel, context);
    if (failed(convertBody(kernel, context)))
      return failure();
    LLVM::LLVMFuncOp function = createFunction(builder, kernel, params);
    moveToFunction(kernel, function, params);
    kernel.erase();
    return success();
  }

  /// Block arguments for the workspaces, behind the parameters.
  void addWorkspaceParams(KernelOp kernel, const LoweringContext &context) {
    for (AllocGlobalOp op : context.getWorkspaces())
      kernel.getBody().addArgument(LLVM::LLVMPointerType::get(&getContext(), 1), op.getLoc());
  }
};
} // namespace
