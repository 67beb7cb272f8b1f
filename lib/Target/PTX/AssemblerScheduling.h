// Orders that the vendor's assembler would not keep by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tilus {

/// Keeps matrix products before a later wait for all copies. ptxas and nvJitLink move the wait, and the
/// barrier after it, up over products that stand before it in the same block, so that the copies no longer
/// run while the products do. Such a block is split at the wait.
void keepProductsBeforeWaits(llvm::Module &module);

} // namespace tilus
