// Reading and writing of the dialect's version in bytecode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusBytecode.h"

#include "Tilus/IR/TilusDialect.h"

using namespace mlir;
using namespace tilus;

/// One row for each version that changed the meaning of what was written before, in order. Version 1 is the
/// first.
static std::vector<BytecodeUpgrade> getBytecodeUpgrades() { return {}; }

BytecodeInterface::BytecodeInterface(Dialect *dialect)
    : BytecodeDialectInterface(dialect), upgrades(getBytecodeUpgrades()) {}

BytecodeInterface &BytecodeInterface::get(MLIRContext &context) {
  Dialect *dialect = context.getOrLoadDialect<TilusDialect>();
  return static_cast<BytecodeInterface &>(*dialect->getRegisteredInterface<BytecodeDialectInterface>());
}

void BytecodeInterface::setVersion(int64_t version, std::vector<BytecodeUpgrade> steps) {
  current = version;
  upgrades = std::move(steps);
}

void BytecodeInterface::writeVersion(DialectBytecodeWriter &writer) const { writer.writeVarInt(current); }

std::unique_ptr<DialectVersion> BytecodeInterface::readVersion(DialectBytecodeReader &reader) const {
  uint64_t number = 0;
  if (failed(reader.readVarInt(number)))
    return nullptr;
  if (number >= 1 && number <= static_cast<uint64_t>(current))
    return std::make_unique<BytecodeDialectVersion>(static_cast<int64_t>(number));
  reader.emitError()
      << "expected bytecode of version 1 to " << current << " of the dialect '"
      << getDialect()->getNamespace() << "', but got version " << number
      << "; read it with the Tilus that wrote it, or a later one, and have that print it as text";
  return nullptr;
}

LogicalResult BytecodeInterface::upgradeFromVersion(Operation *top, const DialectVersion &version) const {
  int64_t number = static_cast<const BytecodeDialectVersion &>(version).number;
  for (const BytecodeUpgrade &upgrade : upgrades)
    if (upgrade.from >= number && failed(upgrade.apply(top)))
      return failure();
  return success();
}
