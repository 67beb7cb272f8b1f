// The table of all operations that the executor knows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Handlers.h"

using namespace tilus::reference;

void tilus::reference::registerHandlers(HandlerTable &table) {
  registerArithHandlers(table);
  registerConversionHandlers(table);
  registerMathHandlers(table);
  registerScfHandlers(table);
  registerControlHandlers(table);
  registerTensorHandlers(table);
  registerCombineHandlers(table);
  registerGlobalMemoryHandlers(table);
  registerSharedMemoryHandlers(table);
  registerMmaHandlers(table);
  registerAsyncHandlers(table);
  registerSyncHandlers(table);
  registerAtomicHandlers(table);
  registerDebugHandlers(table);
}
