// The command line of tilus-run, parsed and checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Compiler/CompileOptions.h"
#include "Tilus/TargetInfo/TargetInfo.h"
#include "Tilus/Tools/ArgumentSpec.h"

namespace tilus {

/// Where a kernel runs. Default is Auto that was not asked for: it runs nothing if there are no arguments for
/// a kernel that has parameters.
enum class DeviceChoice : uint8_t { Default, Auto, Cpu, Cuda, None };

/// What --emit writes.
enum class EmitKind : uint8_t { LLVM, PTX, Cubin, Stages };

/// The extension of the kind's files; empty for Stages, which are many.
llvm::StringRef getEmitExtension(EmitKind kind);

struct EmitRequest {
  EmitKind kind;
  std::string folder;
};

/// An argument to write after the run, by number or by name.
struct OutRequest {
  std::string argument;
  std::string path;
};

struct RunOptions {
  std::string inputFile;
  std::string kernel;
  /// In the order given, repetitions too.
  std::vector<const TargetInfo *> targets;
  DeviceChoice device = DeviceChoice::Default;
  unsigned deviceOrdinal = 0;
  std::vector<ArgumentSpec> arguments;
  std::vector<OutRequest> outputs;
  std::vector<EmitRequest> emits;
  /// 0 without --repeat: one run, without a warm-up.
  unsigned repeat = 0;
  bool checkHazards = false;
  bool specialize = true;
  bool json = false;
  bool stats = false;
  bool help = false;
  bool version = false;
  CompileOptions compile;
  /// The options given that only a compilation heeds, as they are spelled.
  std::vector<std::string> compileFlags;

  bool emitsKind(EmitKind kind) const;
};

/// Parses the words behind the program's name. The environment's options are the defaults of `compile`.
llvm::Expected<RunOptions> parseRunOptions(llvm::ArrayRef<const char *> words);

/// The text of --help.
void printRunHelp(llvm::raw_ostream &os);

} // namespace tilus
