//===- Cubin.h - from PTX to a cubin -----------------------------------------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the assembly of PTX by the vendor's assembler, as a library in this process or as a process, and what
// is read back from the result.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

#include "Tilus/Target/ToolkitPaths.h"
#include "Tilus/TargetInfo/TargetInfo.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilus {

/// Who assembles. NvJitLink works in this process, but compiles for separate compilation: setmaxnreg is
/// ignored, and division and the like become calls. Ptxas is a process and sees the whole program. Auto:
/// ptxas for a kernel with setmaxnreg and nvJitLink for others, and either where the other is not found.
enum class Assembler : uint8_t { Auto, NvJitLink, Ptxas };

/// How to assemble.
struct CubinOptions {
  Assembler assembler = Assembler::Auto;
  /// 0 to 3, as in ptxas.
  int optLevel = 3;
  /// Make a line table even where the PTX has no line directives; those of the PTX are always kept.
  bool lineInfo = false;
  /// Registers of a thread, at most; 0 for the assembler's choice.
  int maxRegisters = 0;
  /// Where to look for the assemblers.
  ToolkitPaths toolkit;
  /// Shared memory that a launch gives each block beside what the PTX declares, in bytes.
  int64_t dynamicSharedBytes = 0;
};

/// What one kernel takes of the chip, as the assembler reports it.
struct KernelResources {
  /// The kernel's symbol.
  std::string kernel;
  /// 32-bit registers of a thread.
  int registers = 0;
  /// Named barriers of a block.
  int barriers = 0;
  /// Static shared memory of a block, in bytes.
  int64_t sharedBytes = 0;
  /// Stack of a thread, in bytes.
  int64_t stackBytes = 0;
  /// Bytes of registers stored to and loaded from the stack for lack of registers, counted in the code.
  int64_t spillStoreBytes = 0;
  int64_t spillLoadBytes = 0;
};

/// An assembled module.
struct Cubin {
  /// The ELF image.
  std::string bytes;
  /// What the assembler said: warnings and resources, without times and paths.
  std::string log;
  /// The kernels, sorted by name.
  std::vector<KernelResources> kernels;
  /// Who assembled it; never Auto.
  Assembler assembler = Assembler::Auto;
};

/// Assembles the PTX for the chip. The same PTX and options give the same bytes on every machine with the
/// same toolkit. The error carries the assembler's log.
llvm::Expected<Cubin> assemble(llvm::StringRef ptx, llvm::StringRef chip, const CubinOptions &options);

/// Writes the SASS of the cubin in a file to another file. False where there is no nvdisasm, or it fails.
bool disassemble(const std::string &cubinFile, const std::string &sassFile, const ToolkitPaths &toolkit);

/// The files of the assemblers that may be used with these options and are found: one, or both with Auto.
std::vector<std::string> findAssemblerFiles(const CubinOptions &options);

/// The capability that the cubin was assembled for, from its ELF header; an error if it is not a cubin.
llvm::Expected<ComputeCapability> readCubinCapability(llvm::StringRef bytes);

/// The resources in an assembler's verbose log.
std::vector<KernelResources> parseResources(llvm::StringRef log);

} // namespace tilus
