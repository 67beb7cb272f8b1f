// The options of a compilation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Target/Cubin/Cubin.h"
#include "Tilus/Target/ToolkitPaths.h"

#include <optional>
#include <string>

namespace tilus {

/// All that a compiled kernel depends on besides the kernel and its target. The same options give the same
/// bytes; only what is said to name places may differ from machine to machine.
struct CompileOptions {
  /// Who makes the cubin.
  Assembler assembler = Assembler::Auto;
  /// 0 to 3, for LLVM and for the assembler.
  int optLevel = 3;
  /// Approximate division, square root and functions in f32 and f16, and subnormals flushed to zero.
  bool fastMath = false;
  /// Line tables, from the locations of the kernel's text.
  bool lineInfo = false;
  /// Check between the passes what each phase promises. On by default in checked builds.
#ifdef TILUS_CHECKED
  bool verifyPhases = true;
#else
  bool verifyPhases = false;
#endif
  /// Make a cubin. Without it compilation ends at PTX and needs no assembler.
  bool emitCubin = true;
  /// Keep the text of the LLVM IR too.
  bool emitLLVM = false;
  /// Where the CUDA toolkit's files are looked for.
  ToolkitPaths toolkit;
  /// The folder to which a failed pass writes what is needed to repeat it; none if empty.
  std::string reproducerFolder;
  /// The folder to which every stage of a compilation is written, below it in one of the kernel's own; none
  /// if empty. A failure leaves the stages before it and, unless reproducerFolder is set, what repeats it.
  std::string dumpFolder;

  /// The defaults, changed by the environment:
  ///   TILUS_CUDA_PATH, CUDA_HOME, CUDA_PATH       roots of CUDA toolkits, in order of precedence; the
  ///   toolkit
  ///                                               of a ptxas in PATH comes after them
  ///   TILUS_LIBDEVICE, TILUS_NVJITLINK, TILUS_PTXAS   the file to use
  ///   VIRTUAL_ENV                                 a Python environment whose wheels hold the files
  ///   TILUS_REPRODUCER_DIR                        reproducerFolder
  ///   TILUS_DUMP                                  dumpFolder
  static CompileOptions fromEnvironment();
};

/// The assembler of this name: "auto", "nvjitlink" or "ptxas".
std::optional<Assembler> parseAssembler(llvm::StringRef name);
/// That name.
llvm::StringRef getAssemblerName(Assembler assembler);

} // namespace tilus
