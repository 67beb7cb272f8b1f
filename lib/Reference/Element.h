// Elements of tiles as the executor stores them, and bulk conversion to the numbers that it computes with.
//
// Owns the container of an element: its code, zero-extended to 1, 2, 4 or 8 bytes, little end first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/BitAccess.h"
#include "Tilus/Support/ScalarFormat.h"
#include "mlir/IR/Types.h"

namespace tilus::reference {

/// An element type at run time.
struct Element {
  /// The type in memory; integers are of kind Int, the builtin boolean of kind Bool.
  ScalarFormat format;
  /// Bits of the code that mean something: 1 for a boolean, else those of the format.
  unsigned width = 32;
  /// Bytes of the container.
  unsigned bytes = 4;

  bool isFloat() const { return format.isFloat(); }
  bool isBool() const { return format.kind == ScalarKind::Bool; }
  /// Whether the container holds exactly the bytes in memory, any of which are a code.
  bool isPlain() const { return format.bits == bytes * 8 && !isBool(); }

  uint64_t load(const uint8_t *container) const;
  void store(uint8_t *container, uint64_t code) const;
  int64_t toSigned(uint64_t code) const { return signExtend(code, width); }
};

/// The element of a scalar, tile or element type, or nullopt if the executor has no such format.
std::optional<Element> getElement(mlir::Type type);

/// Reads `count` containers as two's complement numbers, or as numbers without sign.
void decodeInts(const Element &element, const uint8_t *codes, int64_t *values, size_t count, bool isSigned);
/// Writes the low bits of integers.
void encodeInts(const Element &element, const int64_t *values, uint8_t *codes, size_t count);
/// Reads floats exactly.
void decodeReals(const Element &element, const uint8_t *codes, double *values, size_t count);
/// Reads floats of at most 32 bits exactly.
void decodeFloats(const Element &element, const uint8_t *codes, float *values, size_t count);
/// Rounds once to nearest; what is out of range becomes infinity or NaN where the type has it.
void encodeReals(const Element &element, const double *values, uint8_t *codes, size_t count);

} // namespace tilus::reference
