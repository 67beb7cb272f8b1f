// Reading and writing of .npy files, and which dtype holds which element type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/NpyFile.h"
#include "NpyHeader.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace tilus {

namespace {
/// A dtype, named in words as NumPy does, and its element type.
struct DtypeRow {
  llvm::StringLiteral descr;
  llvm::StringLiteral name;
  ScalarFormat format;
};
} // namespace

static constexpr DtypeRow dtypes[] = {
    {"|b1", "bool", ScalarFormat::getBool()},     {"|i1", "int8", ScalarFormat::getInt(8)},
    {"|u1", "uint8", ScalarFormat::getUInt(8)},   {"<i2", "int16", ScalarFormat::getInt(16)},
    {"<u2", "uint16", ScalarFormat::getUInt(16)}, {"<i4", "int32", ScalarFormat::getInt(32)},
    {"<u4", "uint32", ScalarFormat::getUInt(32)}, {"<i8", "int64", ScalarFormat::getInt(64)},
    {"<u8", "uint64", ScalarFormat::getUInt(64)}, {"<f2", "float16", ScalarFormat::getF16()},
    {"<f4", "float32", ScalarFormat::getF32()},   {"<f8", "float64", ScalarFormat::getF64()},
};

static const DtypeRow *findDtype(const ScalarFormat &format) {
  for (const DtypeRow &row : dtypes)
    if (row.format == format)
      return &row;
  return nullptr;
}

/// The dtype in which elements of the type are kept.
static const DtypeRow &getStorageDtype(const ScalarFormat &format) {
  if (const DtypeRow *row = findDtype(format))
    return *row;
  if (format == ScalarFormat::getTF32())
    return *findDtype(ScalarFormat::getF32());
  const DtypeRow *raw = findDtype(ScalarFormat::getUInt(format.bits));
  return raw ? *raw : *findDtype(ScalarFormat::getUInt(8));
}

static bool isPacked(const ScalarFormat &format) {
  return getStorageDtype(format).format.bits != format.bits;
}

static llvm::Error locate(llvm::StringRef path, const llvm::Twine &text) {
  return llvm::createStringError(path + ": " + text);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The dtype that a header names. A byte has no order, so `<` is as good as `|` there.
static llvm::Expected<const DtypeRow *> parseDtype(llvm::StringRef descr) {
  for (const DtypeRow &row : dtypes)
    if (row.descr == descr || (row.descr[0] == '|' && row.descr.drop_front() == descr.drop_front() &&
                               llvm::StringRef("<=>").contains(descr[0])))
      return &row;
  if (descr.starts_with(">"))
    return llvm::createStringError("expected little-endian data, but got the big-endian dtype '" + descr +
                                   "'");
  return llvm::createStringError("expected a dtype of bool, integers or real numbers, but got '" + descr +
                                 "'");
}

static llvm::Expected<HostTensor> parseNpy(llvm::StringRef content) {
  llvm::Expected<NpyHeader> header = consumeNpyHeader(content);
  if (!header)
    return header.takeError();
  llvm::Expected<const DtypeRow *> dtype = parseDtype(header->descr);
  if (!dtype)
    return dtype.takeError();
  if (header->isFortranOrder)
    return llvm::createStringError("expected an array in C order, but got one in Fortran order; save it with "
                                   "numpy.ascontiguousarray");
  llvm::Expected<HostTensor> tensor = HostTensor::create(header->shape, (*dtype)->format);
  if (!tensor)
    return tensor.takeError();
  if (tensor->bytes.size() != content.size())
    return llvm::createStringError("expected " + llvm::Twine(tensor->bytes.size()) + " bytes of data for " +
                                   describeTensorType(tensor->shape, tensor->format) + ", but got " +
                                   llvm::Twine(content.size()));
  llvm::copy(content, tensor->bytes.begin());
  return tensor;
}

llvm::Expected<HostTensor> readNpy(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return locate(path, "expected a readable file, but got '" + buffer.getError().message() + "'");
  llvm::Expected<HostTensor> tensor = parseNpy((*buffer)->getBuffer());
  if (!tensor)
    return locate(path, llvm::toString(tensor.takeError()));
  return tensor;
}

llvm::Expected<HostTensor> readNpyAs(llvm::StringRef path, ScalarFormat format) {
  llvm::Expected<HostTensor> tensor = readNpy(path);
  if (!tensor)
    return tensor.takeError();
  const DtypeRow &wanted = getStorageDtype(format), &found = *findDtype(tensor->format);
  bool isInteger = wanted.format.isInteger() && format.isInteger() && !isPacked(format);
  bool isSameWidth = found.format.isInteger() && found.format.bits == wanted.format.bits;
  if (&found != &wanted && !(isInteger && isSameWidth))
    return locate(path, "expected dtype " + wanted.name + " for elements of type " + format.getName() +
                            ", but got " + found.name);
  if (isPacked(format)) {
    if (tensor->shape.size() != 1)
      return locate(path, "expected one dimension of packed bytes for elements of type " + format.getName() +
                              ", but got " + llvm::Twine(tensor->shape.size()) + " dimensions");
    tensor->shape = {static_cast<int64_t>(tensor->bytes.size() * 8 / format.bits)};
  }
  tensor->format = format;
  return tensor;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor) {
  NpyHeader header;
  header.descr = getStorageDtype(tensor.format).descr.str();
  header.shape = tensor.shape;
  if (isPacked(tensor.format))
    header.shape = {static_cast<int64_t>(tensor.bytes.size())};
  std::error_code code;
  llvm::raw_fd_ostream os(path, code, llvm::sys::fs::OF_None);
  if (!code) {
    os << printNpyHeader(header);
    os.write(reinterpret_cast<const char *>(tensor.bytes.data()), tensor.bytes.size());
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return locate(path, "expected a writable file, but got '" + code.message() + "'");
  return llvm::Error::success();
}

} // namespace tilus
