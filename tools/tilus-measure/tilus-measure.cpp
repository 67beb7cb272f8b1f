// The program tilus-measure: runs the candidates of a tuning apart from the process that tunes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/MeasureServer.h"

int main() { return tilus::runMeasureServer(tilus::measureSocket, tilus::measureContents); }
