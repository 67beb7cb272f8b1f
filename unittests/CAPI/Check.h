/* Checks for tests in C: each that does not hold is told, and counted.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TILUS_UNITTESTS_CAPI_CHECK_H
#define TILUS_UNITTESTS_CAPI_CHECK_H

#include "Tilus-c/Runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int failures;

#define CHECK(condition) checkTrue(__FILE__, __LINE__, (condition), #condition)
/* The call succeeds. */
#define OK(call) checkError(__FILE__, __LINE__, (call), NULL)
/* The call fails, and its message has the text. */
#define FAILS(call, text) checkError(__FILE__, __LINE__, (call), text)
#define SAME(actual, expected) checkSame(__FILE__, __LINE__, (actual), (expected))

void checkTrue(const char *file, int line, bool holds, const char *condition);
void checkError(const char *file, int line, TilusError *error, const char *text);
void checkSame(const char *file, int line, const char *actual, const char *expected);

/* The fake driver with one device of capability 9.0, and the file of artifacts that all tests use. */
TilusDriver *loadFake(const char *capabilities);
TilusDevice *openDevice(const TilusDriver *driver, unsigned ordinal);
const TilusTarget *lookUp(const char *chip);
/* Calls of the fake driver so far that have the text. */
int countCalls(const char *text);
/* Objects of the driver that are alive. */
int countObjects(void);
void recordCalls(bool isOn);

/* The dispatcher of scale(c: constant, n, s, x), whose callback gives what the file of artifacts has. */
TilusDispatcher *makeDispatcher(void);
void makeArguments(TilusValue values[4], int64_t constant, int64_t n);
/* The number of calls of its callback. */
int getCompiles(void);

struct Test {
  const char *name;
  void (*run)(void);
};
/* Runs the tests; the exit status of the program. */
int runTests(const struct Test *tests, size_t count);

void testMisuse(void);
void testArtifacts(void);
void testLaunch(void);
void testDispatcher(void);
void testThreads(void);
void testReopening(void);
void testModulesWithoutKernels(void);
void testDeepNesting(void);
void testKernelNames(void);
void testConstants(void);
void testCacheSettings(void);
void testForkedCompiler(void);
void testDialect(void);
void testPipeline(void);
void testScripts(void);
void testScriptStores(void);
void testRegisterLayout(void);
void testLayoutAlgebra(void);
void testLayoutShapes(void);
void testSharedLayout(void);
void testLayoutText(void);
void testMisuseOfLayouts(void);
void testConversion(void);
void testSharedAccess(void);
void testMmaAtoms(void);
void testReference(void);

#endif
