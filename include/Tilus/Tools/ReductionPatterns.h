// How tilus-reduce makes kernels simpler, beside leaving out ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace tilus {

/// Registers that the op whose result is a number or a tile may be replaced by zeros.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace tilus
