// Matrix products.
//
// Floats: each product is exact, the sum is rounded to f32 (f64 for f64) after each step along k, starting
// from the accumulator; a narrower accumulator is rounded once, at the end. Integers wrap in 32 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Agent.h"
#include "Handlers.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

namespace {
struct Sizes {
  int64_t m, n, k;
};
} // namespace

/// `acc[m, n] += a[m, k] * b[k, n]`, row by row so that the innermost loop runs along n. A product is
/// computed in `Wide`, where it is exact, and added there; the sum is rounded to `Number`.
template <typename Wide, typename Number>
static void multiply(const Sizes &sizes, const Number *a, const Number *b, Number *acc) {
  for (int64_t m = 0; m < sizes.m; ++m) {
    Number *__restrict row = acc + m * sizes.n;
    for (int64_t k = 0; k < sizes.k; ++k) {
      Wide factor = a[m * sizes.k + k];
      const Number *__restrict other = b + k * sizes.n;
      for (int64_t n = 0; n < sizes.n; ++n)
        row[n] = static_cast<Number>(static_cast<Wide>(row[n]) + factor * static_cast<Wide>(other[n]));
    }
  }
}

static std::vector<float> getFloats(const Tile &tile) {
  std::vector<float> values(tile.count);
  decodeFloats(tile.element, tile.codes.data(), values.data(), tile.count);
  return values;
}

static std::vector<double> getReals(const Tile &tile) {
  std::vector<double> values(tile.count);
  decodeReals(tile.element, tile.codes.data(), values.data(), tile.count);
  return values;
}

static std::vector<uint32_t> getWords(const Tile &tile, bool isSigned) {
  std::vector<uint32_t> words(tile.count);
  for (int64_t i = 0; i < tile.count; ++i)
    words[i] = isSigned ? uint32_t(tile.getSigned(i)) : uint32_t(tile.getCode(i));
  return words;
}

static Tile multiplyFloats(const Sizes &sizes, const Tile &a, const Tile &b, const Tile &acc) {
  Tile result(acc.element, acc.shape);
  std::vector<double> rounded;
  if (acc.element.width == 64) {
    rounded = getReals(acc);
    multiply<double>(sizes, getReals(a).data(), getReals(b).data(), rounded.data());
  } else {
    std::vector<float> sums = getFloats(acc), left = getFloats(a), right = getFloats(b);
    // Products of significands of at most 12 bits are exact in f32 already.
    if (a.element.format.mantissaBits <= 11 && b.element.format.mantissaBits <= 11)
      multiply<float>(sizes, left.data(), right.data(), sums.data());
    else
      multiply<double>(sizes, left.data(), right.data(), sums.data());
    rounded.assign(sums.begin(), sums.end());
  }
  encodeReals(acc.element, rounded.data(), result.codes.data(), result.count);
  return result;
}

static Tile multiplyInts(const Sizes &sizes, MmaOp op, const Tile &a, const Tile &b, const Tile &acc) {
  std::vector<uint32_t> sums = getWords(acc, true);
  multiply<uint32_t>(sizes, getWords(a, !op.getUnsignedA()).data(), getWords(b, !op.getUnsignedB()).data(),
                     sums.data());
  Tile result(acc.element, acc.shape);
  for (int64_t i = 0; i < result.count; ++i)
    result.setCode(i, sums[i]);
  return result;
}

static Step runMma(Agent &agent, const Instruction &inst) {
  const Tile &a = agent.getTile(inst, 0), &b = agent.getTile(inst, 1), &acc = agent.getTile(inst, 2);
  Sizes sizes{a.shape[0], b.shape[1], a.shape[1]};
  agent.setTile(inst, acc.element.isFloat() ? multiplyFloats(sizes, a, b, acc)
                                            : multiplyInts(sizes, cast<MmaOp>(inst.op), a, b, acc));
  return Step::Next;
}

void tilus::reference::registerMmaHandlers(HandlerTable &table) { table.add<MmaOp>(runMma); }
