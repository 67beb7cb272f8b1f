// Reading and writing of tensor maps in the header of an artifact file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArtifactHeader.h"
#include "Tilus/Support/StrictJson.h"

namespace tilus {

static llvm::json::Array writeExprs(llvm::ArrayRef<GridExpr> exprs) {
  llvm::json::Array array;
  for (const GridExpr &expr : exprs)
    array.push_back(expr.toString());
  return array;
}

llvm::json::Value writeTensorMap(const KernelTensorMap &map) {
  return llvm::json::Object{
      {"param", map.param},
      {"offset", map.byteOffset.toString()},
      {"shape", writeExprs(map.shape)},
      {"strides", writeExprs(map.strides)},
      {"box", llvm::json::Array(map.box)},
      {"steps", llvm::json::Array(map.elementStrides)},
      {"element", getName(map.element)},
      {"interleave", getName(map.interleave)},
      {"swizzle", getName(map.swizzle)},
      {"promotion", getName(map.promotion)},
      {"fill", getName(map.fill)},
  };
}

namespace {
/// Reads the fields of a tensor map, apart from rules over several of them.
class TensorMapReader {
public:
  TensorMapReader(const llvm::json::Value &value, unsigned paramCount)
      : reader(value, "a tensor map"), paramCount(paramCount) {}

  template <typename Enum> void readName(llvm::StringRef field, Enum &result) {
    std::string name;
    reader.read(field, name);
    if (!parseName(name, result))
      reader.fail("a known name for '" + field + "'", "'" + name + "'");
  }
  void readExpr(llvm::StringRef text, GridExpr &result) {
    llvm::Expected<GridExpr> expr = GridExpr::parse(text, paramCount);
    if (expr)
      result = std::move(*expr);
    else
      reader.fail(expr.takeError());
  }
  void readExprs(llvm::StringRef field, std::vector<GridExpr> &result) {
    if (const llvm::json::Array *array = reader.readArray(field))
      for (const llvm::json::Value &value : *array)
        readExpr(value.getAsString().value_or(""), result.emplace_back());
  }
  void readNumbers(llvm::StringRef field, std::vector<unsigned> &result) {
    if (const llvm::json::Array *array = reader.readArray(field))
      for (const llvm::json::Value &value : *array) {
        std::optional<uint64_t> number = value.getAsUINT64();
        if (!number || *number > UINT32_MAX)
          reader.fail("numbers below 2^32 for '" + field + "'", "another value");
        result.push_back(number.value_or(0));
      }
  }

  JsonFieldReader reader;

private:
  unsigned paramCount;
};
} // namespace

llvm::Expected<KernelTensorMap> readTensorMap(const llvm::json::Value &value,
                                              llvm::ArrayRef<KernelParam> params) {
  TensorMapReader fields(value, params.size());
  JsonFieldReader &reader = fields.reader;
  KernelTensorMap map;
  std::string offset;
  reader.read("param", map.param);
  reader.read("offset", offset);
  fields.readExpr(offset, map.byteOffset);
  fields.readExprs("shape", map.shape);
  fields.readExprs("strides", map.strides);
  fields.readNumbers("box", map.box);
  fields.readNumbers("steps", map.elementStrides);
  fields.readName("element", map.element);
  fields.readName("interleave", map.interleave);
  fields.readName("swizzle", map.swizzle);
  fields.readName("promotion", map.promotion);
  fields.readName("fill", map.fill);
  if (map.param >= params.size() || !params[map.param].isPointer())
    reader.fail("the number of a pointer parameter", llvm::Twine(map.param));
  reader.fail(map.check());
  if (llvm::Error error = reader.finish())
    return std::move(error);
  return map;
}

} // namespace tilus
