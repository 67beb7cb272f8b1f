// Layouts of tiles in shared memory, chosen from their accesses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"

namespace tilus {

/// Gives every shared tile of a kernel whose register tiles have layouts a layout of its own. An allocation
/// gets the one of a few candidates that costs its accesses the fewest bank cycles and that can express all
/// views of it. Fails with an error at the view if a pinned layout, or any, cannot express it.
mlir::LogicalResult chooseSharedLayouts(KernelOp kernel, bool emitRemarks);

} // namespace tilus
