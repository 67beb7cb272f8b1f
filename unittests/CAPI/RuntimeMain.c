/* The tests of the C API of the runtime.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Check.h"

int main(void) {
  static const struct Test tests[] = {{"misuse", testMisuse},       {"artifacts", testArtifacts},
                                      {"launch", testLaunch},       {"dispatcher", testDispatcher},
                                      {"reopening", testReopening}, {"threads", testThreads}};
  return runTests(tests, sizeof(tests) / sizeof(tests[0]));
}
