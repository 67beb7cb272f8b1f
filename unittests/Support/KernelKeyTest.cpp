// Each input of a compilation changes its key.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/KernelKey.h"

#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace tilus;

static KernelKeyInputs makeInputs() {
  return {"module {}",
          "nvptx64-nvidia-cuda",
          "sm_90a",
          "+ptx88",
          {{"O", "3"}, {"fast-math", "0"}},
          "builtin.module(cse)",
          "0.1.0-abc",
          "22.1.8",
          "ptxas 13.0.88",
          Hash256::of("ptxas"),
          {Hash256::of("a"), Hash256::of("b")}};
}

TEST(KernelKey, ChangesWithEachInput) {
  static void (*const changes[])(KernelKeyInputs &) = {
      [](KernelKeyInputs &inputs) {},
      [](KernelKeyInputs &inputs) { inputs.ir += " "; },
      [](KernelKeyInputs &inputs) { inputs.triple += "x"; },
      [](KernelKeyInputs &inputs) { inputs.chip = "sm_90"; },
      [](KernelKeyInputs &inputs) { inputs.features = ""; },
      [](KernelKeyInputs &inputs) { inputs.options[0].second = "2"; },
      [](KernelKeyInputs &inputs) { inputs.options[0].first = "o"; },
      [](KernelKeyInputs &inputs) { inputs.options.pop_back(); },
      [](KernelKeyInputs &inputs) { inputs.options.push_back({"", ""}); },
      [](KernelKeyInputs &inputs) { std::swap(inputs.options[0], inputs.options[1]); },
      [](KernelKeyInputs &inputs) { inputs.pipeline += ",cse"; },
      [](KernelKeyInputs &inputs) { inputs.tilusBuild += "d"; },
      [](KernelKeyInputs &inputs) { inputs.llvmVersion = "22.1.9"; },
      [](KernelKeyInputs &inputs) { inputs.assembler = "nvJitLink 13.0.88"; },
      [](KernelKeyInputs &inputs) { inputs.assemblerContent = Hash256::of("another ptxas"); },
      [](KernelKeyInputs &inputs) { inputs.linkedFiles.pop_back(); },
      [](KernelKeyInputs &inputs) { std::swap(inputs.linkedFiles[0], inputs.linkedFiles[1]); },
      // What moves from one field to the next is another input.
      [](KernelKeyInputs &inputs) { inputs.triple += "s", inputs.chip = "m_90a"; },
      [](KernelKeyInputs &inputs) { std::swap(inputs.triple, inputs.chip); },
  };
  std::set<Hash256> keys;
  for (auto change : changes) {
    KernelKeyInputs inputs = makeInputs();
    change(inputs);
    keys.insert(computeKernelKey(inputs));
  }
  EXPECT_EQ(keys.size(), std::size(changes));
  EXPECT_EQ(computeKernelKey(makeInputs()), computeKernelKey(makeInputs()));
}

TEST(KernelKey, TellsRandomOptionSetsApart) {
  std::mt19937_64 random(5);
  // Few short names and values, so that sets are close to each other and some are drawn twice.
  auto makeWord = [&] { return std::string(random() % 3, "ab=\0"[random() % 4]); };
  std::map<std::vector<std::pair<std::string, std::string>>, Hash256> keys;
  std::set<Hash256> distinct;
  for (unsigned i = 0; i < 100000; ++i) {
    KernelKeyInputs inputs;
    for (unsigned count = random() % 6; count > 0; --count)
      inputs.options.push_back({makeWord(), makeWord()});
    Hash256 key = computeKernelKey(inputs);
    EXPECT_EQ(keys.emplace(inputs.options, key).first->second, key);
    distinct.insert(key);
  }
  EXPECT_EQ(distinct.size(), keys.size());
  EXPECT_GT(keys.size(), 50000u);
}
