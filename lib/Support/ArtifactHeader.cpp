// Reading and writing of the header of an artifact file.
//
// Fields that are plain members are rows of a table, so that the reader and the writer cannot differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArtifactHeader.h"
#include "Tilus/Support/StrictJson.h"

namespace tilus {

namespace {
struct TextRow {
  llvm::StringLiteral name;
  std::string KernelArtifact::*member;
};
struct NumberRow {
  llvm::StringLiteral name;
  unsigned KernelArtifact::*member;
};
struct VersionRow {
  llvm::StringLiteral name;
  std::string ToolVersions::*member;
};
} // namespace

static constexpr TextRow textRows[] = {
    {"entry", &KernelArtifact::entry},       {"triple", &KernelArtifact::triple},
    {"chip", &KernelArtifact::chip},         {"features", &KernelArtifact::features},
    {"schedule", &KernelArtifact::schedule},
};

static constexpr NumberRow numberRows[] = {
    {"blockThreads", &KernelArtifact::blockThreads},
    {"dynamicSharedBytes", &KernelArtifact::dynamicSharedBytes},
    {"staticSharedBytes", &KernelArtifact::staticSharedBytes},
    {"registers", &KernelArtifact::registers},
    {"spillBytes", &KernelArtifact::spillBytes},
};

static constexpr VersionRow versionRows[] = {
    {"tilus", &ToolVersions::tilus},
    {"llvm", &ToolVersions::llvm},
    {"assembler", &ToolVersions::assembler},
};

static constexpr llvm::StringLiteral payloadNames[payloadKindCount] = {"cubin", "ptx", "ir"};

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// Fills an object with text, and remembers text that JSON cannot hold.
struct ObjectWriter {
  llvm::json::Object object;
  std::string badField;

  void add(llvm::StringRef name, const std::string &text) {
    if (!llvm::json::isUTF8(text))
      badField = name.str();
    else
      object[name] = text;
  }
};
} // namespace

static llvm::Error describeBadText(llvm::StringRef field) {
  return llvm::createStringError("expected UTF-8 for '" + field + "' of an artifact, but got other bytes");
}

static llvm::Expected<llvm::json::Value> writeParam(const KernelParam &param) {
  ObjectWriter writer;
  writer.add("name", param.name);
  if (!writer.badField.empty())
    return describeBadText("name of a parameter");
  std::string format = param.format.getName();
  if (ScalarFormat::parse(format) != param.format)
    return llvm::createStringError("expected an element type with a name for parameter '" + param.name +
                                   "', but got one like '" + format + "'");
  writer.object["pointer"] = param.isPointer();
  writer.object["format"] = format;
  writer.object["divisibility"] = param.divisibility;
  return std::move(writer.object);
}

static llvm::json::Value writePayloads(llvm::ArrayRef<PayloadInfo> payloads) {
  llvm::json::Object object;
  for (auto [name, info] : llvm::zip_equal(payloadNames, payloads))
    if (info.bytes > 0)
      object[name] = llvm::json::Object{{"bytes", info.bytes},
                                        {"stored", info.storedBytes},
                                        {"zstd", info.isCompressed},
                                        {"hash", info.hash.toHex()}};
  return object;
}

llvm::Expected<llvm::json::Value> writeArtifactHeader(const KernelArtifact &artifact,
                                                      llvm::ArrayRef<PayloadInfo> payloads) {
  ObjectWriter writer;
  for (const TextRow &row : textRows)
    writer.add(row.name, artifact.*row.member);
  ObjectWriter versions;
  for (const VersionRow &row : versionRows)
    versions.add(row.name, artifact.versions.*row.member);
  for (const std::string &field : {writer.badField, versions.badField})
    if (!field.empty())
      return describeBadText(field);

  llvm::json::Object &object = writer.object;
  object["versions"] = std::move(versions.object);
  object["convention"] = callingConvention;
  for (const NumberRow &row : numberRows)
    object[row.name] = artifact.*row.member;
  object["cluster"] = llvm::json::Array(artifact.cluster);
  llvm::json::Array params, grid, workspaces;
  for (const KernelParam &param : artifact.params) {
    llvm::Expected<llvm::json::Value> value = writeParam(param);
    if (!value)
      return value.takeError();
    params.push_back(std::move(*value));
  }
  for (const GridExpr &expr : artifact.grid)
    grid.push_back(expr.toString());
  for (const KernelWorkspace &workspace : artifact.workspaces)
    workspaces.push_back(
        llvm::json::Object{{"bytes", workspace.bytes.toString()}, {"clean", workspace.isClean}});
  object["params"] = std::move(params);
  object["grid"] = std::move(grid);
  object["workspaces"] = std::move(workspaces);
  object["tensorMaps"] = llvm::json::Array(llvm::map_range(artifact.tensorMaps, writeTensorMap));
  object["payloads"] = writePayloads(payloads);
  llvm::json::Value value = std::move(writer.object);
  // What could not be read back is not written.
  if (llvm::Error error = readArtifactHeader(value).takeError())
    return std::move(error);
  return value;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Expected<KernelParam> readParam(const llvm::json::Value &value) {
  JsonFieldReader reader(value, "a parameter");
  KernelParam param;
  bool isPointer = false;
  std::string format;
  reader.read("name", param.name);
  reader.read("pointer", isPointer);
  reader.read("format", format);
  reader.read("divisibility", param.divisibility);
  param.kind = isPointer ? KernelParam::Kind::Pointer : KernelParam::Kind::Scalar;
  if (std::optional<ScalarFormat> parsed = ScalarFormat::parse(format))
    param.format = *parsed;
  else
    reader.fail("an element type", "'" + format + "'");
  if (param.divisibility == 0)
    reader.fail("a divisibility of at least 1", "0");
  if (llvm::Error error = reader.finish())
    return std::move(error);
  return param;
}

static llvm::Expected<KernelWorkspace> readWorkspace(const llvm::json::Value &value, unsigned paramCount) {
  JsonFieldReader reader(value, "a workspace");
  KernelWorkspace workspace;
  std::string bytes;
  reader.read("bytes", bytes);
  reader.read("clean", workspace.isClean);
  if (llvm::Error error = reader.finish())
    return std::move(error);
  llvm::Expected<GridExpr> expr = GridExpr::parse(bytes, paramCount);
  if (!expr)
    return expr.takeError();
  workspace.bytes = std::move(*expr);
  return workspace;
}

static llvm::Expected<PayloadInfo> readPayload(const llvm::json::Value &value) {
  JsonFieldReader reader(value, "a payload");
  PayloadInfo info;
  std::string hash;
  reader.read("bytes", info.bytes);
  reader.read("stored", info.storedBytes);
  reader.read("zstd", info.isCompressed);
  reader.read("hash", hash);
  if (std::optional<Hash256> parsed = Hash256::parseHex(hash))
    info.hash = *parsed;
  else
    reader.fail("a hash of 64 hexadecimal digits", "'" + hash + "'");
  if (info.bytes == 0)
    reader.fail("a payload of at least 1 byte", "0");
  if (llvm::Error error = reader.finish())
    return std::move(error);
  return info;
}

static llvm::Error readPayloads(const llvm::json::Value &value, ArtifactHeader &header) {
  JsonFieldReader reader(value, "the payloads");
  for (auto [name, info] : llvm::zip_equal(payloadNames, header.payloads)) {
    if (!reader.has(name))
      continue;
    llvm::Expected<PayloadInfo> read = readPayload(*reader.readValue(name));
    if (!read)
      return read.takeError();
    info = *read;
  }
  return reader.finish();
}

/// Reads the launch's sizes, which depend on the parameters.
static llvm::Error readShape(JsonFieldReader &reader, KernelArtifact &artifact) {
  const llvm::json::Array *params = reader.readArray("params");
  const llvm::json::Array *grid = reader.readArray("grid");
  const llvm::json::Array *cluster = reader.readArray("cluster");
  const llvm::json::Array *workspaces = reader.readArray("workspaces");
  const llvm::json::Array *tensorMaps = reader.readArray("tensorMaps");
  if (!params || !grid || !cluster || !workspaces || !tensorMaps)
    return llvm::Error::success();
  if (grid->size() != 3 || cluster->size() != 3)
    return llvm::createStringError("expected 3 numbers for 'grid' and for 'cluster', but got " +
                                   llvm::Twine(grid->size()) + " and " + llvm::Twine(cluster->size()));
  for (const llvm::json::Value &value : *params) {
    llvm::Expected<KernelParam> param = readParam(value);
    if (!param)
      return param.takeError();
    artifact.params.push_back(std::move(*param));
  }
  unsigned paramCount = artifact.params.size();
  for (unsigned axis = 0; axis < 3; ++axis) {
    std::optional<uint64_t> size = (*cluster)[axis].getAsUINT64();
    if (!size || *size < 1 || *size > 1024)
      return llvm::createStringError("expected numbers from 1 to 1024 for 'cluster', but got another value");
    artifact.cluster[axis] = *size;
    llvm::Expected<GridExpr> expr = GridExpr::parse((*grid)[axis].getAsString().value_or(""), paramCount);
    if (!expr)
      return expr.takeError();
    artifact.grid[axis] = std::move(*expr);
  }
  for (const llvm::json::Value &value : *workspaces) {
    llvm::Expected<KernelWorkspace> workspace = readWorkspace(value, paramCount);
    if (!workspace)
      return workspace.takeError();
    artifact.workspaces.push_back(std::move(*workspace));
  }
  for (const llvm::json::Value &value : *tensorMaps) {
    llvm::Expected<KernelTensorMap> map = readTensorMap(value, artifact.params);
    if (!map)
      return map.takeError();
    artifact.tensorMaps.push_back(std::move(*map));
  }
  return llvm::Error::success();
}

llvm::Expected<ArtifactHeader> readArtifactHeader(const llvm::json::Value &value) {
  JsonFieldReader reader(value, "an artifact");
  ArtifactHeader header;
  KernelArtifact &artifact = header.artifact;
  for (const TextRow &row : textRows)
    reader.read(row.name, artifact.*row.member);
  for (const NumberRow &row : numberRows)
    reader.read(row.name, artifact.*row.member);
  unsigned convention = 0;
  reader.read("convention", convention);
  if (convention != callingConvention)
    reader.fail("calling convention " + llvm::Twine(callingConvention), llvm::Twine(convention));
  if (const llvm::json::Value *versions = reader.readValue("versions")) {
    JsonFieldReader versionReader(*versions, "the versions");
    for (const VersionRow &row : versionRows)
      versionReader.read(row.name, artifact.versions.*row.member);
    reader.fail(versionReader.finish());
  }
  reader.fail(readShape(reader, artifact));
  if (const llvm::json::Value *payloads = reader.readValue("payloads"))
    reader.fail(readPayloads(*payloads, header));
  if (llvm::Error error = reader.finish())
    return std::move(error);
  return header;
}

} // namespace tilus
