// The part of a tuning that runs in a process of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tilus {

/// Where the process that measures finds its connection, and the file with the contents of the regions.
inline constexpr int measureSocket = 0, measureContents = 3;

/// Measures candidates for the process at the other end of the connected socket until that one closes it;
/// returns the exit status of the process. Where a candidate has made the device unusable, the process ends
/// without return, for nothing that the device may still use can be freed.
int runMeasureServer(int socket, int contents);

} // namespace tilus
