// How a kernel wants a tensor in global memory described to the hardware's tensor copies.
//
// Owns the description, its rules that hold for every launch, and the names of its parts. A launch makes a
// descriptor of 128 bytes from it. Needs neither MLIR nor LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/GridExpr.h"

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

namespace tilus {

// The enumerators and what they mean are in TensorMapFormat.def.
enum class TensorElement : uint8_t {
#define TILUS_TENSOR_ELEMENT(Enumerator, Name, Value, Bits, Alignment, Multiple, Box) Enumerator = Value,
#include "Tilus/Support/TensorMapFormat.def"
};
enum class TensorInterleave : uint8_t {
#define TILUS_TENSOR_INTERLEAVE(Enumerator, Name, Value, Alignment) Enumerator = Value,
#include "Tilus/Support/TensorMapFormat.def"
};
enum class TensorSwizzle : uint8_t {
#define TILUS_TENSOR_SWIZZLE(Enumerator, Name, Value, Span) Enumerator = Value,
#include "Tilus/Support/TensorMapFormat.def"
};
enum class TensorPromotion : uint8_t {
#define TILUS_TENSOR_PROMOTION(Enumerator, Name, Value) Enumerator = Value,
#include "Tilus/Support/TensorMapFormat.def"
};
enum class TensorFill : uint8_t {
#define TILUS_TENSOR_FILL(Enumerator, Name, Value) Enumerator = Value,
#include "Tilus/Support/TensorMapFormat.def"
};

/// A tensor in global memory and the box of it that one copy moves. Dimensions are in the hardware's order,
/// the innermost, whose elements are neighbours, first; there are 1 to 5. The descriptor is passed behind the
/// parameters and the workspaces, as 128 bytes a tensor map, in order.
struct KernelTensorMap {
  /// The number of the pointer parameter with the tensor's address, and what is added to it, in bytes.
  unsigned param = 0;
  GridExpr byteOffset = GridExpr::constant(0);
  /// The elements along each dimension.
  std::vector<GridExpr> shape;
  /// The bytes between neighbours along each dimension but the innermost.
  std::vector<GridExpr> strides;
  /// The elements of a box along each dimension, 1 to 256, before steps over elements.
  std::vector<unsigned> box;
  /// The step along each dimension, 1 to 8, of which the innermost is 1.
  std::vector<unsigned> elementStrides;
  TensorElement element = TensorElement::UInt8;
  TensorInterleave interleave = TensorInterleave::None;
  TensorSwizzle swizzle = TensorSwizzle::None;
  TensorPromotion promotion = TensorPromotion::None;
  TensorFill fill = TensorFill::Zero;

  unsigned getRank() const { return shape.size(); }
  /// What the tensor's address and its strides are a multiple of, in bytes.
  unsigned getAlignment() const;
  /// What the tensor's innermost extent is a multiple of.
  unsigned getShapeMultiple() const;
  /// Fails where the hardware takes no such description for any tensor: "expected 1 to 5 dimensions, but got
  /// 6".
  llvm::Error check() const;
};

/// Names for files and messages, and back: false for other names.
llvm::StringRef getName(TensorElement value);
llvm::StringRef getName(TensorInterleave value);
llvm::StringRef getName(TensorSwizzle value);
llvm::StringRef getName(TensorPromotion value);
llvm::StringRef getName(TensorFill value);
bool parseName(llvm::StringRef name, TensorElement &value);
bool parseName(llvm::StringRef name, TensorInterleave &value);
bool parseName(llvm::StringRef name, TensorSwizzle &value);
bool parseName(llvm::StringRef name, TensorPromotion &value);
bool parseName(llvm::StringRef name, TensorFill &value);

} // namespace tilus
