// math: functions of floats, computed in double and rounded once, and bit counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Elementwise.h"
#include "Handlers.h"

#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

/// Half-way cases to even, whatever the rounding mode of the process is.
static double roundEven(double value) {
  double rounded = std::round(value);
  return std::fabs(value - std::trunc(value)) == 0.5 ? 2 * std::round(value / 2) : rounded;
}

/// With the sign of the argument, where rounding gives zero.
static double roundEvenSigned(double value) { return std::copysign(roundEven(value), value); }

static void registerFloatFunctions(HandlerTable &table) {
  using Function = double (*)(double);
  const std::pair<StringRef, Function> rows[] = {
      {"absf", std::fabs},
      {"acos", std::acos},
      {"acosh", std::acosh},
      {"asin", std::asin},
      {"asinh", std::asinh},
      {"atan", std::atan},
      {"atanh", std::atanh},
      {"cbrt", std::cbrt},
      {"ceil", std::ceil},
      {"cos", std::cos},
      {"cosh", std::cosh},
      {"erf", std::erf},
      {"erfc", std::erfc},
      {"exp", std::exp},
      {"exp2", std::exp2},
      {"expm1", std::expm1},
      {"floor", std::floor},
      {"log", std::log},
      {"log10", std::log10},
      {"log1p", std::log1p},
      {"log2", std::log2},
      {"round", std::round},
      {"sin", std::sin},
      {"sinh", std::sinh},
      {"sqrt", std::sqrt},
      {"tan", std::tan},
      {"tanh", std::tanh},
      {"trunc", std::trunc},
      {"roundeven", roundEvenSigned},
  };
  for (const auto &[name, function] : rows)
    table.add(("math." + name).str(), handleReals(1, unaryReals(function)));
  table.add("math.rsqrt", handleReals(1, unaryReals([](double a) { return 1 / std::sqrt(a); })));
  table.add("math.atan2", handleReals(2, binaryReals([](double a, double b) { return std::atan2(a, b); })));
  table.add("math.powf", handleReals(2, binaryReals([](double a, double b) { return std::pow(a, b); })));
  table.add("math.copysign",
            handleReals(2, binaryReals([](double a, double b) { return std::copysign(a, b); })));
  table.add("math.clampf", handleReals(3, ternaryReals([](double value, double low, double high) {
                                         return minimum(maximum(value, low), high);
                                       })));
}

static Step runFma(Agent &agent, const Instruction &inst) {
  ElementwiseRun run(agent, inst);
  bool isDouble = run.getResultElement().width == 64;
  while (run.next()) {
    const double *a = run.getReals(0), *b = run.getReals(1), *c = run.getReals(2);
    for (size_t i = 0; i < run.size(); ++i)
      run.realOut()[i] = isDouble ? std::fma(a[i], b[i], c[i]) : fusedMultiplyAdd(a[i], b[i], c[i]);
    run.putReals();
  }
  return run.finish();
}

static Step runFPowI(Agent &agent, const Instruction &inst) {
  ElementwiseRun run(agent, inst);
  while (run.next()) {
    const double *base = run.getReals(0);
    const int64_t *exponent = run.getInts(1, /*isSigned=*/true);
    for (size_t i = 0; i < run.size(); ++i)
      run.realOut()[i] = std::pow(base[i], static_cast<double>(exponent[i]));
    run.putReals();
  }
  return run.finish();
}

static Step runSinCos(Agent &agent, const Instruction &inst) {
  for (unsigned result : {0, 1}) {
    ElementwiseRun run(agent, inst, result);
    while (run.next()) {
      const double *angle = run.getReals(0);
      for (size_t i = 0; i < run.size(); ++i)
        run.realOut()[i] = result == 0 ? std::sin(angle[i]) : std::cos(angle[i]);
      run.putReals();
    }
    run.finish();
  }
  return Step::Next;
}

/// A question about a float, answered on its code, so that subnormal numbers of its own type are told apart.
template <typename Ask> static Handler handleClass(Ask ask) {
  return [=](Agent &agent, const Instruction &inst) {
    ElementwiseRun run(agent, inst);
    const ScalarFormat format = run.getElementOf(0).format;
    double smallestNormal = std::ldexp(1.0, 1 - format.getBias());
    while (run.next()) {
      const double *values = run.getReals(0);
      for (size_t i = 0; i < run.size(); ++i)
        run.intOut()[i] = ask(values[i], smallestNormal);
      run.putInts();
    }
    return run.finish();
  };
}

static void registerClassification(HandlerTable &table) {
  table.add("math.isnan", handleClass([](double a, double) { return std::isnan(a); }));
  table.add("math.isinf", handleClass([](double a, double) { return std::isinf(a); }));
  table.add("math.isfinite", handleClass([](double a, double) { return std::isfinite(a); }));
  table.add("math.isnormal", handleClass([](double a, double smallestNormal) {
              return std::isfinite(a) && std::fabs(a) >= smallestNormal;
            }));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// `base ^ exponent` modulo 2^64; of a negative power, the integer part.
static int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (; exponent; exponent >>= 1, factor *= factor)
    result *= exponent & 1 ? factor : 1;
  return static_cast<int64_t>(result);
}

static void registerIntegerFunctions(HandlerTable &table) {
  auto unary = [&](StringRef name, bool isSigned, auto function) {
    table.add(name, handleInts(1, isSigned, unaryInts(function)));
  };
  unary("math.absi", true, [](int64_t a, unsigned) { return a < 0 ? int64_t(-uint64_t(a)) : a; });
  unary("math.ctpop", false, [](int64_t a, unsigned) { return int64_t(llvm::popcount(uint64_t(a))); });
  unary("math.ctlz", false, [](int64_t a, unsigned width) {
    return int64_t(llvm::countl_zero(uint64_t(a))) - (64 - int64_t(width));
  });
  unary("math.cttz", false,
        [](int64_t a, unsigned width) { return std::min<int64_t>(llvm::countr_zero(uint64_t(a)), width); });
  table.add("math.ipowi", handleInts(2, /*isSigned=*/true, binaryInts(power)));
}

void tilus::reference::registerMathHandlers(HandlerTable &table) {
  registerFloatFunctions(table);
  registerClassification(table);
  registerIntegerFunctions(table);
  table.add("math.fma", runFma);
  table.add("math.fpowi", runFPowI);
  table.add("math.sincos", runSinCos);
}
