// Options of the compiler by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompilerHandles.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilus;
using namespace tilus::capi;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static std::optional<bool> parseSwitch(llvm::StringRef value) {
  if (value == "true" || value == "false")
    return value == "true";
  return std::nullopt;
}

template <bool CompileOptions::*member>
static bool setSwitch(TilusCompileOptions &options, llvm::StringRef value) {
  std::optional<bool> parsed = parseSwitch(value);
  options.compile.*member = parsed.value_or(options.compile.*member);
  return parsed.has_value();
}

static bool setAssembler(TilusCompileOptions &options, llvm::StringRef value) {
  std::optional<Assembler> parsed = parseAssembler(value);
  options.compile.assembler = parsed.value_or(options.compile.assembler);
  return parsed.has_value();
}

static bool setOptLevel(TilusCompileOptions &options, llvm::StringRef value) {
  if (value.size() != 1 || value[0] < '0' || value[0] > '3')
    return false;
  options.compile.optLevel = value[0] - '0';
  return true;
}

static bool setCudaPath(TilusCompileOptions &options, llvm::StringRef value) {
  options.compile.toolkit.roots.insert(options.compile.toolkit.roots.begin(), value.str());
  return !value.empty();
}

template <std::string CompileOptions::*member>
static bool setFolder(TilusCompileOptions &options, llvm::StringRef value) {
  options.compile.*member = value.str();
  return true;
}

static bool addSitePackages(TilusCompileOptions &options, llvm::StringRef value) {
  options.compile.toolkit.sitePackages.push_back(value.str());
  return !value.empty();
}

static bool setCache(TilusCompileOptions &options, llvm::StringRef value) {
  options.cache = value.str();
  return value == "on" || value == "off" || value.contains('/');
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct OptionRow {
  llvm::StringLiteral name;
  /// What its values are.
  llvm::StringLiteral values;
  bool (*set)(TilusCompileOptions &options, llvm::StringRef value);
};
} // namespace

static constexpr OptionRow optionRows[] = {
    {"assembler", "'auto', 'nvjitlink' or 'ptxas'", setAssembler},
    {"cache", "'on', 'off' or a path with '/'", setCache},
    {"cubin", "'true' or 'false'", setSwitch<&CompileOptions::emitCubin>},
    {"cuda-path", "a path", setCudaPath},
    {"dump-dir", "a path", setFolder<&CompileOptions::dumpFolder>},
    {"fast-math", "'true' or 'false'", setSwitch<&CompileOptions::fastMath>},
    {"line-info", "'true' or 'false'", setSwitch<&CompileOptions::lineInfo>},
    {"opt-level", "'0' to '3'", setOptLevel},
    {"reproducer-dir", "a path", setFolder<&CompileOptions::reproducerFolder>},
    {"site-packages", "a path", addSitePackages},
    {"verify-phases", "'true' or 'false'", setSwitch<&CompileOptions::verifyPhases>},
};

TilusError *tilusCompileOptionsCreate(TilusCompileOptions **result) {
  if (!result)
    return makeNullError("a place for the options");
  *result = new TilusCompileOptions{CompileOptions::fromEnvironment(), "off"};
  return nullptr;
}

TilusError *tilusCompileOptionsSet(TilusCompileOptions *options, const char *name, const char *value) {
  if (!options || !name || !value)
    return makeNullError(!options ? "options of the compiler"
                         : name   ? "the value of an option"
                                  : "the name of an option");
  for (const OptionRow &row : optionRows) {
    if (row.name != name)
      continue;
    TilusCompileOptions changed = *options;
    if (!row.set(changed, value))
      return makeError(row.values + " for option '" + row.name + "'", "'" + llvm::Twine(value) + "'");
    *options = std::move(changed);
    return nullptr;
  }
  auto names = llvm::map_range(optionRows, [](const OptionRow &row) { return row.name; });
  return makeError("the name of an option (" + llvm::join(names, ", ") + ")", "'" + llvm::Twine(name) + "'");
}

void tilusCompileOptionsDestroy(TilusCompileOptions *options) { delete options; }
