// Reading of modules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/ParseModule.h"

#include "Tilus/Support/Nesting.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tilus;

LogicalResult tilus::checkNesting(StringRef text, MLIRContext *context, StringRef fileName) {
  std::optional<size_t> offset = findDeepNesting(text);
  if (!offset)
    return success();
  StringRef before = text.take_front(*offset);
  unsigned line = before.count('\n') + 1, column = before.size() - (before.rfind('\n') + 1) + 1;
  return emitError(FileLineColLoc::get(context, fileName, line, column), describeDeepNesting());
}

OwningOpRef<ModuleOp> tilus::parseModule(StringRef text, MLIRContext *context, StringRef fileName) {
  if (failed(checkNesting(text, context, fileName)))
    return {};
  return parseSourceString<ModuleOp>(text, context, fileName);
}

InFlightDiagnostic tilus::emitFileError(ModuleOp module) {
  auto place = dyn_cast<FileLineColLoc>(module.getLoc());
  if (!place || place.getLine() > 0)
    return emitError(module.getLoc());
  return emitError(FileLineColLoc::get(place.getFilename(), 1, 1));
}
