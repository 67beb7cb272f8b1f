/* What the compiler says of modules, names, constants and settings that it cannot use.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "CompilerSupport.h"
#include "Tilus-c/Script.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

/* x[0..31] = s. */
static const char fill[] = "tilus.kernel @NAME(%s: f32, %x: !tilus.ptr<f32>) warps(1) grid {\n"
                           "  %c1 = arith.constant 1 : i32\n"
                           "  tilus.grid [%c1]\n"
                           "} {\n"
                           "  %c0 = arith.constant 0 : i32\n"
                           "  %v = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<32xf32>\n"
                           "  %t = tilus.broadcast %s : f32 -> tensor<32xf32>\n"
                           "  tilus.store_global %t, %v[%c0] : tensor<32xf32>, !tilus.global<32xf32>\n"
                           "}\n";

/* The text with another name of the kernel. */
static void nameKernel(char *text, size_t size, const char *name) {
  const char *at = strstr(fill, "NAME");
  snprintf(text, size, "%.*s%s%s", (int)(at - fill), fill, name, at + 4);
}

void testModulesWithoutKernels(void) {
  static const char *const texts[] = {"", "\n", "module {}", "// nothing\n", "module { module { } }"};
  TilusCompiler *compiler = makeCompiler("off");
  const TilusTarget *targets[] = {lookUp("sm_80")};
  for (size_t row = 0; row < sizeof(texts) / sizeof(texts[0]); ++row) {
    TilusModuleSource source = makeModule(texts[row], "m.mlir");
    TilusSpecialization special = {.size = sizeof(special)};
    TilusBlob *blob = NULL;
    TilusDispatcher *dispatcher = NULL;
    TilusKernelSource *kernel = NULL;
    FAILS(tilusCompile(compiler, &source, targets, 1, &blob), "expected a module with kernels, but got none");
    FAILS(tilusCompile(compiler, &source, NULL, 0, &blob), "expected a module with kernels, but got none");
    FAILS(tilusDispatcherCreateFromModule(compiler, &source, &special, NULL, &dispatcher),
          "expected one kernel in 'm.mlir', but got none");
    FAILS(tilusKernelSourceParse(&source, NULL, &kernel), "but got none");
    CHECK(!blob && !dispatcher && !kernel);
  }
  tilusCompilerDestroy(compiler);
}

/* MLIR's parser calls itself at each bracket: the stack is not to end the process. */
void testDeepNesting(void) {
  enum { depth = 20000 };
  static char text[8 * depth + 1];
  for (size_t level = 0; level < depth; ++level)
    memcpy(text + 8 * level, "module {", 8);
  TilusCompiler *compiler = makeCompiler("off");
  TilusModuleSource source = makeModule(text, "m.mlir");
  TilusSpecialization special = {.size = sizeof(special)};
  const TilusTarget *targets[] = {lookUp("sm_80")};
  TilusBlob *blob = NULL;
  TilusDispatcher *dispatcher = NULL;
  TilusKernelSource *kernel = NULL;
  FAILS(tilusCompile(compiler, &source, targets, 1, &blob),
        "levels of brackets within brackets, but got more");
  FAILS(tilusDispatcherCreateFromModule(compiler, &source, &special, NULL, &dispatcher),
        "levels of brackets");
  FAILS(tilusKernelSourceParse(&source, NULL, &kernel), "levels of brackets");
  CHECK(!blob && !dispatcher && !kernel);
  tilusCompilerDestroy(compiler);
}

void testKernelNames(void) {
  static const char *const rows[][2] = {{"_", "letters, digits"},
                                        {"vprintf", "that no function of the device or the compiler has"},
                                        {"__assertfail", "but got '__assertfail'"},
                                        {"__nv_expf", "but got '__nv_expf'"},
                                        {"tilus_shared_memory", "but got 'tilus_shared_memory'"}};
  TilusCompiler *compiler = makeCompiler("off");
  const TilusTarget *targets[] = {lookUp("sm_90a")};
  char text[8192], name[2000];
  TilusBlob *blob = NULL;
  for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); ++row) {
    nameKernel(text, sizeof(text), rows[row][0]);
    TilusModuleSource source = makeModule(text, "m.mlir");
    FAILS(tilusCompile(compiler, &source, targets, 1, &blob), rows[row][1]);
  }
  memset(name, 'a', sizeof(name));
  name[1025] = 0;
  nameKernel(text, sizeof(text), name);
  TilusModuleSource source = makeModule(text, "m.mlir");
  FAILS(tilusCompile(compiler, &source, targets, 1, &blob), "m.mlir:1:1");
  FAILS(tilusCompile(compiler, &source, targets, 1, &blob), "at most 1024 letters, but got one of 1025");
  name[1024] = 0;
  nameKernel(text, sizeof(text), name);
  source = makeModule(text, "m.mlir");
  OK(tilusCompile(compiler, &source, targets, 1, &blob));
  tilusBlobDestroy(blob);
  tilusCompilerDestroy(compiler);
}

/* Whether the PTX of the kernel for the constant has the bits, as it writes them. */
static bool isCompiledIn(TilusDispatcher *dispatcher, TilusValue constant, uint32_t bits) {
  TilusValue values[] = {constant, tilusValueNone()};
  const TilusInstance *instance = NULL;
  TilusArtifact *artifact = NULL;
  TilusArtifactInfo info = {.size = sizeof(info)};
  OK(tilusDispatcherCompile(dispatcher, values, 2, lookUp("sm_90a"), &instance));
  OK(tilusInstanceGetArtifact(instance, 0, &artifact));
  OK(tilusArtifactGetInfo(artifact, &info));
  char decimal[32], hexadecimal[32];
  snprintf(decimal, sizeof(decimal), " %d;", (int32_t)bits);
  snprintf(hexadecimal, sizeof(hexadecimal), "0f%08X", bits);
  bool isThere = strstr(info.ptx.data, decimal) || strstr(info.ptx.data, hexadecimal);
  if (!isThere)
    fprintf(stderr, "expected %s or %s in:\n%s\n", decimal, hexadecimal, (const char *)info.ptx.data);
  tilusArtifactDestroy(artifact);
  return isThere;
}

void testConstants(void) {
  TilusCompiler *compiler = makeCompiler("off");
  char text[2048];
  nameKernel(text, sizeof(text), "fill");
  TilusModuleSource source = makeModule(text, "m.mlir");
  const char *scalar[] = {"s"}, *pointer[] = {"x"};
  TilusSpecialization special = {.size = sizeof(special), .constants = pointer, .constantCount = 1};
  TilusDispatcher *dispatcher = NULL;
  FAILS(tilusDispatcherCreateFromModule(compiler, &source, &special, NULL, &dispatcher),
        "expected the names of scalars as constants of kernel 'fill', but got the pointer 'x'");
  special.constants = scalar;
  OK(tilusDispatcherCreateFromModule(compiler, &source, &special, NULL, &dispatcher));
  /* Halfway between two floats but for its last bit, which a double does not hold. */
  static const int64_t integers[] = {1, -3, (INT64_C(1) << 60) + (INT64_C(1) << 36) + 1, INT64_MIN,
                                     INT64_MAX};
  for (size_t row = 0; row < sizeof(integers) / sizeof(integers[0]); ++row) {
    float rounded = (float)integers[row];
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof(bits));
    CHECK(isCompiledIn(dispatcher, tilusValueInt(integers[row]), bits));
  }
  tilusDispatcherDestroy(dispatcher);
  tilusCompilerDestroy(compiler);
}

/* Compiles under a setting in a process of its own, in which nothing has been said yet. The number of lines
   on its stderr; -1 if it failed. */
static int countWarnings(const char *variable, const char *value, const char *words) {
  char path[] = "/tmp/tilus-warnings-XXXXXX", text[2048], line[1024];
  int file = mkstemp(path);
  pid_t child = fork();
  if (child == 0) {
    dup2(file, 2);
    failures = 0;
    setenv(variable, value, 1);
    nameKernel(text, sizeof(text), "fill");
    TilusModuleSource source = makeModule(text, "m.mlir");
    for (int round = 0; round < 3; ++round) {
      TilusCompiler *compiler = makeCompiler("on");
      TilusKernelSource *kernel = NULL;
      TilusCompiledKernel compiled = {.size = sizeof(compiled)};
      OK(tilusKernelSourceParse(&source, NULL, &kernel));
      OK(tilusCompileKernel(compiler, kernel, lookUp("sm_90a"), &compiled));
      CHECK(compiled.artifact && compiled.cache != TilusCacheHit);
      tilusArtifactDestroy(compiled.artifact);
      tilusKernelSourceDestroy(kernel);
      tilusCompilerDestroy(compiler);
    }
    _exit(failures ? 1 : 0);
  }
  int status = 0, count = 0;
  waitpid(child, &status, 0);
  FILE *written = fdopen(file, "r");
  rewind(written);
  while (fgets(line, sizeof(line), written))
    if (strstr(line, "tilus: warning: kernels are not cached: ") && strstr(line, words))
      ++count;
    else
      fprintf(stderr, "expected one warning with '%s', but got %s", words, line), count += 100;
  fclose(written);
  unlink(path);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? count : -1;
}

void testCacheSettings(void) {
  CHECK(countWarnings("TILUS_CACHE", "of", "'on' or 'off' for TILUS_CACHE, but got 'of'") == 1);
  CHECK(countWarnings("TILUS_CACHE_BYTES", "5 GB", "but got '5 GB'") == 1);
  CHECK(countWarnings("TILUS_CACHE_SECRET", "/nowhere/secret", "/nowhere") == 1);
  CHECK(countWarnings("TILUS_CACHE_DIR", "/dev/null/cache", "/dev/null") == 1);
}

enum { forkRounds = 12 };
static TilusDispatcher *_Atomic busyDispatcher;
static atomic_bool isForkingOver;
static char forkFolder[] = "/tmp/tilus-fork-XXXXXX";

static TilusError *compileFor(TilusDispatcher *dispatcher, int64_t constant) {
  TilusValue values[] = {tilusValueInt(constant), tilusValueNone()};
  const TilusInstance *instance = NULL;
  return tilusDispatcherCompile(dispatcher, values, 2, lookUp("sm_90a"), &instance);
}

/* Compiles without end, each time with a compiler and a cache that have seen nothing yet. */
static void *compileAlways(void *unused) {
  (void)unused;
  char text[2048], cache[64];
  const char *constants[] = {"s"};
  nameKernel(text, sizeof(text), "fill");
  TilusModuleSource source = makeModule(text, "m.mlir");
  TilusSpecialization special = {.size = sizeof(special), .constants = constants, .constantCount = 1};
  for (int round = 0; !atomic_load(&isForkingOver); ++round) {
    TilusDispatcher *dispatcher = NULL;
    snprintf(cache, sizeof(cache), "%s/%d", forkFolder, round);
    TilusCompiler *compiler = makeCompiler(cache);
    OK(tilusDispatcherCreateFromModule(compiler, &source, &special, NULL, &dispatcher));
    tilusCompilerDestroy(compiler);
    atomic_store(&busyDispatcher, dispatcher);
    for (int64_t constant = 0; constant < 4; ++constant)
      OK(compileFor(dispatcher, constant));
    atomic_store(&busyDispatcher, NULL);
    tilusDispatcherDestroy(dispatcher);
  }
  return NULL;
}

/* A child compiles with what a thread of its parent was compiling with, and ends it. */
void testForkedCompiler(void) {
  CHECK(mkdtemp(forkFolder) != NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, compileAlways, NULL);
  for (int round = 0; round < forkRounds; ++round) {
    while (!atomic_load(&busyDispatcher))
      sched_yield();
    pid_t child = fork();
    if (child == 0) {
      alarm(30);
      TilusDispatcher *dispatcher = atomic_load(&busyDispatcher);
      bool isRight = !dispatcher || (!compileFor(dispatcher, 1) && !compileFor(dispatcher, 1000 + round));
      tilusDispatcherDestroy(dispatcher);
      _exit(isRight ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  atomic_store(&isForkingOver, true);
  pthread_join(thread, NULL);
  char command[64];
  snprintf(command, sizeof(command), "rm -r %s", forkFolder);
  CHECK(system(command) == 0);
}
