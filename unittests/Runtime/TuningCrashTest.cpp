// Processes that tune into one folder and are killed: nothing that was written is lost, and what is repeated
// is the key under way alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeCuda/FakeCuda.h"
#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/TuningChooser.h"

#include "gtest/gtest.h"
#include <csignal>
#include <dlfcn.h>
#include <filesystem>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilus;

namespace {

constexpr int keyCount = 24;

/// How often the tuning of each key was begun, in memory that processes share.
using Counters = std::atomic<int>[4 * keyCount];

CallSignature makeSignature() {
  return llvm::cantFail(
      CallSignature::create("add", {{"c", CallParam::Kind::Constant}, {"x", CallParam::Kind::Pointer}}));
}

ScriptDirectory openDirectory(const std::string &folder) {
  CacheOptions options;
  options.root = folder;
  auto store = std::make_shared<const CacheStore>(llvm::cantFail(CacheStore::open(options)));
  return llvm::cantFail(ScriptDirectory::open(store, {"add", "text", "", "nvptx64", "sm_90", "", "build"}));
}

std::vector<Candidate> makeCandidates() {
  std::vector<Candidate> candidates;
  for (const char *name : {"slow", "fast"}) {
    auto artifact = std::make_shared<KernelArtifact>();
    artifact->entry = name;
    artifact->chip = "sm_90";
    std::string image = "fake " + artifact->entry + " 32 0 0 8 ms=" + (name[0] == 's' ? "2" : "1");
    artifact->cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
    artifact->blockThreads = 128;
    artifact->params = {{"x", KernelParam::Kind::Pointer, ScalarFormat::getInt(32), 16}};
    candidates.push_back({artifact, "hash of " + std::string(name), name});
  }
  return candidates;
}

/// What a process does: it asks for keys in order, and notes each that begins to be tuned.
class Worker {
public:
  Worker(void *library, const std::string &folder, Counters &begun) : begun(begun) {
    driver = llvm::cantFail(CudaDriver::load(TILUS_FAKE_CUDA));
    device = llvm::cantFail(Device::open(*driver, 0));
    auto setKernel = reinterpret_cast<decltype(&fakeCudaKernel)>(dlsym(library, "fakeCudaKernel"));
    setKernel("slow", [](void *self, FakeLaunch *) { static_cast<Worker *>(self)->note(); }, this);
    TuningChooserOptions options;
    options.tune.flushBytes = 256;
    options.tune.warmUp = 1;
    options.tune.repeat = 3;
    options.openDirectory = [=](const Target &) {
      return llvm::Expected<ScriptDirectory>(openDirectory(folder));
    };
    chooser = std::make_unique<TuningChooser>(std::move(options));
  }
  bool run(int firstKey) {
    CallSignature signature = makeSignature();
    std::vector<Candidate> candidates = makeCandidates();
    DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(*device, 64));
    const Target &target = *llvm::cantFail(Target::lookup("sm_90"));
    for (key = firstKey; key < firstKey + keyCount; ++key) {
      isNoted = false;
      std::vector<uint64_t> words(signature.getKeyWords());
      signature.computeKey({CallValue::getInt(key), CallValue::getPointer(buffer.getAddress())}, words);
      TuneValue value = {buffer.getAddress(), 64};
      llvm::Expected<unsigned> chosen =
          chooser->choose({signature, target, *device, nullptr, candidates, value, words});
      if (llvm::cantFail(std::move(chosen)) != 1)
        return false;
    }
    return true;
  }

private:
  void note() {
    if (!isNoted)
      ++begun[key];
    isNoted = true;
    usleep(100);
  }

  Counters &begun;
  std::unique_ptr<CudaDriver> driver;
  std::unique_ptr<Device> device;
  std::unique_ptr<TuningChooser> chooser;
  int key = 0;
  bool isNoted = false;
};

class TuningCrashTest : public testing::Test {
protected:
  void SetUp() override {
    library = dlopen(TILUS_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    // Not initialised here, so that children may.
    reinterpret_cast<decltype(&fakeCudaReset)>(dlsym(library, "fakeCudaReset"))("90");
    std::string pattern = std::filesystem::temp_directory_path() / "tilus-crash-XXXXXX";
    folder = mkdtemp(pattern.data());
    void *memory = mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    begun = static_cast<Counters *>(memory);
  }
  void TearDown() override {
    munmap(begun, sizeof(Counters));
    std::filesystem::remove_all(folder);
  }
  pid_t start(int firstKey) {
    pid_t child = fork();
    if (child == 0)
      _exit(Worker(library, folder, *begun).run(firstKey) ? 0 : 1);
    return child;
  }
  /// The status of a process that ended by itself, or -1.
  static int finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  size_t countChoices() {
    TuningFingerprint fingerprint = {"sm_90", "Fake GPU 0", "9.0", "13.0", ""};
    Loaded<TuningTable> loaded = openDirectory(folder).loadTuning(fingerprint);
    EXPECT_EQ(loaded.problem, "");
    for (const auto &[key, choice] : loaded.value.getChoices())
      EXPECT_EQ(choice.schedule, "hash of fast");
    return loaded.value.size();
  }
  int countBegun() {
    int sum = 0;
    for (const std::atomic<int> &count : *begun)
      sum += count;
    return sum;
  }

  void *library = nullptr;
  std::string folder;
  Counters *begun = nullptr;
};

} // namespace

TEST_F(TuningCrashTest, AKillRepeatsAtMostTheKeyUnderWay) {
  std::mt19937 random(1);
  int kills = 0;
  for (bool isDone = false; !isDone && kills < 200;) {
    pid_t child = start(0);
    // Later ones may live longer, so that slow machines get to the end too.
    usleep(1000 + random() % (12000 + 2000 * kills));
    kill(child, SIGKILL);
    int status = finish(child);
    ASSERT_NE(status, 1);
    isDone = status == 0;
    kills += !isDone;
  }
  EXPECT_GE(kills, 2);
  EXPECT_EQ(countChoices(), size_t(keyCount));
  EXPECT_LE(countBegun(), keyCount + kills);
}

TEST_F(TuningCrashTest, FourWritersLoseNothing) {
  std::vector<pid_t> children;
  for (int writer = 0; writer < 4; ++writer)
    children.push_back(start(writer * keyCount));
  for (pid_t child : children)
    EXPECT_EQ(finish(child), 0);
  EXPECT_EQ(countChoices(), size_t(4 * keyCount));
  EXPECT_EQ(countBegun(), 4 * keyCount);
}
