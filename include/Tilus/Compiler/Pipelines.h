// The order of the passes, and the named pipelines.
//
//   tilus-to-nvvm{target= fast-math= line-info=}   kernels to modules of the LLVM and NVVM dialects
//   tilus-to-ptx{targets= …}                       kernels to gpu.binary ops that hold PTX
//   tilus-to-cubin{targets= …}                     kernels to gpu.binary ops that hold cubins
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Compiler/CompileOptions.h"
#include "mlir/Pass/PassManager.h"

namespace tilus {

/// The passes on tiles: from a kernel as it is written to one whose layouts, instructions, places in shared
/// memory and barriers are settled. Runs on a module with a target.
void buildTilePipeline(mlir::OpPassManager &manager, const CompileOptions &options);

/// The passes from there to the LLVM and NVVM dialects: each kernel becomes a gpu.module.
void buildNVVMPipeline(mlir::OpPassManager &manager, const CompileOptions &options);

/// Both, one after the other.
void buildTilusToNVVMPipeline(mlir::OpPassManager &manager, const CompileOptions &options);

/// The text of that pipeline, as tilus-opt's --pass-pipeline takes it. It is the same with a dump and
/// without.
std::string getTilusToNVVMPipelineText(const CompileOptions &options);
/// The text of a pipeline that compiles all kernels of a module for a chip, with the same options.
std::string getEmitBinaryPipelineText(llvm::StringRef chip, const CompileOptions &options);

/// Registers the passes of the project and the named pipelines: for programs that register MLIR's own passes.
/// To be called once in a process.
void registerPasses();

/// Registers all passes of the project, those of MLIR that the pipelines use, and the named pipelines. To be
/// called once in a process.
void registerPassesAndPipelines();

} // namespace tilus
