// Parsing of command-line arguments of kernels and their conversion to scalars and tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/ArgumentSpec.h"
#include "Tilus/Tools/NpyFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>
#include <optional>

namespace tilus {

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

namespace {
struct WordRow {
  llvm::StringLiteral word;
  ScalarLiteral value;
};
} // namespace

static std::optional<ScalarLiteral> parseWord(llvm::StringRef text) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const WordRow rows[] = {{"nan", nan},   {"-nan", -nan},        {"inf", inf},          {"+inf", inf},
                          {"-inf", -inf}, {"true", uint64_t(1)}, {"false", uint64_t(0)}};
  for (const WordRow &row : rows)
    if (row.word == text)
      return row.value;
  return std::nullopt;
}

/// Parses an integer in decimal, or in hexadecimal, octal or binary after `0x`, `0o`, `0b`.
static std::optional<ScalarLiteral> parseInteger(llvm::StringRef text) {
  bool isNegative = text.consume_front("-");
  if (text.empty() || !llvm::isDigit(text[0]))
    return std::nullopt;
  bool hasPrefix = text.size() > 2 && text[0] == '0' && llvm::isAlpha(text[1]);
  uint64_t magnitude;
  if (text.getAsInteger(hasPrefix ? 0 : 10, magnitude))
    return std::nullopt;
  if (!isNegative)
    return magnitude;
  if (magnitude > uint64_t(1) << 63)
    return std::nullopt;
  return static_cast<int64_t>(-magnitude);
}

static std::optional<ScalarLiteral> parseScalar(llvm::StringRef text) {
  if (std::optional<ScalarLiteral> value = parseWord(text))
    return value;
  if (std::optional<ScalarLiteral> value = parseInteger(text))
    return value;
  double value;
  // Letters other than an exponent would be names of special values; digits alone are an integer out of
  // range.
  bool isReal = text.find_first_not_of("+-.0123456789eE") == llvm::StringRef::npos &&
                text.find_first_of(".eE") != llvm::StringRef::npos && !llvm::isAlpha(text.back());
  if (!isReal || text.getAsDouble(value, /*AllowInexact=*/true) || !std::isfinite(value))
    return std::nullopt;
  return value;
}

//===----------------------------------------------------------------------===//
// Tensors made by a rule
//===----------------------------------------------------------------------===//

llvm::Error parseTensorType(llvm::StringRef text, llvm::SmallVectorImpl<int64_t> &shape,
                            ScalarFormat &format) {
  shape.clear();
  llvm::StringRef rest = text;
  while (!rest.empty() && llvm::isDigit(rest[0])) {
    int64_t size;
    if (rest.consumeInteger(10, size) || !rest.consume_front("x"))
      return llvm::createStringError("expected sizes and an element type as in '512x512xf16', but got '" +
                                     text + "'");
    shape.push_back(size);
  }
  std::optional<ScalarFormat> parsed = ScalarFormat::parse(rest);
  if (!parsed)
    return llvm::createStringError(
        "expected an element type such as f16, bf16, f8E4M3FN, i4 or ui8, but got '" + rest + "'");
  format = *parsed;
  return llvm::Error::success();
}

namespace {
struct GeneratorRow {
  llvm::StringLiteral name;
  GeneratorKind kind;
  /// The options that it takes, apart by spaces.
  llvm::StringLiteral options;
};
} // namespace

static constexpr GeneratorRow generators[] = {
    {"zeros", GeneratorKind::Zeros, ""},     {"ones", GeneratorKind::Ones, ""},
    {"arange", GeneratorKind::Arange, ""},   {"rand", GeneratorKind::Rand, "seed"},
    {"randn", GeneratorKind::Randn, "seed"}, {"randint", GeneratorKind::Randint, "seed low high"},
};

static llvm::Error parseOption(llvm::StringRef text, const GeneratorRow &row, TensorRecipe &recipe) {
  auto [name, value] = text.split('=');
  llvm::SmallVector<llvm::StringRef, 3> allowed;
  llvm::SplitString(row.options, allowed);
  if (!llvm::is_contained(allowed, name))
    return llvm::createStringError(
        "expected " +
        (allowed.empty() ? "no option" : "an option among '" + llvm::join(allowed, "', '") + "'") + " for " +
        row.name + ", but got '" + name + "'");
  bool isBad = name == "seed"  ? value.getAsInteger(0, recipe.seed)
               : name == "low" ? value.getAsInteger(0, recipe.low)
                               : value.getAsInteger(0, recipe.high);
  if (isBad)
    return llvm::createStringError("expected an integer for option '" + name + "', but got '" + value + "'");
  return llvm::Error::success();
}

static llvm::Expected<TensorRecipe> parseRecipe(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> words;
  text.split(words, ':');
  for (const GeneratorRow &row : generators) {
    if (row.name != words[0])
      continue;
    TensorRecipe recipe;
    recipe.kind = row.kind;
    if (llvm::Error error = parseTensorType(words[1], recipe.shape, recipe.format))
      return std::move(error);
    for (llvm::StringRef option : llvm::drop_begin(words, 2))
      if (llvm::Error error = parseOption(option, row, recipe))
        return std::move(error);
    return recipe;
  }
  return llvm::createStringError(
      "expected zeros, ones, arange, rand, randn or randint before ':', but got '" + words[0] + "'");
}

//===----------------------------------------------------------------------===//
// ArgumentSpec
//===----------------------------------------------------------------------===//

static llvm::Error describeArgument(llvm::StringRef text, const llvm::Twine &words) {
  return llvm::createStringError("argument '" + text + "': " + words);
}

llvm::Error ArgumentSpec::describe(const llvm::Twine &words) const { return describeArgument(text, words); }

llvm::Expected<ArgumentSpec> ArgumentSpec::parse(llvm::StringRef text) {
  if (text.starts_with("@")) {
    if (text.size() == 1)
      return describeArgument(text, "expected a file name after '@', but got none");
    return ArgumentSpec(text, TensorFile{text.drop_front().str()});
  }
  if (text.contains(':')) {
    llvm::Expected<TensorRecipe> recipe = parseRecipe(text);
    if (!recipe)
      return describeArgument(text, llvm::toString(recipe.takeError()));
    return ArgumentSpec(text, *recipe);
  }
  if (std::optional<ScalarLiteral> scalar = parseScalar(text))
    return ArgumentSpec(text, *scalar);
  return describeArgument(
      text, "expected a number, '@file.npy', or a rule as in 'rand:512x512xf16:seed=7', but got "
            "none of them");
}

/// The code of a literal of either integer type or of a real number.
static uint64_t encodeLiteral(const ScalarLiteral &literal, const ScalarFormat &format, Overflow overflow) {
  if (const auto *number = std::get_if<int64_t>(&literal))
    return format.encodeInt(*number, overflow);
  if (const auto *number = std::get_if<uint64_t>(&literal))
    return format.encodeUInt(*number, overflow);
  return format.encode(std::get<double>(literal), overflow);
}

static bool canHold(const ScalarFormat &format, const ScalarLiteral &literal) {
  if (!format.isFloat()) {
    if (const auto *number = std::get_if<int64_t>(&literal))
      return format.canHoldInt(*number);
    return format.canHoldUInt(std::get<uint64_t>(literal));
  }
  double value =
      ScalarFormat::getF64().decode(encodeLiteral(literal, ScalarFormat::getF64(), Overflow::Special));
  if (!std::isfinite(value))
    return format.hasNaN() && (std::isnan(value) || format.hasInfinity());
  // Where overflow has no code of its own, the largest value is the limit; else rounding decides.
  if (!format.hasNaN())
    return std::abs(value) <= format.decode(format.getMaxCode());
  return encodeLiteral(literal, format, Overflow::Special) ==
         encodeLiteral(literal, format, Overflow::Saturate);
}

llvm::Expected<uint64_t> ArgumentSpec::getScalarCode(ScalarFormat format) const {
  const auto *literal = std::get_if<ScalarLiteral>(&value);
  if (!literal)
    return describe("expected a scalar of type " + format.getName() + ", but got a tensor");
  if (std::holds_alternative<double>(*literal) && !format.isFloat())
    return describe("expected an integer of type " + format.getName() + ", but got a real number");
  if (!canHold(format, *literal))
    return describe("expected a value of type " + format.getName() + ", but got " + text);
  return encodeLiteral(*literal, format, Overflow::Special);
}

llvm::Expected<HostTensor> ArgumentSpec::getTensor(ScalarFormat format) const {
  if (const auto *file = std::get_if<TensorFile>(&value))
    return readNpyAs(file->path, format);
  const auto *recipe = std::get_if<TensorRecipe>(&value);
  if (!recipe)
    return describe("expected a tensor with elements of type " + format.getName() + ", but got a scalar");
  bool isSameInteger = format.isInteger() && recipe->format.isInteger() && format.bits == recipe->format.bits;
  if (recipe->format != format && !isSameInteger)
    return describe("expected elements of type " + format.getName() + ", but got " +
                    recipe->format.getName());
  llvm::Expected<HostTensor> tensor = generateTensor(*recipe);
  if (!tensor)
    return describe(llvm::toString(tensor.takeError()));
  tensor->format = format;
  return tensor;
}

} // namespace tilus
