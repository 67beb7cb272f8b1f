// The dialect in MLIR's C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus-c/Dialect.h"

#include "CompilerHandles.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/ParseModule.h"
#include "Tilus/Compiler/Pipelines.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/IR/Verifier.h"

using namespace tilus;
using namespace tilus::capi;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tilus, tilus, tilus::TilusDialect)

void tilusRegisterCompilerDialects(MlirDialectRegistry registry) {
  if (registry.ptr)
    registerCompilerDialects(*::unwrap(registry));
}

void tilusRegisterPasses() {
  static std::once_flag once;
  std::call_once(once, registerPassesAndPipelines);
}

TilusError *tilusParseModule(MlirContext context, const TilusModuleSource *source, MlirModule *result) {
  if (!result)
    return makeNullError("a place for the module");
  result->ptr = nullptr;
  if (!context.ptr)
    return makeNullError("a context");
  SourceText text;
  if (TilusError *error = readSource(source, text))
    return error;
  auto module = tilus::parseModule(text.data, ::unwrap(context), text.fileName);
  if (!module)
    return makeError("a module", "the diagnostics that its context reported");
  *result = ::wrap(module.release());
  return nullptr;
}

TilusError *tilusCompileModule(const TilusCompiler *compiler, MlirModule module,
                               const TilusTarget *const *targets, size_t targetCount, TilusBlob **result) {
  if (!result)
    return makeNullError("a place for the bytes");
  *result = nullptr;
  if (!compiler || !module.ptr)
    return makeNullError(compiler ? "a module" : "a compiler");
  llvm::SmallVector<const Target *> list;
  if (TilusError *error = readTargets(targets, targetCount, list))
    return error;
  // Its target changes.
  mlir::OwningOpRef<mlir::ModuleOp> copy(::unwrap(module).clone());
  mlir::FailureOr<ArtifactFile> file = compileAll(*copy, list, compiler->jit->getOptions().compile);
  if (mlir::failed(file))
    return makeError("the module to compile", "the diagnostics that its context reported");
  return writeFile(*file, result);
}

TilusError *tilusKernelSourceCreate(MlirModule module, const char *kernel, TilusKernelSource **result) {
  if (!result)
    return makeNullError("a place for the kernel");
  *result = nullptr;
  if (!module.ptr)
    return makeNullError("a module");
  mlir::ModuleOp op = ::unwrap(module);
  if (mlir::failed(mlir::verify(op)))
    return makeError("a module to compile", "the diagnostics that its context reported");
  llvm::Expected<KernelOp> found = KernelSource::find(op, kernel ? kernel : "");
  if (!found)
    return wrapError(found.takeError());
  *result = new TilusKernelSource{KernelSource::create(*found)};
  return nullptr;
}
