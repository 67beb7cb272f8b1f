// Tests of the disk cache behind a compiler, and of what its keys tell apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "JitKernels.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <elf.h>
#include <thread>

using namespace tilus;

namespace {
/// A cache in a folder of its own.
class JitCacheTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilus-jit", folder)); }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::shared_ptr<KernelCache> openCache() {
    CacheOptions cacheOptions;
    cacheOptions.root = (folder + "/cache").str();
    cacheOptions.warn = [this](llvm::StringRef text) { warnings += text.str() + "\n"; };
    return std::make_shared<KernelCache>(std::move(cacheOptions));
  }
  /// A file with these contents.
  std::string writeFile(llvm::StringRef name, llvm::StringRef contents) {
    std::string path = (folder + "/" + name).str();
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << contents;
    EXPECT_FALSE(error);
    return path;
  }

  llvm::SmallString<128> folder;
  std::string warnings;
};
} // namespace

TEST_F(JitCacheTest, CompilesOnce) {
  KernelSource source = makeSource();
  std::shared_ptr<const KernelArtifact> first;
  for (CacheOutcome expected : {CacheOutcome::Miss, CacheOutcome::Hit}) {
    // As in two processes.
    Jit jit({makePtxOptions(), openCache()});
    DispatcherOptions dispatcherOptions;
    dispatcherOptions.compile = jit.getCompileFunction(source);
    Dispatcher dispatcher(llvm::cantFail(source.makeSignature()), std::move(dispatcherOptions));
    const Candidate &candidate =
        llvm::cantFail(dispatcher.compile(makeArgs(), &target("sm_90a")))->candidates[0];
    EXPECT_EQ(candidate.cache, expected);
    TargetStats stats = dispatcher.stats()[0];
    EXPECT_EQ(stats.cacheHits, expected == CacheOutcome::Hit ? 1u : 0u);
    EXPECT_EQ(stats.cacheMisses, expected == CacheOutcome::Miss ? 1u : 0u);
    if (!first)
      first = candidate.artifact;
    EXPECT_EQ(candidate.artifact->ptx, first->ptx);
    EXPECT_EQ(candidate.artifact->chip, "sm_90a");
    EXPECT_EQ(candidate.artifact->params.size(), 3u);
  }
  // Another target is another kernel.
  Jit jit({makePtxOptions(), openCache()});
  Candidate other = llvm::cantFail(jit.compile(source, Request(source, "sm_90")));
  EXPECT_EQ(other.cache, CacheOutcome::Miss);
  EXPECT_NE(other.artifact->ptx, first->ptx);
  EXPECT_EQ(warnings, "");
}

// A dump is a compilation, whatever the cache has; it has the key of one without.
TEST_F(JitCacheTest, CompilesAgainForADump) {
  KernelSource source = makeSource();
  Request request(source, "sm_90a");
  CompileOptions dumped = makePtxOptions();
  dumped.dumpFolder = (folder + "/stages").str();
  Jit plainJit({makePtxOptions(), openCache()}), dumpingJit({dumped, openCache()});
  EXPECT_EQ(plainJit.getKey(source, request), dumpingJit.getKey(source, request));
  EXPECT_EQ(llvm::cantFail(dumpingJit.compile(source, request)).cache, CacheOutcome::Miss);
  EXPECT_EQ(llvm::cantFail(plainJit.compile(source, request)).cache, CacheOutcome::Hit);
  ASSERT_FALSE(llvm::sys::fs::remove_directories(dumped.dumpFolder));
  // Threads that compile the same write the same.
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(
        [&] { EXPECT_EQ(llvm::cantFail(dumpingJit.compile(source, request)).cache, CacheOutcome::Miss); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(llvm::sys::fs::is_directory(dumped.dumpFolder));
  EXPECT_EQ(warnings, "");
}

TEST_F(JitCacheTest, WorksWithoutAPlaceForTheCache) {
  KernelSource source = makeSource();
  CacheOptions none;
  none.isEnabled = false;
  CacheOptions file;
  file.root = writeFile("file", "") + "/cache";
  file.warn = [this](llvm::StringRef text) { warnings += text.str() + "\n"; };
  for (const CacheOptions &cacheOptions : {none, file}) {
    Jit jit({makePtxOptions(), std::make_shared<KernelCache>(cacheOptions)});
    for (int64_t n : {1024, 1023})
      EXPECT_EQ(llvm::cantFail(jit.compile(source, Request(source, "sm_80", makeArgs(n)))).cache,
                CacheOutcome::Unused);
  }
  EXPECT_EQ(llvm::StringRef(warnings).count('\n'), 1u) << warnings;
}

TEST_F(JitCacheTest, CompilesAgainWhatIsDamaged) {
  KernelSource source = makeSource();
  Request request(source, "sm_80");
  Jit jit({makePtxOptions(), openCache()});
  Candidate first = llvm::cantFail(jit.compile(source, request));
  std::string name = "cache/kernels/" + jit.getKey(source, request).toHex() + ".tilus";
  ASSERT_TRUE(llvm::sys::fs::exists(folder + "/" + name));
  writeFile(name, "damaged");
  Candidate again = llvm::cantFail(jit.compile(source, request));
  EXPECT_EQ(again.cache, CacheOutcome::Miss);
  EXPECT_EQ(again.artifact->ptx, first.artifact->ptx);
  EXPECT_NE(warnings, "");
  EXPECT_EQ(llvm::cantFail(jit.compile(source, request)).cache, CacheOutcome::Hit);
}

TEST_F(JitCacheTest, CompilesOnceInManyThreads) {
  KernelSource source = makeSource();
  Jit jit({makePtxOptions(), openCache()});
  Request request(source, "sm_90");
  std::atomic<unsigned> misses{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Candidate candidate = llvm::cantFail(jit.compile(source, request));
      misses += candidate.cache == CacheOutcome::Miss;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(misses, 1u);
}

TEST_F(JitCacheTest, KeysTellApartWhatMatters) {
  std::shared_ptr<KernelCache> cache = openCache();
  KernelSource source = makeSource();
  CompileOptions options = makePtxOptions();
  auto getKey = [&](const CompileOptions &compile, const CompileRequest &request,
                    const KernelSource &kernel) {
    return Jit({compile, cache}).getKey(kernel, request).toHex();
  };
  Request plain(source, "sm_90");
  std::string key = getKey(options, plain, source);
  EXPECT_EQ(key, getKey(options, Request(source, "sm_90", makeArgs(2048, 5)), source));

  // Where the text came from does not matter, unless it shows in line tables.
  KernelSource moved = llvm::cantFail(KernelSource::parse(std::string("\n\n") + fillText, "", "moved.mlir"));
  EXPECT_EQ(key, getKey(options, Request(moved, "sm_90"), moved));
  CompileOptions lines = options;
  lines.lineInfo = true;
  EXPECT_NE(getKey(lines, plain, source), getKey(lines, Request(moved, "sm_90"), moved));
  CompileOptions checked = options;
  checked.emitLLVM = true;
  checked.reproducerFolder = "elsewhere";
  EXPECT_EQ(key, getKey(checked, plain, source));

  std::vector<std::string> keys = {key, getKey(lines, plain, source)};
  keys.push_back(getKey(options, Request(source, "sm_90a"), source));
  keys.push_back(getKey(options, Request(source, "sm_90", makeArgs(), {}, "+ptx87"), source));
  keys.push_back(getKey(options, Request(source, "sm_90", makeArgs(1023)), source));
  for (CallValue n : {CallValue::getInt(1), CallValue::getBool(true), CallValue::getInt(2)}) {
    std::vector<CallValue> args = makeArgs();
    args[0] = n;
    SpecializationOptions constant;
    constant.constants = {"n"};
    keys.push_back(getKey(options, Request(source, "sm_90", args, constant), source));
  }
  CompileOptions changed = options;
  changed.fastMath = true;
  keys.push_back(getKey(changed, plain, source));
  changed = options;
  changed.optLevel = 1;
  keys.push_back(getKey(changed, plain, source));
  changed = options;
  changed.emitCubin = true;
  for (Assembler assembler : {Assembler::Auto, Assembler::NvJitLink, Assembler::Ptxas}) {
    changed.assembler = assembler;
    keys.push_back(getKey(changed, plain, source));
  }
  llvm::sort(keys);
  EXPECT_TRUE(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}

/// A library of a build id, of 20 bytes, and of other contents.
static std::string makeLibrary(char id, llvm::StringRef contents) {
  struct {
    Elf64_Ehdr header = {};
    Elf64_Phdr part = {};
    Elf64_Nhdr note = {4, 20, NT_GNU_BUILD_ID};
    char name[4] = {'G', 'N', 'U', 0};
    char id[20];
  } file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_phoff = offsetof(decltype(file), part);
  file.header.e_phnum = 1;
  file.part.p_type = PT_NOTE;
  file.part.p_offset = offsetof(decltype(file), note);
  file.part.p_filesz = sizeof(file) - file.part.p_offset;
  std::memset(file.id, id, sizeof(file.id));
  return std::string(reinterpret_cast<const char *>(&file), sizeof(file)) + contents.str();
}

TEST_F(JitCacheTest, KeysFollowTheBuildIdsOfToolsThatHaveOne) {
  KernelSource source = makeSource();
  Request request(source, "sm_90");
  CompileOptions options = CompileOptions::fromEnvironment();
  options.assembler = Assembler::Ptxas;
  auto getKey = [&](llvm::StringRef contents) {
    options.toolkit.files[static_cast<size_t>(ToolkitFile::Ptxas)] = writeFile("tool", contents);
    return Jit({options, openCache()}).getKey(source, request).toHex();
  };
  std::string one = getKey(makeLibrary('a', "one"));
  EXPECT_EQ(one, getKey(makeLibrary('a', "another")));
  EXPECT_NE(one, getKey(makeLibrary('b', "one")));
  EXPECT_NE(one, getKey("one"));
}

TEST_F(JitCacheTest, KeysFollowTheContentsOfTheTools) {
  KernelSource source = makeSource();
  Request request(source, "sm_90");
  CompileOptions options = CompileOptions::fromEnvironment();
  options.assembler = Assembler::Ptxas;
  for (ToolkitFile tool : {ToolkitFile::Ptxas, ToolkitFile::Libdevice}) {
    std::string &path = options.toolkit.files[static_cast<size_t>(tool)];
    path = writeFile("tool", "one");
    Jit jit({options, openCache()});
    std::string one = jit.getKey(source, request).toHex();
    // What is remembered on disk is as good as what is read.
    EXPECT_EQ(one, Jit({options, openCache()}).getKey(source, request).toHex());
    path = writeFile("copy", "one");
    EXPECT_EQ(one, Jit({options, openCache()}).getKey(source, request).toHex());
    path = writeFile("tool", "two");
    EXPECT_NE(one, jit.getKey(source, request).toHex());
    EXPECT_NE(one, Jit({options, openCache()}).getKey(source, request).toHex());
  }
  EXPECT_TRUE(llvm::sys::fs::exists(folder + "/cache/tools"));
  EXPECT_EQ(warnings, "");
}
