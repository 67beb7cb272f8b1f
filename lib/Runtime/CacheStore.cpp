// Entries of the disk cache as files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/CacheStore.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

namespace tilus {

static constexpr llvm::StringLiteral extension = ".tilus";
static constexpr int64_t day = 24 * 3600;
static constexpr size_t signatureBytes = 32;

static std::string getFileName(const Hash256 &key) { return key.toHex() + extension.str(); }

llvm::Expected<CacheStore> CacheStore::open(const CacheOptions &options, bool create) {
  FileTrust trust = options.trust;
  trust.isShared |= options.secret.has_value();
  llvm::Expected<TrustedFolder> root = TrustedFolder::open(options.root, trust, create);
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

void CacheStore::removeOld(llvm::StringRef folderName, int64_t age) const {
  llvm::Expected<TrustedFolder> folder = root.openSubfolder(folderName, /*create=*/false);
  if (!folder)
    return llvm::consumeError(folder.takeError());
  llvm::Expected<std::vector<FolderEntry>> files = folder->list();
  if (!files)
    return llvm::consumeError(files.takeError());
  for (const FolderEntry &file : *files)
    if (file.age >= age)
      llvm::consumeError(file.isFile ? folder->remove(file.name) : folder->removeFolder(file.name));
}

llvm::Expected<CacheRemoval> CacheStore::prune(uint64_t maxBytes, std::chrono::seconds maxAge) const {
  removeOld("bad", 7 * day);
  removeOld("locks", day);
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
  for (const char *folder : {"bad", "locks", "scripts"})
    removeOld(folder, 0);
  return prune(0, std::chrono::seconds(0));
}

} // namespace tilus
