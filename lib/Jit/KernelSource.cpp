// Kernels as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Jit/KernelSource.h"

#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/KernelMetadata.h"
#include "Tilus/Compiler/ParseModule.h"
#include "Tilus/Jit/DiagnosticText.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilus;
using llvm::Expected;

Expected<KernelOp> KernelSource::find(ModuleOp module, StringRef name, StringRef fileName) {
  SmallVector<KernelOp> kernels = getKernels(module);
  for (KernelOp kernel : kernels)
    if (name.empty() ? kernels.size() == 1 : kernel.getSymName() == name)
      return kernel;
  auto names = llvm::map_range(kernels, [](KernelOp kernel) { return kernel.getSymName(); });
  std::string rule = name.empty() ? "one kernel" : "a kernel '" + name.str() + "'";
  return llvm::createStringError("expected " + rule + " in '" + fileName + "', but got " +
                                 (kernels.empty() ? "none" : llvm::join(names, ", ")));
}

Expected<KernelSource> KernelSource::parse(StringRef text, StringRef kernel, StringRef fileName) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  DiagnosticText diagnostics(&context);
  OwningOpRef<ModuleOp> module = parseModule(text, &context, fileName);
  if (!module)
    return diagnostics.takeError();
  Expected<KernelOp> found = find(*module, kernel, fileName);
  if (!found)
    return found.takeError();
  return create(*found);
}

/// In the generic form, which keeps all of it, as that a parameter has no name.
static std::string print(ModuleOp module, bool hasLocations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo(hasLocations).printGenericOpForm());
  return text;
}

KernelSource KernelSource::create(KernelOp kernel) {
  KernelSource source;
  source.name = kernel.getSymName().str();
  source.params = readKernelParams(kernel);
  for (Type type : kernel.getArgumentTypes())
    source.isDivisible.push_back(type.isInteger() && !type.isInteger(1));
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  module->getBody()->push_back(kernel->clone());
  source.text = print(*module, /*hasLocations=*/true);
  source.plainText = print(*module, /*hasLocations=*/false);
  return source;
}

Expected<CallSignature> KernelSource::makeSignature(const SpecializationOptions &options) const {
  for (const std::string &constant : options.constants)
    if (llvm::none_of(params, [&](const KernelParam &param) { return param.name == constant; }))
      return llvm::createStringError("expected the name of a parameter of kernel '" + name +
                                     "' as a constant, but got '" + constant + "'");
  std::vector<CallParam> callParams;
  for (const auto &[index, param] : llvm::enumerate(params)) {
    CallParam call;
    call.name = param.name;
    call.kind = param.isPointer()        ? CallParam::Kind::Pointer
                : param.format.isFloat() ? CallParam::Kind::Float
                                         : CallParam::Kind::Integer;
    bool isConstant = llvm::is_contained(options.constants, param.name);
    if (isConstant && param.isPointer())
      return llvm::createStringError("expected the names of scalars as constants of kernel '" + name +
                                     "', but got the pointer '" + param.name + "'");
    if (isConstant)
      call.kind = CallParam::Kind::Constant;
    else if (isDivisible[index])
      call.divisors = options.divisors;
    callParams.push_back(std::move(call));
  }
  return CallSignature::create(name, std::move(callParams));
}
