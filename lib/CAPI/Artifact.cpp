// Compiled kernels of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Handles.h"

#include "Tilus/Support/ArtifactFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilus;
using namespace tilus::capi;

TilusArtifact::TilusArtifact(std::shared_ptr<const KernelArtifact> shared) : artifact(std::move(shared)) {
  if (llvm::Expected<const Target *> found = Target::lookup(artifact->chip, artifact->features))
    target = *found;
  else
    llvm::consumeError(found.takeError());
  for (const KernelParam &param : artifact->params)
    typeNames.push_back(param.format.getName());
}

static ArtifactList share(ArtifactFile file) {
  ArtifactList shared;
  for (KernelArtifact &artifact : file.artifacts)
    shared.push_back(std::make_shared<const KernelArtifact>(std::move(artifact)));
  return shared;
}

llvm::Expected<ArtifactList> capi::parseFile(llvm::StringRef bytes) {
  llvm::Expected<ArtifactFile> file = parseArtifacts(bytes);
  if (!file)
    return file.takeError();
  return share(std::move(*file));
}

llvm::Expected<ArtifactList> capi::findArtifacts(const ArtifactList &artifacts, const char *entry,
                                                 const Target &target) {
  ArtifactList found;
  std::vector<std::string> held;
  for (const std::shared_ptr<const KernelArtifact> &artifact : artifacts) {
    if ((!entry || artifact->entry == entry) && TilusArtifact(artifact).target == &target)
      found.push_back(artifact);
    held.push_back("'" + artifact->entry + "' for " + artifact->chip);
  }
  if (!found.empty())
    return std::move(found);
  return llvm::createStringError(
      "expected a file with " + (entry ? "'" + llvm::Twine(entry) + "'" : llvm::Twine("a kernel")) + " for " +
      target.getName() + ", but got one with " + (held.empty() ? "none" : llvm::join(held, ", ")));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TilusError *tilusArtifactFileRead(const char *path, TilusArtifactFile **result) {
  if (!result)
    return makeNullError("a place for the file");
  *result = nullptr;
  if (!path)
    return makeNullError("the path of a file");
  llvm::Expected<ArtifactFile> file = readArtifactFile(path);
  if (!file)
    return wrapError(file.takeError());
  *result = new TilusArtifactFile{share(std::move(*file))};
  return nullptr;
}

TilusError *tilusArtifactFileParse(const void *data, size_t size, TilusArtifactFile **result) {
  if (!result)
    return makeNullError("a place for the file");
  *result = nullptr;
  if (!data)
    return makeNullError("the bytes of a file");
  llvm::Expected<ArtifactList> artifacts = parseFile(makeText(data, size));
  if (!artifacts)
    return wrapError(artifacts.takeError());
  *result = new TilusArtifactFile{std::move(*artifacts)};
  return nullptr;
}

size_t tilusArtifactFileGetCount(const TilusArtifactFile *file) { return file ? file->artifacts.size() : 0; }

TilusError *tilusArtifactFileGet(const TilusArtifactFile *file, size_t index, TilusArtifact **result) {
  if (!result)
    return makeNullError("a place for the artifact");
  *result = nullptr;
  if (!file)
    return makeNullError("a file of artifacts");
  if (index >= file->artifacts.size())
    return makeIndexError("artifacts", file->artifacts.size(), index);
  *result = new TilusArtifact(file->artifacts[index]);
  return nullptr;
}

TilusError *tilusArtifactFileFind(const TilusArtifactFile *file, const char *entry, const TilusTarget *target,
                                  TilusArtifact **result) {
  if (!result)
    return makeNullError("a place for the artifact");
  *result = nullptr;
  if (!file || !target)
    return makeNullError(file ? "a target" : "a file of artifacts");
  llvm::Expected<ArtifactList> found = findArtifacts(file->artifacts, entry, *unwrap(target));
  if (!found)
    return wrapError(found.takeError());
  *result = new TilusArtifact(found->front());
  return nullptr;
}

TilusError *tilusArtifactFileChoose(const TilusArtifactFile *file, const char *entry,
                                    const TilusDevice *device, TilusArtifact **result) {
  if (!result)
    return makeNullError("a place for the artifact");
  *result = nullptr;
  if (!file || !entry || !device)
    return makeNullError(!file ? "a file of artifacts" : entry ? "a device" : "the name of a kernel");
  llvm::Expected<std::shared_ptr<const KernelArtifact>> chosen =
      chooseArtifact(file->artifacts, entry, *device->open->device);
  if (!chosen)
    return wrapError(chosen.takeError());
  *result = new TilusArtifact(std::move(*chosen));
  return nullptr;
}

void tilusArtifactFileDestroy(TilusArtifactFile *file) { delete file; }

TilusError *tilusArtifactsSerialize(const TilusArtifact *const *artifacts, size_t count, TilusBlob **result) {
  if (!result)
    return makeNullError("a place for the bytes");
  *result = nullptr;
  if (!artifacts && count != 0)
    return makeNullError("artifacts");
  ArtifactFile file;
  for (const TilusArtifact *artifact : llvm::ArrayRef(artifacts, count)) {
    if (!artifact)
      return makeNullError("an artifact");
    file.artifacts.push_back(*artifact->artifact);
  }
  llvm::Expected<std::string> bytes = serializeArtifacts(file);
  if (!bytes)
    return wrapError(bytes.takeError());
  *result = new TilusBlob{std::move(*bytes)};
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

static TilusBytes getBytes(llvm::ArrayRef<uint8_t> bytes) { return {bytes.data(), bytes.size()}; }

TilusError *tilusArtifactGetInfo(const TilusArtifact *artifact, TilusArtifactInfo *info) {
  if (!artifact)
    return makeNullError("an artifact");
  const KernelArtifact &kernel = *artifact->artifact;
  TilusArtifactInfo filled = {};
  filled.entry = kernel.entry.c_str();
  filled.target = wrapTarget(artifact->target);
  filled.triple = kernel.triple.c_str();
  filled.chip = kernel.chip.c_str();
  filled.features = kernel.features.c_str();
  filled.schedule = kernel.schedule.c_str();
  filled.cubin = getBytes(kernel.cubin);
  filled.ptx = makeBytes(kernel.ptx);
  filled.ir = makeBytes(kernel.ir);
  filled.blockThreads = kernel.blockThreads;
  llvm::copy(kernel.cluster, filled.cluster);
  filled.dynamicSharedBytes = kernel.dynamicSharedBytes;
  filled.staticSharedBytes = kernel.staticSharedBytes;
  filled.registers = kernel.registers;
  filled.spillBytes = kernel.spillBytes;
  filled.paramCount = kernel.params.size();
  filled.workspaceCount = kernel.workspaces.size();
  filled.tensorMapCount = kernel.tensorMaps.size();
  filled.tilusVersion = kernel.versions.tilus.c_str();
  filled.llvmVersion = kernel.versions.llvm.c_str();
  filled.assembler = kernel.versions.assembler.c_str();
  return writeOutput(filled, info, "TilusArtifactInfo");
}

TilusParamInfo capi::makeParamInfo(const KernelParam &param, const std::string &typeName) {
  TilusParamInfo info = {};
  info.name = param.name.c_str();
  info.type = typeName.c_str();
  info.bits = param.format.bits;
  info.isPointer = param.isPointer();
  info.divisibility = param.divisibility;
  return info;
}

TilusError *tilusArtifactGetParam(const TilusArtifact *artifact, size_t index, TilusParamInfo *info) {
  if (!artifact)
    return makeNullError("an artifact");
  const std::vector<KernelParam> &params = artifact->artifact->params;
  if (index >= params.size())
    return makeIndexError("parameters", params.size(), index);
  return writeOutput(makeParamInfo(params[index], artifact->typeNames[index]), info, "TilusParamInfo");
}

TilusBytes tilusArtifactGetCubin(const TilusArtifact *artifact) {
  return artifact ? getBytes(artifact->artifact->cubin) : TilusBytes();
}

void tilusArtifactDestroy(TilusArtifact *artifact) { delete artifact; }
