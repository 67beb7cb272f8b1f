// The depth of brackets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/Nesting.h"

using namespace tilus;
using llvm::StringRef;

/// The offset behind a string that begins at `place`.
static size_t skipString(StringRef text, size_t place) {
  for (++place; place < text.size() && text[place] != '"' && text[place] != '\n'; ++place)
    if (text[place] == '\\')
      ++place;
  return place + 1;
}

std::optional<size_t> tilus::findDeepNesting(StringRef text) {
  if (text.starts_with("ML\xefR"))
    return std::nullopt;
  unsigned depth = 0;
  for (size_t place = 0; place < text.size();) {
    char letter = text[place];
    if (letter == '"') {
      place = skipString(text, place);
      continue;
    }
    if (text.substr(place).starts_with("//")) {
      place = text.find('\n', place);
      continue;
    }
    bool isArrow = letter == '>' && place > 0 && text[place - 1] == '-';
    if (StringRef("([{<").contains(letter) && ++depth > kMostNesting)
      return place;
    if (StringRef(")]}>").contains(letter) && !isArrow && depth > 0)
      --depth;
    ++place;
  }
  return std::nullopt;
}

std::string tilus::describeDeepNesting() {
  return "expected at most " + std::to_string(kMostNesting) +
         " levels of brackets within brackets, but got more; take the inner ones out";
}
