// Compiling for the requests of a dispatcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Jit/Jit.h"

#include "Specialization.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/Pipelines.h"
#include "Tilus/Jit/DiagnosticText.h"
#include "Tilus/Support/BuildId.h"
#include "ToolFingerprints.h"

#include "mlir/Parser/Parser.h"
#include <dlfcn.h>

using namespace mlir;
using namespace tilus;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// The options that change the result. How far phases are checked, what else is written and where files are
/// found do not.
static std::vector<std::pair<std::string, std::string>> describeOptions(const CompileOptions &options) {
  return {{"opt-level", std::to_string(options.optLevel)},
          {"fast-math", std::to_string(options.fastMath)},
          {"line-info", std::to_string(options.lineInfo)},
          {"cubin", std::to_string(options.emitCubin)}};
}

std::string tilus::getCompilerBuild() {
  const void *here = reinterpret_cast<const void *>(&getCompilerBuild);
  std::string buildId = findBuildIdOfObject(here);
  if (buildId.empty()) {
    Dl_info info = {};
    bool isFound = dladdr(here, &info) && info.dli_fname;
    buildId = ToolFingerprints(nullptr).getFileHash(isFound ? info.dli_fname : "/proc/self/exe").toHex();
  }
  return describeBuild(getTilusVersion(), buildId);
}

Jit::Jit(JitOptions jitOptions) : options(std::move(jitOptions)) {
  registerCompilerDialects(registry);
  fingerprints = std::make_unique<ToolFingerprints>(options.cache);
  if (!options.cache)
    return;
  commonInputs.options = describeOptions(options.compile);
  commonInputs.pipeline = getTilusToNVVMPipelineText(options.compile);
  commonInputs.tilusBuild = getCompilerBuild();
  commonInputs.llvmVersion = getLLVMVersion().str();
}

Jit::~Jit() = default;

/// Appends what a request is specialised for.
static void addSpecialization(const CompileRequest &request,
                              std::vector<std::pair<std::string, std::string>> &inputs) {
  for (auto [index, param] : llvm::enumerate(request.signature.getParams())) {
    const CallValue &value = request.args[index];
    if (param.kind == CallParam::Kind::Constant)
      inputs.push_back({"constant " + param.name,
                        std::to_string(unsigned(value.getTag())) + ":" + std::to_string(value.getBits())});
    else
      inputs.push_back({"divisibility " + param.name, std::to_string(request.divisibility[index])});
  }
}

/// Those that make the cubin; none where there is no cubin.
static std::vector<std::string> findAssemblers(const CompileOptions &options) {
  if (!options.emitCubin)
    return {};
  CubinOptions cubin;
  cubin.assembler = options.assembler;
  cubin.toolkit = options.toolkit;
  return findAssemblerFiles(cubin);
}

std::vector<std::string> Jit::findToolFiles() const {
  std::vector<std::string> files = findAssemblers(options.compile);
  ToolkitSearch libdevice = findToolkitFile(ToolkitFile::Libdevice, options.compile.toolkit);
  if (!libdevice.path.empty())
    files.push_back(std::move(libdevice.path));
  return files;
}

/// The tools are looked at anew each time: a process may live longer than they stay the same.
Hash256 Jit::getKey(const KernelSource &source, const CompileRequest &request) const {
  KernelKeyInputs inputs = commonInputs;
  inputs.ir = (options.compile.lineInfo ? source.getText() : source.getPlainText()).str();
  inputs.triple = request.target.getInfo().triple.str();
  inputs.chip = request.target.getChip().str();
  inputs.features = request.target.getFeatures().str();
  addSpecialization(request, inputs.options);
  const CompileOptions &compile = options.compile;
  if (compile.emitCubin) {
    FieldHasher contents;
    for (const std::string &file : findAssemblers(compile))
      contents.add("assembler", fingerprints->getFileHash(file));
    // The contents tell versions apart, and need no start of the assembler.
    inputs.assembler = getAssemblerName(compile.assembler).str();
    inputs.assemblerContent = contents.finish();
  }
  ToolkitSearch libdevice = findToolkitFile(ToolkitFile::Libdevice, compile.toolkit);
  if (!libdevice.path.empty())
    inputs.linkedFiles.push_back(fingerprints->getFileHash(libdevice.path));
  return computeKernelKey(inputs);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

Expected<KernelArtifact> Jit::compileAnew(const KernelSource &source, const CompileRequest &request) const {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  DiagnosticText diagnostics(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source.getText(), &context);
  if (!module)
    return diagnostics.takeError();
  const TargetInfo &info = request.target.getInfo();
  module->getOperation()->setAttr(
      TilusDialect::kTargetAttrName,
      TargetAttr::get(&context, info.triple, info.chip, request.target.getFeatures()));
  KernelOp kernel = getKernels(*module).front();
  CompiledKernel compiled;
  if (failed(specialize(kernel, request)) || failed(compileKernel(kernel, info, options.compile, compiled)))
    return diagnostics.takeError();
  return std::move(compiled.artifact);
}

Expected<Candidate> Jit::compile(const KernelSource &source, const CompileRequest &request,
                                 std::optional<Hash256> *usedKey) const {
  Candidate candidate;
  auto keep = [&](KernelArtifact artifact) {
    candidate.artifact = std::make_shared<const KernelArtifact>(std::move(artifact));
    return candidate;
  };
  // To make a key is not worth it while the cache is off.
  if (!options.cache || !options.cache->getStore()) {
    Expected<KernelArtifact> artifact = compileAnew(source, request);
    if (!artifact)
      return artifact.takeError();
    return keep(std::move(*artifact));
  }
  candidate.cache = CacheOutcome::Hit;
  auto compileOne = [&]() -> Expected<KernelCache::Artifacts> {
    candidate.cache = CacheOutcome::Miss;
    Expected<KernelArtifact> artifact = compileAnew(source, request);
    if (!artifact)
      return artifact.takeError();
    return KernelCache::Artifacts{std::move(*artifact)};
  };
  Hash256 key = getKey(source, request);
  if (usedKey)
    *usedKey = key;
  // The stages of a kernel are those of its compilation, so that one takes place.
  bool isDumped = !options.compile.dumpFolder.empty();
  Expected<KernelCache::Artifacts> artifacts =
      isDumped ? compileOne() : options.cache->getOrCompile(key, compileOne);
  if (!artifacts)
    return artifacts.takeError();
  if (isDumped)
    options.cache->put(key, *artifacts);
  if (artifacts->size() != 1)
    return llvm::createStringError("expected one kernel in the cache for '" + source.getName() +
                                   "', but got " + llvm::Twine(artifacts->size()));
  return keep(std::move(artifacts->front()));
}

CompileFunction Jit::getCompileFunction(KernelSource source) const {
  auto shared = std::make_shared<const KernelSource>(std::move(source));
  return [this, shared](const CompileRequest &request) -> Expected<std::vector<Candidate>> {
    Expected<Candidate> candidate = compile(*shared, request);
    if (!candidate)
      return candidate.takeError();
    return std::vector<Candidate>{std::move(*candidate)};
  };
}
