// What conversions and accesses to global memory cost, to choose among layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"
#include "Tilus/Layout/LayoutConversion.h"

namespace tilus {

/// Costs of conversions, planned once for each pair of layouts. In the unit of ConversionPlan::cost.
class LayoutCosts {
public:
  /// The cost of converting elements of `elementBits` from one layout to another of the same shape and number
  /// of threads; 0 if they are equal or one is null.
  int64_t getConversion(RegisterLayoutAttr from, RegisterLayoutAttr to, int64_t elementBits);

private:
  llvm::DenseMap<std::tuple<mlir::Attribute, mlir::Attribute, int64_t>, int64_t> known;
};

/// The cost for one warp of a load or store of global memory whose tile has the layout, in the same unit.
int64_t getGlobalAccessCost(mlir::Operation *access, const RegisterLayout &layout);

/// How a plan moves the data, for remarks: "shared memory", "warp shuffles", ….
llvm::StringRef describeConversion(ConversionKind kind);

} // namespace tilus
