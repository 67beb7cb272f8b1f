// Operations that act on elements one by one, scalars included.
//
// Owns the chunked walk: operands are decoded to 64-bit numbers, a tight loop computes, the result is rounded
// once into its type. An operation is a row of a table: its name and its loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Agent.h"

namespace tilus::reference {

/// One execution of an elementwise operation.
class ElementwiseRun {
public:
  ElementwiseRun(Agent &agent, const Instruction &inst, unsigned result = 0);

  /// Goes to the next chunk; false after the last one.
  bool next();
  /// Elements of the chunk.
  size_t size() const { return chunk; }
  /// The element number of the chunk's first element.
  int64_t first() const { return begin; }

  const Element &getElementOf(unsigned operand);
  /// The chunk's codes of an operand.
  const uint8_t *getCodes(unsigned operand);
  const int64_t *getInts(unsigned operand, bool isSigned);
  const double *getReals(unsigned operand);

  /// Where the chunk's result goes, before it is encoded by `put…`.
  int64_t *intOut() { return ints[maxOperands].data(); }
  double *realOut() { return reals[maxOperands].data(); }
  void putInts() { encodeInts(element, intOut(), getOut(), chunk); }
  void putReals() { encodeReals(element, realOut(), getOut(), chunk); }
  /// The chunk's codes of the result.
  uint8_t *getOut() { return (tile ? tile->codes.data() : scalarBytes()) + begin * element.bytes; }
  const Element &getResultElement() const { return element; }

  /// Sets the result.
  Step finish();

private:
  static constexpr size_t maxChunk = 256;
  static constexpr unsigned maxOperands = 3;
  uint8_t *scalarBytes() { return reinterpret_cast<uint8_t *>(&scalar); }

  Agent &agent;
  const Instruction &inst;
  unsigned result;
  Element element;
  std::array<Element, maxOperands> operandElements;
  std::optional<Tile> tile;
  uint64_t scalar = 0;
  int64_t begin = 0, count = 1;
  size_t chunk = 0;
  std::array<std::array<int64_t, maxChunk>, maxOperands + 1> ints;
  std::array<std::array<double, maxChunk>, maxOperands + 1> reals;
};

/// A loop over a chunk of integers of `width` bits. The result's bits beyond the width are dropped.
using IntLoop = std::function<void(const int64_t *const *in, int64_t *out, size_t count, unsigned width)>;
/// A loop over a chunk of floats. Results are rounded into the type by the caller.
using RealLoop = std::function<void(const double *const *in, double *out, size_t count)>;

template <typename F> IntLoop unaryInts(F f) {
  return [f](const int64_t *const *in, int64_t *out, size_t count, unsigned width) {
    for (size_t i = 0; i < count; ++i)
      out[i] = f(in[0][i], width);
  };
}
template <typename F> IntLoop binaryInts(F f) {
  return [f](const int64_t *const *in, int64_t *out, size_t count, unsigned) {
    for (size_t i = 0; i < count; ++i)
      out[i] = f(in[0][i], in[1][i]);
  };
}
template <typename F> IntLoop shiftInts(F f) {
  return [f](const int64_t *const *in, int64_t *out, size_t count, unsigned width) {
    for (size_t i = 0; i < count; ++i)
      out[i] = f(in[0][i], uint64_t(in[1][i]), width);
  };
}
template <typename F> RealLoop unaryReals(F f) {
  return [f](const double *const *in, double *out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      out[i] = f(in[0][i]);
  };
}
template <typename F> RealLoop binaryReals(F f) {
  return [f](const double *const *in, double *out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      out[i] = f(in[0][i], in[1][i]);
  };
}
template <typename F> RealLoop ternaryReals(F f) {
  return [f](const double *const *in, double *out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      out[i] = f(in[0][i], in[1][i], in[2][i]);
  };
}

/// The handler of an operation on integers, read with or without sign.
Handler handleInts(unsigned operands, bool isSigned, IntLoop loop);
/// The same for a division by the second operand, which must not be zero.
Handler handleDivision(bool isSigned, IntLoop loop);
/// The handler of an operation on floats.
Handler handleReals(unsigned operands, RealLoop loop);

/// A sum, difference, product or quotient of doubles is exact enough to be rounded to any narrower format
/// without an error of double rounding; a fused multiply-add is not, so its sum is rounded to odd here.
double fusedMultiplyAdd(double a, double b, double c);
/// IEEE 754-2019 maximum and minimum: NaN if either is, -0 below +0.
double maximum(double a, double b);
double minimum(double a, double b);
/// The other operand where one is NaN.
double maximumNumber(double a, double b);
double minimumNumber(double a, double b);

} // namespace tilus::reference
