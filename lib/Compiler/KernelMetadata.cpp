// Launch metadata from a kernel's IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/KernelMetadata.h"

#include "Tilus/IR/GridLimits.h"

using namespace mlir;
using namespace tilus;

ScalarFormat tilus::getScalarFormat(Type type) {
  if (type.isInteger(1))
    return ScalarFormat::getBool();
  if (type.isIndex())
    return ScalarFormat::getInt(64);
  if (isa<BitType>(type))
    return ScalarFormat::getInt(1);
  if (auto integer = dyn_cast<IntegerType>(type))
    return ScalarFormat::getInt(integer.getWidth());
  if (auto low = dyn_cast<LowFloatType>(type))
    return ScalarFormat::getSmallFloat(low.getExponent(), low.getMantissa());
  // The names are MLIR's own.
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return ScalarFormat::parse(name).value_or(ScalarFormat::getInt(getElementBits(type)));
}

static KernelParam readParam(KernelOp kernel, unsigned index) {
  Type type = kernel.getArgumentTypes()[index];
  auto pointer = dyn_cast<PtrType>(type);
  KernelParam param;
  param.name = kernel.getParamName(index);
  param.kind = pointer ? KernelParam::Kind::Pointer : KernelParam::Kind::Scalar;
  param.format = getScalarFormat(pointer ? pointer.getElementType() : type);
  param.divisibility = kernel.getParamDivisibility(index);
  return param;
}

std::vector<KernelParam> tilus::readKernelParams(KernelOp kernel) {
  std::vector<KernelParam> params;
  for (unsigned index = 0; index < kernel.getArgumentTypes().size(); ++index)
    params.push_back(readParam(kernel, index));
  return params;
}

/// The size of a workspace: sizes times bits, rounded up to bytes.
static FailureOr<GridExpr> buildWorkspaceBytes(AllocGlobalOp op, KernelOp kernel) {
  GlobalType type = op.getType();
  SmallVector<GridStep> steps = {{GridOpcode::Const, getElementBits(type.getElementType())}};
  auto sizes = op.getSizes().begin();
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size)) {
      FailureOr<GridExpr> expr = buildGridExpr(*sizes++, kernel);
      if (failed(expr))
        return failure();
      llvm::append_range(steps, expr->getSteps());
    } else {
      steps.push_back({GridOpcode::Const, size});
    }
    steps.push_back({GridOpcode::Mul, 0});
  }
  steps.push_back({GridOpcode::Const, 8});
  steps.push_back({GridOpcode::CeilDivS, 0});
  llvm::Expected<GridExpr> bytes = GridExpr::create(steps, kernel.getArgumentTypes().size());
  if (bytes)
    return *bytes;
  return op.emitOpError(llvm::toString(bytes.takeError()));
}

/// Negative block counts launch nothing, as 0 does.
static FailureOr<GridExpr> buildBlockCount(Value blocks, KernelOp kernel) {
  FailureOr<GridExpr> expr = buildGridExpr(blocks, kernel);
  if (failed(expr))
    return failure();
  SmallVector<GridStep> steps(expr->getSteps());
  steps.push_back({GridOpcode::Const, 0});
  steps.push_back({GridOpcode::MaxS, 0});
  llvm::Expected<GridExpr> clamped = GridExpr::create(steps, expr->getParamCount());
  if (clamped)
    return *clamped;
  return kernel.emitOpError(llvm::toString(clamped.takeError()));
}

/// Reports constant block counts that no launch can have; others the launch checks.
static LogicalResult checkConstantCount(KernelOp kernel, Axis axis, const GridExpr &expr) {
  if (llvm::any_of(expr.getSteps(), [](const GridStep &step) { return step.op == GridOpcode::Param; }))
    return success();
  llvm::Expected<int64_t> count = expr.evaluate(SmallVector<int64_t>(expr.getParamCount(), 0));
  if (count)
    return checkBlockCount(kernel, axis, *count);
  return kernel.getGrid().front().getTerminator()->emitOpError(llvm::toString(count.takeError()))
         << " in the number of blocks along " << stringifyAxis(axis);
}

static LogicalResult readGrid(KernelOp kernel, KernelArtifact &artifact) {
  auto grid = cast<GridOp>(kernel.getGrid().back().getTerminator());
  for (auto [index, block] : llvm::enumerate(grid.getBlocks())) {
    FailureOr<GridExpr> expr = buildBlockCount(block, kernel);
    if (failed(expr) || failed(checkConstantCount(kernel, Axis(index), *expr)))
      return failure();
    artifact.grid[index] = *expr;
  }
  return success();
}

LogicalResult tilus::readKernelMetadata(KernelOp kernel, KernelArtifact &artifact) {
  artifact.entry = kernel.getSymName().str();
  artifact.blockThreads = kernel.getNumThreads();
  if (auto cluster = kernel.getCluster())
    llvm::copy(*cluster, artifact.cluster.begin());
  artifact.params = readKernelParams(kernel);
  if (failed(readGrid(kernel, artifact)))
    return failure();
  for (auto alloc : kernel.getBody().getOps<AllocGlobalOp>()) {
    FailureOr<GridExpr> bytes = buildWorkspaceBytes(alloc, kernel);
    if (failed(bytes))
      return failure();
    artifact.workspaces.push_back({*bytes, alloc.getClean()});
  }
  return success();
}
