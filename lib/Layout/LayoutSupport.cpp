// Integer helpers of the layout library.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/LayoutSupport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilus {

std::nullopt_t reportError(ErrorCallback onError, const Twine &message) {
  if (onError)
    onError(message);
  return std::nullopt;
}

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

std::optional<int64_t> checkedProduct(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    if (size <= 0 || size > kMaxLayoutSize / result)
      return std::nullopt;
    result *= size;
  }
  return result;
}

Extents rowMajorStrides(ArrayRef<int64_t> shape) {
  Extents strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

int64_t linearize(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [i, size] : zip_equal(index, shape))
    position = position * size + i;
  return position;
}

Extents delinearize(int64_t position, ArrayRef<int64_t> shape) {
  Extents index(shape.size(), 0);
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

std::string formatExtents(ArrayRef<int64_t> values) {
  std::string text;
  raw_string_ostream os(text);
  os << '[';
  interleaveComma(values, os);
  os << ']';
  return text;
}

bool checkDims(ArrayRef<int64_t> dims, int64_t rank, ErrorCallback onError) {
  SmallVector<bool, 8> seen(rank, false);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank || seen[dim]) {
      reportError(onError, "expected distinct dimensions from 0 to " + Twine(rank - 1) + ", but got " +
                               formatExtents(dims));
      return false;
    }
    seen[dim] = true;
  }
  return true;
}

bool checkPermutation(ArrayRef<int64_t> dims, int64_t rank, ErrorCallback onError) {
  if (int64_t(dims.size()) != rank) {
    reportError(onError,
                "expected a permutation of " + Twine(rank) + " dimensions, but got " + formatExtents(dims));
    return false;
  }
  return checkDims(dims, rank, onError);
}

std::optional<Extents> assignModesToDims(ArrayRef<int64_t> shape, ArrayRef<int64_t> modeShape,
                                         ErrorCallback onError) {
  auto fail = [&] {
    return reportError(onError, "expected a mode shape that refines the shape " + formatExtents(shape) +
                                    ", but got " + formatExtents(modeShape));
  };
  Extents dims;
  size_t dim = 0;
  int64_t filled = 1;
  for (int64_t size : modeShape) {
    while (size > 1 && dim < shape.size() && filled == shape[dim]) {
      ++dim;
      filled = 1;
    }
    if (size > 1 && (dim >= shape.size() || (shape[dim] / filled) % size != 0))
      return fail();
    filled *= size;
    dims.push_back(dim);
  }
  if (dim < shape.size() && filled != shape[dim])
    return fail();
  for (size_t d = dim + 1; d < shape.size(); ++d)
    if (shape[d] != 1)
      return fail();
  return dims;
}

} // namespace tilus
