// The arguments of one kernel: texts of a command line turned into values of the kernel's parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"
#include "Tilus/Support/KernelArtifact.h"
#include "Tilus/Tools/ArgumentSpec.h"

namespace tilus {

/// The value of one parameter.
struct KernelInput {
  KernelParam param;
  /// A scalar's bits; 0 for a pointer.
  uint64_t code = 0;
  /// What a pointer points to; empty for a scalar.
  HostTensor tensor;
};

/// "argument 2 ('n')".
std::string describeArgument(unsigned index, llvm::StringRef name);

/// Reads and makes the values of the parameters of a kernel of that name. Fails where their number, their
/// kind, their type or their divisibility is not what the parameters ask for.
llvm::Expected<std::vector<KernelInput>>
bindArguments(llvm::StringRef kernel, llvm::ArrayRef<KernelParam> params, llvm::ArrayRef<ArgumentSpec> specs);

/// The number of the argument that is named by its number or by its parameter's name, and is a tensor.
llvm::Expected<unsigned> findTensorArgument(llvm::StringRef text, llvm::ArrayRef<KernelInput> inputs);

/// Lets the compiler rely on what is true of these arguments: integers are multiples of the largest power of
/// two that divides them, up to 16; pointers are aligned to 16 bytes. What the kernel states itself stays
/// where it says more.
void specialize(KernelOp kernel, llvm::ArrayRef<KernelInput> inputs);

} // namespace tilus
