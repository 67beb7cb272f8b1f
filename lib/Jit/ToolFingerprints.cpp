// Hashes of tools.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ToolFingerprints.h"
#include "Tilus/Support/BuildId.h"

#include "llvm/Support/MemoryBuffer.h"
#include <array>
#include <cstring>
#include <sys/stat.h>

using namespace tilus;
using llvm::StringRef;

std::string ToolFingerprints::identify(const std::string &path) {
  struct stat status = {};
  // A pipe or a device has no contents that stay.
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return "";
  auto time = [](const timespec &moment) {
    return std::to_string(moment.tv_sec) + "." + std::to_string(moment.tv_nsec);
  };
  // The time of the last change of the inode cannot be set back.
  return path + "\n" + std::to_string(status.st_dev) + " " + std::to_string(status.st_ino) + " " +
         std::to_string(status.st_size) + " " + time(status.st_mtim) + " " + time(status.st_ctim) + "\n";
}

/// Of the build id if there is one, which the linker made of the contents. Else the remembered hash, or the
/// computed one, which is then remembered; what goes wrong with the memory on disk costs time alone.
Hash256 ToolFingerprints::load(const std::string &path, const std::string &identity) {
  constexpr size_t contentHashDigits = 40; // SHA-1; shorter ones say less
  if (std::string buildId = readBuildIdOfFile(path); buildId.size() >= contentHashDigits)
    return FieldHasher().add("build id", buildId).finish();
  std::shared_ptr<const CacheStore> store = cache ? cache->getStore() : nullptr;
  std::optional<TrustedFolder> folder;
  std::string name = Hash256::of(StringRef(path)).toHex();
  if (store && !store->getSecret()) {
    llvm::Expected<TrustedFolder> opened = store->openFolder("tools");
    if (opened)
      folder.emplace(std::move(*opened));
    else
      llvm::consumeError(opened.takeError());
  }
  if (folder) {
    llvm::Expected<std::string> text = folder->read(name, /*maxBytes=*/1 << 16);
    if (!text)
      llvm::consumeError(text.takeError());
    else if (StringRef hash = *text; hash.consume_front(identity))
      if (std::optional<Hash256> known = Hash256::parseHex(hash))
        return *known;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  Hash256 hash = Hash256::of(buffer ? (*buffer)->getBuffer() : StringRef());
  if (!folder || !buffer)
    return hash;
  llvm::Expected<TrustedFolder> temporary = store->openFolder("tmp");
  if (temporary)
    llvm::consumeError(folder->write(name, identity + hash.toHex(), *temporary));
  else
    llvm::consumeError(temporary.takeError());
  return hash;
}

Hash256 ToolFingerprints::getFileHash(const std::string &path) {
  std::string identity = identify(path);
  if (identity.empty())
    return Hash256::of(StringRef());
  Hash256 name = Hash256::of(StringRef(identity));
  std::array<uint64_t, 4> key;
  static_assert(sizeof(key) == sizeof(name.bytes));
  std::memcpy(key.data(), name.bytes.data(), sizeof(key));
  llvm::Expected<Hash256 *> hash = hashes.get(key, "the hash of '" + path + "'", [&] {
    return llvm::Expected<std::unique_ptr<Hash256>>(std::make_unique<Hash256>(load(path, identity)));
  });
  // Whoever makes one asks for no other.
  return *llvm::cantFail(std::move(hash));
}
