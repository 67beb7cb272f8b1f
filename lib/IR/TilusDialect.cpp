// The dialect: registration and the checks on its discardable attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusDialect.h"
#include "Tilus/IR/TilusBytecode.h"
#include "Tilus/IR/TilusOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;
using namespace tilus;

#include "Tilus/IR/TilusDialect.cpp.inc"
#include "Tilus/IR/TilusEnums.cpp.inc"
#include "Tilus/IR/TilusInterfaces.cpp.inc"

namespace {
/// Keeps the constants of a thread group within it.
struct ConstantPlacement : public DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final { return isa<ThreadGroupOp>(region->getParentOp()); }
};
} // namespace

void TilusDialect::initialize() {
  addInterfaces<ConstantPlacement, BytecodeInterface>();
  // Implemented where the compiler is: registerCompilerDialects.
  declarePromisedInterface<gpu::OffloadingLLVMTranslationAttrInterface, DispatchAttr>();
  registerTypes();
  registerAttributes();
  registerOps();
}

Operation *TilusDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

static LogicalResult verifyUnroll(Operation *op, Attribute value) {
  StringRef name = TilusDialect::kUnrollAttrName;
  if (!isa<scf::ForOp>(op))
    return op->emitOpError("expected '") << name << "' on an 'scf.for', but got it on this op";
  auto number = dyn_cast<IntegerAttr>(value);
  if (isa<UnitAttr>(value) ||
      (number && number.getValue().isStrictlyPositive() && number.getValue().sle(TilusDialect::kMaxUnroll)))
    return success();
  return op->emitOpError("expected '") << name << "' to be alone or a number from 1 to "
                                       << TilusDialect::kMaxUnroll << ", but got " << value;
}

LogicalResult TilusDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kUnrollAttrName)
    return verifyUnroll(op, attribute.getValue());
  if (attribute.getName() != kTargetAttrName)
    return success();
  if (!isa<ModuleOp, gpu::GPUModuleOp>(op))
    return op->emitOpError("expected '") << kTargetAttrName << "' on a module, but got it on this op";
  if (!isa<TargetAttr>(attribute.getValue()))
    return op->emitOpError("expected '")
           << kTargetAttrName << "' to be a #tilus.target, but got " << attribute.getValue();
  return success();
}

TargetAttr tilus::getTarget(Operation *op) {
  for (; op; op = op->getParentOp()) {
    if (auto target = op->getAttrOfType<TargetAttr>(TilusDialect::kTargetAttrName))
      return target;
    auto module = dyn_cast<gpu::GPUModuleOp>(op);
    if (!module || !module.getTargetsAttr())
      continue;
    for (Attribute attribute : module.getTargetsAttr())
      if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(attribute); nvvm && lookupTarget(nvvm.getChip()))
        return TargetAttr::get(op->getContext(), nvvm.getTriple(), nvvm.getChip(), nvvm.getFeatures());
  }
  return {};
}

void tilus::registerTilusDialects(DialectRegistry &registry) {
  registry.insert<TilusDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect, gpu::GPUDialect,
                  NVVM::NVVMDialect>();
}
