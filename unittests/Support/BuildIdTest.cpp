// Build ids in memory and in files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/BuildId.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstring>
#include <elf.h>

using namespace tilus;

static std::string readProgram() {
  auto buffer =
      llvm::MemoryBuffer::getFile("/proc/self/exe", /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// The build id of a file with these contents.
static std::string readIdOf(llvm::StringRef contents) {
  llvm::SmallString<64> path;
  int descriptor = -1;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("build-id", "", descriptor, path));
  {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << contents;
  }
  std::string buildId = readBuildIdOfFile(path.str().str());
  llvm::sys::fs::remove(path);
  return buildId;
}

TEST(BuildIdTest, IsTheSameInMemoryAndInTheFile) {
  std::string loaded = findBuildIdOfObject(reinterpret_cast<const void *>(&readProgram));
  EXPECT_GE(loaded.size(), 16u);
  EXPECT_EQ(loaded, readBuildIdOfFile("/proc/self/exe"));
  EXPECT_EQ(findBuildIdOfObject(nullptr), "");
}

TEST(BuildIdTest, FilesThatAreNoProgramsHaveNone) {
  EXPECT_EQ(readBuildIdOfFile("/no/such/file"), "");
  EXPECT_EQ(readBuildIdOfFile("/dev/null"), "");
  EXPECT_EQ(readIdOf("#!/bin/sh"), "");
}

TEST(BuildIdTest, FilesThatEndEarlyOrLieAreNotReadBeyondTheirEnd) {
  std::string program = readProgram().substr(0, 4096);
  std::string expected = readBuildIdOfFile("/proc/self/exe");
  for (size_t size = 0; size < program.size(); size += 37) {
    std::string buildId = readIdOf(llvm::StringRef(program).take_front(size));
    EXPECT_TRUE(buildId.empty() || buildId == expected) << size;
  }
  Elf64_Ehdr header;
  std::memcpy(&header, program.data(), sizeof(header));
  header.e_phoff = ~uint64_t(0) - 8;
  std::string liar = program;
  std::memcpy(liar.data(), &header, sizeof(header));
  EXPECT_EQ(readIdOf(liar), "");
  for (unsigned index = 0; index < header.e_phnum; ++index) {
    Elf64_Phdr part;
    size_t place = sizeof(header) + index * sizeof(part);
    std::memcpy(&part, program.data() + place, sizeof(part));
    part.p_filesz = part.p_offset = ~uint64_t(0);
    std::memcpy(program.data() + place, &part, sizeof(part));
  }
  EXPECT_EQ(readIdOf(program), "");
}
