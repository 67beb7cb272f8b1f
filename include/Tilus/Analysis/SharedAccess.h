// How a register tile meets its place in shared memory: the instruction, the vectors, the bank cycles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"

namespace tilus {

/// The fragment that each matrix of ldmatrix and stmatrix covers: 8 rows of 16 bytes. Nullopt if there is
/// none for elements of this size; a transposed one exists for 16 bits alone.
std::optional<RegisterLayout> getMatrixFragment(int64_t elementBits, bool isTransposed);

/// Whether a tile of `tile` layout can be moved by this instruction: rank 2, the layout a multiple of the
/// fragment, and each row of a fragment 16 contiguous, aligned bytes of a view whose origin is a multiple of
/// `originAlignment` elements. Vectors always can.
bool canAccess(SharedAccess access, const RegisterLayout &tile, const SharedLayout &shared,
               int64_t elementBits, int64_t originAlignment);

/// Elements that one access of a thread moves, and along which dimension: neighbours in consecutive slots and
/// in memory, aligned, at most 16 bytes.
AccessVector getSharedVector(const RegisterLayout &tile, const SharedLayout &shared, int64_t elementBits,
                             int64_t originAlignment);

/// Bank cycles of one warp's accesses to the whole tile with this instruction.
int64_t countWavefronts(SharedAccess access, const RegisterLayout &tile, const SharedLayout &shared,
                        int64_t elementBits, int64_t originAlignment);

/// The largest power of two elements, up to 2^20, that divides the offset at which the shared tile starts in
/// its allocation, for any index of the slices between them. The types of the views must have layouts.
int64_t getOriginAlignment(mlir::Value shared);

/// The layout of the result of a view op (slice_shared, reshape_shared, permute_shared) whose source has
/// `source`; nullopt if no layout expresses it.
std::optional<SharedLayout> deriveView(mlir::Operation *view, const SharedLayout &source);

/// Whether the op makes a view of its first operand, a shared tile.
bool isSharedView(mlir::Operation *op);

/// The op's instruction for shared memory if the target has it: SharedAccess::Vector always, the matrix forms
/// with the features ldmatrix for loads, stmatrix for stores.
bool hasInstruction(SharedAccess access, bool isLoad, const TargetInfo &target);

} // namespace tilus
