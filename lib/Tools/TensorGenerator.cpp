// Making of tensors from a rule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/TensorGenerator.h"

#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cmath>

namespace tilus {

/// The n-th random word of a seed.
static uint64_t getWord(uint64_t seed, uint64_t n) {
  uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static double getUniform(const TensorRecipe &recipe, uint64_t index) {
  int bits = recipe.format.mantissaBits;
  int exact = std::min(bits + 1, bits + recipe.format.getBias() - 1);
  if (exact <= 0)
    return 0;
  return std::ldexp(static_cast<double>(getWord(recipe.seed, index) >> (64 - exact)), -exact);
}

static double getNormal(const TensorRecipe &recipe, uint64_t index) {
  int64_t sum = 0;
  for (uint64_t part = 0; part < 6; ++part) {
    uint64_t word = getWord(recipe.seed, 6 * index + part);
    sum += (word >> 32) + (word & 0xffffffff);
  }
  // All terms are multiples of 1/2^32 below 16, so that the arithmetic is exact.
  return std::ldexp(static_cast<double>(sum + 6), -32) - 6;
}

static int64_t getInteger(const TensorRecipe &recipe, uint64_t index) {
  uint64_t range = static_cast<uint64_t>(recipe.high) - static_cast<uint64_t>(recipe.low);
  auto product = static_cast<unsigned __int128>(getWord(recipe.seed, index)) * range;
  return static_cast<int64_t>(static_cast<uint64_t>(recipe.low) + static_cast<uint64_t>(product >> 64));
}

/// The code of element `index`.
static uint64_t makeElement(const TensorRecipe &recipe, uint64_t index) {
  const ScalarFormat &format = recipe.format;
  switch (recipe.kind) {
  case GeneratorKind::Zeros:
    return 0;
  case GeneratorKind::Ones:
    return format.encodeUInt(1, Overflow::Special);
  case GeneratorKind::Arange:
    return format.encodeUInt(index, Overflow::Special);
  case GeneratorKind::Rand:
    return format.encode(getUniform(recipe, index), Overflow::Special);
  case GeneratorKind::Randn:
    return format.encode(getNormal(recipe, index), Overflow::Special);
  case GeneratorKind::Randint:
    return format.encodeInt(getInteger(recipe, index), Overflow::Special);
  }
  return 0;
}

llvm::Expected<HostTensor> generateTensor(const TensorRecipe &recipe) {
  bool isReal = recipe.kind == GeneratorKind::Rand || recipe.kind == GeneratorKind::Randn;
  if (isReal && !recipe.format.isFloat())
    return llvm::createStringError("expected a float type for random real numbers, but got " +
                                   recipe.format.getName() + "; use randint");
  if (recipe.kind == GeneratorKind::Randint && recipe.low >= recipe.high)
    return llvm::createStringError("expected 'low' below 'high' for randint, but got " +
                                   llvm::Twine(recipe.low) + " and " + llvm::Twine(recipe.high));
  llvm::Expected<HostTensor> tensor = HostTensor::create(recipe.shape, recipe.format);
  if (!tensor || recipe.kind == GeneratorKind::Zeros)
    return tensor;
  for (int64_t index = 0, count = tensor->getElementCount(); index < count; ++index)
    tensor->setCode(index, makeElement(recipe, index));
  return tensor;
}

} // namespace tilus
