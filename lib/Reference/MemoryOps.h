// Accesses that several groups of operations make to memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Agent.h"

namespace tilus::reference {

/// Checks what earlier passes claim of an access: `tilus.in_bounds`, and of `tilus.vector` and
/// `tilus.mask_vector` elements along `tilus.vector_dim`. Emits an error at a claim that does not hold.
mlir::LogicalResult checkFacts(mlir::Operation *op, const TileAccess &access);

/// The access of an operation whose operand `view` is a view of global memory. Checks its facts if hazards
/// are checked.
mlir::FailureOr<TileAccess> getAccess(Agent &agent, const Instruction &inst, unsigned view,
                                      mlir::OperandRange offsets, llvm::ArrayRef<int64_t> dims,
                                      llvm::ArrayRef<int64_t> shape);

/// Checks that a shared tile is alive and, if hazards are checked, that all threads of the group may access
/// it so; records the access.
mlir::LogicalResult accessShared(Agent &agent, const Instruction &inst, AccessKind kind,
                                 const SharedTile &tile);

} // namespace tilus::reference
