// Writes a file of artifacts whose kernels run on the fake driver alone, for tests of programs that read one.
//
//   write-fake-artifact <file> <chip>...
// Each chip gets `scale_<chip>`(n: i32, s: f32, x: pointer to f32) with ceil(n / 1024) blocks, and
// `reduce_<chip>` with the same parameters and a workspace of 4 n bytes. All chips have `increment`(x:
// pointer to i32, n: i64), which the fake driver executes: x[i] += 1 for i < n.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/ArtifactFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace tilus;

static KernelArtifact makeKernel(const std::string &name, const std::string &chip, bool hasWorkspace) {
  KernelArtifact artifact;
  artifact.entry = name + "_" + chip;
  artifact.triple = "nvptx64-nvidia-cuda";
  artifact.chip = chip;
  std::string image =
      "fake " + artifact.entry + " 32 0 0 4 4 8 " + (hasWorkspace ? "8 " : "") + "chip=" + chip;
  artifact.cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
  artifact.blockThreads = 128;
  artifact.params = {{"n", KernelParam::Kind::Scalar, ScalarFormat::getInt(32)},
                     {"s", KernelParam::Kind::Scalar, ScalarFormat::getF32()},
                     {"x", KernelParam::Kind::Pointer, ScalarFormat::getF32(), 16}};
  artifact.grid[0] = llvm::cantFail(GridExpr::parse("p0 1024 ceildivs", 3));
  if (hasWorkspace)
    artifact.workspaces = {{llvm::cantFail(GridExpr::parse("p0 4 mul", 3)), true}};
  artifact.versions = {"0.1.0", "22", "none"};
  return artifact;
}

static KernelArtifact makeIncrement(const std::string &chip) {
  KernelArtifact artifact = makeKernel("increment", chip, /*hasWorkspace=*/false);
  artifact.entry = "increment";
  std::string image = "fake increment 32 0 0 8 8 chip=" + chip + " add=1";
  artifact.cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
  artifact.params = {{"x", KernelParam::Kind::Pointer, ScalarFormat::getInt(32), 4},
                     {"n", KernelParam::Kind::Scalar, ScalarFormat::getInt(64)}};
  artifact.grid[0] = llvm::cantFail(GridExpr::parse("p1 512 ceildivs", 2));
  return artifact;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    llvm::errs() << "expected a file and chips\n";
    return 1;
  }
  ArtifactFile file;
  for (int index = 2; index < argc; ++index) {
    file.artifacts.push_back(makeKernel("scale", argv[index], /*hasWorkspace=*/false));
    file.artifacts.push_back(makeKernel("reduce", argv[index], /*hasWorkspace=*/true));
    file.artifacts.push_back(makeIncrement(argv[index]));
  }
  std::error_code code;
  llvm::raw_fd_ostream os(argv[1], code);
  if (code) {
    llvm::errs() << argv[1] << ": " << code.message() << '\n';
    return 1;
  }
  os << llvm::cantFail(serializeArtifacts(file));
  return 0;
}
