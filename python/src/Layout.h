// The layouts of tiles in Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace tilus::python {

/// Adds the layouts, conversions and matrix fragments to the submodule 'layout'.
void bindLayouts(nanobind::module_ &module);

} // namespace tilus::python
