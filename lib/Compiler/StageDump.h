// The stages of a compilation as files: what a kernel is before the passes, after each, and behind them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Compiler/CompileOptions.h"
#include "mlir/Pass/PassManager.h"

namespace tilus {

/// The files of one compilation, numbered in the order of the stages, in a folder of its own. Trouble with
/// them is one warning; compiling goes on.
class StageDump {
public:
  /// The folder is `<kernel>.<chip>.<hash>` in that of the options; the hash tells kernels and options apart,
  /// so that who compiles the same again writes the same files again. Writes the options and the module as it
  /// is.
  StageDump(mlir::ModuleOp module, llvm::StringRef kernel, llvm::StringRef chip,
            const CompileOptions &options);
  StageDump(const StageDump &) = delete;
  StageDump &operator=(const StageDump &) = delete;

  const std::string &getFolder() const { return folder; }
  /// Writes the next stage; `name` is that of the file without its number. Returns the file's path.
  std::string write(const llvm::Twine &name, llvm::StringRef content);
  /// Writes the module as the next stage.
  void writeModule(const llvm::Twine &name);
  /// Writes the cubin, and its SASS where there is a disassembler.
  void writeCubin(llvm::StringRef cubin, const ToolkitPaths &toolkit);
  /// Has the module written after each pass of the manager, and what the passes remark written to remarks.txt
  /// instead of reported.
  void watch(mlir::PassManager &manager);

private:
  friend class PassDump;
  void writeOptions(const CompileOptions &options);
  void writeWhole(llvm::StringRef path, llvm::StringRef content);
  std::string makePath(const llvm::Twine &name) const;
  std::string makeStagePath(const llvm::Twine &name);

  mlir::ModuleOp module;
  std::string folder, remarks;
  unsigned count = 0;
  bool hasWarned = false;
};

} // namespace tilus
