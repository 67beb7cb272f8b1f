/* Compiles a kernel under five scopes of targets in one process, and checks what comes out. Needs no GPU.

     targets [<folder>]
   In the folder it leaves the cubin of each scope, as 0.cubin to 4.cubin, and increment.tilus, for which the
   kernel is compiled for all these targets at once.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <Tilus-c/Compiler.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* x[i] += 1 for i < n. */
static const char kernelText[] =
    "tilus.kernel @increment(%x: !tilus.ptr<i32>, %n: i64) warps(4) grid {\n"
    "  %c512 = arith.constant 512 : i64\n"
    "  %b = arith.ceildivsi %n, %c512 : i64\n"
    "  tilus.grid [%b : i64]\n"
    "} {\n"
    "  %c512 = arith.constant 512 : i32\n"
    "  %c1 = arith.constant 1 : i32\n"
    "  %i = tilus.block_id x\n"
    "  %o = arith.muli %i, %c512 : i32\n"
    "  %g = tilus.global_view %x [%n : i64] : !tilus.ptr<i32> -> !tilus.global<?xi32>\n"
    "  %one = tilus.broadcast %c1 : i32 -> tensor<512xi32>\n"
    "  %t = tilus.load_global %g[%o] : !tilus.global<?xi32> -> tensor<512xi32>\n"
    "  %r = arith.addi %t, %one : tensor<512xi32>\n"
    "  tilus.store_global %r, %g[%o] : tensor<512xi32>, !tilus.global<?xi32>\n"
    "}\n";

static void check(TilusError *error) {
  if (!error)
    return;
  fprintf(stderr, "targets: %s\n", tilusErrorGetMessage(error));
  tilusErrorDestroy(error);
  exit(1);
}

static const TilusTarget *lookUp(const char *chip) {
  const TilusTarget *target;
  check(tilusTargetLookup(chip, NULL, &target));
  return target;
}

/* The compute capability for which a cubin was made, times ten, by the header of its ELF file: the flags have
   it at bit 8 since CUDA 13, and at bit 0 before. 0 for bytes that are no such file. */
static int readCapability(TilusBytes cubin) {
  const unsigned char *bytes = cubin.data;
  if (cubin.size < 64 || memcmp(bytes, "\177ELF\2\1", 6) != 0)
    return 0;
  unsigned flags = bytes[48] | bytes[49] << 8 | (unsigned)bytes[50] << 16 | (unsigned)bytes[51] << 24;
  return bytes[8] >= 8 ? (int)(flags >> 8 & 0xff) : (int)(flags & 0xff);
}

static TilusCompiler *makeCompiler(void) {
  TilusCompileOptions *options;
  TilusCompiler *compiler;
  check(tilusCompileOptionsCreate(&options));
  check(tilusCompileOptionsSet(options, "line-info", "true"));
  check(tilusCompilerCreate(options, &compiler));
  tilusCompileOptionsDestroy(options);
  return compiler;
}

static const struct {
  const char *chip;
  int capability;
} scopes[] = {{"sm_90a", 90}, {"sm_103a", 103}, {"sm_90a", 90}, {"sm_90", 90}, {"sm_103", 103}};
enum { scopeCount = 5 };

static void writeFile(const char *folder, const char *name, TilusBytes bytes) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file) != 0) {
    perror(path);
    exit(1);
  }
}

/* Compiles under the scopes; the number of results that are wrong. */
static int runScopes(TilusDispatcher *dispatcher, const char *folder) {
  const TilusInstance *instances[scopeCount];
  const TilusValue values[] = {tilusValuePointer(0x1000, 0, TILUS_DEVICE_UNKNOWN), tilusValueInt(1000)};
  int wrong = 0;
  for (int index = 0; index < scopeCount; ++index) {
    TilusArtifact *artifact;
    check(tilusTargetScopePush(lookUp(scopes[index].chip)));
    check(tilusDispatcherCompile(dispatcher, values, 2, NULL, &instances[index]));
    check(tilusTargetScopePop());
    check(tilusInstanceGetArtifact(instances[index], 0, &artifact));
    TilusBytes cubin = tilusArtifactGetCubin(artifact);
    int capability = readCapability(cubin);
    printf("%s: a cubin of %zu bytes for capability %d.%d\n", scopes[index].chip, cubin.size, capability / 10,
           capability % 10);
    char name[] = {(char)('0' + index), '.', 'c', 'u', 'b', 'i', 'n', '\0'};
    if (folder)
      writeFile(folder, name, cubin);
    wrong += capability != scopes[index].capability;
    tilusArtifactDestroy(artifact);
  }
  /* The same target gives the same code, whatever was in between; different targets do not share. */
  wrong += instances[0] != instances[2];
  wrong += instances[1] == instances[4] || instances[0] == instances[3];
  return wrong;
}

static void compileForAll(const TilusCompiler *compiler, const TilusModuleSource *source,
                          const char *folder) {
  const TilusTarget *targets[] = {lookUp("sm_90a"), lookUp("sm_103a"), lookUp("sm_90"), lookUp("sm_103")};
  TilusBlob *blob;
  check(tilusCompile(compiler, source, targets, 4, &blob));
  writeFile(folder, "increment.tilus", tilusBlobGetBytes(blob));
  tilusBlobDestroy(blob);
}

int main(int argc, char **argv) {
  TilusCompiler *compiler = makeCompiler();
  TilusModuleSource source = {.size = sizeof(source),
                              .data = kernelText,
                              .dataSize = strlen(kernelText),
                              .fileName = "increment.mlir"};
  TilusSpecialization specialization = {.size = sizeof(specialization), .divisors = 16};
  TilusDispatcher *dispatcher;
  check(tilusDispatcherCreateFromModule(compiler, &source, &specialization, NULL, &dispatcher));
  const char *folder = argc == 2 ? argv[1] : NULL;
  int wrong = runScopes(dispatcher, folder);
  if (folder)
    compileForAll(compiler, &source, folder);
  tilusDispatcherDestroy(dispatcher);
  tilusCompilerDestroy(compiler);
  printf("%s\n", wrong ? "WRONG" : "all as asked");
  return wrong != 0;
}
