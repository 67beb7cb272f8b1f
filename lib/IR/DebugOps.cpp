// Printing: verification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpVerification.h"

using namespace mlir;
using namespace tilus;

/// Conversions of a printf format: the number of '%' that are not doubled.
static size_t countConversions(StringRef format) {
  size_t count = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%')
      continue;
    if (i + 1 < format.size() && format[i + 1] == '%')
      ++i;
    else
      ++count;
  }
  return count;
}

LogicalResult PrintfOp::verify() {
  size_t count = countConversions(getFormat());
  if (count != getArgs().size())
    return emitOpError("expected one argument for each of the ")
           << count << " conversions of the format, but got " << getArgs().size();
  return success();
}

LogicalResult PrintOp::verify() {
  if (getMessage().contains('%'))
    return emitOpError("expected a message without '%', but got '") << getMessage() << "'";
  return success();
}
