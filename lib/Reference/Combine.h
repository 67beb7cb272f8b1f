// How two elements combine: the operations of reductions, scans and atomic updates.
//
// Integers wrap; floats narrower than 64 bits combine in f32 and are rounded to their type once, at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Element.h"
#include "Tilus/IR/TilusEnums.h"

namespace tilus::reference {

/// Combines elements of one type in an accumulator: an integer, or a float of 32 or 64 bits.
class Combiner {
public:
  Combiner(CombineKind kind, const Element &element) : kind(kind), element(element) {}

  /// An element as an accumulator, and back.
  uint64_t widen(uint64_t code) const;
  uint64_t narrow(uint64_t accumulator) const;
  uint64_t combine(uint64_t a, uint64_t b) const;
  /// The accumulator that changes nothing; of maxima and minima the end of the type's range.
  uint64_t getIdentity() const;

private:
  double combineReals(double a, double b) const;
  uint64_t combineInts(uint64_t a, uint64_t b) const;
  double getRealIdentity() const;

  CombineKind kind;
  Element element;
};

} // namespace tilus::reference
