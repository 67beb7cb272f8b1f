// Specialising of a kernel for a call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"
#include "Tilus/Runtime/Dispatcher.h"

namespace tilus {

/// Makes the kernel the one of a request: parameters that are constants of its signature become constants of
/// their values, and of the others the divisors are stated. Reports an error on the kernel for a value that
/// its parameter cannot have.
mlir::LogicalResult specialize(KernelOp kernel, const CompileRequest &request);

} // namespace tilus
