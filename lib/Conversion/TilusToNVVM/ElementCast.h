// Conversions of scalars between element types, as `tilus.cast` and the conversions of arith define them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Lowering.h"
#include "Tilus/Support/ScalarFormat.h"

namespace tilus {

/// How to convert. The default is that of `tilus.cast` without options.
struct CastOptions {
  /// The rounding into floats; none is to nearest, ties as the type has it: to even, for tf32 away from zero.
  std::optional<RoundingMode> rounding;
  /// Whether values out of range become the nearest value of the type.
  bool saturates = false;
  bool isSourceUnsigned = false;
  bool isResultUnsigned = false;
  /// Whether booleans are 0 or 1 and "not zero"; otherwise they are integers of one bit.
  bool hasTruth = true;
};

/// The format of a float type that the lowering holds.
ScalarFormat getFloatFormat(mlir::Type type);

/// Converts slots of one element type to another, with the target's conversions where it has them.
class ElementCaster {
public:
  ElementCaster(mlir::OpBuilder &builder, mlir::Location loc, const LoweringContext &context, mlir::Type from,
                mlir::Type to, CastOptions options = {})
      : builder(builder), loc(loc), context(context), from(from), to(to), options(options) {}

  /// The converted slots. Many at once, since some conversions work on pairs.
  llvm::SmallVector<mlir::Value> convert(llvm::ArrayRef<mlir::Value> slots);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::Value convertInteger(mlir::Value value);
  mlir::Value floatToInteger(mlir::Value value);
  mlir::Value integerToFloat(mlir::Value value);
  Values floatToFloat(llvm::ArrayRef<mlir::Value> slots);
  Values widen(llvm::ArrayRef<mlir::Value> slots);
  Values narrow(llvm::ArrayRef<mlir::Value> values);
  Values narrowToF8(llvm::ArrayRef<mlir::Value> values);
  mlir::Value narrowInSoftware(mlir::Value value);
  mlir::Value narrowF64(mlir::Value value);
  mlir::Value makeOdd(mlir::Value rounded, mlir::Value isInexact);
  mlir::Value saturateFloat(mlir::Value value);
  mlir::Value clampInteger(mlir::Value value, bool isUnsigned);
  RoundingMode getRounding() const;
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type type, mlir::ValueRange operands);
  mlir::Value constant(mlir::Type type, int64_t value) { return createConstant(builder, loc, type, value); }
  mlir::Value constantF(mlir::Type type, double value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const LoweringContext &context;
  mlir::Type from, to;
  CastOptions options;
};

} // namespace tilus
