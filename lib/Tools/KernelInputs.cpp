// Binding of command line arguments to a kernel's parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/KernelInputs.h"

#include "mlir/IR/Builders.h"

using namespace tilus;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

/// The most that specialisation states: the widest access is 16 bytes.
static constexpr uint64_t maxDivisibility = 16;

std::string tilus::describeArgument(unsigned index, StringRef name) {
  return "argument " + std::to_string(index) + " ('" + name.str() + "')";
}

static std::string describeType(const KernelParam &param) {
  return param.isPointer() ? "a pointer to " + param.format.getName() : param.format.getName();
}

static Error checkCount(StringRef kernel, llvm::ArrayRef<KernelParam> params, size_t count) {
  if (count == params.size())
    return Error::success();
  std::string message = "expected " + std::to_string(params.size()) + " arguments for kernel '" +
                        kernel.str() + "', but got " + std::to_string(count);
  if (count < params.size())
    message += "; the first that is missing is " + describeArgument(count, params[count].name) + ", " +
               describeType(params[count]);
  return llvm::createStringError(message);
}

static Error checkDivisibility(const KernelInput &input) {
  int64_t divisibility = input.param.divisibility;
  if (input.param.isPointer() || divisibility <= 1)
    return Error::success();
  int64_t value = input.param.format.decodeInt(input.code);
  if (value % divisibility == 0)
    return Error::success();
  return llvm::createStringError("expected a multiple of " + Twine(divisibility) +
                                 ", as the kernel states, but got " + Twine(value));
}

static Error bind(const ArgumentSpec &spec, KernelInput &input) {
  if (input.param.isPointer()) {
    Expected<HostTensor> tensor = spec.getTensor(input.param.format);
    if (!tensor)
      return tensor.takeError();
    input.tensor = std::move(*tensor);
    return Error::success();
  }
  Expected<uint64_t> code = spec.getScalarCode(input.param.format);
  if (!code)
    return code.takeError();
  input.code = *code;
  return checkDivisibility(input);
}

Expected<std::vector<KernelInput>> tilus::bindArguments(StringRef kernel, llvm::ArrayRef<KernelParam> params,
                                                        llvm::ArrayRef<ArgumentSpec> specs) {
  if (Error error = checkCount(kernel, params, specs.size()))
    return std::move(error);
  std::vector<KernelInput> inputs;
  for (const auto &[index, param] : llvm::enumerate(params)) {
    inputs.push_back({param, 0, {}});
    if (Error error = bind(specs[index], inputs.back()))
      return llvm::createStringError(describeArgument(index, param.name) + ": " +
                                     llvm::toString(std::move(error)));
  }
  return inputs;
}

Expected<unsigned> tilus::findTensorArgument(StringRef text, llvm::ArrayRef<KernelInput> inputs) {
  unsigned index = inputs.size();
  if (text.getAsInteger(10, index))
    index = llvm::find_if(inputs, [&](const KernelInput &input) { return input.param.name == text; }) -
            inputs.begin();
  if (index >= inputs.size())
    return llvm::createStringError("expected the number, below " + Twine(inputs.size()) +
                                   ", or the name of an argument for '--out', but got '" + text + "'");
  if (!inputs[index].param.isPointer())
    return llvm::createStringError("expected a tensor for '--out', but " +
                                   describeArgument(index, inputs[index].param.name) + " is a scalar");
  return index;
}

void tilus::specialize(KernelOp kernel, llvm::ArrayRef<KernelInput> inputs) {
  mlir::OpBuilder builder(kernel.getContext());
  for (const auto &[index, input] : llvm::enumerate(inputs)) {
    bool isInteger = input.param.format.isInteger() && !kernel.getArgumentTypes()[index].isIndex();
    if (!input.param.isPointer() && !isInteger)
      continue;
    // The lowest set bit; 0 is a multiple of everything.
    uint64_t known = input.code & -input.code;
    if (input.param.isPointer() || known == 0 || known > maxDivisibility)
      known = maxDivisibility;
    if (known > input.param.divisibility)
      kernel.setParamAttr(index, TilusDialect::kDivisibilityAttrName, builder.getI64IntegerAttr(known));
  }
}
