// Conversion of the values of a call to a kernel's parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaunchPlan.h"

#include "Tilus/Runtime/Launcher.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <limits>

namespace tilus {

/// Values that come from C may have any tag; those that there are not have no bit.
static constexpr unsigned bit(ValueTag tag) {
  return tag <= ValueTag::Opaque ? 1u << static_cast<unsigned>(tag) : 0;
}

LaunchPlan::Row LaunchPlan::makeRow(unsigned argument, const KernelParam &param) {
  Row row = {};
  row.argument = argument;
  uint64_t divisor = std::max<uint64_t>(param.divisibility, 1);
  if (llvm::has_single_bit(divisor))
    row.zeroBits = divisor - 1;
  else
    row.oddDivisor = divisor;
  const ScalarFormat &format = param.format;
  if (param.isPointer()) {
    row.conversion = Conversion::Pointer;
    row.tags = bit(ValueTag::None) | bit(ValueTag::Pointer);
    return row;
  }
  if (format.isFloat()) {
    row.conversion = format == ScalarFormat::getF32()   ? Conversion::Float32
                     : format == ScalarFormat::getF64() ? Conversion::Float64
                                                        : Conversion::OtherFloat;
    row.tags = bit(ValueTag::Int) | bit(ValueTag::Float);
    return row;
  }
  row.conversion = Conversion::Integer;
  row.tags = bit(ValueTag::Bool) | bit(ValueTag::Int);
  row.least = format.getMinInt();
  // A type without signedness takes both ranges; what is read back is the signed value.
  bool isSigned = format.kind == ScalarKind::Int;
  if (format.bits >= 64)
    row.most = std::numeric_limits<int64_t>::max();
  else
    row.most = isSigned ? (int64_t(1) << format.bits) - 1 : static_cast<int64_t>(format.getMaxInt());
  row.shift = isSigned ? 64 - format.bits : 0;
  return row;
}

LaunchPlan::LaunchPlan(const CallSignature &signature, std::shared_ptr<const KernelArtifact> kernel)
    : signature(&signature), artifact(std::move(kernel)) {
  for (auto [index, param] : llvm::enumerate(artifact->params))
    rows.push_back(makeRow(signature.getKernelParams()[index], param));
  for (unsigned axis = 0; axis < 3; ++axis) {
    bool isDynamic = llvm::any_of(artifact->grid[axis].getSteps(),
                                  [](const GridStep &step) { return step.op == GridOpcode::Param; });
    llvm::SmallVector<int64_t, 16> zeros(rows.size());
    llvm::Expected<unsigned> blocks = computeGridAxis(*artifact, zeros, axis);
    // An axis that is always wrong is reported by the launch.
    if (blocks && !isDynamic)
      constantGrid[axis] = *blocks;
    else
      dynamicAxes.push_back(axis);
    if (!blocks)
      llvm::consumeError(blocks.takeError());
  }
}

llvm::Expected<LaunchPlan> LaunchPlan::create(const CallSignature &signature,
                                              std::shared_ptr<const KernelArtifact> artifact) {
  llvm::ArrayRef<unsigned> arguments = signature.getKernelParams();
  const std::vector<KernelParam> &params = artifact->params;
  if (params.size() != arguments.size())
    return llvm::createStringError("expected " + llvm::Twine(arguments.size()) + " parameters, those of '" +
                                   signature.getName() + "', of kernel '" + artifact->entry + "', but got " +
                                   llvm::Twine(params.size()));
  for (unsigned index = 0; index < params.size(); ++index) {
    const CallParam &param = signature.getParams()[arguments[index]];
    CallParam::Kind kind = params[index].isPointer()        ? CallParam::Kind::Pointer
                           : params[index].format.isFloat() ? CallParam::Kind::Float
                                                            : CallParam::Kind::Integer;
    static constexpr llvm::StringLiteral names[] = {"a constant", "an integer", "a float", "a pointer"};
    if (kind != param.kind)
      return llvm::createStringError("expected " + names[static_cast<unsigned>(param.kind)] +
                                     " for parameter '" + param.name + "' of kernel '" + artifact->entry +
                                     "', but got " + names[static_cast<unsigned>(kind)]);
  }
  return LaunchPlan(signature, std::move(artifact));
}

//===----------------------------------------------------------------------===//
// Filling of a block
//===----------------------------------------------------------------------===//

/// Gives the block the kernel's shape.
void LaunchPlan::adapt(LaunchBlock &block) const {
  size_t count = rows.size() + artifact->workspaces.size();
  block.slots.resize(count);
  block.pointers.resize(count + artifact->tensorMaps.size());
  if (block.tensorMaps.size() < artifact->tensorMaps.size())
    block.tensorMaps.resize(artifact->tensorMaps.size());
  for (size_t index = 0; index < count; ++index)
    block.pointers[index] = &block.slots[index];
  block.gridValues.resize(rows.size());
  block.config.block[0] = artifact->blockThreads;
  block.config.block[1] = block.config.block[2] = 1;
  block.config.sharedBytes = artifact->dynamicSharedBytes;
  std::copy(artifact->cluster.begin(), artifact->cluster.end(), block.cluster.value.clusterDimension);
  block.config.attributes = &block.cluster;
  block.config.attributeCount = artifact->hasCluster() ? 1 : 0;
  block.hasWorkspaces = !artifact->workspaces.empty();
  block.plan = this;
}

static uint64_t encodeFloat(const ScalarFormat &format, const CallValue &value) {
  if (value.getTag() == ValueTag::Float)
    return format.encode(value.getFloat(), Overflow::Special);
  return format.encodeInt(value.getInt(), Overflow::Special);
}

/// Whether the value may be passed; writes the parameter's bits, and what the grid is computed from.
LLVM_ATTRIBUTE_ALWAYS_INLINE bool LaunchPlan::convert(const Row &row, const CallValue &value, unsigned device,
                                                      uint64_t &slot, int64_t &gridValue) const {
  if ((row.tags & bit(value.getTag())) == 0)
    return false;
  gridValue = 0;
  slot = value.getBits();
  switch (row.conversion) {
  case Conversion::Pointer:
    return (value.getDevice() == CallValue::unknownDevice || value.getDevice() == device) &&
           (slot & row.zeroBits) == 0 && (!row.oddDivisor || slot % row.oddDivisor == 0);
  case Conversion::Integer:
    gridValue = static_cast<int64_t>(slot << row.shift) >> row.shift;
    return value.getInt() >= row.least && value.getInt() <= row.most && (slot & row.zeroBits) == 0 &&
           (!row.oddDivisor || gridValue % static_cast<int64_t>(row.oddDivisor) == 0);
  case Conversion::Float32:
    slot = value.getTag() == ValueTag::Float ? llvm::bit_cast<uint32_t>(static_cast<float>(value.getFloat()))
                                             : encodeFloat(ScalarFormat::getF32(), value);
    return true;
  case Conversion::Float64:
    if (value.getTag() != ValueTag::Float)
      slot = encodeFloat(ScalarFormat::getF64(), value);
    return true;
  case Conversion::OtherFloat:
    slot = encodeFloat(artifact->params[&row - rows.data()].format, value);
    return true;
  }
  llvm_unreachable("all conversions are handled");
}

/// The error for a value that was not converted.
llvm::Error LaunchPlan::describe(unsigned index, llvm::ArrayRef<CallValue> args, unsigned device) const {
  if (llvm::Error error = signature->check(args))
    return error;
  if (llvm::Error error = signature->checkDevice(args, device))
    return error;
  const KernelParam &param = artifact->params[index];
  const Row &row = rows[index];
  const CallValue &value = args[row.argument];
  std::string rule, actual = std::to_string(value.getInt());
  if (param.isPointer()) {
    rule = "an address aligned to " + std::to_string(param.divisibility) + " bytes";
    actual = "0x" + llvm::utohexstr(value.getBits());
  } else if (value.getInt() >= row.least && value.getInt() <= row.most) {
    rule = "a multiple of " + std::to_string(param.divisibility);
  } else {
    rule = "a value of type " + param.format.getName();
  }
  return llvm::createStringError("expected " + rule + " for parameter '" + param.name + "' of kernel '" +
                                 artifact->entry + "', but got " + actual);
}

llvm::Error LaunchPlan::prepare(llvm::ArrayRef<CallValue> args, unsigned device, LaunchBlock &block) const {
  if (LLVM_UNLIKELY(block.plan != this))
    adapt(block);
  // The sizes depend on the arguments.
  block.areWorkspacesBound = false;
  uint64_t *slot = block.slots.data();
  int64_t *gridValue = block.gridValues.data();
  for (const Row &row : rows)
    if (LLVM_UNLIKELY(!convert(row, args[row.argument], device, *slot++, *gridValue++)))
      return describe(&row - rows.data(), args, device);
  unsigned *grid = block.config.grid;
  std::copy(std::begin(constantGrid), std::end(constantGrid), grid);
  for (unsigned axis : dynamicAxes) {
    llvm::Expected<unsigned> blocks = computeGridAxis(*artifact, block.gridValues, axis);
    if (!blocks)
      return blocks.takeError();
    grid[axis] = *blocks;
  }
  block.isEmpty = grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
  return llvm::Error::success();
}

llvm::Error LaunchPlan::encodeTensorMaps(const CudaDriver &driver, LaunchBlock &block) const {
  for (unsigned index = 0; index < artifact->tensorMaps.size(); ++index) {
    uint64_t address = block.slots[artifact->tensorMaps[index].param];
    llvm::Expected<void *> descriptor =
        block.tensorMaps[index].get(driver, *artifact, index, block.gridValues, address);
    if (!descriptor)
      return descriptor.takeError();
    block.pointers[block.slots.size() + index] = *descriptor;
  }
  return llvm::Error::success();
}

llvm::Expected<uint64_t> LaunchPlan::computeWorkspace(unsigned index, const LaunchBlock &block) const {
  llvm::Expected<int64_t> bytes = artifact->workspaces[index].bytes.evaluate(block.gridValues);
  if (!bytes)
    return bytes.takeError();
  if (*bytes < 0)
    return llvm::createStringError("expected a size that is not negative for workspace " +
                                   llvm::Twine(index) + " of kernel '" + artifact->entry + "', but got " +
                                   llvm::Twine(*bytes) + " bytes");
  return static_cast<uint64_t>(*bytes);
}

} // namespace tilus
