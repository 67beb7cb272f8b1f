// The program tilus-cache: its command line, and its commands as rows of a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/CacheTool.h"

#include "Tilus/Runtime/CacheStore.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace tilus;
using llvm::StringRef;

namespace {
/// The parsed command line.
struct Request {
  std::string command;
  /// What follows the command.
  std::vector<std::string> operands;
  CacheOptions cache;
  bool json = false;
  bool repair = false;
  bool help = false;
  bool version = false;
};

/// A command: prints what it did to `out`; returns whether all is well.
struct CommandRow {
  llvm::StringLiteral name;
  llvm::StringLiteral operand;
  llvm::StringLiteral help;
  llvm::Expected<bool> (*run)(const Request &request, llvm::raw_ostream &out);
};

/// An option `--name`, or `--name=value` if `metavar` is not empty.
struct OptionRow {
  llvm::StringLiteral name;
  llvm::StringLiteral metavar;
  llvm::StringLiteral help;
  /// Takes the value; whether it is a good one.
  bool (*take)(Request &request, StringRef value);
};
} // namespace

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string countKernels(size_t count) {
  return std::to_string(count) + (count == 1 ? " kernel" : " kernels");
}

static std::string describeBytes(uint64_t bytes) {
  static constexpr llvm::StringLiteral units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = bytes;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(unit == 0 ? "%.0f " : "%.1f ", value) << units[unit];
  return text;
}

static std::string describeAge(int64_t seconds) {
  struct Row {
    int64_t seconds;
    char unit;
  };
  static constexpr Row rows[] = {{24 * 3600, 'd'}, {3600, 'h'}, {60, 'm'}};
  for (const Row &row : rows)
    if (seconds >= row.seconds)
      return std::to_string(seconds / row.seconds) + row.unit;
  return std::to_string(std::max<int64_t>(seconds, 0)) + "s";
}

static std::string describeKernels(llvm::ArrayRef<KernelArtifact> artifacts) {
  std::string text;
  for (const KernelArtifact &artifact : artifacts) {
    text += (text.empty() ? "" : ", ") + artifact.entry + " " + artifact.chip;
    if (!artifact.schedule.empty())
      text += " (" + artifact.schedule + ")";
  }
  return text;
}

static void printArtifact(const KernelArtifact &artifact, llvm::raw_ostream &out) {
  out << artifact.entry << " for " << artifact.chip << artifact.features << "\n";
  if (!artifact.schedule.empty())
    out << "  schedule    " << artifact.schedule << "\n";
  out << "  built by    tilus " << artifact.versions.tilus << ", LLVM " << artifact.versions.llvm << ", "
      << artifact.versions.assembler << "\n";
  out << "  grid        " << artifact.grid[0].toString() << " | " << artifact.grid[1].toString() << " | "
      << artifact.grid[2].toString() << "\n";
  out << "  block       " << artifact.blockThreads << " threads, cluster " << artifact.cluster[0] << "x"
      << artifact.cluster[1] << "x" << artifact.cluster[2] << "\n";
  out << "  shared      " << artifact.dynamicSharedBytes << " dynamic, " << artifact.staticSharedBytes
      << " static bytes\n";
  out << "  registers   " << artifact.registers << ", " << artifact.spillBytes << " bytes spilled\n";
  for (const KernelParam &param : artifact.params)
    out << "  parameter   " << param.name << ": " << (param.isPointer() ? "pointer to " : "")
        << param.format.getName() << ", divisible by " << param.divisibility << "\n";
  for (const KernelWorkspace &workspace : artifact.workspaces)
    out << "  workspace   " << workspace.bytes.toString() << " bytes" << (workspace.isClean ? ", zeros" : "")
        << "\n";
  for (const KernelTensorMap &map : artifact.tensorMaps)
    out << "  tensor map  of parameter " << map.param << ", " << map.getRank() << " dimensions of "
        << getName(map.element) << "\n";
  out << "  contents    cubin " << describeBytes(artifact.cubin.size()) << ", PTX "
      << describeBytes(artifact.ptx.size()) << ", IR " << describeBytes(artifact.ir.size()) << "\n";
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static llvm::Expected<CacheStore> openStore(const Request &request) {
  if (request.cache.root.empty())
    return llvm::createStringError("expected a folder of the cache, but got no HOME; give '--dir'");
  return CacheStore::open(request.cache, /*create=*/false);
}

static llvm::Expected<bool> list(const Request &request, llvm::raw_ostream &out) {
  llvm::Expected<CacheStore> store = openStore(request);
  if (!store)
    return store.takeError();
  llvm::Expected<std::vector<CacheEntry>> entries = store->list();
  if (!entries)
    return entries.takeError();
  uint64_t total = 0;
  llvm::json::Array rows;
  for (const CacheEntry &entry : *entries) {
    total += entry.bytes;
    llvm::Expected<std::vector<KernelArtifact>> artifacts = store->read(entry.key);
    std::string kernels = artifacts ? describeKernels(*artifacts) : "damaged";
    if (!artifacts)
      llvm::consumeError(artifacts.takeError());
    if (request.json)
      rows.push_back(llvm::json::Object{{"key", entry.key.toHex()},
                                        {"bytes", entry.bytes},
                                        {"age_seconds", entry.age},
                                        {"kernels", kernels}});
    else
      out << StringRef(entry.key.toHex()).take_front(16) << "  "
          << llvm::right_justify(describeBytes(entry.bytes), 10) << "  "
          << llvm::right_justify(describeAge(entry.age), 4) << "  " << kernels << "\n";
  }
  if (request.json)
    out << llvm::json::Value(
               llvm::json::Object{{"root", store->getPath()}, {"bytes", total}, {"entries", std::move(rows)}})
        << "\n";
  else
    out << countKernels(entries->size()) << ", " << describeBytes(total) << " in " << store->getPath()
        << "\n";
  return true;
}

/// The one entry whose key begins with the text.
static llvm::Expected<Hash256> findKey(const CacheStore &store, StringRef prefix) {
  llvm::Expected<std::vector<CacheEntry>> entries = store.list();
  if (!entries)
    return entries.takeError();
  std::vector<Hash256> found;
  for (const CacheEntry &entry : *entries)
    if (StringRef(entry.key.toHex()).starts_with(prefix))
      found.push_back(entry.key);
  if (found.size() == 1)
    return found[0];
  return llvm::createStringError("expected the beginning of one key, but got '" + prefix + "', with which " +
                                 llvm::Twine(found.size()) + " begin");
}

static llvm::Expected<bool> show(const Request &request, llvm::raw_ostream &out) {
  std::vector<KernelArtifact> artifacts;
  StringRef operand = request.operands[0];
  if (operand.ends_with(".tilus")) {
    llvm::Expected<ArtifactFile> file = readArtifactFile(operand);
    if (!file)
      return file.takeError();
    artifacts = std::move(file->artifacts);
  } else {
    llvm::Expected<CacheStore> store = openStore(request);
    if (!store)
      return store.takeError();
    llvm::Expected<Hash256> key = findKey(*store, operand);
    if (!key)
      return key.takeError();
    llvm::Expected<std::vector<KernelArtifact>> read = store->read(*key);
    if (!read)
      return read.takeError();
    artifacts = std::move(*read);
  }
  for (const KernelArtifact &artifact : artifacts)
    printArtifact(artifact, out);
  return true;
}

static llvm::Expected<bool> verify(const Request &request, llvm::raw_ostream &out) {
  llvm::Expected<CacheStore> store = openStore(request);
  if (!store)
    return store.takeError();
  llvm::Expected<std::vector<CacheEntry>> entries = store->list();
  if (!entries)
    return entries.takeError();
  size_t badCount = 0;
  for (const CacheEntry &entry : *entries) {
    llvm::Expected<std::vector<KernelArtifact>> artifacts = store->read(entry.key);
    if (artifacts)
      continue;
    ++badCount;
    out << llvm::toString(artifacts.takeError()) << "\n";
    if (request.repair)
      if (llvm::Error error = store->setAside(entry.key))
        return std::move(error);
  }
  size_t sound = entries->size() - badCount;
  out << countKernels(sound) << (sound == 1 ? " is" : " are") << " sound, " << badCount
      << (badCount == 1 ? " is not" : " are not")
      << (request.repair && badCount > 0 ? (badCount == 1 ? " and was set aside" : " and were set aside")
                                         : "")
      << "\n";
  return badCount == 0 || request.repair;
}

static llvm::Expected<bool> remove(const Request &request, llvm::raw_ostream &out, bool isAll) {
  llvm::Expected<CacheStore> store = openStore(request);
  if (!store)
    return store.takeError();
  llvm::Expected<CacheRemoval> removal =
      isAll ? store->clear() : store->prune(request.cache.maxBytes, request.cache.maxAge);
  if (!removal)
    return removal.takeError();
  out << "removed " << countKernels(removal->entries) << ", " << describeBytes(removal->bytes) << "\n";
  return true;
}

static constexpr CommandRow commands[] = {
    {"list", "", "the kernels, the most recently used first", list},
    {"show", "KEY", "what is known of a kernel, by the beginning of its key, or of a file FILE.tilus", show},
    {"verify", "", "read and check every kernel; fails if one is damaged", verify},
    {"prune", "", "remove the kernels not used for longest, until the rest keeps to the limits",
     [](const Request &request, llvm::raw_ostream &out) { return remove(request, out, /*isAll=*/false); }},
    {"clear", "", "remove all kernels, and what is kept of scripts",
     [](const Request &request, llvm::raw_ostream &out) { return remove(request, out, /*isAll=*/true); }},
};

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

static bool takeDays(Request &request, StringRef value) {
  unsigned days;
  if (value.getAsInteger(10, days))
    return false;
  request.cache.maxAge = std::chrono::hours(24) * days;
  return true;
}

static constexpr OptionRow options[] = {
    {"dir", "DIR", "the cache's folder (default: $TILUS_CACHE_DIR, $XDG_CACHE_HOME/tilus, ~/.cache/tilus)",
     [](Request &request, StringRef value) {
       request.cache.root = value.str();
       return !value.empty();
     }},
    {"max-bytes", "N", "prune: the most that kernels may take together (default: the cache's own limit)",
     [](Request &request, StringRef value) { return !value.getAsInteger(10, request.cache.maxBytes); }},
    {"max-days", "N", "prune: kernels not used for longer are removed", takeDays},
    {"repair", "", "verify: move damaged kernels out of the way",
     [](Request &request, StringRef) { return request.repair = true; }},
    {"json", "", "list: print JSON", [](Request &request, StringRef) { return request.json = true; }},
    {"help", "", "print this text", [](Request &request, StringRef) { return request.help = true; }},
    {"version", "", "print the version of the file format",
     [](Request &request, StringRef) { return request.version = true; }},
};

static llvm::Error parseOption(llvm::ArrayRef<StringRef> &words, Request &request) {
  auto [name, value] = words.front().drop_front(2).split('=');
  bool hasValue = words.front().contains('=');
  const OptionRow *row =
      llvm::find_if(options, [name = name](const OptionRow &row) { return row.name == name; });
  if (row == std::end(options) || (hasValue && row->metavar.empty()))
    return llvm::createStringError("expected an option that tilus-cache has, but got '" + words.front() +
                                   "'");
  if (!row->metavar.empty() && !hasValue) {
    words = words.drop_front();
    if (words.empty())
      return llvm::createStringError("expected a value for '--" + row->name + "', but got none");
    value = words.front();
  }
  if (!row->take(request, value))
    return llvm::createStringError("expected '--" + row->name + "=" + row->metavar + "', but got '" + value +
                                   "'");
  return llvm::Error::success();
}

static llvm::Expected<Request> parseRequest(llvm::ArrayRef<StringRef> words) {
  Request request;
  llvm::Expected<CacheOptions> cache = CacheOptions::fromEnvironment();
  if (!cache)
    return cache.takeError();
  request.cache = std::move(*cache);
  for (; !words.empty(); words = words.drop_front()) {
    if (words.front().starts_with("--")) {
      if (llvm::Error error = parseOption(words, request))
        return std::move(error);
    } else if (request.command.empty()) {
      request.command = words.front().str();
    } else {
      request.operands.push_back(words.front().str());
    }
  }
  return request;
}

static void printHelp(llvm::raw_ostream &out) {
  out << "OVERVIEW: lists, checks and removes cached kernels\n\nUSAGE: tilus-cache COMMAND [options]\n\n"
      << "COMMANDS:\n";
  for (const CommandRow &row : commands)
    out << "  " << llvm::left_justify((row.name + " " + row.operand).str(), 20) << row.help << "\n";
  out << "\nOPTIONS:\n";
  for (const OptionRow &row : options)
    out << "  "
        << llvm::left_justify(("--" + row.name + (row.metavar.empty() ? "" : "=") + row.metavar).str(), 20)
        << row.help << "\n";
}

static llvm::Expected<bool> run(const Request &request, llvm::raw_ostream &out) {
  const CommandRow *row =
      llvm::find_if(commands, [&](const CommandRow &row) { return row.name == request.command; });
  if (row == std::end(commands))
    return llvm::createStringError("expected a command (list, show, verify, prune or clear), but got " +
                                   (request.command.empty() ? "none" : "'" + request.command + "'") +
                                   "; see 'tilus-cache --help'");
  size_t operandCount = row->operand.empty() ? 0 : 1;
  if (request.operands.size() != operandCount)
    return llvm::createStringError("expected " + llvm::Twine(operandCount) + " words after '" + row->name +
                                   "', but got " + llvm::Twine(request.operands.size()));
  // Nothing was kept yet; to open the cache would make its folder.
  if (operandCount == 0 && !request.cache.root.empty() && !llvm::sys::fs::exists(request.cache.root)) {
    llvm::json::Object none{{"root", request.cache.root}, {"bytes", 0}, {"entries", llvm::json::Array()}};
    if (request.json)
      out << llvm::json::Value(std::move(none)) << "\n";
    else
      out << "0 kernels: there is no folder " << request.cache.root << " yet\n";
    return true;
  }
  return row->run(request, out);
}

int tilus::runTilusCache(llvm::ArrayRef<StringRef> words, llvm::raw_ostream &out, llvm::raw_ostream &err) {
  llvm::Expected<Request> request = parseRequest(words);
  if (!request) {
    err << "tilus-cache: error: " << llvm::toString(request.takeError()) << "\n";
    return 1;
  }
  if (request->help || request->version) {
    if (request->help)
      printHelp(out);
    else
      out << "tilus-cache, file format " << artifactFormatVersion << "\n";
    return 0;
  }
  llvm::Expected<bool> isWell = run(*request, out);
  if (isWell)
    return *isWell ? 0 : 1;
  err << "tilus-cache: error: " << llvm::toString(isWell.takeError()) << "\n";
  return 1;
}
