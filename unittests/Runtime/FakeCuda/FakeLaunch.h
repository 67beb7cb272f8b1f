// A launch on the fake driver, shared by launches and graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FakeState.h"

namespace fake {

/// Checks, records and does a launch, or adds it to the graph that its stream captures.
int runLaunch(const char *symbol, const LaunchConfig &config, FunctionHandle function, void **params);

} // namespace fake
