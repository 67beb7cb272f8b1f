// Scripts of the C API: kernels with a disk cache, and the folders of a script.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompilerHandles.h"

using namespace tilus;
using namespace tilus::capi;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TilusError *tilusKernelSourceParse(const TilusModuleSource *source, const char *kernel,
                                   TilusKernelSource **result) {
  if (!result)
    return makeNullError("a place for the kernel");
  *result = nullptr;
  SourceText text;
  if (TilusError *error = readSource(source, text))
    return error;
  llvm::Expected<KernelSource> parsed = KernelSource::parse(text.data, kernel ? kernel : "", text.fileName);
  if (!parsed)
    return wrapError(parsed.takeError());
  *result = new TilusKernelSource{std::move(*parsed)};
  return nullptr;
}

const char *tilusKernelSourceGetName(const TilusKernelSource *source) {
  return source ? source->source.getName().data() : "";
}

TilusBytes tilusKernelSourceGetText(const TilusKernelSource *source) {
  return source ? makeBytes(source->source.getText()) : TilusBytes();
}

void tilusKernelSourceDestroy(TilusKernelSource *source) { delete source; }

TilusError *tilusCompileKernel(const TilusCompiler *compiler, const TilusKernelSource *source,
                               const TilusTarget *target, TilusCompiledKernel *result) {
  if (!compiler || !source || !target)
    return makeNullError(!compiler ? "a compiler" : source ? "a target" : "a kernel");
  llvm::Expected<CallSignature> signature = source->source.makeSignature({{}, /*divisors=*/0});
  if (!signature)
    return wrapError(signature.takeError());
  std::vector<CallValue> args(signature->getParams().size());
  std::vector<uint64_t> divisibility(args.size(), 1);
  std::optional<Hash256> key;
  llvm::Expected<Candidate> candidate =
      compiler->jit->compile(source->source, {*signature, *unwrap(target), args, divisibility}, &key);
  if (!candidate)
    return wrapError(candidate.takeError());
  TilusCompiledKernel filled = {};
  filled.cache = static_cast<TilusCacheOutcome>(candidate->cache);
  if (key)
    std::strcpy(filled.key, key->toHex().c_str());
  auto artifact = std::make_unique<TilusArtifact>(candidate->artifact);
  filled.artifact = artifact.get();
  if (TilusError *error = writeOutput(filled, result, "TilusCompiledKernel"))
    return error;
  artifact.release();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// What is kept of a script
//===----------------------------------------------------------------------===//

TilusError *tilusScriptStoreCreate(const TilusCompiler *compiler, const TilusScriptIdentity *identity,
                                   TilusScriptStore **result) {
  if (result)
    *result = nullptr;
  if (!compiler)
    return makeNullError("a compiler");
  return makeStore(compiler->jit->getOptions().cache, getCompilerBuild(), identity, result);
}
