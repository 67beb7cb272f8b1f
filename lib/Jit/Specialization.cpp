// Constants and divisors of a kernel's parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Specialization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tilus;

/// The value as a constant of the type; null if the type does not have it.
static TypedAttr makeConstant(Type type, const CallValue &value) {
  bool isInteger = value.getTag() == ValueTag::Int || value.getTag() == ValueTag::Bool;
  Builder builder(type.getContext());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (!isInteger && value.getTag() != ValueTag::Float)
      return {};
    if (!isInteger)
      return builder.getFloatAttr(floatType, value.getFloat());
    // Rounded once: not every integer is a double.
    APFloat rounded(floatType.getFloatSemantics());
    rounded.convertFromAPInt(APInt(64, value.getBits()), /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    return builder.getFloatAttr(floatType, rounded);
  }
  if (!isInteger || !type.isIntOrIndex())
    return {};
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  APInt bits(64, value.getBits());
  // A type without signedness takes both ranges.
  if (bits.getSignificantBits() > width && bits.getActiveBits() > width)
    return {};
  return builder.getIntegerAttr(type, bits.zextOrTrunc(width));
}

static LogicalResult bindConstant(KernelOp kernel, unsigned index, const CallValue &value) {
  Type type = kernel.getArgumentTypes()[index];
  TypedAttr constant = makeConstant(type, value);
  if (!constant)
    return kernel.emitOpError("expected a value of ")
           << type << " for the constant '" << kernel.getParamName(index) << "', but got "
           << (value.getTag() == ValueTag::Float ? std::to_string(value.getFloat())
                                                 : std::to_string(value.getInt()));
  for (Region *region : {&kernel.getGrid(), &kernel.getBody()}) {
    OpBuilder builder = OpBuilder::atBlockBegin(&region->front());
    BlockArgument argument = region->getArgument(index);
    argument.replaceAllUsesWith(arith::ConstantOp::create(builder, argument.getLoc(), constant));
  }
  return success();
}

/// The entries of a list of one a parameter that stay.
static ArrayAttr keepEntries(ArrayAttr list, const llvm::BitVector &removed) {
  SmallVector<Attribute> kept;
  for (auto [index, entry] : llvm::enumerate(list))
    if (!removed[index])
      kept.push_back(entry);
  return ArrayAttr::get(list.getContext(), kept);
}

static void removeParams(KernelOp kernel, const llvm::BitVector &removed) {
  SmallVector<Type> types;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!removed[index])
      types.push_back(type);
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
  if (ArrayAttr names = kernel.getParamNamesAttr())
    kernel.setParamNamesAttr(keepEntries(names, removed));
  if (ArrayAttr attrs = kernel.getArgAttrsAttr())
    kernel.setArgAttrsAttr(keepEntries(attrs, removed));
  for (Region *region : {&kernel.getGrid(), &kernel.getBody()})
    region->front().eraseArguments(removed);
}

LogicalResult tilus::specialize(KernelOp kernel, const CompileRequest &request) {
  Builder builder(kernel.getContext());
  llvm::BitVector removed(kernel.getArgumentTypes().size());
  for (auto [index, param] : llvm::enumerate(request.signature.getParams())) {
    int64_t divisibility = request.divisibility[index];
    if (param.kind == CallParam::Kind::Constant) {
      if (failed(bindConstant(kernel, index, request.args[index])))
        return failure();
      removed.set(index);
    } else if (divisibility > kernel.getParamDivisibility(index)) {
      kernel.setParamAttr(index, TilusDialect::kDivisibilityAttrName,
                          builder.getI64IntegerAttr(divisibility));
    }
  }
  if (removed.any())
    removeParams(kernel, removed);
  return success();
}
