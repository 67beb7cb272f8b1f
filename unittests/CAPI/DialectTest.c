/* The dialect in MLIR's C API, in one process with the compiler.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Tilus-c/Dialect.h"
#include "Check.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"

static const char text[] = "tilus.kernel @nothing(%n: i32) warps(1) grid {\n"
                           "  tilus.grid [%n]\n"
                           "} {\n"
                           "}\n";

static MlirContext makeContext(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tilus__(), registry);
  tilusRegisterCompilerDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  return context;
}

static MlirLogicalResult countDiagnostic(MlirDiagnostic diagnostic, void *userData) {
  (void)diagnostic;
  ++*(int *)userData;
  return mlirLogicalResultSuccess();
}

void testDialect(void) {
  MlirContext context = makeContext();
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  CHECK(!mlirModuleIsNull(module));
  TilusCompileOptions *options = NULL;
  TilusCompiler *compiler = NULL;
  TilusBlob *blob = NULL;
  OK(tilusCompileOptionsCreate(&options));
  OK(tilusCompileOptionsSet(options, "cubin", "false"));
  OK(tilusCompilerCreate(options, &compiler));
  const TilusTarget *targets[] = {lookUp("sm_80"), lookUp("sm_120a")};
  OK(tilusCompileModule(compiler, module, targets, 2, &blob));
  TilusBytes bytes = tilusBlobGetBytes(blob);
  TilusArtifactFile *file = NULL;
  OK(tilusArtifactFileParse(bytes.data, bytes.size, &file));
  CHECK(tilusArtifactFileGetCount(file) == 2);
  tilusArtifactFileDestroy(file);
  tilusBlobDestroy(blob);
  /* The module names no target, before as after. */
  int diagnostics = 0;
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, countDiagnostic, &diagnostics, NULL);
  FAILS(tilusCompileModule(compiler, module, NULL, 0, &blob), "the diagnostics that its context reported");
  CHECK(diagnostics == 1);
  mlirContextDetachDiagnosticHandler(context, handler);
  FAILS(tilusCompileModule(compiler, (MlirModule){NULL}, NULL, 0, &blob), "a module, but got null");
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  tilusCompilerDestroy(compiler);
  tilusCompileOptionsDestroy(options);
}

void testPipeline(void) {
  tilusRegisterPasses();
  tilusRegisterPasses();
  MlirContext context = makeContext();
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirStringRef pipeline = mlirStringRefCreateFromCString("tilus-to-nvvm{target=sm_90a}");
  CHECK(mlirLogicalResultIsSuccess(
      mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(manager), pipeline, NULL, NULL)));
  CHECK(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))));
  MlirOperation first = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(first));
  CHECK(name.length == strlen("gpu.module") && memcmp(name.data, "gpu.module", name.length) == 0);
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
}
