// What is used of DLPack, the protocol by which frameworks show their tensors: version 1 of its binary
// interface.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_PYTHON_DLPACK_H
#define TILUS_PYTHON_DLPACK_H

#include <cstdint>

namespace tilus::python::dlpack {

enum DeviceType : int32_t { deviceCpu = 1, deviceCuda = 2, deviceCudaHost = 3, deviceCudaManaged = 13 };

/// Codes of element types.
enum TypeCode : uint8_t {
  codeInt = 0,
  codeUInt = 1,
  codeFloat = 2,
  codeBFloat = 4,
  codeComplex = 5,
  codeBool = 6
};

struct Tensor {
  void *data;
  int32_t deviceType;
  int32_t device;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t *shape;
  /// In elements; null for a tensor that is contiguous.
  int64_t *strides;
  uint64_t byteOffset;
};
static_assert(sizeof(Tensor) == 48);

/// The table of functions that a type of tensors has as `__dlpack_c_exchange_api__`.
struct ExchangeTable {
  uint32_t major;
  uint32_t minor;
  ExchangeTable *previous;
  void *allocate;
  void *fromPython;
  void *toPython;
  /// Shows a tensor, which stays its owner's; not 0 with an exception set if it fails. May be null.
  int (*view)(void *object, Tensor *tensor);
  int (*currentStream)(int32_t deviceType, int32_t device, void **stream);
};

/// The name of the capsule.
constexpr const char *exchangeCapsule = "dlpack_exchange_api";

} // namespace tilus::python::dlpack

#endif // TILUS_PYTHON_DLPACK_H
