// Build ids of ELF objects, in memory and in files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/BuildId.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>
#include <elf.h>
#include <link.h>

using llvm::StringRef;

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
    bool isWhole = contents.size() == header.n_descsz;
    if (header.n_type == NT_GNU_BUILD_ID && name == StringRef("GNU", 4) && isWhole)
      return llvm::toHex(contents, /*LowerCase=*/true);
  }
  return "";
}

//===----------------------------------------------------------------------===//
// In memory
//===----------------------------------------------------------------------===//

namespace {
/// The search for the loaded object that an address lies in.
struct ObjectSearch {
  uintptr_t address;
  std::string buildId;
};
} // namespace

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

std::string tilus::findBuildIdOfObject(const void *address) {
  ObjectSearch search = {reinterpret_cast<uintptr_t>(address), ""};
  dl_iterate_phdr(visitObject, &search);
  return search.buildId;
}

//===----------------------------------------------------------------------===//
// In files
//===----------------------------------------------------------------------===//

/// Copies what is at the offset; false if the file ends before.
template <typename T> static bool readAt(StringRef file, uint64_t offset, T &result) {
  if (offset > file.size() || file.size() - offset < sizeof(T))
    return false;
  std::memcpy(&result, file.data() + offset, sizeof(T));
  return true;
}

std::string tilus::readBuildIdOfFile(const std::string &path) {
  // Mapped: of a large file only the pages that are looked at are read.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return "";
  StringRef file = (*buffer)->getBuffer();
  ElfW(Ehdr) elf;
  if (!file.starts_with(StringRef(ELFMAG, SELFMAG)) || !readAt(file, 0, elf))
    return "";
  std::string buildId;
  ElfW(Phdr) header;
  for (unsigned index = 0; index < elf.e_phnum && buildId.empty(); ++index)
    if (readAt(file, elf.e_phoff + uint64_t(index) * sizeof(header), header) && header.p_type == PT_NOTE)
      buildId = findBuildId(file.substr(header.p_offset, header.p_filesz));
  return buildId;
}
