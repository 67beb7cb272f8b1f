// Tests of .npy files: every dtype, every version, malformed content, the types that NumPy lacks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/NpyFile.h"
#include "TempFolder.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"

using namespace tilus;

static ScalarFormat get(llvm::StringRef name) { return *ScalarFormat::parse(name); }

/// A file put together by the format's specification.
static std::string makeFile(std::string header, llvm::StringRef data, char version = 1) {
  header += '\n';
  std::string file = std::string("\x93NUMPY") + version + '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  if (version > 1)
    file += std::string(2, '\0');
  return file + header + data.str();
}

namespace {
class NpyFileTest : public testing::Test {
protected:
  /// Reads a file of the given content; the error without the folder's name.
  std::string readError(llvm::StringRef content) {
    std::string path = folder.write("a.npy", content), text = message(readNpy(path));
    EXPECT_EQ(text.substr(0, path.size() + 2), path + ": ");
    return text.substr(path.size() + 2);
  }
  std::string readAsError(llvm::StringRef content, llvm::StringRef format) {
    std::string path = folder.write("a.npy", content), text = message(readNpyAs(path, get(format)));
    return text.substr(std::min(text.size(), path.size() + 2));
  }
  HostTensor read(llvm::StringRef content) { return llvm::cantFail(readNpy(folder.write("a.npy", content))); }

  TempFolder folder;
};
} // namespace

TEST_F(NpyFileTest, ReadsEachVersionAndKeyOrder) {
  std::string data("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  for (char version : {1, 2, 3}) {
    for (const char *header : {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }   ",
                               "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<i2\"}"}) {
      HostTensor tensor = read(makeFile(header, data, version));
      EXPECT_EQ(llvm::ArrayRef<int64_t>(tensor.shape), llvm::ArrayRef<int64_t>({2, 3}));
      EXPECT_EQ(tensor.format, get("i16"));
      for (int i = 0; i < 6; ++i)
        EXPECT_EQ(tensor.decode(i), i + 1);
    }
  }
}

TEST_F(NpyFileTest, ReadsRankZeroAndEmptyShapes) {
  HostTensor scalar = read(
      makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", std::string("\0\0\xc0\x3f", 4)));
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_EQ(scalar.getElementCount(), 1);
  EXPECT_EQ(scalar.decode(0), 1.5);
  HostTensor empty = read(makeFile("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 0), }", ""));
  EXPECT_EQ(empty.getElementCount(), 0);
  EXPECT_EQ(empty.shape[0], 3);
}

TEST_F(NpyFileTest, RefusesWhatItCannotHold) {
  auto dtype = [&](const char *descr) {
    return readError(
        makeFile(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': (1,), }", "x"));
  };
  EXPECT_EQ(dtype("'>f4'"), "expected little-endian data, but got the big-endian dtype '>f4'");
  EXPECT_EQ(dtype("'|O'"), "expected a dtype of bool, integers or real numbers, but got '|O'");
  EXPECT_EQ(dtype("'<c8'"), "expected a dtype of bool, integers or real numbers, but got '<c8'");
  EXPECT_EQ(dtype("[('a', '<f4')]"), "expected a plain dtype, but got a structured one");
  EXPECT_EQ(
      readError(makeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", "")),
      "expected an array in C order, but got one in Fortran order; save it with numpy.ascontiguousarray");
  EXPECT_EQ(readError(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", "1234")),
            "expected 24 bytes of data for 2x3xf32, but got 4");
  EXPECT_EQ(readError(makeFile(
                "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", "")),
            "expected a tensor that fits in memory, but got 4611686018427387904x4xf32");
}

TEST_F(NpyFileTest, RefusesMalformedHeaders) {
  EXPECT_EQ(readError("PK\3\4"),
            "expected a .npy file, which begins with '\\x93NUMPY', but got other content");
  EXPECT_EQ(readError(""), "expected a .npy file, which begins with '\\x93NUMPY', but got other content");
  EXPECT_EQ(readError(makeFile("{}", "", 4)), "expected .npy format version 1, 2 or 3, but got 4");
  EXPECT_EQ(readError(llvm::StringRef("\x93NUMPY\1\0\1", 9)),
            "expected a whole header, but got the end of the file");
  EXPECT_EQ(readError(llvm::StringRef("\x93NUMPY\1\0\x10\0{}", 12)),
            "expected a header of 16 bytes, but got 2");
  EXPECT_EQ(readError(makeFile("", "")), "expected '{' in the header, but got ''");
  EXPECT_EQ(readError(makeFile("{'descr': '<f4'}", "")),
            "expected the key 'fortran_order' in the header, but got none");
  EXPECT_EQ(
      readError(makeFile("{'descr': '<f4', 'descr': '<f4'}", "")),
      "expected each of the keys 'descr', 'fortran_order' and 'shape' once in the header, but got 'descr'");
  EXPECT_EQ(readError(makeFile("{'shape': (1, -2)}", "")),
            "expected a size of at least 0 in the header, but got ')}\n'");
  EXPECT_EQ(readError(makeFile("{'shape': (1 2)}", "")),
            "expected ',' or ')' in the header, but got '2)}\n'");
  EXPECT_EQ(readError(makeFile("{'fortran_order': 1}", "")),
            "expected True or False in the header, but got '1}\n'");
  EXPECT_EQ(readError(makeFile("{'descr': 7}", "")), "expected a string in the header, but got '7}\n'");
}

// Every prefix and every changed byte of a file is read or refused, and never does harm.
TEST_F(NpyFileTest, SurvivesDamage) {
  std::string file = makeFile("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1), }", "abcd");
  for (size_t length = 0; length < file.size(); ++length)
    EXPECT_NE(readError(llvm::StringRef(file).take_front(length)), "no error");
  for (size_t i = 0; i < file.size(); ++i) {
    for (char value : {'\xff', '9'}) {
      std::string damaged = file;
      damaged[i] = value;
      llvm::consumeError(readNpy(folder.write("b.npy", damaged)).takeError());
    }
  }
}

TEST_F(NpyFileTest, NamesAFileThatIsMissing) {
  std::string path = folder / "missing.npy";
  EXPECT_EQ(message(readNpy(path)), path + ": expected a readable file, but got 'No such file or directory'");
  HostTensor tensor = llvm::cantFail(HostTensor::create({1}, get("f32")));
  path = folder / "no/such/folder.npy";
  EXPECT_EQ(message(writeNpy(path, tensor)),
            path + ": expected a writable file, but got 'No such file or directory'");
}

TEST_F(NpyFileTest, ChecksTheElementType) {
  std::string f16 = makeFile("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", "abcd");
  std::string u16 = makeFile("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }", "abcd");
  std::string u8 = makeFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }", "abcd");
  EXPECT_EQ(readAsError(f16, "f16"), "");
  EXPECT_EQ(readAsError(f16, "bf16"), "expected dtype uint16 for elements of type bf16, but got float16");
  EXPECT_EQ(readAsError(f16, "f32"), "expected dtype float32 for elements of type f32, but got float16");
  EXPECT_EQ(readAsError(u16, "f16"), "expected dtype float16 for elements of type f16, but got uint16");
  EXPECT_EQ(readAsError(u16, "i32"), "expected dtype int32 for elements of type i32, but got uint16");
  EXPECT_EQ(readAsError(u8, "bool"), "expected dtype bool for elements of type bool, but got uint8");
  EXPECT_EQ(readAsError(u8, "i4"),
            "expected one dimension of packed bytes for elements of type i4, but got 2 dimensions");
  for (const char *format : {"bf16", "i16", "ui16"})
    EXPECT_EQ(readAsError(u16, format), "");
  for (const char *format : {"f8E4M3FN", "f8E5M2", "i8"})
    EXPECT_EQ(readAsError(u8, format), "");
}

TEST_F(NpyFileTest, WhatIsWrittenIsRead) {
  for (const char *name :
       {"bool", "i8",  "ui8",  "i16",  "ui16",     "i32",    "ui32", "i64",      "ui64", "f16",
        "f32",  "f64", "bf16", "tf32", "f8E4M3FN", "f8E5M2", "i4",   "f6E3M2FN", "ui1",  "i24"}) {
    HostTensor tensor = llvm::cantFail(HostTensor::create({2, 3, 4}, get(name)));
    for (int i = 0; i < 24; ++i)
      tensor.setCode(i, tensor.format.encodeUInt(i % 2, Overflow::Special));
    ASSERT_EQ(message(writeNpy(folder / "c.npy", tensor)), "no error");
    HostTensor back = llvm::cantFail(readNpyAs(folder / "c.npy", get(name)));
    EXPECT_EQ(back.bytes, tensor.bytes) << name;
    EXPECT_EQ(back.format, tensor.format);
    EXPECT_EQ(back.getElementCount(), 24) << name;
    auto file = std::move(*llvm::MemoryBuffer::getFile(folder / "c.npy"));
    EXPECT_EQ((file->getBufferSize() - tensor.bytes.size()) % 64, 0u);
  }
}
