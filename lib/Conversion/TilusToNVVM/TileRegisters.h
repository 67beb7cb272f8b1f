// The registers that a thread holds of a tile, and how to reach the slots in them.
//
// A slot is one element of a tile in one thread. Slots of less than 32 bits share a register: a vector of 32
// bits. Booleans are one i1 a slot. The storage type of a slot is its element type, but i8 for 8-bit floats,
// f32 for tf32 and i64 for index.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilus {

/// Whether the lowering holds elements of this type in registers: 8, 16, 32 and 64 bits, and booleans.
bool isLowerableElement(mlir::Type element);

/// The type of one slot.
mlir::Type getSlotType(mlir::Type element);
/// Bits of one slot, in registers and in memory (8 for a boolean).
int64_t getSlotBits(mlir::Type element);
/// Slots that share a register.
int64_t getSlotsPerRegister(mlir::Type element);
/// The type of a register: the slot's, or a vector of 32 bits.
mlir::Type getRegisterType(mlir::Type element);
/// Registers that a thread holds of the tile, which must have a layout.
int64_t getNumRegisters(mlir::RankedTensorType tile);

/// One scalar for each slot of the tile.
llvm::SmallVector<mlir::Value> unpackTile(mlir::OpBuilder &builder, mlir::Location loc,
                                          mlir::RankedTensorType tile, mlir::ValueRange registers);
/// The registers that hold these slots.
llvm::SmallVector<mlir::Value> packTile(mlir::OpBuilder &builder, mlir::Location loc,
                                        mlir::RankedTensorType tile, llvm::ArrayRef<mlir::Value> slots);

/// Slots [first, first + count) as words for memory: i32 words, i64 words for 64-bit elements, or one i8 or
/// i16 if they are narrower than a word. `count` times the bits of a slot is a power of two.
llvm::SmallVector<mlir::Value> getWords(mlir::OpBuilder &builder, mlir::Location loc,
                                        mlir::RankedTensorType tile, mlir::ValueRange registers,
                                        int64_t first, int64_t count);

/// Collects the words of a tile and gives its registers.
class TileAssembler {
public:
  TileAssembler(mlir::RankedTensorType tile);
  /// Sets slots [first, first + count) from words as `getWords` gives them.
  void setWords(mlir::OpBuilder &builder, mlir::Location loc, int64_t first, int64_t count,
                mlir::ValueRange words);
  /// The registers; all slots must have been set.
  llvm::SmallVector<mlir::Value> getRegisters(mlir::OpBuilder &builder, mlir::Location loc);

private:
  mlir::RankedTensorType tile;
  llvm::SmallVector<mlir::Value> registers;
  llvm::SmallVector<mlir::Value> slots;
};

/// The type of each word of `getWords`.
mlir::Type getWordType(mlir::MLIRContext *context, int64_t bits, mlir::Type element);

/// A constant of an integer or float type.
mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, int64_t value);
mlir::Value createI32(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);
mlir::Value createI64(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

/// Types of the lowering: tiles to registers, pointers to LLVM pointers, views and shared tiles to their
/// parts.
class TileTypeConverter : public mlir::TypeConverter {
public:
  explicit TileTypeConverter(mlir::MLIRContext *context);
};

} // namespace tilus
