// Compares .npy files with NumPy in both directions; skipped where Python has no NumPy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TempFolder.h"
#include "Tilus/Tools/NpyFile.h"

#include "llvm/Support/Program.h"

using namespace tilus;

/// Runs a Python program with one argument; its exit status, or -1 if there is no Python.
static int runPython(llvm::StringRef program, llvm::StringRef argument) {
  llvm::StringRef python = TILUS_TEST_PYTHON;
  if (!llvm::sys::fs::exists(python))
    return -1;
  return llvm::sys::ExecuteAndWait(python, {python, "-c", program, argument});
}

static constexpr const char *dtypeNames[] = {"bool",   "int8",  "uint8",  "int16",   "uint16",  "int32",
                                             "uint32", "int64", "uint64", "float16", "float32", "float64"};
static constexpr const char *formatNames[] = {"bool", "i8",  "ui8",  "i16", "ui16", "i32",
                                              "ui32", "i64", "ui64", "f16", "f32",  "f64"};
static constexpr const char *shapeNames[] = {"", "7", "2x3", "0x4", "1x2x3x4"};
static const std::vector<int64_t> shapes[] = {{}, {7}, {2, 3}, {0, 4}, {1, 2, 3, 4}};

TEST(NpyNumpy, FilesAreTheSameBothWays) {
  if (runPython("import numpy, sys", "") != 0)
    GTEST_SKIP() << "Python with NumPy is not installed";
  TempFolder folder;
  // NumPy's files: the values 0, 1, ... in each dtype and shape, bool by parity.
  ASSERT_EQ(runPython(R"(
import numpy as np, sys
for d in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split():
    for s in ["", "7", "2x3", "0x4", "1x2x3x4"]:
        shape = tuple(int(x) for x in s.split("x") if x)
        a = np.arange(int(np.prod(shape, dtype=int)))
        a = (a % 2 if d == "bool" else a).astype(d).reshape(shape)
        np.save(f"{sys.argv[1]}/numpy-{d}-{s}.npy", a)
)",
                      folder / "."),
            0);
  for (size_t d = 0; d < std::size(dtypeNames); ++d) {
    for (size_t s = 0; s < std::size(shapes); ++s) {
      std::string name = std::string("-") + dtypeNames[d] + "-" + shapeNames[s] + ".npy";
      HostTensor tensor = llvm::cantFail(readNpy(folder / ("numpy" + name)));
      EXPECT_EQ(tensor.format.getName(), formatNames[d]);
      ASSERT_EQ(llvm::ArrayRef<int64_t>(tensor.shape), llvm::ArrayRef<int64_t>(shapes[s])) << name;
      for (int64_t i = 0; i < tensor.getElementCount(); ++i)
        EXPECT_EQ(tensor.decode(i), d == 0 ? i % 2 : i) << name;
      ASSERT_EQ(message(writeNpy(folder / ("tilus" + name), tensor)), "no error");
    }
  }
  EXPECT_EQ(runPython(R"(
import glob, numpy as np, sys
files = glob.glob(f"{sys.argv[1]}/numpy-*.npy")
assert len(files) == 60
for f in files:
    g = f.replace("/numpy-", "/tilus-")
    a, b = np.load(f), np.load(g)
    assert a.dtype == b.dtype and a.shape == b.shape and (a == b).all(), g
    assert open(f, "rb").read() == open(g, "rb").read(), g
)",
                      folder / "."),
            0);
}
