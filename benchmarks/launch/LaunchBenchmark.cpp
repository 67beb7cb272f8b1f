// Measures what a call of the dispatcher costs beside the driver's launch function, on the fake driver or a
// GPU.
//
// All ways to launch one empty kernel take turns in rounds of one run, and the median of the rounds counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FirstCall.h"
#include "Tilus/Runtime/Dispatcher.h"
#include "Tilus/Runtime/LoadedKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <dlfcn.h>
#include <sched.h>

using namespace tilus;

namespace {

struct Options {
  std::string driver;
  bool isJson = false;
  bool isCuda = false;
  unsigned rounds = 1001;
  std::vector<unsigned> counts = {4, 16, 58};
  /// The folder of the cache for a first call; empty if none is to be made.
  std::string firstCall;
};

/// One way to launch: its name in the report, and a function that does it so many times.
struct Contestant {
  const char *name;
  llvm::function_ref<void(unsigned calls)> run;
  std::vector<double> nanoseconds;
};

/// Medians in nanoseconds.
using Row = std::vector<std::pair<const char *, double>>;

} // namespace

static llvm::ExitOnError exitOnError("launch benchmark: ");

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Parameters in turn: a pointer, an i32, an f32, an i64.
static CallParam::Kind getKind(unsigned index) {
  constexpr CallParam::Kind kinds[] = {CallParam::Kind::Pointer, CallParam::Kind::Integer,
                                       CallParam::Kind::Float, CallParam::Kind::Integer};
  return kinds[index % 4];
}

static KernelParam makeParam(unsigned index) {
  KernelParam param;
  param.name = "p" + std::to_string(index);
  param.kind = index % 4 == 0 ? KernelParam::Kind::Pointer : KernelParam::Kind::Scalar;
  constexpr ScalarFormat formats[] = {ScalarFormat::getF32(), ScalarFormat::getInt(32),
                                      ScalarFormat::getF32(), ScalarFormat::getInt(64)};
  param.format = formats[index % 4];
  param.divisibility = index % 4 == 0 ? 16 : 1;
  return param;
}

/// An empty kernel as PTX, which the fake driver takes as well.
static Candidate makeKernel(const Target &target, unsigned count) {
  KernelArtifact artifact;
  artifact.entry = "empty";
  artifact.chip = target.getChip().str();
  artifact.ptx = ".version 8.8\n.target " + artifact.chip + "\n.address_size 64\n.visible .entry empty(";
  for (unsigned index = 0; index < count; ++index) {
    artifact.params.push_back(makeParam(index));
    unsigned bits = artifact.params.back().getBytes() * 8;
    artifact.ptx +=
        (index ? ", .param .b" : ".param .b") + std::to_string(bits) + " p" + std::to_string(index);
  }
  artifact.ptx += ") { ret; }\n";
  artifact.blockThreads = 32;
  artifact.grid[0] = exitOnError(GridExpr::parse("p1 1024 ceildivs", count));
  return {std::make_shared<const KernelArtifact>(std::move(artifact)), "", ""};
}

static std::vector<CallValue> makeArgs(unsigned count, int variant) {
  std::vector<CallValue> args;
  for (unsigned index = 0; index < count; ++index) {
    int64_t number = 100 + index + variant;
    switch (getKind(index)) {
    case CallParam::Kind::Pointer:
      args.push_back(CallValue::getPointer(0x100000 + 256 * number, 4096));
      break;
    case CallParam::Kind::Float:
      args.push_back(CallValue::getFloat(double(number) / 4));
      break;
    default:
      args.push_back(CallValue::getInt(number));
    }
  }
  return args;
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

static double measure(const Contestant &contestant, unsigned calls) {
  auto start = std::chrono::steady_clock::now();
  contestant.run(calls);
  std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / calls;
}

/// The median of each; the device is idle at the start of each round.
static Row compete(llvm::MutableArrayRef<Contestant> contestants, const Device &device,
                   const Options &options) {
  // Short, so that a round seldom has to share the processor, and the queue of a GPU does not fill up.
  constexpr unsigned calls = 256;
  constexpr unsigned warmUp = 2;
  for (unsigned round = 0; round < options.rounds + warmUp; ++round)
    for (Contestant &contestant : contestants) {
      double time = measure(contestant, calls);
      exitOnError(device.synchronize());
      if (round >= warmUp)
        contestant.nanoseconds.push_back(time);
    }
  Row row;
  for (Contestant &contestant : contestants) {
    llvm::sort(contestant.nanoseconds);
    row.push_back({contestant.name, contestant.nanoseconds[options.rounds / 2]});
  }
  return row;
}

/// What a launch of `count` arguments costs in each way.
static Row compare(const Device &device, unsigned count, const Options &options) {
  std::vector<CallParam> params;
  for (unsigned index = 0; index < count; ++index)
    params.push_back({"p" + std::to_string(index), getKind(index)});
  CallSignature signature = exitOnError(CallSignature::create("empty", std::move(params)));
  DispatcherOptions dispatcherOptions;
  dispatcherOptions.compile = [&](const CompileRequest &request) -> llvm::Expected<std::vector<Candidate>> {
    return std::vector<Candidate>{makeKernel(request.target, count)};
  };
  Dispatcher dispatcher(std::move(signature), std::move(dispatcherOptions));
  const Target *own = device.getDefaultTarget(), *base = exitOnError(Target::lookup("sm_80"));
  std::vector<CallValue> first = makeArgs(count, 0), second = makeArgs(count, 1);
  CallSite site = {&device};

  auto kernel = exitOnError(LoadedKernel::load(device, makeKernel(*own, count).artifact));
  std::vector<uint64_t> slots(count, 1);
  std::vector<void *> pointers;
  for (uint64_t &slot : slots)
    pointers.push_back(&slot);
  cuda::LaunchConfig config = {{1, 1, 1}, {32, 1, 1}, 0, nullptr, nullptr, 0};
  const CudaDriver &driver = device.getDriver();
  auto direct = [&](unsigned calls) {
    for (unsigned call = 0; call < calls; ++call)
      exitOnError(
          driver.check(driver->launchKernelEx(&config, kernel->getFunction(), pointers.data(), nullptr),
                       "cuLaunchKernelEx", "the benchmark"));
  };
  auto same = [&](unsigned calls) {
    for (unsigned call = 0; call < calls; ++call)
      exitOnError(dispatcher.call(first, site));
  };
  auto alternating = [&](unsigned calls) {
    for (unsigned call = 0; call < calls; ++call)
      exitOnError(dispatcher.call(call & 1 ? first : second, site));
  };
  auto alternatingTarget = [&](unsigned calls) {
    for (unsigned call = 0; call < calls; ++call) {
      TargetScope scope(call & 1 ? *own : *base);
      exitOnError(dispatcher.call(first, site));
    }
  };
  Contestant contestants[] = {{"direct_ns", direct, {}},
                              {"cpp_same_ns", same, {}},
                              {"cpp_alternating_ns", alternating, {}},
                              {"cpp_alternating_target_ns", alternatingTarget, {}}};
  return compete(contestants, device, options);
}

/// What it takes to find out the target of a call and to compare it with the last one, beside an empty loop.
static double measureTargetCheck(const Device &device, const Options &options) {
  const Target *last = device.getDefaultTarget();
  unsigned hits = 0;
  auto empty = [&](unsigned calls) {
    for (unsigned call = 0; call < calls; ++call) {
      asm volatile("" : "+m"(hits));
      ++hits;
    }
  };
  auto check = [&](unsigned calls) {
    for (unsigned call = 0; call < calls; ++call) {
      asm volatile("" : "+m"(hits));
      const Target *target = getCurrentTarget();
      if (!target)
        target = device.getDefaultTarget();
      hits += target == last;
    }
  };
  Contestant contestants[] = {{"empty", empty, {}}, {"check", check, {}}};
  Row row = compete(contestants, device, options);
  return row[1].second - row[0].second;
}

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

static void print(const llvm::json::Object &report, const std::vector<std::pair<unsigned, Row>> &rows,
                  double targetCheck, const FirstCallTimes &firstCalls) {
  llvm::raw_ostream &os = llvm::outs();
  os << "device: " << *report.getString("device") << ", cpu: " << *report.getInteger("cpu") << "\n";
  os << "arguments";
  for (const auto &[name, time] : rows.front().second)
    os << "  " << name;
  os << "\n";
  for (const auto &[count, row] : rows) {
    os << llvm::format("%9u", count);
    for (const auto &[name, time] : row)
      os << llvm::format("  %*.1f", int(llvm::StringRef(name).size()), time);
    os << "\n";
  }
  os << llvm::format("target check: %.2f ns\n", targetCheck);
  os << llvm::format("first call: cold %.2f ms, from a warm disk cache %.2f ms, after reading for %.2f ms\n",
                     firstCalls.cold, firstCalls.warm, firstCalls.read);
}

/// Keeps the process on the processor that it runs on.
static int pin() {
  int cpu = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0 ? cpu : -1;
}

/// Launches on record would not be empty.
static void silenceFakeDriver(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (auto record = reinterpret_cast<void (*)(bool)>(library ? dlsym(library, "fakeCudaRecord") : nullptr))
    record(false);
}

/// In processes that are not pinned, as those of users.
static FirstCallTimes measureFirstCalls(const Options &options) {
  std::vector<std::string> words = {"--driver=" + options.driver};
  return exitOnError(measureFirstCalls(llvm::sys::fs::getMainExecutable(nullptr, nullptr), words));
}

static void run(const Options &options) {
  if (!options.firstCall.empty()) {
    auto driver = exitOnError(CudaDriver::load(options.driver));
    auto device = exitOnError(Device::open(*driver, 0));
    return exitOnError(runFirstCall(*device, options.firstCall));
  }
  FirstCallTimes firstCalls = measureFirstCalls(options);
  int cpu = pin();
  auto driver = exitOnError(CudaDriver::load(options.driver));
  if (!options.isCuda)
    silenceFakeDriver(options.driver);
  auto device = exitOnError(Device::open(*driver, 0));
  ContextScope scope = exitOnError(device->enter());
  std::vector<std::pair<unsigned, Row>> rows;
  for (unsigned count : options.counts)
    rows.push_back({count, compare(*device, count, options)});
  double targetCheck = measureTargetCheck(*device, options);

  llvm::json::Object report{{"device", device->getName()}, {"cpu", cpu}, {"rounds", options.rounds}};
  llvm::json::Array results;
  for (const auto &[count, row] : rows) {
    llvm::json::Object result{{"arguments", count}, {"target_check_ns", targetCheck}};
    for (const auto &[name, time] : row)
      result[name] = time;
    results.push_back(std::move(result));
  }
  report["results"] = std::move(results);
  report["cold_empty_ms"] = firstCalls.cold;
  report["warm_disk_ms"] = firstCalls.warm;
  report["read_kernel_ms"] = firstCalls.read;
  if (!options.isJson)
    return print(report, rows, targetCheck, firstCalls);
  llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(report)));
}

static llvm::Expected<Options> parseOptions(llvm::ArrayRef<char *> words) {
  Options options;
  options.driver = CudaDriver::getDefaultPath();
  for (llvm::StringRef word : words) {
    unsigned number = 0;
    if (word == "--json")
      options.isJson = true;
    else if (word == "--device=cuda")
      options.isCuda = true;
    else if (word.consume_front("--driver="))
      options.driver = word.str();
    else if (word.consume_front("--first-call=") && !word.empty())
      options.firstCall = word.str();
    else if (word.consume_front("--rounds=") && !word.getAsInteger(10, number) && number > 0)
      options.rounds = number;
    else if (word.consume_front("--arguments=") && !word.getAsInteger(10, number) && number > 1)
      options.counts = {number};
    else
      return llvm::createStringError("expected --json, --device=cuda, --driver=PATH, --rounds=N or "
                                     "--arguments=N, but got '" +
                                     word + "'");
  }
  return options;
}

int main(int argc, char **argv) {
  run(exitOnError(parseOptions(llvm::ArrayRef(argv + 1, argc - 1))));
  return 0;
}
