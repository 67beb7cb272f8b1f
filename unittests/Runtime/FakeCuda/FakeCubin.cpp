// What the fake driver reads of a cubin: the chip that it was assembled for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

#include <cstring>
#include <elf.h>

/// The number of CUDA in the ELF header.
static constexpr unsigned cudaMachine = 190;

/// The contents of the section of that name; empty if there is none.
static std::string findSection(const char *image, const Elf64_Ehdr &header, const char *name) {
  const auto *sections = reinterpret_cast<const Elf64_Shdr *>(image + header.e_shoff);
  const char *names = image + sections[header.e_shstrndx].sh_offset;
  for (unsigned i = 0; i < header.e_shnum; ++i)
    if (std::strcmp(names + sections[i].sh_name, name) == 0)
      return std::string(image + sections[i].sh_offset, sections[i].sh_size);
  return "";
}

/// The header has the capability alone; the suffix is in the assembler's options, which it notes.
bool fake::readCubinChip(const char *image, std::string &chip) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0)
    return false;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (header.e_machine != cudaMachine || header.e_shnum == 0)
    return false;
  std::string note = findSection(image, header, ".note.nv.tkinfo");
  size_t at = note.find("-arch sm_");
  if (at == std::string::npos)
    return false;
  at += std::strlen("-arch sm_");
  chip = note.substr(at, note.find_first_of(std::string(" \0", 2), at) - at);
  return true;
}
