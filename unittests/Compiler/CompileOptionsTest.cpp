// Tests of the options read from the environment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/CompileOptions.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace tilus;

namespace {
/// Sets variables for as long as it lives.
class Environment {
public:
  void set(const char *name, const char *value) {
    const char *old = std::getenv(name);
    saved.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
    setenv(name, value, /*overwrite=*/1);
  }
  ~Environment() {
    for (const auto &[name, value] : saved)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

private:
  std::vector<std::pair<std::string, std::optional<std::string>>> saved;
};
} // namespace

TEST(CompileOptions, FollowTheEnvironment) {
  Environment environment;
  environment.set("TILUS_CUDA_PATH", "/first");
  environment.set("CUDA_HOME", "/second");
  environment.set("CUDA_PATH", "/third");
  environment.set("PATH", "/nowhere/bin:/usr/bin");
  environment.set("TILUS_PTXAS", "/my/ptxas");
  environment.set("TILUS_REPRODUCER_DIR", "/tmp/failures");
  environment.set("TILUS_DUMP", "/tmp/stages");
  CompileOptions options = CompileOptions::fromEnvironment();
  EXPECT_THAT(std::vector<std::string>(options.toolkit.roots.begin(), options.toolkit.roots.begin() + 3),
              testing::ElementsAre("/first", "/second", "/third"));
  EXPECT_EQ(options.toolkit.files[static_cast<size_t>(ToolkitFile::Ptxas)], "/my/ptxas");
  EXPECT_EQ(options.toolkit.files[static_cast<size_t>(ToolkitFile::NvJitLink)], "");
  EXPECT_EQ(options.reproducerFolder, "/tmp/failures");
  EXPECT_EQ(options.dumpFolder, "/tmp/stages");
}

TEST(CompileOptions, AssemblersHaveNames) {
  for (Assembler assembler : {Assembler::Auto, Assembler::NvJitLink, Assembler::Ptxas})
    EXPECT_EQ(parseAssembler(getAssemblerName(assembler)), assembler);
  EXPECT_EQ(parseAssembler("as"), std::nullopt);
}
