// Code that known faults of the vendor's assembler would get wrong, written otherwise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AssemblerFaults.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

/// Whether the instruction becomes an add.s16x2 of a constant. LLVM gives it for any vector of i16.
static bool isPackedConstantSum(const llvm::Instruction &instruction) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  bool isSum =
      instruction.getOpcode() == llvm::Instruction::Add || instruction.getOpcode() == llvm::Instruction::Sub;
  return isSum && type && type->getElementType()->isIntegerTy(16) &&
         llvm::any_of(instruction.operands(),
                      [](const llvm::Use &use) { return llvm::isa<llvm::Constant>(use); });
}

static void scalarize(llvm::Instruction &instruction) {
  llvm::IRBuilder<> builder(&instruction);
  auto *type = llvm::cast<llvm::FixedVectorType>(instruction.getType());
  auto opcode = static_cast<llvm::Instruction::BinaryOps>(instruction.getOpcode());
  llvm::Value *result = llvm::PoisonValue::get(type);
  for (unsigned index = 0; index < type->getNumElements(); ++index) {
    llvm::Value *lhs = builder.CreateExtractElement(instruction.getOperand(0), index);
    llvm::Value *rhs = builder.CreateExtractElement(instruction.getOperand(1), index);
    result = builder.CreateInsertElement(result, builder.CreateBinOp(opcode, lhs, rhs), index);
  }
  instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
}

void tilus::avoidAssemblerFaults(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (isPackedConstantSum(instruction))
        scalarize(instruction);
}
