// An integer expression over a kernel's parameters, as a postfix program that a launch evaluates.
//
// Owns: the program, its validation, evaluation and text form. Needs neither MLIR nor LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace tilus {

/// The operations; see GridOps.def for what each computes.
enum class GridOpcode : uint8_t {
#define TILUS_GRID_OP(Enumerator, Name, Operands) Enumerator,
#include "Tilus/Support/GridOps.def"
};

/// One step: pops the operation's operands, the last one on top, and pushes its result.
struct GridStep {
  GridOpcode op;
  /// The constant, the parameter's number, or the width of an extension; else 0.
  int64_t immediate = 0;

  bool operator==(const GridStep &other) const { return op == other.op && immediate == other.immediate; }
};

/// A validated program that leaves exactly one value on the stack.
class GridExpr {
public:
  /// The constant 1.
  GridExpr() : GridExpr(constant(1)) {}
  static GridExpr constant(int64_t value);

  /// Checks the program: every operand is there, one value is left, at most 32 values are alive at a time,
  /// parameter numbers are below `paramCount`, widths are 1 to 64.
  static llvm::Expected<GridExpr> create(llvm::ArrayRef<GridStep> steps, unsigned paramCount);
  /// Reads what toString() writes: words apart by spaces, `p0` a parameter, a number a constant, `sext32` an
  /// extension, else the operation's name; `p0 1024 ceildivs` is ceil(p0 / 1024).
  static llvm::Expected<GridExpr> parse(llvm::StringRef text, unsigned paramCount);
  std::string toString() const;

  /// The value for these parameters, of which there must be as many as create() was told. Fails on a division
  /// by zero, on INT64_MIN / -1, and on a shift amount out of range. Does not allocate unless it fails.
  llvm::Expected<int64_t> evaluate(llvm::ArrayRef<int64_t> params) const;

  llvm::ArrayRef<GridStep> getSteps() const { return steps; }
  unsigned getParamCount() const { return paramCount; }
  bool operator==(const GridExpr &other) const { return steps == other.steps; }

private:
  GridExpr(llvm::ArrayRef<GridStep> steps, unsigned paramCount)
      : steps(steps.begin(), steps.end()), paramCount(paramCount) {}

  llvm::SmallVector<GridStep, 4> steps;
  unsigned paramCount = 0;
};

} // namespace tilus
