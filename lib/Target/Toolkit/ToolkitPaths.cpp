//===- ToolkitPaths.cpp - where the CUDA toolkit's files are looked for
//----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the layout of the toolkit and of its Python wheels, as one row a file.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/Target/ToolkitPaths.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tilus;

namespace {
/// Where one file is, relative to a toolkit's root and to a site-packages folder.
struct FileLayout {
  StringRef name;
  ArrayRef<StringRef> fileNames;
  ArrayRef<StringRef> rootFolders;
  ArrayRef<StringRef> wheelFolders;
};
} // namespace

static const StringRef libdeviceNames[] = {"libdevice.10.bc"};
static const StringRef libdeviceRoots[] = {"nvvm/libdevice"};
static const StringRef libdeviceWheels[] = {"nvidia/cu13/nvvm/libdevice", "nvidia/cuda_nvcc/nvvm/libdevice"};
static const StringRef nvJitLinkNames[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
static const StringRef nvJitLinkRoots[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
static const StringRef nvJitLinkWheels[] = {"nvidia/cu13/lib", "nvidia/nvjitlink/lib"};
static const StringRef ptxasNames[] = {"ptxas"};
static const StringRef ptxasWheels[] = {"nvidia/cu13/bin", "nvidia/cuda_nvcc/bin"};
static const StringRef nvdisasmNames[] = {"nvdisasm"};
static const StringRef nvdisasmWheels[] = {"nvidia/cu13/bin", "nvidia/cuda_nvdisasm/bin"};
static const StringRef programRoots[] = {"bin"};

/// In the order of ToolkitFile.
static const FileLayout layouts[] = {
    {"libdevice.10.bc", libdeviceNames, libdeviceRoots, libdeviceWheels},
    {"libnvJitLink.so", nvJitLinkNames, nvJitLinkRoots, nvJitLinkWheels},
    {"ptxas", ptxasNames, programRoots, ptxasWheels},
    {"nvdisasm", nvdisasmNames, programRoots, nvdisasmWheels},
};

static const FileLayout &getLayout(ToolkitFile file) { return layouts[static_cast<size_t>(file)]; }

StringRef tilus::getToolkitFileName(ToolkitFile file) { return getLayout(file).name; }

static std::string joinPath(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

static bool isRegularFile(const Twine &path) { return sys::fs::is_regular_file(path); }

/// The first of the file's names in the folder; a path that is a file is taken as it is.
static std::string findIn(const FileLayout &layout, StringRef place) {
  if (isRegularFile(place))
    return place.str();
  for (StringRef name : layout.fileNames) {
    std::string path = joinPath(place, name);
    if (isRegularFile(path))
      return path;
  }
  return "";
}

ToolkitSearch tilus::findToolkitFile(ToolkitFile file, const ToolkitPaths &paths) {
  const FileLayout &layout = getLayout(file);
  if (const std::string &named = paths.files[static_cast<size_t>(file)]; !named.empty())
    return {isRegularFile(named) ? named : "", {named}};
  std::vector<std::string> roots = paths.roots;
  if (paths.useDefaults)
    roots.push_back("/usr/local/cuda");

  ToolkitSearch search;
  search.searched = paths.paths;
  for (const std::string &root : roots)
    for (StringRef folder : layout.rootFolders)
      search.searched.push_back(joinPath(root, folder));
  for (const std::string &site : paths.sitePackages)
    for (StringRef folder : layout.wheelFolders)
      search.searched.push_back(joinPath(site, folder));

  for (const std::string &place : search.searched) {
    search.path = findIn(layout, place);
    if (!search.path.empty())
      break;
  }
  return search;
}

std::string tilus::describeMissing(ToolkitFile file, const ToolkitSearch &search) {
  std::string message = "expected to find " + getToolkitFileName(file).str() + ", but ";
  if (search.searched.empty())
    return message + "there is no place to look in";
  return message + "it is in none of: " + join(search.searched, ", ");
}
