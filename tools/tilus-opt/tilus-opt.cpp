// The program tilus-opt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/OptTool.h"
#ifdef TILUS_TEST_PASSES
#include "TestPasses.h"
#endif

int main(int argc, char **argv) {
#ifdef TILUS_TEST_PASSES
  tilus::test::registerTestPasses();
#endif
  return tilus::runTilusOpt(argc, argv);
}
