// Enumerations of the dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinAttributes.h"

#include "Tilus/IR/TilusEnums.h.inc"
