// Tests of the text form of kernel arguments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/ArgumentSpec.h"
#include "TempFolder.h"
#include "Tilus/Tools/NpyFile.h"

#include "gmock/gmock.h"

using namespace tilus;
using testing::HasSubstr;

static ScalarFormat get(llvm::StringRef name) { return *ScalarFormat::parse(name); }

static uint64_t code(llvm::StringRef text, llvm::StringRef format) {
  llvm::Expected<ArgumentSpec> spec = ArgumentSpec::parse(text);
  if (!spec) {
    ADD_FAILURE() << message(spec.takeError());
    return 0;
  }
  llvm::Expected<uint64_t> code = spec->getScalarCode(get(format));
  if (!code) {
    ADD_FAILURE() << message(code.takeError());
    return 0;
  }
  return *code;
}

/// The error of parsing, or of use as a scalar.
static std::string scalarError(llvm::StringRef text, llvm::StringRef format = "i32") {
  llvm::Expected<ArgumentSpec> spec = ArgumentSpec::parse(text);
  return spec ? message(spec->getScalarCode(get(format))) : message(spec.takeError());
}

static std::string tensorError(llvm::StringRef text, llvm::StringRef format) {
  llvm::Expected<ArgumentSpec> spec = ArgumentSpec::parse(text);
  return spec ? message(spec->getTensor(get(format))) : message(spec.takeError());
}

TEST(ArgumentSpec, ParsesScalars) {
  EXPECT_EQ(code("4096", "i32"), 4096u);
  EXPECT_EQ(code("-3", "i32"), 0xfffffffdu);
  EXPECT_EQ(code("0x10", "i32"), 16u);
  EXPECT_EQ(code("-0x10", "i64"), ~uint64_t(0) - 15);
  EXPECT_EQ(code("010", "i32"), 10u);
  EXPECT_EQ(code("18446744073709551615", "ui64"), ~uint64_t(0));
  EXPECT_EQ(code("-9223372036854775808", "i64"), uint64_t(1) << 63);
  EXPECT_EQ(code("255", "i8"), 255u);
  EXPECT_EQ(code("true", "bool"), 1u);
  EXPECT_EQ(code("1.5", "f32"), 0x3fc00000u);
  EXPECT_EQ(code("-1e-3", "f64"), 0xbf50624dd2f1a9fcu);
  EXPECT_EQ(code("1e-40", "f32"), 0x000116c2u);
  EXPECT_EQ(code("3.4028235e38", "f32"), 0x7f7fffffu);
  EXPECT_EQ(code("2", "f16"), 0x4000u);
  EXPECT_EQ(code("nan", "f32"), 0x7fc00000u);
  EXPECT_EQ(code("-inf", "bf16"), 0xff80u);
  EXPECT_EQ(code("-0.0", "f16"), 0x8000u);
}

TEST(ArgumentSpec, RefusesScalarsOutOfRange) {
  EXPECT_EQ(scalarError("4294967296"),
            "argument '4294967296': expected a value of type i32, but got 4294967296");
  EXPECT_EQ(scalarError("-129", "i8"), "argument '-129': expected a value of type i8, but got -129");
  EXPECT_EQ(scalarError("1.5"), "argument '1.5': expected an integer of type i32, but got a real number");
  EXPECT_EQ(scalarError("nan"), "argument 'nan': expected an integer of type i32, but got a real number");
  EXPECT_EQ(scalarError("65520", "f16"), "argument '65520': expected a value of type f16, but got 65520");
  EXPECT_EQ(scalarError("inf", "f8E4M3FN"), "argument 'inf': expected a value of type f8E4M3FN, but got inf");
  EXPECT_EQ(scalarError("6.5", "f4E2M1FN"), "argument '6.5': expected a value of type f4E2M1FN, but got 6.5");
  EXPECT_EQ(scalarError("nan", "f4E2M1FN"), "argument 'nan': expected a value of type f4E2M1FN, but got nan");
  EXPECT_EQ(scalarError("@a.npy"), "argument '@a.npy': expected a scalar of type i32, but got a tensor");
  EXPECT_EQ(scalarError("zeros:4xf16", "f16"),
            "argument 'zeros:4xf16': expected a scalar of type f16, but got a tensor");
}

TEST(ArgumentSpec, RefusesWhatItCannotRead) {
  for (const char *text : {"", "abc", "0x", "0xg", "1.5.2", "1e", "--1", "infinity", "1_000", " 1", "1e999",
                           "-9223372036854775809"})
    EXPECT_EQ(scalarError(text), std::string("argument '") + text +
                                     "': expected a number, '@file.npy', or a rule as in "
                                     "'rand:512x512xf16:seed=7', but got none of them")
        << text;
  EXPECT_EQ(scalarError("@"), "argument '@': expected a file name after '@', but got none");
  EXPECT_THAT(scalarError("rnd:4xf16"),
              HasSubstr("expected zeros, ones, arange, rand, randn or randint before ':', but got 'rnd'"));
  EXPECT_THAT(scalarError("zeros:4xf17"),
              HasSubstr("expected an element type such as f16, bf16, f8E4M3FN, i4 or ui8, but got 'f17'"));
  EXPECT_THAT(scalarError("zeros:4"),
              HasSubstr("expected sizes and an element type as in '512x512xf16', but got '4'"));
  EXPECT_THAT(scalarError("zeros:-4xf16"), HasSubstr("but got '-4xf16'"));
  EXPECT_THAT(scalarError("zeros:4xf16:seed=1"), HasSubstr("expected no option for zeros, but got 'seed'"));
  EXPECT_THAT(scalarError("rand:4xf16:low=1"),
              HasSubstr("expected an option among 'seed' for rand, but got 'low'"));
  EXPECT_THAT(scalarError("randint:4xi8:hi=1"),
              HasSubstr("expected an option among 'seed', 'low', 'high' for randint, but got 'hi'"));
  EXPECT_THAT(scalarError("rand:4xf16:seed=x"),
              HasSubstr("expected an integer for option 'seed', but got 'x'"));
}

TEST(ArgumentSpec, MakesTensors) {
  ArgumentSpec spec = llvm::cantFail(ArgumentSpec::parse("randint:2x3xi32:seed=7:low=-5:high=10"));
  EXPECT_FALSE(spec.isScalar());
  HostTensor tensor = llvm::cantFail(spec.getTensor(get("i32")));
  HostTensor expected =
      llvm::cantFail(generateTensor({GeneratorKind::Randint, {2, 3}, get("i32"), 7, -5, 10}));
  EXPECT_EQ(tensor.bytes, expected.bytes);
  EXPECT_EQ(llvm::ArrayRef<int64_t>(tensor.shape), llvm::ArrayRef<int64_t>({2, 3}));
  HostTensor scalar = llvm::cantFail(llvm::cantFail(ArgumentSpec::parse("ones:bf16")).getTensor(get("bf16")));
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_EQ(scalar.decode(0), 1);
  EXPECT_EQ(tensorError("arange:3xi8", "ui8"), "no error");
  EXPECT_EQ(tensorError("arange:3xi8", "f8E4M3FN"),
            "argument 'arange:3xi8': expected elements of type f8E4M3FN, but got i8");
  EXPECT_EQ(tensorError("rand:3xi8", "i8"),
            "argument 'rand:3xi8': expected a float type for random real numbers, but got i8; use randint");
  EXPECT_EQ(tensorError("4", "f16"),
            "argument '4': expected a tensor with elements of type f16, but got a scalar");
}

TEST(ArgumentSpec, ReadsFiles) {
  TempFolder folder;
  HostTensor tensor = llvm::cantFail(generateTensor({GeneratorKind::Arange, {4}, get("f16")}));
  llvm::cantFail(writeNpy(folder / "a.npy", tensor));
  ArgumentSpec spec = llvm::cantFail(ArgumentSpec::parse("@" + (folder / "a.npy")));
  EXPECT_EQ(llvm::cantFail(spec.getTensor(get("f16"))).bytes, tensor.bytes);
  EXPECT_EQ(message(spec.getTensor(get("f32"))),
            (folder / "a.npy") + ": expected dtype float32 for elements of type f32, but got float16");
}
