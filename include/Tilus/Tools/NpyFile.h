// Reading and writing of NumPy's .npy files.
//
// NumPy has no dtype for some element types; their bits are kept in another one:
//   bf16                                  uint16, same shape
//   types of 8 bits that are not integers uint8, same shape
//   tf32                                  float32, same shape
//   types whose width is no dtype's       uint8, one dimension, the packed bytes
// The integer types iN take both intN and uintN on reading, and write intN.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Tools/HostTensor.h"

#include "llvm/ADT/StringRef.h"

namespace tilus {

/// Reads a file of format version 1, 2 or 3, in C order and little-endian, of dtype bool, intN, uintN or
/// floatN; the element type is the dtype's own. Errors begin with the file's name.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path);

/// Reads a file as a tensor with elements of the given type. Fails where the dtype is not the one that holds
/// it. Where the dtype holds packed bytes, the tensor has one dimension with as many elements as fit.
llvm::Expected<HostTensor> readNpyAs(llvm::StringRef path, ScalarFormat format);

/// Writes a file of format version 1, or 2 if the header needs it; the same bytes as numpy.save for the
/// types that NumPy has.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace tilus
