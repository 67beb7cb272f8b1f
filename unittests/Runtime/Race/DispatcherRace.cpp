// Launches from eight threads under mixed targets, on two devices with room for half of the modules, and
// checks that each launch was the right one. It is built with ThreadSanitizer, which ends it with an error if
// it sees a data race. With --plant it makes one itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../FakeCuda/FakeCuda.h"
#include "Tilus/Runtime/Dispatcher.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <thread>

using namespace tilus;

static constexpr unsigned threadCount = 8;
static constexpr unsigned launchesPerThread = 100000;
static constexpr unsigned targetCount = 5;
static constexpr unsigned constantCount = 2;
static constexpr unsigned deviceCount = 2;

static llvm::ExitOnError exitOnError("race test: ");

namespace {

/// The code of one kernel: its first parameter says which kernel the caller meant.
struct Marker {
  int number;
  std::atomic<unsigned> right{0}, wrong{0};

  static void run(void *context, FakeLaunch *launch) {
    auto *marker = static_cast<Marker *>(context);
    int wanted;
    std::memcpy(&wanted, launch->params[0], sizeof(wanted));
    ++(wanted == marker->number ? marker->right : marker->wrong);
  }
};

/// What is launched.
struct Kernels {
  const Target *targets[targetCount];
  Marker markers[targetCount * constantCount];
  /// Written by all threads without order if the race is planted.
  unsigned planted = 0;
};

} // namespace

static std::string getEntry(const Target &target, int64_t constant) {
  return "mark_" + target.getFileName().str() + "_" + std::to_string(constant);
}

static llvm::Expected<std::vector<Candidate>> compile(const CompileRequest &request) {
  KernelArtifact artifact;
  artifact.entry = getEntry(request.target, request.args[0].getInt());
  artifact.chip = request.target.getChip().str();
  std::string image = "fake " + artifact.entry + " 32 0 0 4 8 chip=" + artifact.chip;
  artifact.cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
  artifact.blockThreads = 32;
  artifact.params = {{"n", KernelParam::Kind::Scalar, ScalarFormat::getInt(32)},
                     {"x", KernelParam::Kind::Pointer, ScalarFormat::getF32()}};
  return std::vector<Candidate>{{std::make_shared<const KernelArtifact>(std::move(artifact)), "", ""}};
}

/// Random targets, constants, devices and addresses; each call is repeated now and then.
static void launchAtRandom(Dispatcher &dispatcher, const Kernels &kernels,
                           llvm::ArrayRef<std::unique_ptr<Device>> devices, unsigned seed) {
  std::mt19937 random(seed);
  for (unsigned done = 0; done < launchesPerThread;) {
    unsigned number = random() % targetCount, constant = random() % constantCount;
    TargetScope scope(*kernels.targets[number]);
    CallValue args[] = {CallValue::getInt(constant), CallValue::getInt(number * constantCount + constant),
                        CallValue::getPointer(16 * (random() % 4))};
    CallSite site = {devices[random() % deviceCount].get()};
    for (unsigned repeat = random() % 8 + 1; repeat > 0 && done < launchesPerThread; --repeat, ++done)
      exitOnError(dispatcher.call(args, site));
  }
}

/// The number of mistakes.
static unsigned check(const Kernels &kernels, const Dispatcher &dispatcher) {
  unsigned mistakes = 0, right = 0;
  for (const Marker &marker : kernels.markers) {
    mistakes += marker.wrong;
    right += marker.right;
  }
  uint64_t calls = 0;
  for (const TargetStats &row : dispatcher.stats()) {
    calls += row.shortcutHits + row.tableHits + row.slowCalls;
    mistakes += row.instances != constantCount;
  }
  std::printf("%u right launches, %u mistakes\n", right, mistakes);
  constexpr unsigned wanted = threadCount * launchesPerThread;
  return mistakes + (right != wanted) + (calls != wanted);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "";
  bool isPlanted = argc > 2 && std::strcmp(argv[2], "--plant") == 0;
  setenv("FAKE_CUDA_DEVICES", "103,103", 1);
  auto driver = exitOnError(CudaDriver::load(path));
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  reinterpret_cast<decltype(&fakeCudaRecord)>(dlsym(library, "fakeCudaRecord"))(false);
  auto setKernel = reinterpret_cast<decltype(&fakeCudaKernel)>(dlsym(library, "fakeCudaKernel"));
  auto getViolations = reinterpret_cast<decltype(&fakeCudaViolations)>(dlsym(library, "fakeCudaViolations"));

  Kernels kernels;
  const char *chips[targetCount] = {"sm_100", "sm_100f", "sm_103", "sm_103f", "sm_103a"};
  for (unsigned number = 0; number < targetCount; ++number) {
    kernels.targets[number] = exitOnError(Target::lookup(chips[number]));
    for (unsigned constant = 0; constant < constantCount; ++constant) {
      Marker &marker = kernels.markers[number * constantCount + constant];
      marker.number = number * constantCount + constant;
      setKernel(getEntry(*kernels.targets[number], constant).c_str(), Marker::run, &marker);
    }
  }
  std::vector<std::unique_ptr<Device>> devices;
  for (unsigned ordinal = 0; ordinal < deviceCount; ++ordinal)
    devices.push_back(exitOnError(Device::open(*driver, ordinal)));

  DispatcherOptions options;
  options.compile = compile;
  options.modules = std::make_shared<ModuleCache>(8);
  if (isPlanted)
    options.afterLaunch = [&](const LaunchInfo &) { ++kernels.planted; };
  Dispatcher dispatcher(exitOnError(CallSignature::create("mark", {{"c", CallParam::Kind::Constant},
                                                                   {"n", CallParam::Kind::Integer},
                                                                   {"x", CallParam::Kind::Pointer}})),
                        std::move(options));
  std::vector<std::thread> threads;
  for (unsigned index = 0; index < threadCount; ++index)
    threads.emplace_back([&, index] { launchAtRandom(dispatcher, kernels, devices, index); });
  for (std::thread &thread : threads)
    thread.join();
  std::printf("%s", getViolations());
  return check(kernels, dispatcher) || *getViolations() ? 1 : 0;
}
