// The registers that a thread holds of a tile, and how to reach the slots in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TileRegisters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Slots and registers
//===----------------------------------------------------------------------===//

bool tilus::isLowerableElement(Type element) {
  if (element.isInteger(1) || element.isIndex() || element.isTF32())
    return true;
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.getWidth() >= 8 && integer.getWidth() <= 64 && llvm::isPowerOf2_32(integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, Float8E4M3FNType, Float8E5M2Type>(element);
}

Type tilus::getSlotType(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isTF32())
    return Float32Type::get(context);
  if (element.isIndex())
    return IntegerType::get(context, 64);
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return IntegerType::get(context, 8);
  return element;
}

int64_t tilus::getSlotBits(Type element) { return getElementBits(element); }

int64_t tilus::getSlotsPerRegister(Type element) {
  return element.isInteger(1) ? 1 : std::max<int64_t>(1, 32 / getSlotBits(element));
}

Type tilus::getRegisterType(Type element) {
  int64_t count = getSlotsPerRegister(element);
  Type slot = getSlotType(element);
  return count == 1 ? slot : VectorType::get({count}, slot);
}

int64_t tilus::getNumRegisters(RankedTensorType tile) {
  return llvm::divideCeil(getTileLayout(tile).getLayout().getNumLocals(),
                          getSlotsPerRegister(tile.getElementType()));
}

Value tilus::createConstant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, double(value)));
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}
Value tilus::createI32(OpBuilder &builder, Location loc, int64_t value) {
  return createConstant(builder, loc, builder.getI32Type(), value);
}
Value tilus::createI64(OpBuilder &builder, Location loc, int64_t value) {
  return createConstant(builder, loc, builder.getI64Type(), value);
}

SmallVector<Value> tilus::unpackTile(OpBuilder &builder, Location loc, RankedTensorType tile,
                                     ValueRange registers) {
  int64_t packed = getSlotsPerRegister(tile.getElementType());
  if (packed == 1)
    return SmallVector<Value>(registers);
  SmallVector<Value> slots;
  int64_t count = getTileLayout(tile).getLayout().getNumLocals();
  for (int64_t slot = 0; slot < count; ++slot)
    slots.push_back(LLVM::ExtractElementOp::create(builder, loc, registers[slot / packed],
                                                   createI32(builder, loc, slot % packed)));
  return slots;
}

/// One register of slots; those that are missing at the end stay undefined.
static Value packRegister(OpBuilder &builder, Location loc, Type type, ArrayRef<Value> slots) {
  Value result = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [position, slot] : llvm::enumerate(slots))
    result = LLVM::InsertElementOp::create(builder, loc, result, slot, createI32(builder, loc, position));
  return result;
}

SmallVector<Value> tilus::packTile(OpBuilder &builder, Location loc, RankedTensorType tile,
                                   ArrayRef<Value> slots) {
  Type element = tile.getElementType();
  int64_t packed = getSlotsPerRegister(element);
  if (packed == 1)
    return SmallVector<Value>(slots);
  SmallVector<Value> registers;
  for (size_t first = 0; first < slots.size(); first += packed)
    registers.push_back(packRegister(builder, loc, getRegisterType(element),
                                     slots.slice(first, std::min<size_t>(packed, slots.size() - first))));
  return registers;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Type tilus::getWordType(MLIRContext *context, int64_t bits, Type element) {
  int64_t word = std::min<int64_t>(bits, getSlotBits(element) == 64 ? 64 : 32);
  return IntegerType::get(context, word);
}

static Value bitcastTo(OpBuilder &builder, Location loc, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(builder, loc, type, value).getResult();
}

SmallVector<Value> tilus::getWords(OpBuilder &builder, Location loc, RankedTensorType tile,
                                   ValueRange registers, int64_t first, int64_t count) {
  Type element = tile.getElementType();
  int64_t packed = getSlotsPerRegister(element), bits = getSlotBits(element) * count;
  Type word = getWordType(builder.getContext(), bits, element);
  SmallVector<Value> words;
  if (!element.isInteger(1) && first % packed == 0 && count % packed == 0) {
    for (int64_t index = first / packed; index < (first + count) / packed; ++index)
      words.push_back(bitcastTo(builder, loc, word, registers[index]));
    return words;
  }
  // Booleans, and parts of a register: gather the slots in words.
  SmallVector<Value> slots;
  for (int64_t slot = first; slot < first + count; ++slot) {
    Value value = registers[slot / packed];
    if (element.isInteger(1))
      value = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
    else if (packed > 1)
      value = LLVM::ExtractElementOp::create(builder, loc, value, createI32(builder, loc, slot % packed));
    slots.push_back(value);
  }
  int64_t perWord = std::max<int64_t>(1, int64_t(word.getIntOrFloatBitWidth()) / getSlotBits(element));
  for (size_t start = 0; start < slots.size(); start += perWord) {
    Value value = slots[start];
    if (perWord > 1)
      value = packRegister(builder, loc, VectorType::get({perWord}, value.getType()),
                           ArrayRef(slots).slice(start, perWord));
    words.push_back(bitcastTo(builder, loc, word, value));
  }
  return words;
}

TileAssembler::TileAssembler(RankedTensorType tile)
    : tile(tile), registers(getNumRegisters(tile)), slots(getTileLayout(tile).getLayout().getNumLocals()) {}

void TileAssembler::setWords(OpBuilder &builder, Location loc, int64_t first, int64_t count,
                             ValueRange words) {
  Type element = tile.getElementType();
  int64_t packed = getSlotsPerRegister(element);
  if (!element.isInteger(1) && first % packed == 0 && count % packed == 0) {
    for (auto [index, word] : llvm::enumerate(words))
      registers[first / packed + index] = bitcastTo(builder, loc, getRegisterType(element), word);
    return;
  }
  Type slotType = element.isInteger(1) ? builder.getI8Type() : getSlotType(element);
  int64_t perWord = count / words.size();
  for (int64_t index = 0; index < count; ++index) {
    Value word = words[index / perWord];
    if (perWord > 1)
      word = LLVM::ExtractElementOp::create(
          builder, loc, bitcastTo(builder, loc, VectorType::get({perWord}, slotType), word),
          createI32(builder, loc, index % perWord));
    else
      word = bitcastTo(builder, loc, slotType, word);
    if (element.isInteger(1))
      word = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, word,
                                   createConstant(builder, loc, slotType, 0));
    slots[first + index] = word;
  }
}

SmallVector<Value> TileAssembler::getRegisters(OpBuilder &builder, Location loc) {
  int64_t packed = getSlotsPerRegister(tile.getElementType());
  for (auto [index, value] : llvm::enumerate(registers)) {
    if (value)
      continue;
    int64_t first = index * packed, count = std::min<int64_t>(packed, slots.size() - first);
    ArrayRef<Value> part = ArrayRef(slots).slice(first, count);
    value =
        packed == 1 ? part.front() : packRegister(builder, loc, getRegisterType(tile.getElementType()), part);
  }
  return registers;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

TileTypeConverter::TileTypeConverter(MLIRContext *context) {
  // Scalars and whatever the standard conversions behind this one deal with.
  addConversion([](Type type) { return type; });
  addConversion([](PtrType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  });
  addConversion([](FloatType type) -> std::optional<Type> {
    return isLowerableElement(type) ? std::optional<Type>(getSlotType(type)) : std::nullopt;
  });
  addConversion([](RankedTensorType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
    if (!isTileType(type) || !getTileLayout(type) || !isLowerableElement(type.getElementType()))
      return failure();
    types.append(getNumRegisters(type), getRegisterType(type.getElementType()));
    return success();
  });
  addConversion([](GlobalType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
    MLIRContext *context = type.getContext();
    types.push_back(LLVM::LLVMPointerType::get(context, unsigned(NVVM::NVVMMemorySpace::Global)));
    types.append(type.getNumDynamicSizes() + type.getNumDynamicStrides(), IntegerType::get(context, 64));
    return success();
  });
  addConversion([](SharedType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
    MLIRContext *context = type.getContext();
    types.push_back(LLVM::LLVMPointerType::get(context, unsigned(NVVM::NVVMMemorySpace::Shared)));
    types.push_back(IntegerType::get(context, 32));
    return success();
  });
  auto castBack = [](OpBuilder &builder, Type type, ValueRange inputs, Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs).getResult(0);
  };
  addSourceMaterialization(castBack);
  addTargetMaterialization(castBack);
}
