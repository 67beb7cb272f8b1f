// A kernel as text, from which it can be compiled in any thread at any time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"
#include "Tilus/Runtime/CallSignature.h"
#include "Tilus/Support/KernelArtifact.h"

namespace tilus {

/// How calls are specialised.
struct SpecializationOptions {
  /// Parameters, by name, whose values are compiled in: integers, bools and floats.
  std::vector<std::string> constants;
  /// The sum of the powers of two, 2 to 128, by which integers are told apart; see CallParam::divisors.
  unsigned divisors = 16;
};

/// One kernel, without the context that it was parsed in. Immutable.
class KernelSource {
public:
  /// The kernel of that name, or the only one if the name is empty, of the text of a module. `fileName` is
  /// the text's name in messages and line tables. The error has the diagnostics, one a line.
  static llvm::Expected<KernelSource> parse(llvm::StringRef text, llvm::StringRef kernel = "",
                                            llvm::StringRef fileName = "kernel.mlir");
  /// The kernel as it is; it is verified. What else its module holds is left behind.
  static KernelSource create(KernelOp kernel);

  /// The kernel of that name, or the only one if the name is empty, of a module.
  static llvm::Expected<KernelOp> find(mlir::ModuleOp module, llvm::StringRef name,
                                       llvm::StringRef fileName = "the module");

  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<KernelParam> getParams() const { return params; }
  /// The text of a module of the kernel alone, and of no target.
  llvm::StringRef getText() const { return text; }
  /// The same without the places that it came from: equal for kernels that compile to equal code.
  llvm::StringRef getPlainText() const { return plainText; }

  /// The parameters of a call of the kernel. Fails for constants that are no parameters, and for divisors
  /// that a signature does not take.
  llvm::Expected<CallSignature> makeSignature(const SpecializationOptions &options = {}) const;

private:
  KernelSource() = default;

  std::string name;
  std::string text;
  std::string plainText;
  std::vector<KernelParam> params;
  /// Whether divisors of the parameter can be stated.
  std::vector<bool> isDivisible;
};

} // namespace tilus
