// Hashes of tools.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ToolFingerprints.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

using namespace tilus;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

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

/// The remembered hash, or the computed one, which is then remembered. What goes wrong with the memory on
/// disk costs time alone.
Hash256 ToolFingerprints::load(const std::string &path, const std::string &identity) {
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

//===----------------------------------------------------------------------===//
// This build
//===----------------------------------------------------------------------===//

namespace {
/// The search for the loaded object that an address lies in.
struct ObjectSearch {
  uintptr_t address;
  /// Of the object, in hexadecimal digits; empty if it has none.
  std::string buildId;
};
} // namespace

/// The build id among the notes, which are aligned to 4 bytes.
static std::string findBuildId(StringRef notes) {
  auto align = [](size_t bytes) { return (bytes + 3) & ~size_t(3); };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof(header));
    notes = notes.drop_front(sizeof(header));
    StringRef name = notes.take_front(header.n_namesz);
    notes = notes.drop_front(std::min(notes.size(), align(header.n_namesz)));
    StringRef contents = notes.take_front(header.n_descsz);
    notes = notes.drop_front(std::min(notes.size(), align(header.n_descsz)));
    if (header.n_type == NT_GNU_BUILD_ID && name == StringRef("GNU", 4))
      return llvm::toHex(contents, /*LowerCase=*/true);
  }
  return "";
}

static int visitObject(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<ObjectSearch *>(data);
  llvm::ArrayRef<ElfW(Phdr)> headers(object->dlpi_phdr, object->dlpi_phnum);
  bool isIt = llvm::any_of(headers, [&](const ElfW(Phdr) & header) {
    uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    return header.p_type == PT_LOAD && search.address - begin < header.p_memsz;
  });
  if (!isIt)
    return 0;
  for (const ElfW(Phdr) &header : headers)
    if (header.p_type == PT_NOTE && search.buildId.empty())
      search.buildId = findBuildId(
          StringRef(reinterpret_cast<const char *>(object->dlpi_addr + header.p_vaddr), header.p_memsz));
  return 1;
}

std::string ToolFingerprints::getBuild() {
  ObjectSearch search = {reinterpret_cast<uintptr_t>(&visitObject), ""};
  dl_iterate_phdr(visitObject, &search);
  if (!search.buildId.empty())
    return search.buildId;
  Dl_info info = {};
  bool isFound = dladdr(reinterpret_cast<void *>(&visitObject), &info) && info.dli_fname;
  return getFileHash(isFound ? info.dli_fname : "/proc/self/exe").toHex();
}
