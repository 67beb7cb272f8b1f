// Which instructions the layouts of an op allow: for the pass that selects them and the one that checks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/Atoms/MmaAtoms.h"
#include "Tilus/IR/TilusOps.h"

namespace tilus {

/// The matrix instruction whose block plan has exactly the layouts of the op; null if there is none.
const MmaAtom *findMmaAtom(MmaOp op);

/// Whether the instruction can move the tile to or from the shared tile for `op`, a load or a store.
bool canUseAccess(mlir::Operation *op, mlir::Value tile, mlir::Value shared, SharedAccess access);

} // namespace tilus
