// Execution of conversion plans on arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/LayoutConversion.h"

namespace tilus::test {

/// Runs the plan on numbered elements, and expects that each target slot gets its element.
void checkPlan(const ConversionPlan &plan, const RegisterLayout &source, const RegisterLayout &target);

} // namespace tilus::test
