// Manifests and tuning tables of scripts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/ScriptDirectory.h"
#include "Tilus/Support/StrictJson.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tilus {

static constexpr llvm::StringLiteral manifestName = "manifest.json";
static constexpr llvm::StringLiteral sharedTuningName = "tuning.json";
static constexpr llvm::StringLiteral tuningPrefix = "tuning-";
static constexpr llvm::StringLiteral tuningEnding = ".json";
static constexpr size_t tuningDigits = 16;
static constexpr llvm::StringLiteral lockName = "lock";
/// Which files of tools kernels are made with; the Python package writes it.
static constexpr llvm::StringLiteral toolsName = "tools.txt";
/// A hash in text and a line end.
static constexpr size_t signatureBytes = 65;
static constexpr size_t maxFileBytes = size_t(16) << 20;
/// Merging takes milliseconds; who waits longer waits for a process that hangs.
static constexpr std::chrono::milliseconds mergePatience = std::chrono::seconds(5);

/// The letters of a name that any disk takes, at most 40.
static std::string makeSafe(llvm::StringRef name) {
  std::string safe;
  for (char letter : name.take_front(40))
    safe += llvm::isAlnum(letter) || letter == '_' ? letter : '_';
  return safe;
}

std::string ScriptIdentity::getDirectoryName() const {
  Hash256 hash = FieldHasher()
                     .add("name", name)
                     .add("program", program)
                     .add("options", options)
                     .add("triple", triple)
                     .add("chip", chip)
                     .add("features", features)
                     .add("tilus", tilusBuild)
                     .finish();
  return makeSafe(name) + "-" + makeSafe(chip) + "-" + hash.toHex();
}

bool ScriptDirectory::isFolderName(llvm::StringRef name) {
  llvm::StringRef front, hash;
  std::tie(front, hash) = name.rsplit('-');
  return front.contains('-') && Hash256::parseHex(hash);
}

bool ScriptDirectory::isFileName(llvm::StringRef name) {
  if (name == manifestName || name == lockName || name == toolsName)
    return true;
  return name.consume_front(tuningPrefix) && name.consume_back(tuningEnding) && name.size() == tuningDigits &&
         llvm::all_of(name, llvm::isHexDigit);
}

llvm::Expected<ScriptDirectory> ScriptDirectory::open(std::shared_ptr<const CacheStore> store,
                                                      const ScriptIdentity &identity, unsigned version) {
  llvm::Expected<TrustedFolder> scripts = store->openFolder("scripts");
  if (!scripts)
    return scripts.takeError();
  llvm::Expected<TrustedFolder> folder = scripts->openSubfolder(identity.getDirectoryName(), true);
  if (!folder)
    return folder.takeError();
  return ScriptDirectory(std::move(store), std::move(*folder), version, identity.chip);
}

std::string ScriptDirectory::sign(llvm::StringRef name, llvm::StringRef text) const {
  if (!store->getSecret())
    return "";
  Hash256 content = FieldHasher()
                        .add("directory", llvm::sys::path::filename(getPath()))
                        .add("name", name)
                        .add("text", text)
                        .finish();
  return Hash256::authenticate(*store->getSecret(), llvm::toStringRef(content.bytes)).toHex() + "\n";
}

llvm::Expected<std::string> ScriptDirectory::read(llvm::StringRef name) const {
  llvm::Expected<std::string> text = folder.read(name, maxFileBytes);
  if (!text || !store->getSecret())
    return text;
  llvm::StringRef signature = llvm::StringRef(*text).take_back(signatureBytes);
  llvm::StringRef signedText = llvm::StringRef(*text).drop_back(signature.size());
  if (sign(name, signedText) != signature)
    return llvm::make_error<FileError>(
        FileFault::Refused,
        ("'" + getPath() + "/" + name + "': expected a file that was signed with the secret, but got another")
            .str());
  return signedText.str();
}

std::optional<std::string> ScriptDirectory::read(llvm::StringRef name, std::string &problem) const {
  llvm::Expected<std::string> text = read(name);
  if (text)
    return std::move(*text);
  FileProblem found(text.takeError());
  if (found.fault != FileFault::Missing)
    problem = found.text;
  return std::nullopt;
}

llvm::Error ScriptDirectory::update(llvm::StringRef name,
                                    llvm::function_ref<std::string(llvm::StringRef)> change) const {
  llvm::Expected<TrustedFolder> temporary = store->openFolder("tmp");
  if (!temporary)
    return temporary.takeError();
  // Where there are no locks, what another process adds meanwhile may be lost; what remains is right.
  std::optional<FileLock> lock = folder.lock(lockName, mergePatience);
  llvm::Expected<std::string> old = read(name);
  std::string text;
  if (old) {
    text = change(*old);
  } else {
    FileProblem problem(old.takeError());
    // A disk that cannot be read now may hold what must not be overwritten.
    if (problem.fault == FileFault::Failed)
      return llvm::make_error<FileError>(problem.fault, problem.text);
    text = change("");
  }
  return folder.write(name, text + sign(name, text), *temporary);
}

//===----------------------------------------------------------------------===//
// Specialisations
//===----------------------------------------------------------------------===//

static llvm::Expected<Specialization> readSpecialization(const llvm::json::Value &value) {
  JsonFieldReader reader(value, "a specialisation");
  Specialization specialization;
  auto readHash = [](JsonFieldReader &from, llvm::StringRef name, Hash256 &hash) {
    std::string text;
    from.read(name, text);
    if (std::optional<Hash256> parsed = Hash256::parseHex(text))
      hash = *parsed;
    else
      from.fail("a hash for '" + name + "'", "'" + text + "'");
  };
  readHash(reader, "key", specialization.key);
  const llvm::json::Array *kernels = reader.readArray("kernels");
  if (llvm::Error error = reader.finish())
    return std::move(error);
  for (const llvm::json::Value &element : *kernels) {
    JsonFieldReader kernelReader(element, "a kernel of a specialisation");
    SpecializedKernel kernel;
    kernelReader.read("schedule", kernel.schedule);
    readHash(kernelReader, "artifact", kernel.artifact);
    if (llvm::Error error = kernelReader.finish())
      return std::move(error);
    specialization.kernels.push_back(std::move(kernel));
  }
  return specialization;
}

llvm::Expected<std::vector<Specialization>> ScriptDirectory::parseManifest(llvm::StringRef text) const {
  llvm::Expected<llvm::json::Value> value = parseStrictJson(text, maxFileBytes);
  if (!value)
    return value.takeError();
  JsonFieldReader reader(*value, "a manifest");
  unsigned fileVersion = 0;
  std::string target;
  reader.read("version", fileVersion);
  if (fileVersion != version)
    reader.fail("version " + llvm::Twine(version), llvm::Twine(fileVersion));
  reader.read("target", target);
  if (target != chip)
    reader.fail("target '" + chip + "'", "'" + target + "'");
  const llvm::json::Array *elements = reader.readArray("specializations");
  if (llvm::Error error = reader.finish())
    return std::move(error);
  std::vector<Specialization> specializations;
  for (const llvm::json::Value &element : *elements) {
    llvm::Expected<Specialization> specialization = readSpecialization(element);
    if (!specialization)
      return specialization.takeError();
    specializations.push_back(std::move(*specialization));
  }
  return specializations;
}

std::string ScriptDirectory::writeManifest(llvm::ArrayRef<Specialization> specializations) const {
  llvm::json::Array elements;
  for (const Specialization &specialization : specializations) {
    llvm::json::Array kernels;
    for (const SpecializedKernel &kernel : specialization.kernels)
      kernels.push_back(
          llvm::json::Object{{"schedule", kernel.schedule}, {"artifact", kernel.artifact.toHex()}});
    elements.push_back(
        llvm::json::Object{{"key", specialization.key.toHex()}, {"kernels", std::move(kernels)}});
  }
  llvm::json::Value manifest =
      llvm::json::Object{{"version", version}, {"target", chip}, {"specializations", std::move(elements)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", manifest);
  return text;
}

Loaded<std::vector<Specialization>> ScriptDirectory::loadSpecializations() const {
  Loaded<std::vector<Specialization>> loaded;
  std::optional<std::string> text = read(manifestName, loaded.problem);
  if (!text)
    return loaded;
  if (llvm::Expected<std::vector<Specialization>> parsed = parseManifest(*text))
    loaded.value = std::move(*parsed);
  else
    loaded.problem =
        ("'" + getPath() + "/" + manifestName + "': " + llvm::toString(parsed.takeError())).str();
  return loaded;
}

llvm::Error ScriptDirectory::saveSpecialization(const Specialization &specialization) const {
  return update(manifestName, [&](llvm::StringRef text) {
    std::vector<Specialization> specializations;
    if (llvm::Expected<std::vector<Specialization>> parsed = parseManifest(text))
      specializations = std::move(*parsed);
    else
      llvm::consumeError(parsed.takeError());
    llvm::erase_if(specializations, [&](const Specialization &old) { return old.key == specialization.key; });
    specializations.push_back(specialization);
    return writeManifest(specializations);
  });
}

//===----------------------------------------------------------------------===//
// Tuning
//===----------------------------------------------------------------------===//

static std::string getTuningName(const TuningFingerprint &fingerprint) {
  Hash256 hash = FieldHasher()
                     .add("target", fingerprint.target)
                     .add("gpu", fingerprint.gpu)
                     .add("compute capability", fingerprint.computeCapability)
                     .add("cuda", fingerprint.cuda)
                     .add("tilus", fingerprint.tilus)
                     .finish();
  return (tuningPrefix + hash.toHex().substr(0, tuningDigits) + tuningEnding).str();
}

Loaded<TuningTable> ScriptDirectory::loadTuning(const TuningFingerprint &fingerprint) const {
  Loaded<TuningTable> loaded = {TuningTable(fingerprint), ""};
  for (const std::string &name : {sharedTuningName.str(), getTuningName(fingerprint)}) {
    std::optional<std::string> text = read(name, loaded.problem);
    if (!text)
      continue;
    if (llvm::Expected<TuningTable> table = TuningTable::parse(*text, fingerprint))
      loaded.value.merge(*table);
    else
      loaded.problem = ("'" + getPath() + "/" + name + "': " + llvm::toString(table.takeError())).str();
  }
  return loaded;
}

llvm::Error ScriptDirectory::saveTuning(const TuningTable &table) const {
  return update(getTuningName(table.getFingerprint()), [&](llvm::StringRef text) {
    llvm::Expected<TuningTable> merged = TuningTable::parse(text, table.getFingerprint());
    if (!merged) {
      llvm::consumeError(merged.takeError());
      return table.serialize();
    }
    merged->merge(table);
    return merged->serialize();
  });
}

} // namespace tilus
