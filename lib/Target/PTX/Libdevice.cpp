//===- Libdevice.cpp - linking of CUDA's mathematical functions
//------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the linking of libdevice: when it is needed, which of its functions come in, and how they see the
// options of the compilation.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Libdevice.h"

#include "Tilus/Target/PTX/TranslateToPTX.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace tilus;

/// The first function of libdevice that the module calls; null if it calls none. All have this prefix.
static const llvm::Function *findLibdeviceCall(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.use_empty() && function.getName().starts_with("__nv_"))
      return &function;
  return nullptr;
}

LogicalResult tilus::linkLibdevice(llvm::Module &module, const PTXOptions &options, Operation *op) {
  const llvm::Function *call = findLibdeviceCall(module);
  if (!call)
    return success();

  ToolkitSearch search = findToolkitFile(ToolkitFile::Libdevice, options.toolkit);
  if (search.path.empty())
    return op->emitError() << describeMissing(ToolkitFile::Libdevice, search) << "; it is needed for '"
                           << call->getName() << "'";

  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library = llvm::parseIRFile(search.path, diagnostic, module.getContext());
  if (!library)
    return op->emitError() << "expected LLVM bitcode in '" << search.path
                           << "', but got: " << diagnostic.getMessage();
  // Libdevice is written for every chip; without this the linker warns of the difference.
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());

  // What comes from the library is of no use to others, so that inlining may remove it.
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &imported) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || !imported.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded, internalize))
    return op->emitError() << "expected '" << search.path << "' to link with the kernel, but it does not";

  // Read by the NVVMReflect pass, which resolves the library's questions about the compilation.
  bool flush = options.flushSubnormals || options.fastMath;
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", flush ? 1 : 0);
  if (const llvm::Function *missing = findLibdeviceCall(module))
    return op->emitError() << "expected '" << missing->getName() << "' to be a function of libdevice, but '"
                           << search.path << "' has no such function";
  return success();
}
