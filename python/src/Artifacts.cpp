// Compiled kernels in Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Runtime.h"

using namespace nanobind::literals;

namespace tilus::python {

TilusArtifactInfo Artifact::getInfo() const {
  TilusArtifactInfo info = {};
  info.size = sizeof(info);
  checkError(tilusArtifactGetInfo(handle.get(), &info));
  return info;
}

static std::vector<Param> getParams(const Artifact &self) {
  std::vector<Param> params;
  for (size_t i = 0, n = self.getInfo().paramCount; i != n; ++i) {
    TilusParamInfo info = {};
    info.size = sizeof(info);
    checkError(tilusArtifactGetParam(self.handle.get(), i, &info));
    params.push_back(makeParam(info));
  }
  return params;
}

static std::vector<Artifact> readArtifacts(TilusBytes bytes) {
  TilusArtifactFile *file = nullptr;
  checkError(tilusArtifactFileParse(bytes.data, bytes.size, &file));
  std::unique_ptr<TilusArtifactFile, decltype(&tilusArtifactFileDestroy)> owned(file,
                                                                                tilusArtifactFileDestroy);
  std::vector<Artifact> artifacts;
  for (size_t i = 0, n = tilusArtifactFileGetCount(file); i != n; ++i) {
    TilusArtifact *artifact = nullptr;
    checkError(tilusArtifactFileGet(file, i, &artifact));
    artifacts.push_back({std::shared_ptr<TilusArtifact>(artifact, tilusArtifactDestroy)});
  }
  return artifacts;
}

static nb::bytes serializeArtifacts(const std::vector<Artifact> &artifacts) {
  std::vector<const TilusArtifact *> handles;
  for (const Artifact &artifact : artifacts)
    handles.push_back(artifact.handle.get());
  TilusBlob *blob = nullptr;
  checkError(tilusArtifactsSerialize(handles.data(), handles.size(), &blob));
  return takeBytes(blob);
}

/// "sm_90a", or "sm_90a,+ptx88" with features.
static std::string getTargetName(const Artifact &self) {
  TilusArtifactInfo info = self.getInfo();
  std::string features = info.features;
  return features.empty() ? info.chip : info.chip + ("," + features);
}

template <auto member> static auto getField(const Artifact &self) { return self.getInfo().*member; }

template <TilusBytes TilusArtifactInfo::*member> static nb::bytes getBytes(const Artifact &self) {
  TilusBytes bytes = self.getInfo().*member;
  return nb::bytes(bytes.data, bytes.size);
}

template <TilusBytes TilusArtifactInfo::*member> static nb::str getText(const Artifact &self) {
  TilusBytes bytes = self.getInfo().*member;
  return nb::str(static_cast<const char *>(bytes.data), bytes.size);
}

static nb::tuple getCluster(const Artifact &self) {
  TilusArtifactInfo info = self.getInfo();
  return nb::make_tuple(info.cluster[0], info.cluster[1], info.cluster[2]);
}

void bindArtifacts(nb::module_ &module) {
  nb::class_<Param>(module, "Param", "A parameter of a kernel.")
      .def_ro("name", &Param::name)
      .def_ro("type", &Param::type, "The type of the scalar, or of the elements pointed to, as in 'f32'.")
      .def_ro("bits", &Param::bits)
      .def_ro("is_pointer", &Param::isPointer)
      .def_ro("divisibility", &Param::divisibility,
              "What the value, or the address in bytes, is a multiple of.");
  using Info = TilusArtifactInfo;
  nb::class_<Artifact>(module, "Artifact", "A kernel compiled for one target.")
      .def_prop_ro("entry", getField<&Info::entry>, "The symbol in the binary.")
      .def_prop_ro("target", getTargetName, "As in 'sm_90a', or 'sm_90a,+ptx88' with features.")
      .def_prop_ro("chip", getField<&Info::chip>)
      .def_prop_ro("features", getField<&Info::features>)
      .def_prop_ro("triple", getField<&Info::triple>)
      .def_prop_ro("schedule", getField<&Info::schedule>)
      .def_prop_ro("cubin", getBytes<&Info::cubin>, "The binary; empty if there is none.")
      .def_prop_ro("ptx", getText<&Info::ptx>, "The PTX; empty if there is none.")
      .def_prop_ro("ir", getText<&Info::ir>)
      .def_prop_ro("params", getParams)
      .def_prop_ro("block_threads", getField<&Info::blockThreads>)
      .def_prop_ro("cluster", getCluster, "Blocks of a cluster in x, y, z; all 1 without clusters.")
      .def_prop_ro("dynamic_shared_bytes", getField<&Info::dynamicSharedBytes>)
      .def_prop_ro("static_shared_bytes", getField<&Info::staticSharedBytes>)
      .def_prop_ro("registers", getField<&Info::registers>, "Registers of a thread.")
      .def_prop_ro("spill_bytes", getField<&Info::spillBytes>, "Bytes of a thread that are spilled.")
      .def_prop_ro("workspace_count", getField<&Info::workspaceCount>)
      .def_prop_ro("tensor_map_count", getField<&Info::tensorMapCount>)
      .def_prop_ro("tilus_version", getField<&Info::tilusVersion>)
      .def_prop_ro("llvm_version", getField<&Info::llvmVersion>)
      .def_prop_ro("assembler", getField<&Info::assembler>)
      .def("__repr__", [](const Artifact &self) {
        return "Artifact(" + std::string(self.getInfo().entry) + " for " + getTargetName(self) + ")";
      });
  module.def(
      "parse_artifacts", [](nb::bytes data) { return readArtifacts({data.c_str(), data.size()}); }, "data"_a,
      "The artifacts in the bytes of a file of them.");
  module.def("serialize_artifacts", serializeArtifacts, "artifacts"_a,
             "The bytes of a file of the artifacts.");
  module.def(
      "target_supports",
      [](std::string_view target, std::string_view other) {
        return tilusTargetSupports(lookUpTarget(target), lookUpTarget(other));
      },
      "target"_a, "other"_a, "Whether code that requires the other target is legal on the target.");
}

} // namespace tilus::python
