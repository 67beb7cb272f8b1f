// Loading of the CUDA driver and the text of its errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/CudaDriver.h"

#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <dlfcn.h>

namespace tilus {

char DriverError::ID = 0;

void DriverError::log(llvm::raw_ostream &os) const { os << text; }

std::error_code DriverError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

namespace {
/// A symbol and the table's place for its address.
struct SymbolRow {
  const char *symbol;
  bool isRequired;
  void **address;
};
} // namespace

std::string CudaDriver::getDefaultPath() {
  const char *path = std::getenv("TILUS_CUDA_DRIVER");
  return path && *path ? path : "libcuda.so.1";
}

llvm::Error CudaDriver::resolve() {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return llvm::createStringError("expected to load the CUDA driver from '" + path + "', but got '" +
                                   dlerror() + "'; a launch needs the NVIDIA driver");
  const SymbolRow rows[] = {
#define TILUS_DRIVER_SYMBOL(Member, Symbol, IsRequired, Parameters)                                          \
  {Symbol, IsRequired, reinterpret_cast<void **>(&table.Member)},
#include "Tilus/Runtime/DriverSymbols.def"
  };
  for (const SymbolRow &row : rows) {
    *row.address = dlsym(library, row.symbol);
    if (!*row.address && row.isRequired)
      return llvm::createStringError(
          "expected the CUDA driver '" + path + "' to export '" + row.symbol +
          "', but got no such symbol; a launch needs a driver for CUDA 12 or later");
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<CudaDriver>> CudaDriver::load(llvm::StringRef path) {
  std::unique_ptr<CudaDriver> driver(new CudaDriver(path));
  if (llvm::Error error = driver->resolve())
    return std::move(error);
  const cuda::DriverTable &table = driver->table;
  if (llvm::Error error = driver->check(table.init(0), "cuInit", "the driver '" + path + "'"))
    return std::move(error);
  if (llvm::Error error = driver->check(table.driverGetVersion(&driver->version), "cuDriverGetVersion",
                                        "the driver '" + path + "'"))
    return std::move(error);
  return std::move(driver);
}

llvm::Error CudaDriver::describeFork(const llvm::Twine &what) {
  return llvm::createStringError("expected " + what +
                                 " in the process that initialised CUDA, but got one in a child that was "
                                 "forked from it; start the child anew, or fork before CUDA is first used");
}

llvm::Error CudaDriver::describe(cuda::Result code, llvm::StringRef symbol, const llvm::Twine &what) const {
  const char *name = nullptr, *words = nullptr;
  if (table.getErrorName(code, &name) != cuda::success || !name)
    name = "an unknown error";
  if (table.getErrorString(code, &words) != cuda::success || !words)
    words = "the driver has no description of it";
  return llvm::make_error<DriverError>(code, ("expected '" + symbol + "' to succeed for " + what +
                                              ", but got " + name + " (" + llvm::Twine(code) + "): " + words)
                                                 .str());
}

} // namespace tilus
