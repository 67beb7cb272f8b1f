// Random artifacts, and their comparison field by field.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomArtifact.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <tuple>

namespace tilus {

static constexpr llvm::StringLiteral formats[] = {"i1",   "i8",  "ui16",     "i64",  "bool",
                                                  "f64",  "f32", "tf32",     "bf16", "f8E4M3FN",
                                                  "ui64", "i32", "f6E3M2FN", "f16",  "f8E5M2"};
static constexpr llvm::StringLiteral exprs[] = {
    "1", "p0", "p0 128 ceildivs", "p0 sext32 0 maxs p0 7 and mul", "-9223372036854775808", "p0 1 2 select"};

std::string ArtifactGenerator::makeText(size_t maxLength) {
  static constexpr llvm::StringLiteral pieces[] = {"a",  "Z",  "0", "_",  "\"", "\\",
                                                   "\n", "\t", "é", "漢", "$"};
  std::string text;
  for (size_t length = makeNumber(maxLength + 1); length > 0; --length)
    text += pieces[makeNumber(std::size(pieces))];
  return text;
}

GridExpr ArtifactGenerator::makeExpr(unsigned paramCount) {
  llvm::StringRef text = paramCount == 0 ? "42" : exprs[makeNumber(std::size(exprs))];
  return llvm::cantFail(GridExpr::parse(text, paramCount));
}

/// One that the hardware takes: the innermost extent of the box is what each swizzle and type allows.
KernelTensorMap ArtifactGenerator::makeTensorMap(unsigned param, unsigned paramCount) {
  KernelTensorMap map;
  map.param = param;
  map.byteOffset = makeExpr(paramCount);
  unsigned rank = 1 + makeNumber(5);
  for (unsigned dim = 0; dim < rank; ++dim) {
    map.shape.push_back(makeExpr(paramCount));
    if (dim > 0)
      map.strides.push_back(makeExpr(paramCount));
    map.box.push_back(dim == 0 ? 32 : 1 + makeNumber(256));
    map.elementStrides.push_back(dim == 0 ? 1 : 1 + makeNumber(8));
  }
  map.element = static_cast<TensorElement>(makeNumber(4));
  map.swizzle = makeNumber(2) ? TensorSwizzle::None : static_cast<TensorSwizzle>(3 + makeNumber(4));
  map.promotion = static_cast<TensorPromotion>(makeNumber(4));
  if (rank >= 3 && makeNumber(2))
    map.interleave = TensorInterleave::Bytes16;
  if (map.element == TensorElement::Int32 && makeNumber(2)) {
    map.element = TensorElement::Float32;
    map.fill = TensorFill::NaN;
  }
  return map;
}

KernelArtifact ArtifactGenerator::makeArtifact() {
  KernelArtifact artifact;
  for (std::string *text :
       {&artifact.entry, &artifact.triple, &artifact.chip, &artifact.features, &artifact.schedule,
        &artifact.versions.tilus, &artifact.versions.llvm, &artifact.versions.assembler})
    *text = makeText(12);
  for (unsigned *number : {&artifact.blockThreads, &artifact.dynamicSharedBytes, &artifact.staticSharedBytes,
                           &artifact.registers, &artifact.spillBytes})
    *number = random();
  for (unsigned &size : artifact.cluster)
    size = 1 + makeNumber(16);
  unsigned paramCount = makeNumber(5);
  for (unsigned i = 0; i < paramCount; ++i)
    artifact.params.push_back({makeText(6), static_cast<KernelParam::Kind>(makeNumber(2)),
                               *ScalarFormat::parse(formats[makeNumber(std::size(formats))]),
                               uint64_t(1) << makeNumber(64)});
  for (GridExpr &expr : artifact.grid)
    expr = makeExpr(paramCount);
  for (unsigned i = makeNumber(3); i > 0; --i)
    artifact.workspaces.push_back({makeExpr(paramCount), makeNumber(2) == 0});
  for (unsigned i = 0; i < paramCount; ++i)
    if (artifact.params[i].isPointer() && makeNumber(2))
      artifact.tensorMaps.push_back(makeTensorMap(i, paramCount));
  for (size_t size = makeNumber(3) * makeNumber(400); size > 0; --size)
    artifact.cubin.push_back(random());
  artifact.ptx = makeText(makeNumber(2) * 600);
  artifact.ir = makeText(makeNumber(2) * 100);
  return artifact;
}

ArtifactFile ArtifactGenerator::makeFile(unsigned artifactCount) {
  ArtifactFile file;
  for (uint8_t &byte : file.key.bytes)
    byte = random();
  for (unsigned i = 0; i < artifactCount; ++i)
    file.artifacts.push_back(makeArtifact());
  return file;
}

static bool isSame(const KernelParam &a, const KernelParam &b) {
  return a.name == b.name && a.kind == b.kind && a.format == b.format && a.divisibility == b.divisibility;
}

static bool isSame(const KernelWorkspace &a, const KernelWorkspace &b) {
  return a.bytes == b.bytes && a.bytes.getParamCount() == b.bytes.getParamCount() && a.isClean == b.isClean;
}

static bool isSame(const KernelTensorMap &a, const KernelTensorMap &b) {
  const auto tie = [](const KernelTensorMap &map) {
    return std::tie(map.param, map.byteOffset, map.shape, map.strides, map.box, map.elementStrides,
                    map.element, map.interleave, map.swizzle, map.promotion, map.fill);
  };
  return tie(a) == tie(b);
}

template <typename T> static bool areSame(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return isSame(std::get<0>(pair), std::get<1>(pair));
         });
}

std::string findDifference(const KernelArtifact &a, const KernelArtifact &b) {
  const std::pair<const char *, bool> rows[] = {
      {"entry", a.entry == b.entry},
      {"triple", a.triple == b.triple},
      {"chip", a.chip == b.chip},
      {"features", a.features == b.features},
      {"schedule", a.schedule == b.schedule},
      {"cubin", a.cubin == b.cubin},
      {"ptx", a.ptx == b.ptx},
      {"ir", a.ir == b.ir},
      {"blockThreads", a.blockThreads == b.blockThreads},
      {"cluster", a.cluster == b.cluster},
      {"dynamicSharedBytes", a.dynamicSharedBytes == b.dynamicSharedBytes},
      {"staticSharedBytes", a.staticSharedBytes == b.staticSharedBytes},
      {"registers", a.registers == b.registers},
      {"spillBytes", a.spillBytes == b.spillBytes},
      {"params", areSame(a.params, b.params)},
      {"grid", a.grid == b.grid},
      {"workspaces", areSame(a.workspaces, b.workspaces)},
      {"tensorMaps", areSame(a.tensorMaps, b.tensorMaps)},
      {"versions", a.versions.tilus == b.versions.tilus && a.versions.llvm == b.versions.llvm &&
                       a.versions.assembler == b.versions.assembler},
  };
  for (auto [name, same] : rows)
    if (!same)
      return name;
  return "";
}

std::string findDifference(const ArtifactFile &a, const ArtifactFile &b) {
  if (a.key != b.key)
    return "key";
  if (a.artifacts.size() != b.artifacts.size())
    return "number of artifacts";
  for (auto [one, other] : llvm::zip(a.artifacts, b.artifacts))
    if (std::string field = findDifference(one, other); !field.empty())
      return field;
  return "";
}

} // namespace tilus
