// Tables of tuning choices and their text form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/TuningTable.h"
#include "Tilus/Support/StrictJson.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

namespace tilus {

static constexpr unsigned tableVersion = 1;
static constexpr size_t maxTableBytes = size_t(16) << 20;

namespace {
struct FieldRow {
  llvm::StringLiteral name;
  std::string TuningFingerprint::*member;
};
} // namespace

static constexpr FieldRow fieldRows[] = {
    {"target", &TuningFingerprint::target},
    {"gpu", &TuningFingerprint::gpu},
    {"compute_capability", &TuningFingerprint::computeCapability},
    {"cuda", &TuningFingerprint::cuda},
    {"tilus", &TuningFingerprint::tilus},
};

std::string TuningFingerprint::findMismatch(const TuningFingerprint &stored,
                                            const TuningFingerprint &current) {
  for (const FieldRow &row : fieldRows)
    if (stored.*row.member != "*" && stored.*row.member != current.*row.member)
      return row.name.str();
  return "";
}

static llvm::Expected<TuningFingerprint> readMetadata(const llvm::json::Value &value) {
  JsonFieldReader reader(value, "the metadata of a tuning table");
  TuningFingerprint fingerprint;
  unsigned version = 0;
  reader.read("version", version);
  if (version != tableVersion)
    reader.fail("version " + llvm::Twine(tableVersion), llvm::Twine(version));
  for (const FieldRow &row : fieldRows)
    reader.read(row.name, fingerprint.*row.member);
  if (llvm::Error error = reader.finish())
    return std::move(error);
  return fingerprint;
}

llvm::Expected<TuningTable> TuningTable::parse(llvm::StringRef text, const TuningFingerprint &current) {
  llvm::Expected<llvm::json::Value> value = parseStrictJson(text, maxTableBytes);
  if (!value)
    return value.takeError();
  JsonFieldReader reader(*value, "a tuning table");
  const llvm::json::Value *metadata = reader.readValue("metadata");
  const llvm::json::Array *entries = reader.readArray("entries");
  if (llvm::Error error = reader.finish())
    return std::move(error);
  llvm::Expected<TuningFingerprint> stored = readMetadata(*metadata);
  if (!stored)
    return stored.takeError();
  if (std::string field = TuningFingerprint::findMismatch(*stored, current); !field.empty())
    return llvm::createStringError("expected the same '" + field +
                                   "' in the metadata of a tuning table, but got another");
  TuningTable table(std::move(*stored));
  for (const llvm::json::Value &element : *entries) {
    JsonFieldReader entry(element, "an entry of a tuning table");
    std::string key;
    TuningChoice choice;
    entry.read("key", key);
    entry.read("schedule", choice.schedule);
    entry.read("milliseconds", choice.milliseconds);
    if (llvm::Error error = entry.finish())
      return std::move(error);
    table.set(key, std::move(choice));
  }
  return table;
}

std::string TuningTable::serialize() const {
  llvm::json::Object metadata{{"version", tableVersion}};
  for (const FieldRow &row : fieldRows)
    metadata[row.name] = fingerprint.*row.member;
  llvm::json::Array entries;
  for (const auto &[key, choice] : choices)
    entries.push_back(
        llvm::json::Object{{"key", key},
                           {"schedule", choice.schedule},
                           {"milliseconds", std::isfinite(choice.milliseconds) ? choice.milliseconds : 0.0}});
  llvm::json::Value table =
      llvm::json::Object{{"metadata", std::move(metadata)}, {"entries", std::move(entries)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", table);
  return text;
}

const TuningChoice *TuningTable::find(llvm::StringRef key) const {
  auto it = choices.find(key.str());
  return it == choices.end() ? nullptr : &it->second;
}

void TuningTable::merge(const TuningTable &other) {
  for (const auto &[key, choice] : other.choices)
    choices[key] = choice;
}

} // namespace tilus
