// Merging of the diagnostics of several targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/TargetDiagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilus;

/// Stands for the name of the target; no text has it.
static constexpr char kMark = '\1';

/// The text with `from` replaced where it is a word.
static std::string replaceWord(StringRef text, StringRef from, StringRef to) {
  auto isWordAt = [&](size_t place) {
    auto isLetter = [&](size_t at) {
      return at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '_');
    };
    return text.substr(place).starts_with(from) && !isLetter(place + from.size()) && !isLetter(place - 1);
  };
  std::string result;
  for (size_t place = 0; place < text.size();) {
    bool isFound = !from.empty() && isWordAt(place);
    result += isFound ? to : text.substr(place, 1);
    place += isFound ? from.size() : 1;
  }
  return result;
}

/// The diagnostic with another text for each of its own.
static Diagnostic mapTexts(const Diagnostic &diagnostic, llvm::function_ref<std::string(StringRef)> map) {
  auto &source = const_cast<Diagnostic &>(diagnostic); // its notes are not accessible otherwise
  Diagnostic result(source.getLocation(), source.getSeverity());
  result << map(source.str());
  for (Diagnostic &note : source.getNotes())
    result.attachNote(note.getLocation()) << map(note.str());
  return result;
}

static bool areEqual(const Diagnostic &a, const Diagnostic &b) {
  auto &first = const_cast<Diagnostic &>(a), &second = const_cast<Diagnostic &>(b);
  auto isSame = [](const Diagnostic &x, const Diagnostic &y) {
    return x.getLocation() == y.getLocation() && x.getSeverity() == y.getSeverity() && x.str() == y.str();
  };
  auto notes = first.getNotes(), others = second.getNotes();
  return isSame(a, b) && std::equal(notes.begin(), notes.end(), others.begin(), others.end(), isSame);
}

TargetDiagnostics::TargetDiagnostics(MLIRContext *context) : context(context) {
  handler.emplace(context, [this](Diagnostic &diagnostic) {
    add(diagnostic);
    return success();
  });
}

TargetDiagnostics::~TargetDiagnostics() {
  handler.reset();
  for (const Entry &entry : entries)
    report(entry);
}

void TargetDiagnostics::setTarget(StringRef chip) { targets.push_back(chip.str()); }

void TargetDiagnostics::add(const Diagnostic &diagnostic) {
  std::string chip = targets.empty() ? "" : targets.back();
  Diagnostic marked =
      mapTexts(diagnostic, [&](StringRef text) { return replaceWord(text, chip, StringRef(&kMark, 1)); });
  for (Entry &entry : entries) {
    if (!areEqual(entry.marked, marked))
      continue;
    if (!llvm::is_contained(entry.chips, chip))
      entry.chips.push_back(chip);
    return;
  }
  entries.push_back({std::move(marked), {chip}});
}

void TargetDiagnostics::report(const Entry &entry) const {
  std::string names = llvm::join(entry.chips, ", ");
  Diagnostic result = mapTexts(entry.marked, [&](StringRef text) {
    std::string named;
    for (char letter : text)
      named += letter == kMark ? names : std::string(1, letter);
    return named;
  });
  bool namesTarget = StringRef(entry.marked.str()).contains(kMark);
  if (!namesTarget && entry.chips.size() < targets.size() &&
      entry.marked.getSeverity() == DiagnosticSeverity::Error)
    result.attachNote() << "for " << names;
  context->getDiagEngine().emit(std::move(result));
}
