// Writing of stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StageDump.h"

#include "Reproducer.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/Pipelines.h"
#include "Tilus/Support/Hash256.h"
#include "Tilus/Support/WriteFile.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilus;

/// So many digits of the hash are in a folder's name.
static constexpr size_t hashDigits = 12;

namespace tilus {
/// Writes what a pass has made, and keeps its remarks.
class PassDump : public PassInstrumentation {
public:
  explicit PassDump(StageDump &dump)
      : dump(dump), handler(dump.module.getContext(), [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
            return failure(); // the next handler reports it
          appendDiagnostic(this->dump.remarks, diagnostic);
          return success();
        }) {}

  void runAfterPass(Pass *pass, Operation *) override { write(pass, ""); }
  void runAfterPassFailed(Pass *pass, Operation *) override { write(pass, ".failed"); }

private:
  void write(Pass *pass, StringRef suffix) {
    // What only hands an op on to other passes has no name.
    if (pass->getArgument().empty())
      return;
    dump.writeModule(pass->getArgument() + suffix);
    if (!dump.remarks.empty())
      dump.writeWhole(dump.makePath("remarks.txt"), dump.remarks);
  }

  StageDump &dump;
  ScopedDiagnosticHandler handler;
};
} // namespace tilus

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module << "\n";
  return text;
}

static void removeFiles(StringRef folder) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    llvm::sys::fs::remove(entry->path());
}

StageDump::StageDump(ModuleOp module, StringRef kernel, StringRef chip, const CompileOptions &options)
    : module(module) {
  std::string text = print(module);
  FieldHasher hasher;
  hasher.add("module", text);
  hasher.add("options", getEmitBinaryPipelineText(chip, options));
  hasher.add("passes", getTilusToNVVMPipelineText(options));
  std::string hash = hasher.finish().toHex().substr(0, hashDigits);
  folder = makeKernelPath(options.dumpFolder, kernel, ("." + chip + "." + hash).str());
  // Of an earlier compilation, which may have failed where this one does not.
  removeFiles(folder);
  writeOptions(options);
  write("kernel.mlir", text);
}

void StageDump::writeOptions(const CompileOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto target = cast<TargetAttr>(module->getAttr(TilusDialect::kTargetAttrName));
  stream << "tilus " << getTilusVersion() << ", LLVM " << getLLVMVersion() << "\n"
         << "target: " << target << "\n"
         << "compilation: " << getEmitBinaryPipelineText(target.getChip(), options) << "\n"
         << "passes: " << getTilusToNVVMPipelineText(options) << "\n";
  writeWhole(makePath("options.txt"), text);
}

std::string StageDump::makePath(const llvm::Twine &name) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

void StageDump::writeWhole(StringRef path, StringRef content) {
  std::error_code error = writeFile(path, content);
  if (!error || hasWarned)
    return;
  hasWarned = true;
  module.emitWarning() << "expected to write a stage to '" << path << "', but: " << error.message();
}

std::string StageDump::makeStagePath(const llvm::Twine &name) {
  return makePath(llvm::formatv("{0,0+2}-", count++).str() + name);
}

std::string StageDump::write(const llvm::Twine &name, StringRef content) {
  std::string path = makeStagePath(name);
  writeWhole(path, content);
  return path;
}

void StageDump::writeModule(const llvm::Twine &name) { write(name + ".mlir", print(module)); }

void StageDump::writeCubin(StringRef cubin, const ToolkitPaths &toolkit) {
  std::string path = write("kernel.cubin", cubin);
  disassemble(path, makeStagePath("kernel.sass"), toolkit);
}

void StageDump::watch(PassManager &manager) { manager.addInstrumentation(std::make_unique<PassDump>(*this)); }
