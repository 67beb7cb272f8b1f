// Entries of the disk cache as files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/CacheStore.h"

#include "Tilus/Runtime/ScriptDirectory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

namespace tilus {

static constexpr llvm::StringLiteral extension = ".tilus";
static constexpr int64_t day = 24 * 3600;
static constexpr size_t signatureBytes = 32;

static std::string getFileName(const Hash256 &key) { return key.toHex() + extension.str(); }

//===----------------------------------------------------------------------===//
// The root
//===----------------------------------------------------------------------===//

static llvm::Expected<bool> hasMarker(const TrustedFolder &folder) {
  llvm::Expected<std::string> contents = folder.read(CacheStore::markerName, /*maxBytes=*/4096);
  if (contents)
    return true;
  FileProblem problem(contents.takeError());
  if (problem.fault == FileFault::Missing)
    return false;
  return llvm::make_error<FileError>(problem.fault, problem.text);
}

/// Whether the folder is a cache: it says so, or is empty, so that with `create` it becomes one.
static llvm::Expected<bool> claim(const TrustedFolder &folder, bool create) {
  llvm::Expected<bool> isMarked = hasMarker(folder);
  if (!isMarked || *isMarked)
    return isMarked;
  llvm::Expected<std::vector<FolderEntry>> entries = folder.list();
  if (!entries)
    return entries.takeError();
  // Another process may have made a cache of it meanwhile.
  if (!entries->empty())
    return hasMarker(folder);
  if (create)
    if (llvm::Error error =
            folder.create(CacheStore::markerName, "This folder is a cache of Tilus: files with "
                                                  "names of its form are removed.\n"))
      return std::move(error);
  return true;
}

/// The folder that holds the cache: the one that the options name, or its subfolder "tilus" if that one holds
/// something else, which is nobody's to touch.
static llvm::Expected<TrustedFolder> openRoot(const CacheOptions &options, const FileTrust &trust,
                                              bool create) {
  llvm::Expected<TrustedFolder> root = TrustedFolder::open(options.root, trust, create);
  if (!root)
    return root;
  llvm::Expected<bool> isOurs = claim(*root, create);
  if (!isOurs)
    return isOurs.takeError();
  if (*isOurs)
    return root;
  llvm::Expected<TrustedFolder> inner = root->openSubfolder("tilus", create);
  if (!inner)
    return inner;
  isOurs = claim(*inner, create);
  if (!isOurs)
    return isOurs.takeError();
  if (*isOurs)
    return inner;
  return llvm::make_error<FileError>(FileFault::Refused,
                                     ("expected an empty folder or one with a file '" +
                                      CacheStore::markerName + "' as the cache, but got '" +
                                      inner->getPath() + "', which holds something else; name another folder")
                                         .str());
}

llvm::Expected<CacheStore> CacheStore::open(const CacheOptions &options, bool create) {
  FileTrust trust = options.trust;
  trust.isShared |= options.secret.has_value();
  llvm::Expected<TrustedFolder> root = openRoot(options, trust, create);
  if (!root)
    return root.takeError();
  llvm::Expected<TrustedFolder> kernels = root->openSubfolder("kernels", create);
  if (!kernels)
    return kernels.takeError();
  llvm::Expected<TrustedFolder> temporary = root->openSubfolder("tmp", /*create=*/false);
  if (temporary)
    temporary->sweepTemporaryFiles();
  else
    llvm::consumeError(temporary.takeError());
  return CacheStore(std::move(*root), std::move(*kernels), options.secret);
}

//===----------------------------------------------------------------------===//
// One entry
//===----------------------------------------------------------------------===//

static llvm::Error refuseEntry(const TrustedFolder &folder, llvm::StringRef name, const llvm::Twine &reason) {
  return llvm::make_error<FileError>(FileFault::Refused,
                                     ("'" + folder.getPath() + "/" + name + "': " + reason).str());
}

llvm::Expected<std::vector<KernelArtifact>> CacheStore::read(const Hash256 &key) const {
  std::string name = getFileName(key);
  llvm::Expected<std::string> contents = kernels.read(name, ArtifactLimits::fileBytes);
  if (!contents)
    return contents.takeError();
  llvm::StringRef bytes = *contents;
  if (secret) {
    llvm::StringRef signature = bytes.take_back(signatureBytes);
    bytes = bytes.drop_back(signature.size());
    if (llvm::toStringRef(Hash256::authenticate(*secret, bytes).bytes) != signature)
      return refuseEntry(kernels, name, "expected a file that was signed with the secret, but got another");
  }
  llvm::Expected<ArtifactFile> file = parseArtifacts(bytes);
  if (!file)
    return refuseEntry(kernels, name, llvm::toString(file.takeError()));
  if (file->key != key)
    return refuseEntry(kernels, name, "expected the file's name as its key, but got " + file->key.toHex());
  return std::move(file->artifacts);
}

llvm::Expected<std::string> CacheStore::encode(const Hash256 &key,
                                               llvm::ArrayRef<KernelArtifact> artifacts) const {
  llvm::Expected<std::string> bytes = serializeArtifacts({key, artifacts.vec()});
  if (bytes && secret)
    *bytes += llvm::toStringRef(Hash256::authenticate(*secret, *bytes).bytes);
  return bytes;
}

llvm::Error CacheStore::write(const Hash256 &key, llvm::StringRef bytes) const {
  llvm::Expected<TrustedFolder> temporary = openFolder("tmp");
  if (!temporary)
    return temporary.takeError();
  return kernels.write(getFileName(key), bytes, *temporary);
}

llvm::Error CacheStore::setAside(const Hash256 &key) const {
  llvm::Expected<TrustedFolder> bad = openFolder("bad");
  if (!bad)
    return bad.takeError();
  return kernels.move(getFileName(key), *bad, key.toHex() + "-" + TrustedFolder::makeTemporaryName());
}

void CacheStore::noteUse(const Hash256 &key) const { kernels.touch(getFileName(key), day); }

llvm::Error CacheStore::remove(const Hash256 &key) const { return kernels.remove(getFileName(key)); }

std::optional<FileLock> CacheStore::lock(const Hash256 &key, std::chrono::milliseconds patience) const {
  llvm::Expected<TrustedFolder> locks = openFolder("locks");
  if (locks)
    return locks->lock(key.toHex(), patience);
  llvm::consumeError(locks.takeError());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// All entries
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<CacheEntry>> CacheStore::list() const {
  llvm::Expected<std::vector<FolderEntry>> files = kernels.list();
  if (!files)
    return files.takeError();
  std::vector<CacheEntry> entries;
  for (const FolderEntry &file : *files) {
    llvm::StringRef name = file.name;
    if (!name.consume_back(extension))
      continue;
    if (std::optional<Hash256> key = Hash256::parseHex(name))
      entries.push_back({*key, file.bytes, file.age});
  }
  llvm::sort(entries, [](const CacheEntry &a, const CacheEntry &b) {
    return std::tie(a.age, a.key) < std::tie(b.age, b.key);
  });
  return entries;
}

void CacheStore::removeOld(llvm::StringRef folderName, int64_t age,
                           llvm::function_ref<bool(llvm::StringRef)> isOurs,
                           llvm::function_ref<bool(llvm::StringRef)> isOursWithin) const {
  llvm::Expected<TrustedFolder> folder = root.openSubfolder(folderName, /*create=*/false);
  if (!folder)
    return llvm::consumeError(folder.takeError());
  llvm::Expected<std::vector<FolderEntry>> files = folder->list();
  if (!files)
    return llvm::consumeError(files.takeError());
  for (const FolderEntry &file : *files)
    if (file.age >= age && isOurs(file.name))
      llvm::consumeError(file.isFile ? folder->remove(file.name)
                                     : folder->removeFolder(file.name, isOursWithin));
}

static bool isKey(llvm::StringRef name) { return Hash256::parseHex(name).has_value(); }

/// Whether the name is one that setAside() gives.
static bool isDamagedName(llvm::StringRef name) {
  auto [key, rest] = name.split('-');
  return isKey(key) && TrustedFolder::isTemporaryName(rest);
}

static bool isNothing(llvm::StringRef) { return false; }

void CacheStore::removeLeftovers(int64_t damagedAge, int64_t lockAge) const {
  removeOld("bad", damagedAge, isDamagedName, isNothing);
  removeOld("locks", lockAge, isKey, isNothing);
}

llvm::Expected<CacheRemoval> CacheStore::prune(uint64_t maxBytes, std::chrono::seconds maxAge) const {
  removeLeftovers(7 * day, day);
  llvm::Expected<std::vector<CacheEntry>> entries = list();
  if (!entries)
    return entries.takeError();
  CacheRemoval removal;
  uint64_t kept = 0;
  for (const CacheEntry &entry : *entries) {
    bool isOld = maxAge.count() > 0 && entry.age > maxAge.count();
    if (!isOld && kept + entry.bytes <= maxBytes) {
      kept += entry.bytes;
      continue;
    }
    if (llvm::Error error = remove(entry.key))
      return std::move(error);
    ++removal.entries;
    removal.bytes += entry.bytes;
  }
  return removal;
}

llvm::Expected<CacheRemoval> CacheStore::clear() const {
  removeLeftovers(0, 0);
  removeOld("scripts", 0, ScriptDirectory::isFolderName, ScriptDirectory::isFileName);
  return prune(0, std::chrono::seconds(0));
}

} // namespace tilus
