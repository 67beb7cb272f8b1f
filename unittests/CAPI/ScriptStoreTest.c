#define _GNU_SOURCE /* mkdtemp, dladdr */
/* What is kept of scripts, opened without a compiler, from C.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Check.h"
#include "Tilus-c/Script.h"

#include <dlfcn.h>
#include <unistd.h>

/* What a store without a compiler needs to know: it has the folders of the store of the compiler. */
static void testStores(const TilusCompiler *compiler, const char *folder) {
  Dl_info library;
  CHECK(dladdr((void *)tilusCompilerGetBuild, &library) != 0);
  TilusBlob *build = NULL;
  OK(tilusReadCompilerBuild(library.dli_fname, &build));
  TilusBytes text = tilusBlobGetBytes(build);
  CHECK(text.size == strlen(tilusCompilerGetBuild()));
  CHECK(memcmp(text.data, tilusCompilerGetBuild(), text.size) == 0);
  tilusBlobDestroy(build);
  FAILS(tilusReadCompilerBuild("/dev/null", &build),
        "expected a library with a build id, but got '/dev/null'");
  FAILS(tilusReadCompilerBuild(NULL, &build), "expected the path of a library, but got null");

  TilusScriptIdentity identity = {sizeof(identity), "store", {"program", 7}, {"options", 7}};
  TilusCache *cache = NULL, *off = NULL;
  OK(tilusCacheOpen(folder, &cache));
  OK(tilusCacheOpen("off", &off));
  CHECK(tilusCacheIsUsable(cache) && !tilusCacheIsUsable(off) && !tilusCacheIsUsable(NULL));
  TilusScriptStore *stores[2] = {NULL, NULL};
  OK(tilusScriptStoreCreate(compiler, &identity, &stores[0]));
  OK(tilusScriptStoreOpen(cache, tilusCompilerGetBuild(), &identity, &stores[1]));
  TilusBlob *paths[2] = {NULL, NULL};
  for (int index = 0; index < 2; ++index)
    OK(tilusScriptStoreGetPath(stores[index], lookUp("sm_90"), &paths[index]));
  TilusBytes first = tilusBlobGetBytes(paths[0]), second = tilusBlobGetBytes(paths[1]);
  CHECK(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
  for (int index = 0; index < 2; ++index) {
    tilusBlobDestroy(paths[index]);
    tilusScriptStoreDestroy(stores[index]);
  }
  FAILS(tilusScriptStoreOpen(NULL, "", &identity, &stores[0]), "expected a cache, but got null");
  FAILS(tilusScriptStoreOpen(cache, NULL, &identity, &stores[0]),
        "expected the build of a compiler, but got null");
  FAILS(tilusScriptStoreOpen(cache, "", NULL, &stores[0]), "expected a TilusScriptIdentity, but got null");
  TilusCache *none = NULL;
  FAILS(tilusCacheOpen(NULL, &none), "expected the option of a cache, but got null");
  tilusCacheDestroy(cache);
  tilusCacheDestroy(off);
  TilusBlob *files = NULL;
  OK(tilusCompilerFindToolFiles(compiler, &files));
  CHECK(tilusBlobGetBytes(files).size == 0 || *(const char *)tilusBlobGetBytes(files).data == '/');
  tilusBlobDestroy(files);
  FAILS(tilusCompilerFindToolFiles(NULL, &files), "expected a compiler, but got null");
}

void testScriptStores(void) {
  char folder[] = "/tmp/tilus-store-XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  TilusCompileOptions *options = NULL;
  TilusCompiler *compiler = NULL;
  OK(tilusCompileOptionsCreate(&options));
  OK(tilusCompileOptionsSet(options, "cache", folder));
  OK(tilusCompilerCreate(options, &compiler));
  tilusCompileOptionsDestroy(options);
  testStores(compiler, folder);
  tilusCompilerDestroy(compiler);
  char command[64];
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  CHECK(system(command) == 0);
}
