// The CUDA driver as a table of functions, loaded at run time, and its errors in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/DriverTypes.h"
#include "Tilus/Runtime/ForkGuard.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace tilus {

namespace cuda {
/// The driver's functions under the names of DriverSymbols.def; an optional one that the library lacks is
/// null.
struct DriverTable {
#define TILUS_DRIVER_SYMBOL(Member, Symbol, IsRequired, Parameters) Result(*Member) Parameters = nullptr;
#include "Tilus/Runtime/DriverSymbols.def"
};
} // namespace cuda

/// A call of the driver that failed. The text says which function, what it was for, and the driver's own name
/// and words for the code.
class DriverError : public llvm::ErrorInfo<DriverError> {
public:
  static char ID;
  DriverError(cuda::Result code, std::string text) : code(code), text(std::move(text)) {}

  cuda::Result getCode() const { return code; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  cuda::Result code;
  std::string text;
};

/// A loaded and initialised driver. Immutable, so that threads may share it; the library stays loaded for the
/// rest of the process. Everything made from a driver must be destroyed before it.
class CudaDriver {
public:
  /// Loads the library at `path`, resolves every row of DriverSymbols.def and initialises the driver.
  static llvm::Expected<std::unique_ptr<CudaDriver>> load(llvm::StringRef path);
  /// The library to load by default: the value of TILUS_CUDA_DRIVER where it is set, else libcuda.so.1.
  static std::string getDefaultPath();

  /// The functions, for use as `driver->memAlloc(...)`.
  const cuda::DriverTable *operator->() const { return &table; }
  /// The path that was loaded.
  llvm::StringRef getPath() const { return path; }
  /// The CUDA version that the driver supports, as 13000 for 13.0.
  int getVersion() const { return version; }

  /// Whether this process was forked from the one that loaded the driver: CUDA does not survive a fork.
  bool isForeign() const { return forkGeneration != getForkGeneration(); }
  /// The error for what is refused then; `what` continues the sentence after "expected".
  static llvm::Error describeFork(const llvm::Twine &what);

  /// Success for the code 0, else a DriverError: "expected 'cuMemAlloc_v2' to succeed for a buffer of 4
  /// bytes, but got CUDA_ERROR_OUT_OF_MEMORY (2): out of memory". `what` continues the sentence after "for".
  llvm::Error check(cuda::Result code, llvm::StringRef symbol, const llvm::Twine &what) const {
    return code == cuda::success ? llvm::Error::success() : describe(code, symbol, what);
  }

private:
  explicit CudaDriver(llvm::StringRef path) : path(path), forkGeneration(getForkGeneration()) {}
  llvm::Error resolve();
  llvm::Error describe(cuda::Result code, llvm::StringRef symbol, const llvm::Twine &what) const;

  std::string path;
  cuda::DriverTable table;
  int version = 0;
  unsigned forkGeneration;
};

} // namespace tilus
