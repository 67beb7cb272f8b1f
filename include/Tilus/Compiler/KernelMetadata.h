// What a launch has to know about a kernel, read from its IR.
//
// Owns the translation of host-side integer arithmetic to grid expressions, and of types to scalar formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"
#include "Tilus/Support/KernelArtifact.h"

namespace tilus {

/// The plain form of an element type; the type must be one (isElementType).
ScalarFormat getScalarFormat(mlir::Type type);

/// The integer as an expression over the kernel's parameters. Reports an error on the op that a launch cannot
/// evaluate.
mlir::FailureOr<GridExpr> buildGridExpr(mlir::Value value, KernelOp kernel);

/// The kernel's parameters.
std::vector<KernelParam> readKernelParams(KernelOp kernel);

/// Fills the fields of the artifact that follow from the kernel's text: entry, block, cluster, parameters,
/// grid and workspaces.
mlir::LogicalResult readKernelMetadata(KernelOp kernel, KernelArtifact &artifact);

} // namespace tilus
