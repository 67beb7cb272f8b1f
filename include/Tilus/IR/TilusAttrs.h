// Attributes of the dialect: layouts, atoms, target, enumerations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusEnums.h"
#include "Tilus/Layout/RegisterLayout.h"
#include "Tilus/Layout/SharedLayout.h"
#include "Tilus/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TensorEncoding.h"

namespace tilus {
struct MmaAtom;
} // namespace tilus

#define GET_ATTRDEF_CLASSES
#include "Tilus/IR/TilusAttrs.h.inc"

namespace tilus {

/// The target of the module that encloses the op (or is it): `tilus.target`, else the chip of an
/// `#nvvm.target`. Null if there is none.
TargetAttr getTarget(mlir::Operation *op);

} // namespace tilus
