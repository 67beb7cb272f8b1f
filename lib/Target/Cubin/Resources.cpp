//===- Resources.cpp - what is read back from an assembly
//---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the parser of the assembler's verbose log, and the reader of a cubin's ELF header.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/Target/Cubin/Cubin.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace tilus;

/// The number before `unit` in a list such as "8 bytes stack frame, 0 bytes spill stores"; 0 if there is
/// none.
static int64_t readNumberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef before = line.take_front(end).rtrim();
  size_t start = before.find_last_not_of("0123456789");
  int64_t number = 0;
  StringRef digits = start == StringRef::npos ? before : before.drop_front(start + 1);
  return digits.getAsInteger(10, number) ? 0 : number;
}

std::vector<KernelResources> tilus::parseResources(StringRef log) {
  // For each kernel: "Compiling entry function 'k' for 'sm_90a'", then its stack and spills, then "Used ...".
  // Functions that are no kernels have "Function properties" alone and are skipped.
  std::vector<KernelResources> kernels;
  bool isInKernel = false;
  for (StringRef line : split(log, '\n')) {
    StringRef rest = line;
    if (size_t at = line.find("Compiling entry function '"); at != StringRef::npos) {
      rest = line.drop_front(at).split('\'').second;
      kernels.emplace_back().kernel = rest.split('\'').first.str();
      isInKernel = true;
    } else if (size_t at = line.find("Function properties for "); at != StringRef::npos) {
      StringRef function = line.drop_front(at).drop_front(strlen("Function properties for ")).trim();
      isInKernel = !kernels.empty() && function == kernels.back().kernel;
    } else if (line.contains("bytes stack frame") && isInKernel) {
      kernels.back().stackBytes = readNumberBefore(line, " bytes stack frame");
      kernels.back().spillStoreBytes = readNumberBefore(line, " bytes spill stores");
      kernels.back().spillLoadBytes = readNumberBefore(line, " bytes spill loads");
    } else if (line.contains(" registers") && line.contains("Used ") && !kernels.empty()) {
      kernels.back().registers = readNumberBefore(line, " registers");
      kernels.back().barriers = readNumberBefore(line, " barriers");
      kernels.back().sharedBytes = readNumberBefore(line, " bytes smem");
    }
  }
  llvm::sort(kernels, [](const auto &a, const auto &b) { return a.kernel < b.kernel; });
  return kernels;
}

static Error notACubin(const Twine &what) { return createStringError("expected a cubin, but got " + what); }

Expected<ComputeCapability> tilus::readCubinCapability(StringRef bytes) {
  if (bytes.size() < sizeof(ELF::Elf64_Ehdr) || !bytes.starts_with(StringRef(ELF::ElfMagic, 4)) ||
      bytes[ELF::EI_CLASS] != ELF::ELFCLASS64)
    return notACubin("data that are not a 64-bit ELF image");
  unsigned machine = support::endian::read16le(bytes.data() + offsetof(ELF::Elf64_Ehdr, e_machine));
  if (machine != ELF::EM_CUDA)
    return notACubin("an ELF image of machine " + Twine(machine));

  // From version 8 of the ABI on the capability is in the second byte of the flags, before that in the first.
  uint32_t flags = support::endian::read32le(bytes.data() + offsetof(ELF::Elf64_Ehdr, e_flags));
  bool isNewABI = static_cast<uint8_t>(bytes[ELF::EI_ABIVERSION]) >= ELF::ELFABIVERSION_CUDA_V2;
  int number = isNewABI ? (flags & ELF::EF_CUDA_SM_MASK) >> ELF::EF_CUDA_SM_OFFSET : flags & ELF::EF_CUDA_SM;
  return ComputeCapability{number / 10, number % 10};
}
