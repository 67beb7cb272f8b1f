// arith: arithmetic, comparison, selection and constants of scalars and tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Elementwise.h"
#include "Handlers.h"
#include "Tilus/Support/IntMath.h"

#include <cmath>

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

// Sums and products wrap, so they are computed without sign.
static uint64_t u(int64_t value) { return static_cast<uint64_t>(value); }

/// Quotients of the smallest integer by -1 wrap to themselves.
static int64_t truncatedQuotient(int64_t a, int64_t b) { return b == -1 ? int64_t(-u(a)) : a / b; }
static int64_t truncatedRemainder(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }
static int64_t floorQuotient(int64_t a, int64_t b) { return b == -1 ? int64_t(-u(a)) : floorDiv(a, b); }
static int64_t ceilQuotient(int64_t a, int64_t b) { return b == -1 ? int64_t(-u(a)) : ceilDiv(a, b); }

/// By the width or more, all bits are shifted out.
static int64_t shiftLeft(int64_t a, uint64_t by, unsigned width) {
  return by >= width ? 0 : int64_t(u(a) << by);
}
static int64_t shiftRightSigned(int64_t a, uint64_t by, unsigned width) {
  return signExtend(u(a), width) >> std::min<uint64_t>(by, width - 1);
}
static int64_t shiftRightUnsigned(int64_t a, uint64_t by, unsigned width) {
  return by >= width ? 0 : int64_t(u(a) >> by);
}

static void registerIntegers(HandlerTable &table) {
  constexpr bool isSigned = true, isUnsigned = false;
  struct Row {
    StringRef name;
    bool sign;
    IntLoop loop;
  };
  const Row rows[] = {
      {"addi", isUnsigned, binaryInts([](int64_t a, int64_t b) { return int64_t(u(a) + u(b)); })},
      {"subi", isUnsigned, binaryInts([](int64_t a, int64_t b) { return int64_t(u(a) - u(b)); })},
      {"muli", isUnsigned, binaryInts([](int64_t a, int64_t b) { return int64_t(u(a) * u(b)); })},
      {"andi", isUnsigned, binaryInts([](int64_t a, int64_t b) { return a & b; })},
      {"ori", isUnsigned, binaryInts([](int64_t a, int64_t b) { return a | b; })},
      {"xori", isUnsigned, binaryInts([](int64_t a, int64_t b) { return a ^ b; })},
      {"maxsi", isSigned, binaryInts([](int64_t a, int64_t b) { return std::max(a, b); })},
      {"minsi", isSigned, binaryInts([](int64_t a, int64_t b) { return std::min(a, b); })},
      {"maxui", isUnsigned, binaryInts([](int64_t a, int64_t b) { return u(a) > u(b) ? a : b; })},
      {"minui", isUnsigned, binaryInts([](int64_t a, int64_t b) { return u(a) < u(b) ? a : b; })},
      {"shli", isUnsigned, shiftInts(shiftLeft)},
      {"shrsi", isUnsigned, shiftInts(shiftRightSigned)},
      {"shrui", isUnsigned, shiftInts(shiftRightUnsigned)},
  };
  for (const Row &row : rows)
    table.add(("arith." + row.name).str(), handleInts(2, row.sign, row.loop));
  const Row divisions[] = {
      {"divsi", isSigned, binaryInts(truncatedQuotient)},
      {"remsi", isSigned, binaryInts(truncatedRemainder)},
      {"floordivsi", isSigned, binaryInts(floorQuotient)},
      {"ceildivsi", isSigned, binaryInts(ceilQuotient)},
      {"divui", isUnsigned, binaryInts([](int64_t a, int64_t b) { return int64_t(u(a) / u(b)); })},
      {"remui", isUnsigned, binaryInts([](int64_t a, int64_t b) { return int64_t(u(a) % u(b)); })},
      {"ceildivui", isUnsigned,
       binaryInts([](int64_t a, int64_t b) { return int64_t(u(a) / u(b) + (u(a) % u(b) != 0)); })},
  };
  for (const Row &row : divisions)
    table.add(("arith." + row.name).str(), handleDivision(row.sign, row.loop));
}

/// Low and high half of a product, or sum and carry: two results of one 128-bit number.
template <typename Wide> static Handler handleWide(bool isSigned, Wide wide) {
  return [=](Agent &agent, const Instruction &inst) {
    for (unsigned result : {0, 1}) {
      ElementwiseRun run(agent, inst, result);
      while (run.next()) {
        const int64_t *a = run.getInts(0, isSigned), *b = run.getInts(1, isSigned);
        unsigned shift = result == 0 ? 0 : run.getElementOf(0).width;
        for (size_t i = 0; i < run.size(); ++i)
          run.intOut()[i] = int64_t(wide(a[i], b[i]) >> shift);
        run.putInts();
      }
      run.finish();
    }
    return Step::Next;
  };
}

static void registerWideIntegers(HandlerTable &table) {
  __extension__ using Int128 = __int128;
  __extension__ using UInt128 = unsigned __int128;
  table.add("arith.mulsi_extended", handleWide(true, [](int64_t a, int64_t b) { return Int128(a) * b; }));
  table.add("arith.mului_extended",
            handleWide(false, [](int64_t a, int64_t b) { return UInt128(u(a)) * u(b); }));
  table.add("arith.addui_extended",
            handleWide(false, [](int64_t a, int64_t b) { return UInt128(u(a)) + u(b); }));
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static void registerFloats(HandlerTable &table) {
  const std::pair<StringRef, RealLoop> rows[] = {
      {"addf", binaryReals([](double a, double b) { return a + b; })},
      {"subf", binaryReals([](double a, double b) { return a - b; })},
      {"mulf", binaryReals([](double a, double b) { return a * b; })},
      {"divf", binaryReals([](double a, double b) { return a / b; })},
      {"remf", binaryReals([](double a, double b) { return std::fmod(a, b); })},
      {"maximumf", binaryReals(maximum)},
      {"minimumf", binaryReals(minimum)},
      {"maxnumf", binaryReals(maximumNumber)},
      {"minnumf", binaryReals(minimumNumber)},
  };
  for (const auto &[name, loop] : rows)
    table.add(("arith." + name).str(), handleReals(2, loop));
  table.add("arith.negf", handleReals(1, unaryReals([](double a) { return -a; })));
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static bool compareInts(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return u(a) < u(b);
  case arith::CmpIPredicate::ule:
    return u(a) <= u(b);
  case arith::CmpIPredicate::ugt:
    return u(a) > u(b);
  case arith::CmpIPredicate::uge:
    return u(a) >= u(b);
  }
  llvm_unreachable("the predicates of arith are listed above");
}

static Step runCmpI(Agent &agent, const Instruction &inst) {
  arith::CmpIPredicate predicate = cast<arith::CmpIOp>(inst.op).getPredicate();
  // Sign extension keeps the order of numbers without sign, too.
  ElementwiseRun run(agent, inst);
  while (run.next()) {
    const int64_t *a = run.getInts(0, true), *b = run.getInts(1, true);
    for (size_t i = 0; i < run.size(); ++i)
      run.intOut()[i] = compareInts(predicate, a[i], b[i]);
    run.putInts();
  }
  return run.finish();
}

/// Outcomes that make a float comparison true, as bits.
enum : unsigned { Equal = 1, Greater = 2, Less = 4, Unordered = 8 };

/// The outcomes for which each predicate holds, by its number.
static constexpr unsigned trueOutcomes[] = {0,
                                            Equal,
                                            Greater,
                                            Greater | Equal,
                                            Less,
                                            Less | Equal,
                                            Less | Greater,
                                            Less | Greater | Equal,
                                            Unordered | Equal,
                                            Unordered | Greater,
                                            Unordered | Greater | Equal,
                                            Unordered | Less,
                                            Unordered | Less | Equal,
                                            Unordered | Less | Greater,
                                            Unordered,
                                            Unordered | Less | Greater | Equal};
static_assert(unsigned(arith::CmpFPredicate::OLE) == 5 && unsigned(arith::CmpFPredicate::ULT) == 11 &&
                  unsigned(arith::CmpFPredicate::UNO) == 14,
              "the table follows the numbers of the predicates");

static unsigned getOutcome(double a, double b) {
  return a == b ? Equal : a > b ? Greater : a < b ? Less : Unordered;
}

static Step runCmpF(Agent &agent, const Instruction &inst) {
  unsigned isTrue = trueOutcomes[unsigned(cast<arith::CmpFOp>(inst.op).getPredicate())];
  ElementwiseRun run(agent, inst);
  while (run.next()) {
    const double *a = run.getReals(0), *b = run.getReals(1);
    for (size_t i = 0; i < run.size(); ++i)
      run.intOut()[i] = (isTrue & getOutcome(a[i], b[i])) != 0;
    run.putInts();
  }
  return run.finish();
}

//===----------------------------------------------------------------------===//
// Selection and constants
//===----------------------------------------------------------------------===//

static Step runSelect(Agent &agent, const Instruction &inst) {
  if (const auto *condition = std::get_if<uint64_t>(&agent.get(inst, 0))) {
    agent.set(inst, agent.get(inst, *condition ? 1 : 2));
    return Step::Next;
  }
  ElementwiseRun run(agent, inst);
  unsigned bytes = run.getResultElement().bytes;
  for (unsigned operand : {1, 2})
    if (std::holds_alternative<std::monostate>(agent.get(inst, operand)))
      return inst.op->emitOpError("expected defined operands, but got operand ")
                 << operand << ", which is undefined",
             Step::Failed;
  while (run.next()) {
    const uint8_t *condition = run.getCodes(0), *sides[] = {run.getCodes(2), run.getCodes(1)};
    for (size_t i = 0; i < run.size(); ++i)
      std::copy_n(sides[condition[i] & 1] + i * bytes, bytes, run.getOut() + i * bytes);
  }
  return run.finish();
}

/// The code of an element of a constant.
static std::optional<uint64_t> getCode(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getValue().getZExtValue();
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValue().bitcastToAPInt().getZExtValue();
  return std::nullopt;
}

/// The code of a float in the executor's format; tf32 takes 19 bits in MLIR and 32 in memory.
static uint64_t widenCode(const Element &element, Type type, uint64_t code) {
  return getElementTypeOrSelf(type).isTF32() ? code << (element.width - 19) : code;
}

static Step runConstant(Agent &agent, const Instruction &inst) {
  Attribute value = cast<arith::ConstantOp>(inst.op).getValue();
  Type type = inst.op->getResult(0).getType();
  Element element = *getElement(type);
  if (std::optional<uint64_t> code = getCode(value)) {
    agent.set(inst, widenCode(element, type, *code));
    return Step::Next;
  }
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || !isa<RankedTensorType>(type)) {
    inst.op->emitOpError("expected a scalar or a dense constant, but got ") << value;
    return Step::Failed;
  }
  Tile tile(element, cast<RankedTensorType>(type).getShape());
  int64_t index = 0;
  if (elements.isSplat()) {
    uint64_t code = widenCode(element, type, *getCode(elements.getSplatValue<Attribute>()));
    for (; index < tile.count; ++index)
      tile.setCode(index, code);
  } else if (isa<IntegerType, IndexType>(elements.getElementType()))
    for (const APInt &code : elements.getValues<APInt>())
      tile.setCode(index++, code.getZExtValue());
  else
    for (const APFloat &number : elements.getValues<APFloat>())
      tile.setCode(index++, widenCode(element, type, number.bitcastToAPInt().getZExtValue()));
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

static Step runPoison(Agent &agent, const Instruction &inst) {
  agent.set(inst, std::monostate());
  return Step::Next;
}

void tilus::reference::registerArithHandlers(HandlerTable &table) {
  registerIntegers(table);
  registerWideIntegers(table);
  registerFloats(table);
  table.add("arith.cmpi", runCmpI);
  table.add("arith.cmpf", runCmpF);
  table.add("arith.select", runSelect, Needs::Nobody, /*numDefined=*/1);
  table.add("arith.constant", runConstant);
  table.add("ub.poison", runPoison);
}
