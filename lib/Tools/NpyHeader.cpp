// Parsing and printing of .npy headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NpyHeader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

namespace tilus {

static constexpr llvm::StringLiteral magic = "\x93NUMPY";

namespace {
/// Parses the dictionary `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`, keys in any order.
class DictionaryParser {
public:
  explicit DictionaryParser(llvm::StringRef text) : rest(text) {}
  llvm::Expected<NpyHeader> parse();

private:
  llvm::Error expected(const llvm::Twine &what);
  bool consume(llvm::StringRef token);
  llvm::Expected<llvm::StringRef> parseString();
  llvm::Error parseValue(llvm::StringRef key);
  llvm::Error parseDescr();
  llvm::Error parseOrder();
  llvm::Error parseShape();

  llvm::StringRef rest;
  NpyHeader header;
};
} // namespace

llvm::Error DictionaryParser::expected(const llvm::Twine &what) {
  return llvm::createStringError("expected " + what + " in the header, but got '" + rest.take_front(24) +
                                 "'");
}

bool DictionaryParser::consume(llvm::StringRef token) {
  rest = rest.ltrim(" \n");
  return rest.consume_front(token);
}

llvm::Expected<llvm::StringRef> DictionaryParser::parseString() {
  rest = rest.ltrim(" \n");
  for (char quote : {'\'', '"'}) {
    size_t end = rest.find(quote, 1);
    if (!rest.starts_with(quote) || end == llvm::StringRef::npos)
      continue;
    llvm::StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }
  return expected("a string");
}

llvm::Error DictionaryParser::parseDescr() {
  if (consume("["))
    return llvm::createStringError("expected a plain dtype, but got a structured one");
  llvm::Expected<llvm::StringRef> text = parseString();
  if (!text)
    return text.takeError();
  header.descr = text->str();
  return llvm::Error::success();
}

llvm::Error DictionaryParser::parseOrder() {
  if (consume("True")) {
    header.isFortranOrder = true;
    return llvm::Error::success();
  }
  return consume("False") ? llvm::Error::success() : expected("True or False");
}

llvm::Error DictionaryParser::parseShape() {
  if (!consume("("))
    return expected("'('");
  while (!consume(")")) {
    int64_t size;
    if (rest.consumeInteger(10, size) || size < 0)
      return expected("a size of at least 0");
    header.shape.push_back(size);
    if (!consume(",") && !rest.ltrim(" \n").starts_with(")"))
      return expected("',' or ')'");
  }
  return llvm::Error::success();
}

llvm::Error DictionaryParser::parseValue(llvm::StringRef key) {
  if (key == "descr")
    return parseDescr();
  if (key == "fortran_order")
    return parseOrder();
  return parseShape();
}

llvm::Expected<NpyHeader> DictionaryParser::parse() {
  if (!consume("{"))
    return expected("'{'");
  llvm::SmallVector<llvm::StringRef, 3> missing = {"descr", "fortran_order", "shape"};
  while (!consume("}")) {
    llvm::Expected<llvm::StringRef> key = parseString();
    if (!key)
      return key.takeError();
    auto *place = llvm::find(missing, *key);
    if (place == missing.end())
      return llvm::createStringError(
          "expected each of the keys 'descr', 'fortran_order' and 'shape' once in the "
          "header, but got '" +
          *key + "'");
    missing.erase(place);
    if (!consume(":"))
      return expected("':'");
    if (llvm::Error error = parseValue(*key))
      return std::move(error);
    if (!consume(",") && !rest.ltrim(" \n").starts_with("}"))
      return expected("',' or '}'");
  }
  if (!missing.empty())
    return llvm::createStringError("expected the key '" + missing.front() + "' in the header, but got none");
  return header;
}

llvm::Expected<NpyHeader> consumeNpyHeader(llvm::StringRef &content) {
  if (!content.consume_front(magic) || content.size() < 2)
    return llvm::createStringError(
        "expected a .npy file, which begins with '\\x93NUMPY', but got other content");
  unsigned version = static_cast<uint8_t>(content[0]);
  if (version < 1 || version > 3)
    return llvm::createStringError("expected .npy format version 1, 2 or 3, but got " + llvm::Twine(version));
  content = content.drop_front(2);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (content.size() < lengthBytes)
    return llvm::createStringError("expected a whole header, but got the end of the file");
  size_t length = version == 1 ? llvm::support::endian::read16le(content.data())
                               : llvm::support::endian::read32le(content.data());
  content = content.drop_front(lengthBytes);
  if (content.size() < length)
    return llvm::createStringError("expected a header of " + llvm::Twine(length) + " bytes, but got " +
                                   llvm::Twine(content.size()));
  llvm::StringRef text = content.take_front(length);
  content = content.drop_front(length);
  return DictionaryParser(text).parse();
}

std::string printNpyHeader(const NpyHeader &header) {
  std::string shape;
  for (auto [index, size] : llvm::enumerate(header.shape))
    shape += (index ? ", " : "") + std::to_string(size);
  if (header.shape.size() == 1)
    shape += ",";
  std::string text = "{'descr': '" + header.descr +
                     "', 'fortran_order': " + (header.isFortranOrder ? "True" : "False") + ", 'shape': (" +
                     shape + "), }";
  // NumPy leaves room for the first size to grow to 21 digits, so that files can be appended to.
  if (!header.shape.empty())
    text.append(21 - std::to_string(header.shape.front()).size(), ' ');
  size_t lengthBytes = text.size() + 1 + 64 > 65535 ? 4 : 2, before = magic.size() + 2 + lengthBytes;
  text.append((64 - (before + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string result = magic.str() + (lengthBytes == 2 ? '\1' : '\2') + '\0';
  for (size_t i = 0; i < lengthBytes; ++i)
    result += static_cast<char>(text.size() >> (8 * i));
  return result + text;
}

} // namespace tilus
