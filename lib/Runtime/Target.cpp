// The table of targets, and the current target of a thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/Target.h"

#include "Tilus/Runtime/ForkGuard.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <map>
#include <memory>

namespace tilus {

namespace {
/// Identity is equality across the whole process, so there is one table; its rows never change. It is never
/// destroyed: threads may run on at exit.
struct TargetTable {
  ForkSafeMutex mutex;
  std::map<std::pair<const TargetInfo *, std::string>, std::unique_ptr<const Target>> rows;

  static TargetTable &get() {
    static TargetTable *table = new TargetTable;
    return *table;
  }
};
} // namespace

__thread const Target *detail::currentTarget = nullptr;

static std::string normalizeFeatures(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef &word : words)
    word = word.trim();
  llvm::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return llvm::join(words, ",");
}

/// Letters, digits and '_' as they are, the separator as '.', all else as '-' and two digits.
static std::string escape(llvm::StringRef text) {
  std::string escaped;
  for (char c : text) {
    if (llvm::isAlnum(c) || c == '_')
      escaped += c;
    else if (c == ',')
      escaped += '.';
    else
      escaped += "-" + llvm::utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/true, 2);
  }
  return escaped;
}

Target::Target(const TargetInfo &info, std::string normalized)
    : info(info), features(std::move(normalized)),
      name(features.empty() ? info.chip.str() : (info.chip + "," + features).str()), fileName(escape(name)),
      hash(llvm::xxh3_64bits((info.triple + "," + name).str())) {}

const Target &Target::get(const TargetInfo &info, llvm::StringRef features) {
  std::string normalized = normalizeFeatures(features);
  TargetTable &table = TargetTable::get();
  std::lock_guard lock(table.mutex);
  std::unique_ptr<const Target> &row = table.rows[{&info, normalized}];
  if (!row)
    row.reset(new Target(info, normalized));
  return *row;
}

llvm::Expected<const Target *> Target::lookup(llvm::StringRef chip, llvm::StringRef features) {
  if (const TargetInfo *info = lookupTarget(chip))
    return &get(*info, features);
  return llvm::createStringError(describeUnknownTarget(chip));
}

TargetScope::TargetScope(const Target &target) : former(detail::currentTarget) {
  detail::currentTarget = &target;
}

TargetScope::~TargetScope() { detail::currentTarget = former; }

} // namespace tilus
