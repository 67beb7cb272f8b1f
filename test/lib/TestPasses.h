// Registration of the passes that exist for tests alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tilus::test {

/// Registers the passes of this folder; their flags begin with `test-tilus-`.
void registerTestPasses();

} // namespace tilus::test
