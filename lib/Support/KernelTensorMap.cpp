// The names and the rules of tensor maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/KernelTensorMap.h"

#include "llvm/ADT/STLExtras.h"

namespace tilus {

namespace {
/// Rows of a table lie at the place of their value.
struct ElementRow {
  llvm::StringLiteral name;
  unsigned bits, alignment, multiple, box;
};
struct SizedRow {
  llvm::StringLiteral name;
  unsigned bytes;
};
struct NamedRow {
  llvm::StringLiteral name;
};
} // namespace

static constexpr ElementRow elements[] = {
#define TILUS_TENSOR_ELEMENT(Enumerator, Name, Value, Bits, Alignment, Multiple, Box)                        \
  {Name, Bits, Alignment, Multiple, Box},
#include "Tilus/Support/TensorMapFormat.def"
};
static constexpr SizedRow interleaves[] = {
#define TILUS_TENSOR_INTERLEAVE(Enumerator, Name, Value, Alignment) {Name, Alignment},
#include "Tilus/Support/TensorMapFormat.def"
};
static constexpr SizedRow swizzles[] = {
#define TILUS_TENSOR_SWIZZLE(Enumerator, Name, Value, Span) {Name, Span},
#include "Tilus/Support/TensorMapFormat.def"
};
static constexpr NamedRow promotions[] = {
#define TILUS_TENSOR_PROMOTION(Enumerator, Name, Value) {Name},
#include "Tilus/Support/TensorMapFormat.def"
};
static constexpr NamedRow fills[] = {
#define TILUS_TENSOR_FILL(Enumerator, Name, Value) {Name},
#include "Tilus/Support/TensorMapFormat.def"
};

/// The row of a value.
template <typename Row, size_t Count, typename Enum>
static const Row &getRow(const Row (&rows)[Count], Enum value) {
  return rows[static_cast<unsigned>(value)];
}

/// The value of a name.
template <typename Row, size_t Count, typename Enum>
static bool parseRow(const Row (&rows)[Count], llvm::StringRef name, Enum &value) {
  const Row *row = llvm::find_if(rows, [&](const Row &row) { return row.name == name; });
  if (row == std::end(rows))
    return false;
  value = static_cast<Enum>(row - rows);
  return true;
}

llvm::StringRef getName(TensorElement value) { return getRow(elements, value).name; }
llvm::StringRef getName(TensorInterleave value) { return getRow(interleaves, value).name; }
llvm::StringRef getName(TensorSwizzle value) { return getRow(swizzles, value).name; }
llvm::StringRef getName(TensorPromotion value) { return getRow(promotions, value).name; }
llvm::StringRef getName(TensorFill value) { return getRow(fills, value).name; }
bool parseName(llvm::StringRef name, TensorElement &value) { return parseRow(elements, name, value); }
bool parseName(llvm::StringRef name, TensorInterleave &value) { return parseRow(interleaves, name, value); }
bool parseName(llvm::StringRef name, TensorSwizzle &value) { return parseRow(swizzles, name, value); }
bool parseName(llvm::StringRef name, TensorPromotion &value) { return parseRow(promotions, name, value); }
bool parseName(llvm::StringRef name, TensorFill &value) { return parseRow(fills, name, value); }

unsigned KernelTensorMap::getAlignment() const {
  return std::max(getRow(elements, element).alignment, getRow(interleaves, interleave).bytes);
}

unsigned KernelTensorMap::getShapeMultiple() const { return getRow(elements, element).multiple; }

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static llvm::Error describe(const llvm::Twine &rule, const llvm::Twine &actual) {
  return llvm::createStringError("expected " + rule + ", but got " + actual);
}

static llvm::Error checkSizes(const KernelTensorMap &map) {
  unsigned rank = map.getRank(), least = map.interleave == TensorInterleave::None ? 1 : 3;
  if (rank < least || rank > 5)
    return describe(llvm::Twine(least) + " to 5 dimensions", llvm::Twine(rank));
  if (map.strides.size() != rank - 1 || map.box.size() != rank || map.elementStrides.size() != rank)
    return describe(llvm::Twine(rank - 1) + " strides and " + llvm::Twine(rank) +
                        " extents and steps of the box",
                    llvm::Twine(map.strides.size()) + ", " + llvm::Twine(map.box.size()) + " and " +
                        llvm::Twine(map.elementStrides.size()));
  for (unsigned extent : map.box)
    if (extent < 1 || extent > 256)
      return describe("1 to 256 elements along each dimension of the box", llvm::Twine(extent));
  for (unsigned stride : map.elementStrides)
    if (stride < 1 || stride > 8)
      return describe("steps of 1 to 8 elements", llvm::Twine(stride));
  return llvm::Error::success();
}

/// The rules about the innermost extent of the box, which is a row of shared memory.
static llvm::Error checkInnermost(const KernelTensorMap &map) {
  const ElementRow &element = getRow(elements, map.element);
  if (element.box && map.box[0] != element.box)
    return describe(llvm::Twine(element.box) + " elements of type " + element.name +
                        " along the innermost dimension of the box",
                    llvm::Twine(map.box[0]));
  if (map.interleave != TensorInterleave::None || element.box)
    return llvm::Error::success();
  if (map.elementStrides[0] != 1)
    return describe("a step of 1 element along the innermost dimension", llvm::Twine(map.elementStrides[0]));
  unsigned bits = map.box[0] * element.bits;
  if (bits % 128 != 0)
    return describe("a multiple of 16 bytes along the innermost dimension of the box",
                    llvm::Twine(map.box[0]) + " elements of type " + element.name);
  unsigned span = getRow(swizzles, map.swizzle).bytes;
  if (span && bits > span * 8)
    return describe("at most " + llvm::Twine(span) +
                        " bytes along the innermost dimension of the box, the span of "
                        "swizzle " +
                        getName(map.swizzle),
                    llvm::Twine(bits / 8));
  return llvm::Error::success();
}

llvm::Error KernelTensorMap::check() const {
  if (llvm::Error error = checkSizes(*this))
    return error;
  if (llvm::Error error = checkInnermost(*this))
    return error;
  if (interleave == TensorInterleave::Bytes32 && swizzle != TensorSwizzle::Span32)
    return describe("swizzle 32b with interleave 32b", "swizzle " + getName(swizzle));
  llvm::StringRef type = getName(element);
  if (fill == TensorFill::NaN && !type.contains('f'))
    return describe("a float type for the fill 'nan'", type);
  return llvm::Error::success();
}

} // namespace tilus
