// Compilers of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Compiler.h"

#include "CompilerHandles.h"
#include "Tilus/Compiler/ParseModule.h"
#include "Tilus/Jit/DiagnosticText.h"
#include "Tilus/Support/ArtifactFile.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilus;
using namespace tilus::capi;

int tilusCompilerGetVersion() { return TILUS_COMPILER_C_API_VERSION; }

const char *tilusCompilerGetBuild() {
  static const std::string build = getCompilerBuild();
  return build.c_str();
}

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

TilusError *tilusCompilerCreate(const TilusCompileOptions *options, TilusCompiler **result) {
  if (!result)
    return makeNullError("a place for the compiler");
  *result = nullptr;
  TilusCompileOptions used =
      options ? *options : TilusCompileOptions{CompileOptions::fromEnvironment(), "off"};
  *result = new TilusCompiler{std::make_shared<const Jit>(JitOptions{used.compile, openCache(used.cache)})};
  return nullptr;
}

TilusError *tilusCompilerFindToolFiles(const TilusCompiler *compiler, TilusBlob **result) {
  if (!result)
    return makeNullError("a place for the paths");
  *result = nullptr;
  if (!compiler)
    return makeNullError("a compiler");
  *result = new TilusBlob{llvm::join(compiler->jit->findToolFiles(), "\n")};
  return nullptr;
}

void tilusCompilerDestroy(TilusCompiler *compiler) { delete compiler; }

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

TilusError *capi::readSource(const TilusModuleSource *source, SourceText &text) {
  if (TilusError *error = checkInput(source, "TilusModuleSource"))
    return error;
  if (!source->data)
    return makeNullError("the text of a module");
  text.data = makeText(source->data, source->dataSize).str();
  text.fileName = source->fileName ? source->fileName : "module";
  return nullptr;
}

/// Compiles all kernels for the target; for the one that the module names if it is null.
static mlir::LogicalResult compileFor(mlir::ModuleOp module, const Target *target,
                                      const CompileOptions &options, std::vector<KernelArtifact> &artifacts) {
  llvm::SmallVector<const TargetInfo *> infos;
  if (target) {
    const TargetInfo &info = target->getInfo();
    // The features of a target are those that the module names beside the chip.
    module->setAttr(TilusDialect::kTargetAttrName,
                    TargetAttr::get(module.getContext(), info.triple, info.chip, target->getFeatures()));
    infos.push_back(&info);
  }
  std::vector<CompiledKernel> compiled;
  if (mlir::failed(compile(module, infos, options, compiled)))
    return mlir::failure();
  for (CompiledKernel &kernel : compiled)
    artifacts.push_back(std::move(kernel.artifact));
  return mlir::success();
}

TilusError *capi::readTargets(const TilusTarget *const *targets, size_t count,
                              llvm::SmallVectorImpl<const Target *> &result) {
  if (!targets && count != 0)
    return makeNullError("targets");
  for (const TilusTarget *target : llvm::ArrayRef(targets, count)) {
    if (!target)
      return makeNullError("a target");
    result.push_back(unwrap(target));
  }
  // The one that the module names.
  if (result.empty())
    result.push_back(nullptr);
  return nullptr;
}

mlir::FailureOr<ArtifactFile> capi::compileAll(mlir::ModuleOp module, llvm::ArrayRef<const Target *> targets,
                                               const CompileOptions &options) {
  // Without one the dialect may not even be loaded.
  if (getKernels(module).empty()) {
    module.emitError("expected a module with kernels, but got none");
    return mlir::failure();
  }
  ArtifactFile file;
  for (const Target *target : targets)
    if (mlir::failed(compileFor(module, target, options, file.artifacts)))
      return mlir::failure();
  return file;
}

TilusError *capi::writeFile(const ArtifactFile &file, TilusBlob **result) {
  llvm::Expected<std::string> bytes = serializeArtifacts(file);
  if (!bytes)
    return wrapError(bytes.takeError());
  *result = new TilusBlob{std::move(*bytes)};
  return nullptr;
}

TilusError *tilusCompile(const TilusCompiler *compiler, const TilusModuleSource *source,
                         const TilusTarget *const *targets, size_t targetCount, TilusBlob **result) {
  if (!result)
    return makeNullError("a place for the bytes");
  *result = nullptr;
  if (!compiler)
    return makeNullError("a compiler");
  SourceText text;
  llvm::SmallVector<const Target *> list;
  if (TilusError *error = readSource(source, text))
    return error;
  if (TilusError *error = readTargets(targets, targetCount, list))
    return error;
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  DiagnosticText diagnostics(&context);
  auto module = tilus::parseModule(text.data, &context, text.fileName);
  if (!module)
    return wrapError(diagnostics.takeError());
  mlir::FailureOr<ArtifactFile> file = compileAll(*module, list, compiler->jit->getOptions().compile);
  if (mlir::failed(file))
    return wrapError(diagnostics.takeError());
  return writeFile(*file, result);
}

//===----------------------------------------------------------------------===//
// Dispatchers
//===----------------------------------------------------------------------===//

static TilusError *readSpecialization(const TilusSpecialization *data, SpecializationOptions &options,
                                      llvm::StringRef &kernel) {
  if (TilusError *error = checkInput(data, "TilusSpecialization"))
    return error;
  if (!data->constants && data->constantCount != 0)
    return makeNullError("the names of constants");
  for (const char *constant : llvm::ArrayRef(data->constants, data->constantCount)) {
    if (!constant)
      return makeNullError("the name of a constant");
    options.constants.push_back(constant);
  }
  options.divisors = data->divisors;
  kernel = data->kernel ? data->kernel : "";
  return nullptr;
}

TilusError *tilusDispatcherCreateFromModule(const TilusCompiler *compiler, const TilusModuleSource *source,
                                            const TilusSpecialization *specialization,
                                            const TilusDispatcherOptions *options, TilusDispatcher **result) {
  if (!result)
    return makeNullError("a place for the dispatcher");
  *result = nullptr;
  if (!compiler)
    return makeNullError("a compiler");
  SourceText text;
  SpecializationOptions special;
  llvm::StringRef kernel;
  DispatcherOptions dispatcherOptions;
  if (TilusError *error = readSource(source, text))
    return error;
  if (TilusError *error = readSpecialization(specialization, special, kernel))
    return error;
  if (TilusError *error = options ? readOptions(options, dispatcherOptions) : nullptr)
    return error;
  if (options && options->compile)
    return makeError("no compile callback where a module is compiled", "one");
  llvm::Expected<KernelSource> parsed = KernelSource::parse(text.data, kernel, text.fileName);
  if (!parsed)
    return wrapError(parsed.takeError());
  llvm::Expected<CallSignature> signature = parsed->makeSignature(special);
  if (!signature)
    return wrapError(signature.takeError());
  // The function holds the compiler that it uses.
  dispatcherOptions.compile = [jit = compiler->jit, function = compiler->jit->getCompileFunction(*parsed)](
                                  const CompileRequest &request) { return function(request); };
  *result = new TilusDispatcher(std::move(*signature), std::move(dispatcherOptions));
  return nullptr;
}
