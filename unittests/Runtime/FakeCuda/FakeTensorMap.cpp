// The fake driver's descriptors of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

#include <cstring>

using namespace fake;

/// Bits of an element by CUtensorMapDataType.
static constexpr unsigned elementBits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};

/// The rules of the driver's manual, for types that are not packed and memory that is not interleaved.
static bool isValid(int element, unsigned rank, DevicePointer address, const uint64_t *shape,
                    const uint64_t *strides, const unsigned *box, const unsigned *elementStrides,
                    int swizzle) {
  if (rank < 1 || rank > 5 || element < 0 || element > 15 || address % 16 != 0 || swizzle < 0 || swizzle > 6)
    return false;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (shape[dim] < 1 || shape[dim] > uint64_t(1) << 32 || box[dim] < 1 || box[dim] > 256 ||
        elementStrides[dim] < 1 || elementStrides[dim] > 8)
      return false;
  for (unsigned dim = 0; dim + 1 < rank; ++dim)
    if (strides[dim] % 16 != 0 || strides[dim] >= uint64_t(1) << 40)
      return false;
  const unsigned spans[] = {~0u, 32, 64, 128, 128, 128, 128};
  unsigned bytes = box[0] * elementBits[element] / 8;
  return bytes % 16 == 0 && bytes <= spans[swizzle];
}

extern "C" int cuTensorMapEncodeTiled(void *map, int element, unsigned rank, DevicePointer address,
                                      const uint64_t *shape, const uint64_t *strides, const unsigned *box,
                                      const unsigned *elementStrides, int interleave, int swizzle,
                                      int promotion, int fill) {
  Call call("cuTensorMapEncodeTiled", currentContext);
  if (call.code)
    return call.code;
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0 ||
      !isValid(element, rank, address, shape, strides, box, elementStrides, swizzle))
    return invalidValue;
  FakeTensorMap fields = {};
  fields.address = address;
  for (unsigned dim = 0; dim < rank; ++dim) {
    fields.shape[dim] = shape[dim];
    fields.strides[dim] = dim + 1 < rank ? strides[dim] : 0;
    fields.box[dim] = static_cast<unsigned short>(box[dim]);
    fields.elementStrides[dim] = static_cast<unsigned char>(elementStrides[dim]);
  }
  fields.rank = static_cast<unsigned char>(rank);
  fields.element = static_cast<unsigned char>(element);
  fields.interleave = static_cast<unsigned char>(interleave);
  fields.swizzle = static_cast<unsigned char>(swizzle);
  fields.promotion = static_cast<unsigned char>(promotion);
  fields.fill = static_cast<unsigned char>(fill);
  std::memset(map, 0, 128);
  std::memcpy(map, &fields, sizeof(fields));
  call.state.record("cuTensorMapEncodeTiled rank=" + std::to_string(rank));
  return ok;
}
