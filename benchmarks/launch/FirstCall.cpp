// Measuring of first calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FirstCall.h"

#include "Tilus/Jit/Jit.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace tilus;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static constexpr const char *emptyKernel = R"(
tilus.kernel @empty(%n: i32, %x: !tilus.ptr<f32>) warps(1) grid {
  tilus.grid [%n]
} {
}
)";

using Clock = std::chrono::steady_clock;

static double getMillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

static Error callOnce(const Device &device, KernelSource source, StringRef cacheFolder) {
  Expected<CallSignature> signature = source.makeSignature();
  if (!signature)
    return signature.takeError();
  Expected<CacheOptions> cacheOptions = CacheOptions::fromEnvironment();
  if (!cacheOptions)
    return cacheOptions.takeError();
  cacheOptions->root = cacheFolder.str();
  Jit jit({CompileOptions::fromEnvironment(), std::make_shared<KernelCache>(std::move(*cacheOptions))});
  DispatcherOptions options;
  options.compile = jit.getCompileFunction(std::move(source));
  Dispatcher dispatcher(std::move(*signature), std::move(options));
  return dispatcher.call({CallValue::getInt(1), CallValue::getPointer(0)}, {&device});
}

Error tilus::runFirstCall(const Device &device, StringRef cacheFolder) {
  Clock::time_point start = Clock::now();
  Expected<KernelSource> source = KernelSource::parse(emptyKernel);
  double read = getMillisecondsSince(start);
  if (!source)
    return source.takeError();
  start = Clock::now();
  if (Error error = callOnce(device, std::move(*source), cacheFolder))
    return error;
  llvm::outs() << llvm::format("%.4f %.4f\n", read, getMillisecondsSince(start));
  return Error::success();
}

/// The times of a process: those of reading and of the call.
static Expected<std::pair<double, double>> runProcess(StringRef program, llvm::ArrayRef<std::string> words,
                                                      StringRef output) {
  llvm::SmallVector<StringRef> arguments = {program};
  arguments.append(words.begin(), words.end());
  // An older file would be written over from its start, not emptied.
  llvm::sys::fs::remove(output);
  std::optional<StringRef> redirects[] = {StringRef(""), output, std::nullopt};
  int code = llvm::sys::ExecuteAndWait(program, arguments, std::nullopt, redirects);
  auto text = llvm::MemoryBuffer::getFile(output);
  std::pair<double, double> times;
  auto [read, call] = (text ? (*text)->getBuffer().trim() : StringRef()).split(' ');
  if (code != 0 || read.getAsDouble(times.first) || call.getAsDouble(times.second))
    return llvm::createStringError("expected '" + program + "' to print two times, but it ended with " +
                                   llvm::Twine(code));
  return times;
}

static double computeMedian(std::vector<double> &values) {
  llvm::sort(values);
  return values[values.size() / 2];
}

Expected<FirstCallTimes> tilus::measureFirstCalls(StringRef program, llvm::ArrayRef<std::string> words) {
  constexpr unsigned rounds = 9;
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("tilus-first-call", folder))
    return llvm::createStringError("expected to make a folder, but: " + error.message());
  auto remove = llvm::scope_exit([&] { llvm::sys::fs::remove_directories(folder); });
  std::vector<std::string> all(words);
  all.push_back(("--first-call=" + folder + "/cache").str());
  std::string output = (folder + "/output").str();
  std::vector<double> read, cold, warm;
  // The process before the first round remembers the hash of the assembler for all of them.
  for (unsigned round = 0; round <= rounds; ++round) {
    llvm::sys::fs::remove_directories(folder + "/cache/kernels");
    for (std::vector<double> *calls : {&cold, &warm}) {
      Expected<std::pair<double, double>> times = runProcess(program, all, output);
      if (!times)
        return times.takeError();
      if (round == 0)
        continue;
      read.push_back(times->first);
      calls->push_back(times->second);
    }
  }
  return FirstCallTimes{computeMedian(read), computeMedian(cold), computeMedian(warm)};
}
