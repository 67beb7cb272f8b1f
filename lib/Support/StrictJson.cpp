// Bounded parsing of JSON and strict reading of objects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/StrictJson.h"

#include <limits>

namespace tilus {

/// The parser recurses once a level.
static constexpr unsigned maxLevels = 32;

/// The greatest number of arrays and objects around any place of the text.
static unsigned measureLevels(llvm::StringRef text) {
  unsigned level = 0, greatest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char character = text[i];
    if (inString) {
      i += character == '\\';
      inString = character != '"';
    } else if (character == '"') {
      inString = true;
    } else if (character == '[' || character == '{') {
      greatest = std::max(greatest, ++level);
    } else if ((character == ']' || character == '}') && level > 0) {
      --level;
    }
  }
  return greatest;
}

llvm::Expected<llvm::json::Value> parseStrictJson(llvm::StringRef text, size_t maxBytes) {
  if (text.size() > maxBytes)
    return llvm::createStringError("expected at most " + llvm::Twine(maxBytes) + " bytes of JSON, but got " +
                                   llvm::Twine(text.size()));
  if (unsigned levels = measureLevels(text); levels > maxLevels)
    return llvm::createStringError("expected at most " + llvm::Twine(maxLevels) +
                                   " levels of JSON, but got " + llvm::Twine(levels));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return llvm::createStringError("expected JSON, but got '" + llvm::toString(value.takeError()) + "'");
  return value;
}

JsonFieldReader::JsonFieldReader(const llvm::json::Value &value, llvm::StringRef what)
    : object(value.getAsObject()), what(what) {
  if (!object)
    fault = ("expected an object for " + what + ", but got another value").str();
}

void JsonFieldReader::fail(const llvm::Twine &rule, const llvm::Twine &actual) {
  if (!hasFailed())
    fault = ("expected " + rule + " in " + what + ", but got " + actual).str();
}

void JsonFieldReader::fail(llvm::Error error) {
  if (!error)
    return;
  std::string text = llvm::toString(std::move(error));
  if (!hasFailed())
    fault = text + " in " + what;
}

const llvm::json::Value *JsonFieldReader::getField(llvm::StringRef name) {
  known.insert(name);
  const llvm::json::Value *value = object ? object->get(name) : nullptr;
  if (!value)
    fail("a field '" + name + "'", "none");
  return value;
}

const llvm::json::Value *JsonFieldReader::readValue(llvm::StringRef name) { return getField(name); }

void JsonFieldReader::read(llvm::StringRef name, std::string &result) {
  const llvm::json::Value *value = getField(name);
  if (!value)
    return;
  if (std::optional<llvm::StringRef> text = value->getAsString())
    result = text->str();
  else
    fail("a string for '" + name + "'", "another value");
}

void JsonFieldReader::read(llvm::StringRef name, bool &result) {
  const llvm::json::Value *value = getField(name);
  if (!value)
    return;
  if (std::optional<bool> truth = value->getAsBoolean())
    result = *truth;
  else
    fail("true or false for '" + name + "'", "another value");
}

void JsonFieldReader::read(llvm::StringRef name, uint64_t &result) {
  const llvm::json::Value *value = getField(name);
  if (!value)
    return;
  if (std::optional<uint64_t> number = value->getAsUINT64())
    result = *number;
  else
    fail("an integer of at least 0 for '" + name + "'", "another value");
}

void JsonFieldReader::read(llvm::StringRef name, unsigned &result) {
  uint64_t wide = result;
  read(name, wide);
  if (wide > std::numeric_limits<unsigned>::max())
    fail("a number of 32 bits for '" + name + "'", llvm::Twine(wide));
  else
    result = static_cast<unsigned>(wide);
}

void JsonFieldReader::read(llvm::StringRef name, double &result) {
  const llvm::json::Value *value = getField(name);
  if (!value)
    return;
  if (std::optional<double> number = value->getAsNumber())
    result = *number;
  else
    fail("a number for '" + name + "'", "another value");
}

const llvm::json::Array *JsonFieldReader::readArray(llvm::StringRef name) {
  const llvm::json::Value *value = getField(name);
  const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
  if (value && !array)
    fail("an array for '" + name + "'", "another value");
  return array;
}

llvm::Error JsonFieldReader::finish() {
  if (object)
    for (const auto &field : *object)
      if (!known.contains(llvm::StringRef(field.first)))
        fail("no field but the known ones", "'" + llvm::StringRef(field.first) + "'");
  return hasFailed() ? llvm::createStringError(fault) : llvm::Error::success();
}

} // namespace tilus
