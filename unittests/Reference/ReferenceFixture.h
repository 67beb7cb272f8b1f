// What the tests of the reference executor share: kernels from text, typed buffers, collected diagnostics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Reference/ReferenceExecutor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tilus {

/// A kernel argument that owns its memory, or a scalar.
class Arg {
public:
  template <typename T> static Arg scalar(T value) {
    Arg arg;
    std::memcpy(&arg.code, &value, sizeof(T));
    return arg;
  }
  /// A buffer that the kernel may write; `data` must outlive the run.
  template <typename T> static Arg buffer(std::vector<T> &data) {
    Arg arg;
    arg.bytes = {reinterpret_cast<uint8_t *>(data.data()), data.size() * sizeof(T)};
    return arg;
  }
  operator KernelArgument() const { return {code, bytes}; }

private:
  uint64_t code = 0;
  llvm::MutableArrayRef<uint8_t> bytes;
};

class ReferenceTest : public testing::Test {
protected:
  ReferenceTest();

  /// Runs the first kernel of the text. Fails the test where it does not parse.
  bool run(llvm::StringRef text, llvm::ArrayRef<KernelArgument> args, bool checkHazards = true);
  /// Runs a kernel of one block: `params`, `warps` and the lines of its body.
  bool runBody(llvm::StringRef params, llvm::StringRef body, llvm::ArrayRef<KernelArgument> args,
               bool checkHazards = true, int warps = 4);
  /// Runs a body whose only effect is the result of an elementwise op on tiles of `n` elements: `%a`, `%b`
  /// and `%c` (as many as there are inputs) are loaded from buffers, `%r` is stored.
  bool runElementwise(llvm::StringRef inType, llvm::StringRef outType, llvm::StringRef body, int64_t n,
                      llvm::ArrayRef<KernelArgument> inputs, KernelArgument output);
  /// The only error of the last run, with its notes a line each.
  std::string getError() const { return llvm::join(errors, "\n"); }

  ReferenceOptions options;
  ExecutionResult result;
  std::string output;
  /// Errors and notes of the last run, `line: text`.
  std::vector<std::string> errors;
  size_t numErrors = 0;

  mlir::MLIRContext context;
};

} // namespace tilus
