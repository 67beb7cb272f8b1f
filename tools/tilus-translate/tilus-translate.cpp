// The program tilus-translate.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/TranslateTool.h"

int main(int argc, char **argv) { return tilus::runTilusTranslate(argc, argv); }
