// Checking and storing of the argument values of a launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/LaunchArguments.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

namespace tilus {

static_assert(llvm::endianness::native == llvm::endianness::little,
              "a slot's first bytes hold the low bytes of the value");

LaunchArguments::LaunchArguments(std::shared_ptr<const KernelArtifact> kernel)
    : artifact(std::move(kernel)), slots(artifact->params.size() + artifact->workspaces.size()),
      gridValues(artifact->params.size()), isSet(slots.size()) {
  for (uint64_t &slot : slots)
    pointers.push_back(&slot);
  pointers.resize(slots.size() + artifact->tensorMaps.size());
  tensorMaps.resize(artifact->tensorMaps.size());
}

llvm::Error LaunchArguments::describe(unsigned index, const llvm::Twine &rule,
                                      const llvm::Twine &actual) const {
  return llvm::createStringError("expected " + rule + " for parameter '" + artifact->params[index].name +
                                 "' of kernel '" + artifact->entry + "', but got " + actual);
}

llvm::Expected<const KernelParam *> LaunchArguments::getParam(unsigned index, KernelParam::Kind kind) const {
  if (index >= artifact->params.size())
    return llvm::createStringError("expected the index, from 0, of one of the " +
                                   llvm::Twine(artifact->params.size()) + " parameters of kernel '" +
                                   artifact->entry + "', but got " + llvm::Twine(index));
  const KernelParam &param = artifact->params[index];
  if (param.kind == kind)
    return &param;
  std::string type = param.format.getName();
  if (param.isPointer())
    return describe(index, "a pointer to " + type, "a scalar");
  return describe(index, "a scalar of type " + type, "a pointer");
}

void LaunchArguments::store(unsigned index, uint64_t code, int64_t gridValue) {
  slots[index] = code;
  gridValues[index] = gridValue;
  isSet[index] = true;
}

llvm::Error LaunchArguments::setPointer(unsigned index, uint64_t address) {
  llvm::Expected<const KernelParam *> param = getParam(index, KernelParam::Kind::Pointer);
  if (!param)
    return param.takeError();
  uint64_t divisibility = (*param)->divisibility;
  if (divisibility > 1 && address % divisibility != 0)
    return describe(index, "an address aligned to " + llvm::Twine(divisibility) + " bytes",
                    "0x" + llvm::Twine::utohexstr(address));
  store(index, address, 0);
  return llvm::Error::success();
}

llvm::Error LaunchArguments::setInteger(unsigned index, int64_t value) {
  llvm::Expected<const KernelParam *> param = getParam(index, KernelParam::Kind::Scalar);
  if (!param)
    return param.takeError();
  const ScalarFormat &format = (*param)->format;
  if (!format.isFloat() && !format.canHoldInt(value))
    return describe(index, "a value of type " + format.getName(), llvm::Twine(value));
  return setCode(index, format.encodeInt(value, Overflow::Special));
}

llvm::Error LaunchArguments::setFloat(unsigned index, double value) {
  llvm::Expected<const KernelParam *> param = getParam(index, KernelParam::Kind::Scalar);
  if (!param)
    return param.takeError();
  const ScalarFormat &format = (*param)->format;
  if (!format.isFloat())
    return describe(index, "an integer of type " + format.getName(), "a real number");
  return setCode(index, format.encode(value, Overflow::Special));
}

llvm::Error LaunchArguments::setCode(unsigned index, uint64_t code) {
  llvm::Expected<const KernelParam *> param = getParam(index, KernelParam::Kind::Scalar);
  if (!param)
    return param.takeError();
  const ScalarFormat &format = (*param)->format;
  if (format.bits < 64 && code >> format.bits != 0)
    return describe(index, "a code of " + llvm::Twine(unsigned(format.bits)) + " bits",
                    "0x" + llvm::Twine::utohexstr(code));
  int64_t value = format.isFloat() ? 0 : format.decodeInt(code);
  int64_t divisibility = static_cast<int64_t>((*param)->divisibility);
  if (divisibility > 1 && value % divisibility != 0)
    return describe(index, "a multiple of " + llvm::Twine(divisibility), llvm::Twine(value));
  store(index, code, value);
  return llvm::Error::success();
}

llvm::Error LaunchArguments::setWorkspace(unsigned index, uint64_t address) {
  size_t slot = artifact->params.size() + index;
  if (slot >= slots.size() || address % 16 != 0)
    return llvm::createStringError("expected an address aligned to 16 bytes for one of the " +
                                   llvm::Twine(artifact->workspaces.size()) + " workspaces of kernel '" +
                                   artifact->entry + "', but got 0x" + llvm::Twine::utohexstr(address) +
                                   " for number " + llvm::Twine(index));
  slots[slot] = address;
  isSet[slot] = true;
  return llvm::Error::success();
}

llvm::Error LaunchArguments::encodeTensorMaps(const CudaDriver &driver) {
  for (unsigned index = 0; index < tensorMaps.size(); ++index) {
    uint64_t address = slots[artifact->tensorMaps[index].param];
    llvm::Expected<void *> descriptor = tensorMaps[index].get(driver, *artifact, index, gridValues, address);
    if (!descriptor)
      return descriptor.takeError();
    pointers[slots.size() + index] = *descriptor;
  }
  return llvm::Error::success();
}

llvm::Error LaunchArguments::checkComplete() const {
  unsigned paramCount = artifact->params.size();
  for (unsigned index = 0; index < isSet.size(); ++index) {
    if (isSet[index])
      continue;
    if (index < paramCount)
      return describe(index, "an argument", "none");
    return llvm::createStringError("expected an address for workspace " + llvm::Twine(index - paramCount) +
                                   " of kernel '" + artifact->entry + "', but got none");
  }
  return llvm::Error::success();
}

} // namespace tilus
