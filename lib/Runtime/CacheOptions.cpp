// Options of the disk cache from the environment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/CacheOptions.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <sys/stat.h>

namespace tilus {

static llvm::StringRef getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static std::string findRoot() {
  llvm::SmallString<128> path(getVariable("TILUS_CACHE_DIR"));
  if (!path.empty())
    return path.str().str();
  path = getVariable("XDG_CACHE_HOME");
  // The convention asks for relative values to be ignored.
  if (!llvm::sys::path::is_absolute(path)) {
    path = getVariable("HOME");
    if (!llvm::sys::path::is_absolute(path))
      return "";
    llvm::sys::path::append(path, ".cache");
  }
  llvm::sys::path::append(path, "tilus");
  return path.str().str();
}

/// Reads a secret, which nobody but its owner may be able to read.
static llvm::Expected<Hash256> readSecret(llvm::StringRef path, const FileTrust &trust) {
  llvm::Expected<TrustedFolder> folder = TrustedFolder::open(
      llvm::sys::path::has_parent_path(path) ? llvm::sys::path::parent_path(path) : ".", trust, false);
  if (!folder)
    return folder.takeError();
  llvm::Expected<std::string> contents = folder->read(llvm::sys::path::filename(path), 1 << 16);
  if (!contents)
    return contents.takeError();
  struct stat status;
  if (stat(path.str().c_str(), &status) != 0 || (status.st_mode & 077) != 0)
    return llvm::createStringError("expected mode 0600 of the secret '" + path +
                                   "', but got one that lets others use it");
  if (contents->size() < 16)
    return llvm::createStringError("expected at least 16 bytes in the secret '" + path + "', but got " +
                                   llvm::Twine(contents->size()));
  return Hash256::of(*contents);
}

llvm::Expected<CacheOptions> CacheOptions::fromEnvironment() {
  CacheOptions options;
  options.root = findRoot();
  llvm::StringRef mode = getVariable("TILUS_CACHE");
  if (!mode.empty() && mode != "on" && mode != "off")
    return llvm::createStringError("expected 'on' or 'off' for TILUS_CACHE, but got '" + mode + "'");
  options.isEnabled = mode != "off";
  llvm::StringRef bytes = getVariable("TILUS_CACHE_BYTES");
  if (!bytes.empty() && bytes.getAsInteger(10, options.maxBytes))
    return llvm::createStringError("expected a number of bytes for TILUS_CACHE_BYTES, but got '" + bytes +
                                   "'");
  if (llvm::StringRef path = getVariable("TILUS_CACHE_SECRET"); !path.empty()) {
    llvm::Expected<Hash256> secret = readSecret(path, options.trust);
    if (!secret)
      return secret.takeError();
    options.secret = *secret;
  }
  return options;
}

} // namespace tilus
