//===- TranslateToPTX.h - from the LLVM dialect to PTX -----------------------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the way from a module of the LLVM and NVVM dialects to PTX, in this process. It knows nothing of
// tiles, and nothing of cubins.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

#include "Tilus/Target/ToolkitPaths.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir {
class DialectRegistry;
class Operation;
} // namespace mlir

namespace tilus {

/// How to make PTX. All that the output depends on is in here and in the module.
struct PTXOptions {
  /// The chip, by any name that lookupTarget takes.
  std::string chip;
  /// The PTX version as an LLVM subtarget feature, for example "+ptx86"; empty for the chip's own.
  std::string features;
  /// The LLVM triple; empty for the chip's own.
  std::string triple;
  /// 0 to 3, as in LLVM.
  int optLevel = 3;
  /// Flush subnormal f32 operands and results to zero.
  bool flushSubnormals = false;
  /// Allow contraction, reciprocals and approximate functions in all f32 and f16 arithmetic. It does not
  /// assume that there are no infinities and NaNs, nor reassociate. Implies flushSubnormals.
  bool fastMath = false;
  /// Keep the module's line table. Functions have to carry the scopes made by the pass
  /// ensure-debug-info-scope-on-llvm-func with emission kind DebugDirectivesOnly.
  bool lineInfo = false;
  /// Where to look for libdevice, which is linked if a function of its is called.
  ToolkitPaths toolkit;
};

/// Registers the translations to LLVM IR that translateToPTX needs with the context's dialects. To be called
/// before the context is used by several threads.
void registerPTXTranslations(mlir::DialectRegistry &registry);

/// The LLVM IR on the way: linked with what it calls, and optimised, as code is generated from it.
enum class LLVMStage : uint8_t { Linked, Optimized };
/// Is shown the LLVM IR when it has reached a stage.
using LLVMObserver = llvm::function_ref<void(LLVMStage stage, const llvm::Module &module)>;

/// The PTX of a gpu.module, or of a module, of LLVM and NVVM ops. Reports errors on the op. The same module
/// and options give the same text on every machine.
mlir::FailureOr<std::string> translateToPTX(mlir::Operation *module, const PTXOptions &options,
                                            LLVMObserver observe = nullptr);

} // namespace tilus
