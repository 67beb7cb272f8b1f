// Conversions between element types: those of arith, and tilus.cast with stated rounding and saturation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Elementwise.h"
#include "Handlers.h"

#include <cmath>

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

namespace {
/// How the codes of one type become codes of another.
struct Conversion {
  Element source, result;
  bool isSourceUnsigned = false, isResultUnsigned = false;
  Overflow overflow = Overflow::Special;
  /// Booleans are 0 or 1 and "not zero"; otherwise they are integers of one bit.
  bool hasTruth = false;

  uint64_t apply(uint64_t code) const {
    if (source.isFloat())
      return fromReal(source.format.decode(code));
    bool isTruth = hasTruth && source.isBool();
    return fromInt(isSourceUnsigned || isTruth ? int64_t(code) : source.toSigned(code));
  }

private:
  ScalarFormat getIntFormat(unsigned bits) const {
    return isResultUnsigned ? ScalarFormat::getUInt(bits) : ScalarFormat::getInt(bits);
  }

  uint64_t fromReal(double value) const {
    if (result.isFloat())
      return std::isnan(value) && !result.format.hasNaN() ? 0 : result.format.encode(value, overflow);
    if (hasTruth && result.isBool())
      return value != 0;
    if (overflow == Overflow::Saturate)
      return getIntFormat(result.width).encode(value, overflow);
    // The hardware converts to 32 or 64 bits, at whose ends the value sticks.
    ScalarFormat wide = getIntFormat(result.width > 32 ? 64 : 32);
    return wide.encode(value, Overflow::Saturate) & lowBitMask(result.width);
  }

  uint64_t fromInt(int64_t value) const {
    if (hasTruth && result.isBool())
      return value != 0;
    ScalarFormat format = result.isFloat() ? result.format : getIntFormat(result.width);
    return isSourceUnsigned ? format.encodeUInt(uint64_t(value), overflow)
                            : format.encodeInt(value, overflow);
  }
};
} // namespace

/// Converts all elements of the operand.
template <typename Apply> static Step convertAll(Agent &agent, const Instruction &inst, Apply apply) {
  ElementwiseRun run(agent, inst);
  const Element source = run.getElementOf(0), result = run.getResultElement();
  while (run.next()) {
    const uint8_t *codes = run.getCodes(0);
    uint8_t *out = run.getOut();
    for (size_t i = 0; i < run.size(); ++i)
      result.store(out + i * result.bytes, apply(source.load(codes + i * source.bytes)));
  }
  return run.finish();
}

static Conversion getConversion(const Instruction &inst) {
  Conversion conversion;
  conversion.source = *getElement(inst.op->getOperand(0).getType());
  conversion.result = *getElement(inst.op->getResult(0).getType());
  return conversion;
}

static RoundingMode getMode(arith::RoundingMode mode) {
  switch (mode) {
  case arith::RoundingMode::to_nearest_even:
    return RoundingMode::NearestEven;
  case arith::RoundingMode::downward:
    return RoundingMode::Down;
  case arith::RoundingMode::upward:
    return RoundingMode::Up;
  case arith::RoundingMode::toward_zero:
    return RoundingMode::TowardZero;
  case arith::RoundingMode::to_nearest_away:
    return RoundingMode::NearestAway;
  }
  llvm_unreachable("the rounding modes of arith are listed above");
}

static Step runTruncF(Agent &agent, const Instruction &inst) {
  Conversion conversion = getConversion(inst);
  if (std::optional<arith::RoundingMode> mode = cast<arith::TruncFOp>(inst.op).getRoundingmode())
    conversion.result.format.rounding = getMode(*mode);
  return convertAll(agent, inst, [&](uint64_t code) { return conversion.apply(code); });
}

static RoundingMode getMode(Rounding rounding, const ScalarFormat &format) {
  switch (rounding) {
  case Rounding::NearestEven:
    return format.rounding; // the type's own way to the nearest: tf32 rounds ties away from zero
  case Rounding::TowardZero:
    return RoundingMode::TowardZero;
  case Rounding::Down:
    return RoundingMode::Down;
  case Rounding::Up:
    return RoundingMode::Up;
  }
  llvm_unreachable("the rounding modes of the dialect are listed above");
}

static Step runCast(Agent &agent, const Instruction &inst) {
  auto op = cast<CastOp>(inst.op);
  Conversion conversion = getConversion(inst);
  conversion.isSourceUnsigned = op.getUnsignedSource();
  conversion.isResultUnsigned = op.getUnsignedResult();
  conversion.overflow = op.getSaturate() ? Overflow::Saturate : Overflow::Special;
  conversion.hasTruth = true;
  conversion.result.format.rounding = getMode(op.getRounding(), conversion.result.format);
  return convertAll(agent, inst, [&](uint64_t code) { return conversion.apply(code); });
}

/// Bits of tf32 below those that MLIR counts.
static unsigned getPadding(Type type) { return getElementTypeOrSelf(type).isTF32() ? 13 : 0; }

static Step runBitcast(Agent &agent, const Instruction &inst) {
  unsigned drop = getPadding(inst.op->getOperand(0).getType()),
           add = getPadding(inst.op->getResult(0).getType());
  return convertAll(agent, inst, [=](uint64_t code) { return (code >> drop) << add; });
}

void tilus::reference::registerConversionHandlers(HandlerTable &table) {
  struct Row {
    StringRef name;
    bool isSourceUnsigned, isResultUnsigned;
  };
  constexpr Row rows[] = {
      {"arith.extsi", false, false},      {"arith.extui", true, true},        {"arith.trunci", true, true},
      {"arith.index_cast", false, false}, {"arith.index_castui", true, true}, {"arith.sitofp", false, false},
      {"arith.uitofp", true, false},      {"arith.fptosi", false, false},     {"arith.fptoui", false, true},
      {"arith.extf", false, false},
  };
  for (const Row &row : rows)
    table.add(row.name, [row](Agent &agent, const Instruction &inst) {
      Conversion conversion = getConversion(inst);
      conversion.isSourceUnsigned = row.isSourceUnsigned;
      conversion.isResultUnsigned = row.isResultUnsigned;
      return convertAll(agent, inst, [&](uint64_t code) { return conversion.apply(code); });
    });
  table.add("arith.truncf", runTruncF);
  table.add("arith.bitcast", runBitcast);
  table.add<CastOp>(runCast);
}
