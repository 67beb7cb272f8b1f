// The table of matrix instructions and the register fragments of its rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/RegisterLayout.h"
#include "Tilus/TargetInfo/TargetInfo.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class Type;
} // namespace mlir

namespace tilus {

/// One matrix instruction of a warp.
struct MmaAtom {
  llvm::StringLiteral name;
  int64_t m, n, k;
  /// MLIR names of the element types of the operands and the accumulator.
  llvm::StringLiteral aType, bType, accType;
  Feature feature;

  /// Fragment of `a`, shape [m, k].
  RegisterLayout getALayout() const;
  /// Fragment of `b`, shape [k, n].
  RegisterLayout getBLayout() const;
  /// Fragment of the accumulator and the result, shape [m, n].
  RegisterLayout getAccLayout() const;
  /// Whether the instruction multiplies elements of these types.
  bool matchesTypes(mlir::Type a, mlir::Type b, mlir::Type acc) const;

private:
  /// Elements of an operand that share a register: the k that one lane holds next to each other.
  int64_t getElementsPerRegister() const;
};

/// All rows, in the order of MmaAtoms.def.
llvm::ArrayRef<MmaAtom> allMmaAtoms();

/// The row of this name; null if there is none.
const MmaAtom *lookupMmaAtom(llvm::StringRef name);

/// A block's matrix product: an atom and how the warps share the tile.
struct MmaPlan {
  const MmaAtom *atom;
  RegisterLayout a, b, acc;
};

/// The plan for a product of shape [m, n, k] with these types on `numThreads` threads of `target` that holds
/// the fewest registers; nullopt if no atom fits (scalar instructions multiply then).
std::optional<MmaPlan> planMma(int64_t m, int64_t n, int64_t k, mlir::Type a, mlir::Type b, mlir::Type acc,
                               int64_t numThreads, const TargetInfo &target);

/// The plan that keeps the given layout of the accumulator; nullopt if no atom fits it.
std::optional<MmaPlan> planMmaForAcc(const RegisterLayout &acc, int64_t k, mlir::Type a, mlir::Type b,
                                     mlir::Type accType, const TargetInfo &target);

} // namespace tilus
