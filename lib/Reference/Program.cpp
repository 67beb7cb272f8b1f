// Translation of a kernel to instructions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include "Element.h"
#include "Handlers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

/// What a tile may take at most; beyond it, the memory of the host would be at risk.
static constexpr int64_t maxTileBytes = int64_t(1) << 30;

Program::Program() { registerHandlers(table); }

LogicalResult Program::build(KernelOp kernel) {
  grid = addBlock(kernel.getGrid());
  body = addBlock(kernel.getBody());
  while (!worklist.empty()) {
    auto [source, target] = worklist.back();
    worklist.pop_back();
    if (failed(translate(*source, *target)))
      return failure();
  }
  return success();
}

CodeBlock *Program::addBlock(Region &region) {
  CodeBlock *target = &blocks.emplace_back();
  worklist.emplace_back(&region.front(), target);
  return target;
}

/// Checks that the executor has the element type, and the memory for the tile.
static LogicalResult checkType(Operation *op, Type type) {
  ArrayRef<int64_t> shape;
  if (isa<ShapedType>(type) && !isTileType(type))
    return op->emitError("expected tiles of rank 0 to 5 with static sizes, but got ") << type;
  if (auto tile = dyn_cast<RankedTensorType>(type))
    shape = tile.getShape();
  else if (auto shared = dyn_cast<SharedType>(type))
    shape = shared.getShape();
  Type element = getElementTypeOrSelf(type);
  if (auto view = dyn_cast<GlobalType>(type))
    element = view.getElementType();
  else if (auto shared = dyn_cast<SharedType>(type))
    element = shared.getElementType();
  else if (auto pointer = dyn_cast<PtrType>(type))
    element = pointer.getElementType();
  if (!getElement(element))
    return op->emitError("expected an element type that the reference executes, but got ") << element;
  int64_t bytes = 8;
  for (int64_t size : shape)
    if (ShapedType::isDynamic(size) || __builtin_mul_overflow(bytes, size, &bytes) || bytes > maxTileBytes)
      return op->emitError("expected tiles of at most ") << maxTileBytes / 8 << " elements, but got " << type;
  return success();
}

FailureOr<Instruction> Program::translate(Operation &op) {
  Instruction instruction;
  instruction.op = &op;
  instruction.entry = table.lookup(op.getName().getStringRef());
  bool hasManyBlocks =
      llvm::any_of(op.getRegions(), [](Region &region) { return region.getBlocks().size() > 1; });
  if (!instruction.entry || hasManyBlocks)
    return op.emitError("expected an operation that the reference executes, but got '")
           << op.getName() << "'";
  for (Value operand : op.getOperands())
    instruction.operands.push_back(getSlot(operand));
  for (Value result : op.getResults()) {
    if (failed(checkType(&op, result.getType())))
      return failure();
    instruction.results.push_back(getSlot(result));
  }
  for (Region &region : op.getRegions())
    instruction.regions.push_back(region.empty() ? nullptr : addBlock(region));
  if (isa<ThreadGroupOp>(op)) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegions(), captured);
    for (Value value : captured)
      instruction.captures.push_back(getSlot(value));
  }
  return instruction;
}

LogicalResult Program::translate(Block &source, CodeBlock &target) {
  for (BlockArgument argument : source.getArguments()) {
    if (failed(checkType(source.getParentOp(), argument.getType())))
      return failure();
    target.arguments.push_back(getSlot(argument));
  }
  for (Operation &op : source) {
    FailureOr<Instruction> instruction = translate(op);
    if (failed(instruction))
      return failure();
    target.code.push_back(std::move(*instruction));
  }
  return success();
}
