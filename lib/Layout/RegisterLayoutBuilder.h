// Mutable, not yet canonical form of a register layout, used by its constructors and its algebra.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/RegisterLayout.h"

namespace tilus {

/// The parts of a register layout, open to edits. `build` brings them to canonical form.
class RegisterLayoutBuilder {
public:
  explicit RegisterLayoutBuilder(llvm::ArrayRef<int64_t> shape) : shape(shape.begin(), shape.end()) {}
  /// The parts of an existing layout.
  explicit RegisterLayoutBuilder(const RegisterLayout &layout);

  /// Appends a mode as the innermost one so far of the last dimension added to, and returns its number. Modes
  /// must be added dimension after dimension.
  int64_t addMode(int64_t size, int64_t dim);
  /// Splits a mode in place into (size / innerSize, innerSize); later modes move up by one.
  void splitMode(int64_t mode, int64_t innerSize);
  /// Makes `stride` a boundary between modes of `dim`. Returns false if a mode cannot be split there.
  bool cutDim(int64_t dim, int64_t stride);
  /// Makes `stride` a boundary between digits of the thread id (`spatial`) or of the slot (`local`). Returns
  /// the number of digits outside the boundary, or nullopt if a digit cannot be split there.
  std::optional<size_t> cutList(Extents &list, int64_t stride);
  /// The size of an entry of `spatial` or `local`.
  int64_t getEntrySize(int64_t entry) const { return entry < 0 ? -entry : modeShape[entry]; }

  /// The canonical layout of the parts, which must be valid.
  RegisterLayout build();

  Extents shape;
  Extents modeShape;
  /// The dimension of each mode.
  Extents modeDims;
  Extents spatial;
  Extents local;

private:
  void dropUnitModes();
  void mergeReplications();
  void mergeModes();
  void renumber(llvm::ArrayRef<int64_t> newNumber);
};

} // namespace tilus
