// The text form of a kernel argument on a command line.
//
//   4096  -3  0x10  1.5  1e-3  nan  -inf  true      a scalar
//   @a.npy                                          a tensor from a file
//   zeros:512x512xf16  ones:…  arange:…  rand:…  randn:…  randint:…     a tensor made by a rule
// A made tensor takes options, each `:name=value`: `seed` for rand, randn and randint (default 0), `low` and
// `high` for randint (default 0 and 2, `high` excluded).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Tools/TensorGenerator.h"

#include <string>
#include <variant>

namespace tilus {

/// A scalar as it was written: an integer from -2^63 to 2^64 - 1, or a real number.
using ScalarLiteral = std::variant<int64_t, uint64_t, double>;

/// The file of a tensor.
struct TensorFile {
  std::string path;
};

/// A parsed argument.
class ArgumentSpec {
public:
  static llvm::Expected<ArgumentSpec> parse(llvm::StringRef text);

  /// The text it was parsed from.
  llvm::StringRef getText() const { return text; }
  bool isScalar() const { return std::holds_alternative<ScalarLiteral>(value); }

  /// The bits of the scalar in the type of a parameter. Fails for a tensor, for a real number where the type
  /// is an integer, and for a number out of the type's range.
  llvm::Expected<uint64_t> getScalarCode(ScalarFormat format) const;
  /// The tensor, read or made, for a pointer to elements of the type. Fails for a scalar, and where the
  /// elements have another type; integers of one width are taken as one type.
  llvm::Expected<HostTensor> getTensor(ScalarFormat format) const;

private:
  using Value = std::variant<ScalarLiteral, TensorFile, TensorRecipe>;
  ArgumentSpec(llvm::StringRef text, Value value) : text(text), value(std::move(value)) {}
  llvm::Error describe(const llvm::Twine &words) const;

  std::string text;
  Value value;
};

/// Parses "512x512xf16", or "f16" for rank 0.
llvm::Error parseTensorType(llvm::StringRef text, llvm::SmallVectorImpl<int64_t> &shape,
                            ScalarFormat &format);

} // namespace tilus
