// Code that known faults of the vendor's assembler would get wrong, written otherwise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tilus {

/// Rewrites what ptxas and nvJitLink of CUDA 13.0 assemble wrongly:
///   add.s16x2 of a constant, where only one half of the sum is used, adds 0 (sm_90 and later). Such sums are
///   taken element by element.
void avoidAssemblerFaults(llvm::Module &module);

} // namespace tilus
