// A folder for a cache, and artifacts to put there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Support/RandomArtifact.h"
#include "Tilus/Runtime/KernelCache.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <filesystem>

namespace tilus {

inline Hash256 makeKey(unsigned number) { return FieldHasher().add("test", uint64_t(number)).finish(); }

/// What the tests put under the key of that number.
inline std::vector<KernelArtifact> makeArtifacts(unsigned number) {
  ArtifactGenerator generator(number);
  std::vector<KernelArtifact> artifacts = {generator.makeArtifact(), generator.makeArtifact()};
  artifacts[0].cubin.assign(300, uint8_t(number));
  return artifacts;
}

inline bool isRight(const std::vector<KernelArtifact> &artifacts, unsigned number) {
  return findDifference(ArtifactFile{{}, artifacts}, ArtifactFile{{}, makeArtifacts(number)}).empty();
}

inline std::string getEntryPath(llvm::StringRef root, unsigned number) {
  return (root + "/kernels/" + makeKey(number).toHex() + ".tilus").str();
}

inline std::string readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

inline void writeFile(llvm::StringRef path, llvm::StringRef contents) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  ASSERT_FALSE(code) << code.message();
  os << contents;
}

inline unsigned countFiles(llvm::StringRef path) {
  std::error_code code;
  unsigned count = 0;
  for (llvm::sys::fs::directory_iterator it(path, code), end; it != end && !code; it.increment(code))
    ++count;
  return count;
}

/// The warnings of a test, and a folder that is removed at its end. The folder is in memory where the system
/// has one there, which makes no difference to what is tested.
class CacheFixture : public testing::Test {
protected:
  CacheFixture() {
    llvm::StringRef parent = llvm::sys::fs::can_write("/dev/shm") ? "/dev/shm" : "/tmp";
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory(parent + "/tilus-cache", folder));
  }
  ~CacheFixture() override {
    // LLVM's own function leaves pipes and sockets.
    std::error_code code;
    std::filesystem::remove_all(folder.c_str(), code);
  }

  std::string makeRoot(const llvm::Twine &name = "root") { return (folder + "/" + name).str(); }

  CacheOptions makeOptions(llvm::StringRef root) {
    CacheOptions options;
    options.root = root.str();
    options.warn = [this](llvm::StringRef text) { warnings.push_back(text.str()); };
    return options;
  }
  CacheOptions makeOptions() { return makeOptions(makeRoot()); }

  std::string getEntryPath(unsigned number) { return tilus::getEntryPath(makeRoot(), number); }

  llvm::SmallString<128> folder;
  std::vector<std::string> warnings;
};

} // namespace tilus
