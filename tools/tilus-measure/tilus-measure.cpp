// The program tilus-measure: a process in which the candidates of a tuning run, apart from the one that tunes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/MeasureServer.h"

#include <unistd.h>

int main() { return tilus::runMeasureServer(STDIN_FILENO); }
