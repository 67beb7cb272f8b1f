/* What the tests of the compiler in C share.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TILUS_UNITTESTS_CAPI_COMPILERSUPPORT_H
#define TILUS_UNITTESTS_CAPI_COMPILERSUPPORT_H

#include "Check.h"
#include "Tilus-c/Compiler.h"

/* A compiler down to PTX; the cache is "off", "on" or a folder. */
static inline TilusCompiler *makeCompiler(const char *cache) {
  TilusCompileOptions *options = NULL;
  TilusCompiler *compiler = NULL;
  OK(tilusCompileOptionsCreate(&options));
  OK(tilusCompileOptionsSet(options, "cubin", "false"));
  OK(tilusCompileOptionsSet(options, "cache", cache));
  OK(tilusCompilerCreate(options, &compiler));
  tilusCompileOptionsDestroy(options);
  return compiler;
}

/* A module of that name in messages. */
static inline TilusModuleSource makeModule(const char *text, const char *fileName) {
  TilusModuleSource source = {
      .size = sizeof(source), .data = text, .dataSize = strlen(text), .fileName = fileName};
  return source;
}

#endif
