// The handlers of all operations, one function a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Program.h"

namespace tilus::reference {

/// Fills the table with every operation that the executor knows.
void registerHandlers(HandlerTable &table);

void registerArithHandlers(HandlerTable &table);
void registerConversionHandlers(HandlerTable &table);
void registerMathHandlers(HandlerTable &table);
void registerScfHandlers(HandlerTable &table);
void registerControlHandlers(HandlerTable &table);
void registerTensorHandlers(HandlerTable &table);
void registerCombineHandlers(HandlerTable &table);
void registerGlobalMemoryHandlers(HandlerTable &table);
void registerSharedMemoryHandlers(HandlerTable &table);
void registerMmaHandlers(HandlerTable &table);
void registerAsyncHandlers(HandlerTable &table);
void registerSyncHandlers(HandlerTable &table);
void registerAtomicHandlers(HandlerTable &table);
void registerDebugHandlers(HandlerTable &table);

} // namespace tilus::reference
