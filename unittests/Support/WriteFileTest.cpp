// Files that people ask for, of kernels with any name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/WriteFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace tilus;

TEST(WriteFileTest, LongNamesOfKernelsGiveFilesOfTheirOwn) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("write-file", folder));
  const std::string names[] = {"short", std::string(1000, 'a'), std::string(1000, 'a') + "b"};
  for (const std::string &name : names) {
    std::string path = makeKernelPath(folder, name, ".sm_90a.ptx");
    ASSERT_FALSE(writeFile(path, name)) << path;
  }
  for (const std::string &name : names) {
    auto file = llvm::MemoryBuffer::getFile(makeKernelPath(folder, name, ".sm_90a.ptx"));
    ASSERT_TRUE(bool(file));
    EXPECT_EQ((*file)->getBuffer(), name);
  }
  EXPECT_EQ(llvm::sys::path::filename(makeKernelPath(folder, "short", ".sm_90a.ptx")), "short.sm_90a.ptx");
  llvm::sys::fs::remove_directories(folder);
}
