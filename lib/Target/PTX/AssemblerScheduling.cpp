// Orders that the vendor's assembler would not keep by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AssemblerScheduling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

static bool isProduct(const llvm::CallInst &call) {
  if (const auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return assembly->getAsmString().starts_with("mma.sync");
  const llvm::Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.mma.");
}

/// A wait that leaves copies under way delays nothing where it stands too early.
static bool isWaitForAll(const llvm::CallInst &call) {
  const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (!intrinsic)
    return false;
  if (intrinsic->getIntrinsicID() == llvm::Intrinsic::nvvm_cp_async_wait_group)
    return llvm::cast<llvm::ConstantInt>(intrinsic->getArgOperand(0))->isZero();
  return intrinsic->getIntrinsicID() == llvm::Intrinsic::nvvm_cp_async_wait_all;
}

static llvm::SmallVector<llvm::Instruction *> findWaitsAfterProducts(llvm::Function &function) {
  llvm::SmallVector<llvm::Instruction *> waits;
  for (llvm::BasicBlock &block : function) {
    bool isAfterProduct = false;
    for (llvm::Instruction &instruction : block) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call)
        continue;
      if (isAfterProduct && isWaitForAll(*call)) {
        waits.push_back(call);
        isAfterProduct = false;
      }
      isAfterProduct |= isProduct(*call);
    }
  }
  return waits;
}

void tilus::keepProductsBeforeWaits(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::Instruction *> waits = findWaitsAfterProducts(function);
    if (waits.empty())
      continue;
    llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    llvm::Value *bytes = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {});
    // No block has so much shared memory, which the assembler does not know. Each wait has a number of its
    // own: what is known to be false at one would be so at those behind it.
    for (auto [number, wait] : llvm::enumerate(waits)) {
      builder.SetInsertPoint(wait);
      llvm::Value *never = builder.CreateICmpEQ(bytes, builder.getInt32(~uint32_t(number)));
      llvm::SplitBlockAndInsertIfThen(never, wait->getIterator(), /*Unreachable=*/true);
    }
  }
}
