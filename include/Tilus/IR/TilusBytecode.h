// The version of the dialect in bytecode, and how files of earlier versions are read.
//
// Operations, attributes and types are encoded as MLIR encodes them by default; the version says what they
// mean. It grows when something that was written before would be read wrongly, or not at all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Operation.h"

#include <vector>

namespace tilus {

/// The version that is written, and the latest that is read. Raise it together with a row in
/// the list of TilusBytecode.cpp and a golden file in test/IR/Bytecode, by utils/make_golden_bytecode.py.
constexpr int64_t bytecodeVersion = 1;

/// Makes what a file of version `from` holds into IR of version `from` + 1.
struct BytecodeUpgrade {
  int64_t from;
  mlir::LogicalResult (*apply)(mlir::Operation *top);
};

/// The version that a file states.
struct BytecodeDialectVersion : public mlir::DialectVersion {
  explicit BytecodeDialectVersion(int64_t number) : number(number) {}
  int64_t number;
};

/// Writes the version, refuses files of later ones, and upgrades what earlier ones wrote.
class BytecodeInterface : public mlir::BytecodeDialectInterface {
public:
  explicit BytecodeInterface(mlir::Dialect *dialect);

  /// The interface of the dialect of a context that has loaded it.
  static BytecodeInterface &get(mlir::MLIRContext &context);
  /// Makes this the interface of another version of the dialect, so that tests may stand in a later build.
  void setVersion(int64_t version, std::vector<BytecodeUpgrade> upgrades);

  void writeVersion(mlir::DialectBytecodeWriter &writer) const override;
  std::unique_ptr<mlir::DialectVersion> readVersion(mlir::DialectBytecodeReader &reader) const override;
  mlir::LogicalResult upgradeFromVersion(mlir::Operation *top,
                                         const mlir::DialectVersion &version) const override;

private:
  int64_t current = bytecodeVersion;
  std::vector<BytecodeUpgrade> upgrades;
};

} // namespace tilus
