// Parsing of tilus-run's command line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/RunOptions.h"

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

using namespace tilus;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using namespace llvm::opt;

#define OPTTABLE_STR_TABLE_CODE
#include "Tilus/Tools/RunOptions.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Tilus/Tools/RunOptions.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

namespace {
enum OptionID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Tilus/Tools/RunOptions.inc"
#undef OPTION
};

struct EmitRow {
  EmitKind kind;
  llvm::StringLiteral name;
  llvm::StringLiteral extension;
};

struct DeviceRow {
  llvm::StringLiteral name;
  DeviceChoice choice;
};
} // namespace

static constexpr OptTable::Info infos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Tilus/Tools/RunOptions.inc"
#undef OPTION
};

namespace {
class RunOptionTable : public GenericOptTable {
public:
  RunOptionTable() : GenericOptTable(OptionStrTable, OptionPrefixesTable, infos) {}
};
} // namespace

/// In the order of EmitKind.
static constexpr EmitRow emitRows[] = {{EmitKind::LLVM, "llvm", "ll"},
                                       {EmitKind::PTX, "ptx", "ptx"},
                                       {EmitKind::Cubin, "cubin", "cubin"},
                                       {EmitKind::Stages, "stages", ""}};

static constexpr DeviceRow deviceRows[] = {{"auto", DeviceChoice::Auto},
                                           {"cpu", DeviceChoice::Cpu},
                                           {"cuda", DeviceChoice::Cuda},
                                           {"none", DeviceChoice::None}};

StringRef tilus::getEmitExtension(EmitKind kind) { return emitRows[static_cast<size_t>(kind)].extension; }

bool RunOptions::emitsKind(EmitKind kind) const {
  return llvm::any_of(emits, [&](const EmitRequest &emit) { return emit.kind == kind; });
}

static Error fail(const Twine &message) { return llvm::createStringError(message); }

/// Fails on what is no option, with the nearest one.
static Error checkWords(const OptTable &table, const InputArgList &args, unsigned missingIndex,
                        unsigned missingCount) {
  if (missingCount)
    return fail("expected a value for '" + Twine(args.getArgString(missingIndex)) + "', but got none");
  for (const Arg *arg : args.filtered(OPT_UNKNOWN)) {
    std::string word = arg->getAsString(args), nearest;
    bool isNear = table.findNearest(word, nearest) < 3;
    return fail("expected an option that tilus-run has, but got '" + word + "'" +
                (isNear ? "; did you mean '" + StringRef(nearest).rtrim('=') + "'?" : Twine()));
  }
  return Error::success();
}

static Error parseTargets(const InputArgList &args, RunOptions &options) {
  for (const std::string &list : args.getAllArgValues(OPT_target))
    for (StringRef name : llvm::split(list, ',')) {
      const TargetInfo *target = lookupTarget(name);
      if (!target)
        return fail("'--target': " + describeUnknownTarget(name));
      options.targets.push_back(target);
    }
  return Error::success();
}

static Error parseDevice(const InputArgList &args, RunOptions &options) {
  if (!args.hasArg(OPT_device))
    return Error::success();
  StringRef text = args.getLastArgValue(OPT_device);
  auto [name, ordinal] = text.split(':');
  bool isValid = name == "cuda" && text.contains(':') ? !ordinal.getAsInteger(10, options.deviceOrdinal)
                                                      : !text.contains(':');
  for (const DeviceRow &row : deviceRows)
    if (isValid && row.name == name) {
      options.device = row.choice;
      return Error::success();
    }
  return fail("expected 'auto', 'cpu', 'cuda', 'cuda:N' or 'none' for '--device', but got '" + text + "'");
}

static Error parseArguments(const InputArgList &args, RunOptions &options) {
  for (const auto &[index, text] : llvm::enumerate(args.getAllArgValues(OPT_arg))) {
    Expected<ArgumentSpec> spec = ArgumentSpec::parse(text);
    if (!spec)
      return fail("argument " + Twine(index) + ": " + llvm::toString(spec.takeError()));
    options.arguments.push_back(std::move(*spec));
  }
  return Error::success();
}

static Error parseOutputs(const InputArgList &args, RunOptions &options) {
  for (const std::string &text : args.getAllArgValues(OPT_out)) {
    auto [argument, path] = StringRef(text).split('=');
    if (argument.empty() || path.empty())
      return fail("expected '--out K=FILE.npy', but got '" + text + "'");
    options.outputs.push_back({argument.str(), path.str()});
  }
  return Error::success();
}

static Error parseEmits(const InputArgList &args, RunOptions &options) {
  for (const std::string &text : args.getAllArgValues(OPT_emit)) {
    auto [name, folder] = StringRef(text).split('=');
    const EmitRow *row =
        llvm::find_if(emitRows, [name = name](const EmitRow &row) { return row.name == name; });
    if (row == std::end(emitRows) || folder.empty())
      return fail("expected '--emit llvm=DIR', 'ptx=DIR', 'cubin=DIR' or 'stages=DIR', but got '" + text +
                  "'");
    options.emits.push_back({row->kind, folder.str()});
  }
  return Error::success();
}

static Error parseNumber(const InputArgList &args, OptionID id, StringRef name, unsigned low, unsigned high,
                         unsigned &value) {
  if (!args.hasArg(id))
    return Error::success();
  StringRef text = args.getLastArgValue(id);
  if (text.getAsInteger(10, value) || value < low || value > high)
    return fail("expected a number from " + Twine(low) + " to " + Twine(high) + " for '--" + name +
                "', but got '" + text + "'");
  return Error::success();
}

static Error parseCompileOptions(const InputArgList &args, RunOptions &options) {
  CompileOptions &compile = options.compile;
  compile = CompileOptions::fromEnvironment();
  unsigned optLevel = compile.optLevel;
  if (Error error = parseNumber(args, OPT_opt_level, "opt-level", 0, 3, optLevel))
    return error;
  compile.optLevel = optLevel;
  compile.fastMath = args.hasArg(OPT_fast_math);
  compile.lineInfo = args.hasArg(OPT_line_info);
  if (args.hasArg(OPT_reproducer_dir))
    compile.reproducerFolder = args.getLastArgValue(OPT_reproducer_dir).str();
  StringRef name = args.getLastArgValue(OPT_assembler, "auto");
  std::optional<Assembler> assembler = parseAssembler(name);
  if (!assembler)
    return fail("expected 'auto', 'nvjitlink' or 'ptxas' for '--assembler', but got '" + name + "'");
  compile.assembler = *assembler;
  for (const Arg *arg : args.filtered(OPT_opt_level, OPT_fast_math, OPT_line_info, OPT_reproducer_dir,
                                      OPT_assembler, OPT_no_specialize))
    options.compileFlags.push_back(arg->getOption().getPrefixedName().rtrim('=').str());
  return Error::success();
}

static Error parseInput(const InputArgList &args, RunOptions &options) {
  std::vector<std::string> inputs = args.getAllArgValues(OPT_INPUT);
  if (inputs.size() == 1) {
    options.inputFile = inputs.front();
    return Error::success();
  }
  return fail("expected one input file, but got " +
              (inputs.empty() ? "none; see 'tilus-run --help'" : "'" + llvm::join(inputs, "', '") + "'"));
}

Expected<RunOptions> tilus::parseRunOptions(llvm::ArrayRef<const char *> words) {
  RunOptionTable table;
  unsigned missingIndex = 0, missingCount = 0;
  InputArgList args = table.ParseArgs(words, missingIndex, missingCount);
  RunOptions options;
  options.help = args.hasArg(OPT_help);
  options.version = args.hasArg(OPT_version);
  if (options.help || options.version)
    return options;
  if (Error error = checkWords(table, args, missingIndex, missingCount))
    return std::move(error);

  options.kernel = args.getLastArgValue(OPT_kernel).str();
  options.checkHazards = args.hasArg(OPT_check_hazards);
  options.specialize = !args.hasArg(OPT_no_specialize);
  options.json = args.hasArg(OPT_json);
  options.stats = args.hasArg(OPT_stats);
  if (Error error = parseNumber(args, OPT_repeat, "repeat", 1, 1000000, options.repeat))
    return std::move(error);
  for (auto parse :
       {parseInput, parseTargets, parseDevice, parseArguments, parseOutputs, parseEmits, parseCompileOptions})
    if (Error error = parse(args, options))
      return std::move(error);
  return options;
}

void tilus::printRunHelp(llvm::raw_ostream &os) {
  RunOptionTable().printHelp(os, "tilus-run FILE [options]",
                             "compiles the kernels of an MLIR file, or takes those of an artifact file, and "
                             "runs one on a GPU or on the CPU reference");
}
