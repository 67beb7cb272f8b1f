// What is kept of a script is found again under the same script, options, target and version, and under no
// other; writers that merge lose nothing, also when they are killed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/ScriptDirectory.h"
#include "CacheFixture.h"
#include "FaultShim.h"

#include <cerrno>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilus;
using testing::HasSubstr;

namespace {
class ScriptDirectoryTest : public CacheFixture {
protected:
  std::shared_ptr<const CacheStore> openStore(CacheOptions options) {
    return std::make_shared<const CacheStore>(llvm::cantFail(CacheStore::open(options)));
  }
  ScriptDirectory open(const ScriptIdentity &identity, unsigned version = specializationCacheVersion) {
    return llvm::cantFail(ScriptDirectory::open(openStore(makeOptions()), identity, version));
  }
  /// Runs in a child process, which is killed at the call; whether it came to its end.
  static bool runKilled(long call, llvm::function_ref<void()> run) {
    pid_t child = fork();
    if (child == 0) {
      tilusArmFault(Fault::Kill, call, 0);
      run();
      tilusDisarmFault();
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status);
  }
};
} // namespace

static ScriptIdentity makeIdentity() {
  return {"MatmulV2", "the program's text", "O=3", "nvptx64-nvidia-cuda", "sm_90a", "", "0.1.0"};
}

static TuningFingerprint makeFingerprint() { return {"sm_90a", "NVIDIA H200", "9.0", "13.0", "0.1.0"}; }

static TuningTable makeTable(llvm::StringRef key, llvm::StringRef schedule = "fast") {
  TuningTable table(makeFingerprint());
  table.set(key, {schedule.str(), 0.5});
  return table;
}

static Specialization makeSpecialization(unsigned number) {
  return {makeKey(number), {{"one", makeKey(100 + number)}, {"two", makeKey(200 + number)}}};
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST_F(ScriptDirectoryTest, EachPartOfTheIdentityGivesAnotherDirectory) {
  static void (*const changes[])(ScriptIdentity &) = {
      [](ScriptIdentity &) {},
      [](ScriptIdentity &identity) { identity.name = "Matmul.V2"; },
      [](ScriptIdentity &identity) { identity.program += " "; },
      [](ScriptIdentity &identity) { identity.options = "O=2"; },
      [](ScriptIdentity &identity) { identity.triple = "other"; },
      [](ScriptIdentity &identity) { identity.chip = "sm_90"; },
      [](ScriptIdentity &identity) { identity.chip = "sm_103a"; },
      [](ScriptIdentity &identity) { identity.features = "+ptx88"; },
      [](ScriptIdentity &identity) { identity.tilusBuild = "0.1.1"; },
  };
  std::set<std::string> names;
  for (auto change : changes) {
    ScriptIdentity identity = makeIdentity();
    change(identity);
    names.insert(identity.getDirectoryName());
  }
  EXPECT_EQ(names.size(), std::size(changes));
  EXPECT_EQ(makeIdentity().getDirectoryName().substr(0, 16), "MatmulV2-sm_90a-");
}

TEST_F(ScriptDirectoryTest, NamesAreNoPaths) {
  ScriptIdentity identity = makeIdentity();
  identity.name = "../../etc/<passwd> " + std::string(500, 'x');
  identity.chip = "a/b";
  std::string name = identity.getDirectoryName();
  EXPECT_LT(name.size(), 160u);
  EXPECT_EQ(llvm::StringRef(name).find_first_of("/. <"), llvm::StringRef::npos);
  EXPECT_EQ(open(identity).getPath(), makeRoot() + "/scripts/" + name);
}

//===----------------------------------------------------------------------===//
// Specialisations
//===----------------------------------------------------------------------===//

TEST_F(ScriptDirectoryTest, KeepsSpecializations) {
  EXPECT_TRUE(open(makeIdentity()).loadSpecializations().value.empty());
  for (unsigned number : {1, 2, 1})
    EXPECT_FALSE(llvm::errorToBool(open(makeIdentity()).saveSpecialization(makeSpecialization(number))));
  auto loaded = open(makeIdentity()).loadSpecializations();
  EXPECT_EQ(loaded.problem, "");
  ASSERT_EQ(loaded.value.size(), 2u);
  EXPECT_EQ(loaded.value[0].key, makeKey(2));
  EXPECT_EQ(loaded.value[1].key, makeKey(1));
  ASSERT_EQ(loaded.value[1].kernels.size(), 2u);
  EXPECT_EQ(loaded.value[1].kernels[1].schedule, "two");
  EXPECT_EQ(loaded.value[1].kernels[1].artifact, makeKey(201));
}

TEST_F(ScriptDirectoryTest, DoesNotReadOtherVersions) {
  llvm::cantFail(open(makeIdentity()).saveSpecialization(makeSpecialization(1)));
  ScriptDirectory bumped = open(makeIdentity(), specializationCacheVersion + 1);
  auto loaded = bumped.loadSpecializations();
  EXPECT_TRUE(loaded.value.empty());
  EXPECT_THAT(loaded.problem, HasSubstr("expected version 2 in a manifest, but got 1"));
  llvm::cantFail(bumped.saveSpecialization(makeSpecialization(2)));
  EXPECT_EQ(bumped.loadSpecializations().value.size(), 1u);
  EXPECT_TRUE(open(makeIdentity()).loadSpecializations().value.empty());
}

TEST_F(ScriptDirectoryTest, DoesNotReadDamagedOrForeignFiles) {
  ScriptDirectory directory = open(makeIdentity());
  std::string path = (directory.getPath() + "/manifest.json").str();
  llvm::cantFail(directory.saveSpecialization(makeSpecialization(1)));
  std::string text = readFile(path);
  // A manifest of another target that was copied here.
  ScriptIdentity other = makeIdentity();
  other.chip = "sm_90";
  llvm::cantFail(open(other).saveSpecialization(makeSpecialization(1)));
  std::string foreign = readFile((open(other).getPath() + "/manifest.json").str());
  for (const std::string &damage : {std::string(), text.substr(0, text.size() / 2), "[" + text, foreign}) {
    writeFile(path, damage);
    EXPECT_TRUE(directory.loadSpecializations().value.empty());
    EXPECT_NE(directory.loadSpecializations().problem, "");
  }
  llvm::cantFail(directory.saveSpecialization(makeSpecialization(3)));
  EXPECT_EQ(directory.loadSpecializations().value.size(), 1u);
}

//===----------------------------------------------------------------------===//
// Tuning
//===----------------------------------------------------------------------===//

TEST_F(ScriptDirectoryTest, MergesChoices) {
  ScriptDirectory directory = open(makeIdentity());
  EXPECT_EQ(directory.loadTuning(makeFingerprint()).value.size(), 0u);
  llvm::cantFail(directory.saveTuning(makeTable("m=1")));
  llvm::cantFail(directory.saveTuning(makeTable("m=2")));
  llvm::cantFail(directory.saveTuning(makeTable("m=1", "faster")));
  auto loaded = open(makeIdentity()).loadTuning(makeFingerprint());
  EXPECT_EQ(loaded.problem, "");
  EXPECT_EQ(loaded.value.size(), 2u);
  EXPECT_EQ(loaded.value.find("m=1")->schedule, "faster");
  EXPECT_EQ(loaded.value.find("m=2")->schedule, "fast");
  EXPECT_EQ(loaded.value.find("m=2")->milliseconds, 0.5);
  EXPECT_EQ(loaded.value.find("m=3"), nullptr);
}

TEST_F(ScriptDirectoryTest, MachinesDoNotUseNorLoseEachOthersChoices) {
  ScriptDirectory directory = open(makeIdentity());
  llvm::cantFail(directory.saveTuning(makeTable("m=1")));
  TuningFingerprint other = makeFingerprint();
  other.gpu = "NVIDIA H100";
  EXPECT_EQ(directory.loadTuning(other).value.size(), 0u);
  TuningTable table(other);
  table.set("m=1", {"other", 1});
  llvm::cantFail(directory.saveTuning(table));
  EXPECT_EQ(directory.loadTuning(other).value.find("m=1")->schedule, "other");
  EXPECT_EQ(directory.loadTuning(makeFingerprint()).value.find("m=1")->schedule, "fast");
}

TEST_F(ScriptDirectoryTest, ReadsATableThatWasPutThere) {
  ScriptDirectory directory = open(makeIdentity());
  TuningFingerprint any = {"sm_90a", "*", "*", "*", "*"};
  TuningTable table(any);
  table.set("m=1", {"given", 1});
  table.set("m=2", {"given", 1});
  std::string path = (directory.getPath() + "/tuning.json").str();
  writeFile(path, table.serialize());
  llvm::cantFail(directory.saveTuning(makeTable("m=1")));
  auto loaded = directory.loadTuning(makeFingerprint());
  EXPECT_EQ(loaded.value.find("m=1")->schedule, "fast");
  EXPECT_EQ(loaded.value.find("m=2")->schedule, "given");
  EXPECT_EQ(readFile(path), table.serialize());
  any.target = "sm_90";
  writeFile(path, TuningTable(any).serialize());
  EXPECT_THAT(directory.loadTuning(makeFingerprint()).problem, HasSubstr("expected the same 'target'"));
}

TEST_F(ScriptDirectoryTest, SharedFilesAreSigned) {
  CacheOptions options = makeOptions();
  options.secret = Hash256::of("secret");
  auto openShared = [&](const ScriptIdentity &identity) {
    return llvm::cantFail(ScriptDirectory::open(openStore(options), identity));
  };
  ScriptDirectory directory = openShared(makeIdentity());
  llvm::cantFail(directory.saveTuning(makeTable("m=1")));
  llvm::cantFail(directory.saveTuning(makeTable("m=2")));
  llvm::cantFail(directory.saveSpecialization(makeSpecialization(1)));
  EXPECT_EQ(directory.loadTuning(makeFingerprint()).value.size(), 2u);
  EXPECT_EQ(directory.loadSpecializations().value.size(), 1u);
  // Another script's manifest is signed too, and refused all the same.
  ScriptIdentity other = makeIdentity();
  other.program = "another program";
  llvm::cantFail(openShared(other).saveSpecialization(makeSpecialization(2)));
  std::string path = (directory.getPath() + "/manifest.json").str();
  writeFile(path, readFile((openShared(other).getPath() + "/manifest.json").str()));
  EXPECT_THAT(directory.loadSpecializations().problem, HasSubstr("signed with the secret"));
  options.secret = Hash256::of("another secret");
  EXPECT_THAT(openShared(makeIdentity()).loadTuning(makeFingerprint()).problem, HasSubstr("signed"));
}

//===----------------------------------------------------------------------===//
// Crashes, faults and many writers
//===----------------------------------------------------------------------===//

TEST_F(ScriptDirectoryTest, AMergeThatIsKilledLosesNothing) {
  for (unsigned repeat = 0; repeat < 3; ++repeat) {
    ScriptIdentity identity = makeIdentity();
    identity.program += std::to_string(repeat);
    llvm::cantFail(open(identity).saveTuning(makeTable("old")));
    llvm::cantFail(open(identity).saveSpecialization(makeSpecialization(1)));
    bool hasEnded = false;
    long call = 0;
    while (!hasEnded) {
      ++call;
      // Each leftover would make the next process do more before it comes to the same place.
      llvm::sys::fs::remove_directories(makeRoot("root/tmp"));
      std::string key = "new" + std::to_string(call);
      hasEnded = runKilled(call, [&] {
        ScriptDirectory directory = open(identity);
        llvm::cantFail(directory.saveTuning(makeTable(key)));
        llvm::cantFail(directory.saveSpecialization(makeSpecialization(2)));
      });
      ScriptDirectory directory = open(identity);
      auto tuning = directory.loadTuning(makeFingerprint());
      auto specializations = directory.loadSpecializations();
      ASSERT_EQ(tuning.problem + specializations.problem, "") << call;
      ASSERT_TRUE(tuning.value.find("old")) << call;
      ASSERT_TRUE(!hasEnded || tuning.value.find(key)) << call;
      ASSERT_GE(specializations.value.size(), 1u) << call;
    }
    EXPECT_GT(call, 30);
  }
}

TEST_F(ScriptDirectoryTest, AMergeThatFailsSaysSoAndLosesNothing) {
  for (int code : {ENOSPC, EIO, EROFS, EDQUOT, ESTALE, EBUSY, EMFILE, EINTR, ENOLCK}) {
    ScriptIdentity identity = makeIdentity();
    identity.program += std::to_string(code);
    llvm::cantFail(open(identity).saveTuning(makeTable("old")));
    ScriptDirectory directory = open(identity);
    bool isReached = true;
    for (long call = 1; isReached; ++call) {
      std::string key = "new" + std::to_string(call);
      tilusArmFault(Fault::Fail, call, code);
      bool hasFailed = llvm::errorToBool(directory.saveTuning(makeTable(key)));
      isReached = tilusDisarmFault() >= call;
      auto tuning = directory.loadTuning(makeFingerprint());
      ASSERT_EQ(tuning.problem, "");
      ASSERT_TRUE(tuning.value.find("old")) << code << " at call " << call;
      ASSERT_TRUE(hasFailed || tuning.value.find(key)) << code << " at call " << call;
      EXPECT_FALSE(hasFailed && code == EINTR) << "call " << call;
    }
  }
}

TEST_F(ScriptDirectoryTest, ManyWritersLoseNoUpdate) {
  constexpr unsigned writers = 4, choices = 25;
  std::vector<pid_t> children;
  for (unsigned writer = 0; writer < writers; ++writer) {
    pid_t child = fork();
    if (child == 0) {
      ScriptDirectory directory = open(makeIdentity());
      for (unsigned i = 0; i < choices; ++i) {
        llvm::cantFail(directory.saveTuning(makeTable(std::to_string(writer) + "-" + std::to_string(i))));
        if (!directory.loadTuning(makeFingerprint()).problem.empty())
          _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(open(makeIdentity()).loadTuning(makeFingerprint()).value.size(), writers * choices);
}
