// Conversion of the values of a call to a kernel's parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaunchPlan.h"

#include "Tilus/Runtime/Launcher.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <limits>

namespace tilus {

LaunchPlan::Row LaunchPlan::makeRow(unsigned argument, const KernelParam &param) {
  Row row = {argument, Conversion::Bits, 0, 0, 0, param.divisibility};
  const ScalarFormat &format = param.format;
  if (param.isPointer())
    return row;
  if (format.isFloat()) {
    row.conversion = format == ScalarFormat::getF32()   ? Conversion::Float32
                     : format == ScalarFormat::getF64() ? Conversion::Float64
                                                        : Conversion::OtherFloat;
    return row;
  }
  row.conversion = Conversion::Integer;
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

llvm::Expected<LaunchPlan> LaunchPlan::create(const CallSignature &signature,
                                              std::shared_ptr<const KernelArtifact> artifact) {
  llvm::ArrayRef<unsigned> arguments = signature.getKernelParams();
  const std::vector<KernelParam> &params = artifact->params;
  if (params.size() != arguments.size())
    return llvm::createStringError("expected " + llvm::Twine(arguments.size()) + " parameters, those of '" +
                                   signature.getName() + "', of kernel '" + artifact->entry + "', but got " +
                                   llvm::Twine(params.size()));
  LaunchPlan plan(artifact);
  for (unsigned index = 0; index < params.size(); ++index) {
    const CallParam &param = signature.getParams()[arguments[index]];
    bool isFloat = !params[index].isPointer() && params[index].format.isFloat();
    CallParam::Kind kind = params[index].isPointer() ? CallParam::Kind::Pointer
                           : isFloat                 ? CallParam::Kind::Float
                                                     : CallParam::Kind::Integer;
    static constexpr llvm::StringLiteral names[] = {"a constant", "an integer", "a float", "a pointer"};
    if (kind != param.kind)
      return llvm::createStringError("expected " + names[static_cast<unsigned>(param.kind)] +
                                     " for parameter '" + param.name + "' of kernel '" + artifact->entry +
                                     "', but got " + names[static_cast<unsigned>(kind)]);
    plan.rows.push_back(makeRow(arguments[index], params[index]));
  }
  return std::move(plan);
}

//===----------------------------------------------------------------------===//
// Filling of a block
//===----------------------------------------------------------------------===//

void LaunchPlan::resize(LaunchBlock &block) const {
  size_t count = rows.size() + artifact->workspaces.size();
  if (block.slots.size() < count) {
    block.slots.resize(count);
    block.pointers.resize(count);
    for (size_t index = 0; index < count; ++index)
      block.pointers[index] = &block.slots[index];
  }
  block.gridValues.resize(rows.size());
}

llvm::Error LaunchPlan::describe(unsigned index, const CallValue &value) const {
  const KernelParam &param = artifact->params[index];
  const Row &row = rows[index];
  std::string rule, actual;
  if (param.isPointer()) {
    rule = "an address aligned to " + std::to_string(row.divisibility) + " bytes";
    actual = "0x" + llvm::utohexstr(value.getBits());
  } else {
    bool isInRange = value.getInt() >= row.least && value.getInt() <= row.most;
    rule = isInRange ? "a multiple of " + std::to_string(row.divisibility)
                     : "a value of type " + param.format.getName();
    actual = std::to_string(value.getInt());
  }
  return llvm::createStringError("expected " + rule + " for parameter '" + param.name + "' of kernel '" +
                                 artifact->entry + "', but got " + actual);
}

static bool isMultiple(int64_t value, uint64_t divisor) {
  if (llvm::has_single_bit(divisor))
    return (static_cast<uint64_t>(value) & (divisor - 1)) == 0;
  return value % static_cast<int64_t>(divisor) == 0;
}

uint64_t LaunchPlan::encodeFloat(Conversion conversion, const ScalarFormat &format, const CallValue &value) {
  if (value.getTag() != ValueTag::Float)
    return format.encodeInt(value.getInt(), Overflow::Special);
  if (conversion == Conversion::Float32)
    return llvm::bit_cast<uint32_t>(static_cast<float>(value.getFloat()));
  if (conversion == Conversion::Float64)
    return value.getBits();
  return format.encode(value.getFloat(), Overflow::Special);
}

llvm::Error LaunchPlan::convert(unsigned index, const CallValue &value, LaunchBlock &block) const {
  const Row &row = rows[index];
  uint64_t code = value.getBits();
  int64_t gridValue = 0;
  if (row.conversion == Conversion::Bits || row.conversion == Conversion::Integer) {
    int64_t relied = static_cast<int64_t>(code);
    if (row.conversion == Conversion::Integer) {
      if (relied < row.least || relied > row.most)
        return describe(index, value);
      gridValue = relied = static_cast<int64_t>(code << row.shift) >> row.shift;
    }
    if (row.divisibility > 1 && !isMultiple(relied, row.divisibility))
      return describe(index, value);
  } else {
    code = encodeFloat(row.conversion, artifact->params[index].format, value);
  }
  block.slots[index] = code;
  block.gridValues[index] = gridValue;
  return llvm::Error::success();
}

llvm::Error LaunchPlan::prepareGrid(LaunchBlock &block) const {
  llvm::Expected<GridSize> grid = computeGrid(*artifact, block.gridValues);
  if (!grid)
    return grid.takeError();
  std::copy(grid->blocks.begin(), grid->blocks.end(), block.config.grid);
  block.isEmpty = grid->isEmpty();
  return llvm::Error::success();
}

llvm::Error LaunchPlan::prepare(llvm::ArrayRef<CallValue> args, LaunchBlock &block) const {
  resize(block);
  for (unsigned index = 0; index < rows.size(); ++index)
    if (llvm::Error error = convert(index, args[rows[index].argument], block))
      return error;
  if (llvm::Error error = prepareGrid(block))
    return error;
  block.config.block[0] = artifact->blockThreads;
  block.config.block[1] = block.config.block[2] = 1;
  block.config.sharedBytes = artifact->dynamicSharedBytes;
  std::copy(artifact->cluster.begin(), artifact->cluster.end(), block.cluster.value.clusterDimension);
  block.config.attributes = &block.cluster;
  block.config.attributeCount = artifact->hasCluster() ? 1 : 0;
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
