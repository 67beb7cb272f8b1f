// Errors and bytes of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Handles.h"

using namespace tilus;
using namespace tilus::capi;

TilusError *capi::makeFailure(llvm::Error error) {
  auto made = std::make_unique<TilusError>();
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    if (!made->message.empty())
      made->message += '\n';
    made->message += info.message();
    if (info.isA<DriverError>())
      made->driverCode = static_cast<const DriverError &>(info).getCode();
    if (info.isA<DiagnosticError>())
      llvm::append_range(made->diagnostics, static_cast<const DiagnosticError &>(info).getRecords());
  });
  return made.release();
}

TilusError *capi::makeError(const llvm::Twine &rule, const llvm::Twine &actual) {
  return new TilusError{("expected " + rule + ", but got " + actual).str()};
}

TilusError *capi::makeIndexError(llvm::StringRef what, size_t count, size_t index) {
  return makeError("the number of one of " + llvm::Twine(count) + " " + what, llvm::Twine(index));
}

llvm::Error capi::takeError(TilusError *error) {
  if (!error)
    return llvm::Error::success();
  std::unique_ptr<TilusError> owned(error);
  return llvm::createStringError(owned->message);
}

int tilusRuntimeGetVersion() { return TILUS_RUNTIME_C_API_VERSION; }

const char *tilusGetVersionString() { return TILUS_VERSION; }

const char *tilusErrorGetMessage(const TilusError *error) { return error ? error->message.c_str() : ""; }

int tilusErrorGetDriverCode(const TilusError *error) { return error ? error->driverCode : 0; }

size_t tilusErrorGetDiagnosticCount(const TilusError *error) { return error ? error->diagnostics.size() : 0; }

TilusError *tilusErrorGetDiagnostic(const TilusError *error, size_t index, TilusDiagnostic *diagnostic) {
  if (!error)
    return makeNullError("an error");
  if (index >= error->diagnostics.size())
    return makeIndexError("diagnostics", error->diagnostics.size(), index);
  const DiagnosticRecord &record = error->diagnostics[index];
  const char *severity = record.severity == DiagnosticRecord::Severity::Note ? "note" : "error";
  TilusDiagnostic data = {sizeof(TilusDiagnostic), severity,    record.message.c_str(),
                          record.file.c_str(),     record.line, record.column};
  return writeOutput(data, diagnostic, "TilusDiagnostic");
}

TilusError *tilusErrorCreate(const char *message) {
  return new TilusError{message ? message : "expected a message of an error, but got null"};
}

void tilusErrorDestroy(TilusError *error) { delete error; }

TilusBytes tilusBlobGetBytes(const TilusBlob *blob) { return blob ? makeBytes(blob->bytes) : TilusBytes(); }

void tilusBlobDestroy(TilusBlob *blob) { delete blob; }
