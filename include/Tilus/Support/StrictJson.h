// Reading of JSON from files that anyone may have written.
//
// Owns the limits on such text and the rule that objects hold exactly the fields that are known.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>

namespace tilus {

/// Parses JSON of at most `maxBytes` bytes, in UTF-8, with at most 32 levels of arrays and objects.
llvm::Expected<llvm::json::Value> parseStrictJson(llvm::StringRef text, size_t maxBytes);

/// Reads the fields of an object. Each read stores the field's value, or notes the first fault and leaves the
/// destination alone; finish() returns that fault.
class JsonFieldReader {
public:
  /// `what` names the object in errors. A value that is no object is a fault.
  JsonFieldReader(const llvm::json::Value &value, llvm::StringRef what);

  void read(llvm::StringRef name, std::string &result);
  void read(llvm::StringRef name, bool &result);
  void read(llvm::StringRef name, uint64_t &result);
  void read(llvm::StringRef name, unsigned &result);
  void read(llvm::StringRef name, double &result);
  /// The field, or null after a fault.
  const llvm::json::Array *readArray(llvm::StringRef name);
  const llvm::json::Value *readValue(llvm::StringRef name);

  bool has(llvm::StringRef name) const { return object && object->get(name); }
  bool hasFailed() const { return !fault.empty(); }
  /// Notes a fault: `expected <rule> in <what>, but got <actual>`.
  void fail(const llvm::Twine &rule, const llvm::Twine &actual);
  /// Notes the error, if it is one, as the fault.
  void fail(llvm::Error error);
  /// The first fault; a field that was never read is one.
  llvm::Error finish();

private:
  const llvm::json::Value *getField(llvm::StringRef name);

  const llvm::json::Object *object;
  std::string what;
  std::string fault;
  llvm::StringSet<> known;
};

} // namespace tilus
