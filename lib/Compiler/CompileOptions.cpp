// The environment as options: the one place where the compiler reads it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/CompileOptions.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace tilus;

static constexpr std::pair<Assembler, llvm::StringLiteral> assemblers[] = {
    {Assembler::Auto, "auto"}, {Assembler::NvJitLink, "nvjitlink"}, {Assembler::Ptxas, "ptxas"}};

std::optional<Assembler> tilus::parseAssembler(llvm::StringRef name) {
  for (const auto &[assembler, known] : assemblers)
    if (known == name)
      return assembler;
  return std::nullopt;
}

llvm::StringRef tilus::getAssemblerName(Assembler assembler) {
  return assemblers[static_cast<size_t>(assembler)].second;
}

static std::string getVariable(llvm::StringRef name) { return llvm::sys::Process::GetEnv(name).value_or(""); }

/// The roots of toolkits whose `bin` folder is in PATH.
static void addRootsOfPath(std::vector<std::string> &roots) {
  std::string path = getVariable("PATH");
  for (llvm::StringRef folder : llvm::split(path, ':')) {
    llvm::SmallString<128> program(folder);
    llvm::sys::path::append(program, "ptxas");
    if (llvm::sys::path::filename(folder) == "bin" && llvm::sys::fs::is_regular_file(program))
      roots.push_back(llvm::sys::path::parent_path(folder).str());
  }
}

/// The site-packages folders of a Python environment, sorted.
static void addSitePackages(llvm::StringRef environment, std::vector<std::string> &folders) {
  llvm::SmallString<128> library(environment);
  llvm::sys::path::append(library, "lib");
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(library, error), end; entry != end && !error;
       entry.increment(error)) {
    llvm::SmallString<128> packages(entry->path());
    llvm::sys::path::append(packages, "site-packages");
    if (llvm::sys::fs::is_directory(packages))
      folders.push_back(packages.str().str());
  }
  llvm::sort(folders);
}

CompileOptions CompileOptions::fromEnvironment() {
  CompileOptions options;
  for (llvm::StringRef name : {"TILUS_CUDA_PATH", "CUDA_HOME", "CUDA_PATH"})
    if (std::string root = getVariable(name); !root.empty())
      options.toolkit.roots.push_back(root);
  addRootsOfPath(options.toolkit.roots);
  if (std::string environment = getVariable("VIRTUAL_ENV"); !environment.empty())
    addSitePackages(environment, options.toolkit.sitePackages);

  static constexpr std::pair<ToolkitFile, llvm::StringLiteral> files[] = {
      {ToolkitFile::Libdevice, "TILUS_LIBDEVICE"},
      {ToolkitFile::NvJitLink, "TILUS_NVJITLINK"},
      {ToolkitFile::Ptxas, "TILUS_PTXAS"}};
  for (const auto &[file, name] : files)
    options.toolkit.files[static_cast<size_t>(file)] = getVariable(name);
  options.reproducerFolder = getVariable("TILUS_REPRODUCER_DIR");
  options.dumpFolder = getVariable("TILUS_DUMP");
  return options;
}
